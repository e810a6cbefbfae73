// Receives a project's events: checks each signature, answers immediately, ignores repeats, and processes them in order.
import http from 'node:http';
import { Webhook } from 'standardwebhooks';

const { WEBHOOK_SECRET, PORT = '8443' } = process.env;
const webhook = new Webhook(WEBHOOK_SECRET);
const LIMIT = 64 * 1024; // bytes
const seen = new Set(); // ids of events; keep those of three days in a database, so that a restart forgets none
let work = Promise.resolve();

async function handle(event) {
    console.log(`${event.type} ${event.data.subject ?? event.data.account ?? ''}`);
}

async function readBody(request) {
    const parts = [];
    let size = 0;

    for await (const part of request) {
        size += part.length;
        if (size > LIMIT)
            throw new Error('too large');
        parts.push(part);
    }
    return Buffer.concat(parts).toString();
}

// In production, a proxy in front of it ends TLS: there, webhooks need https.
http.createServer(async (request, response) => {
    try {
        const body = await readBody(request); // as it came: the signature is over these bytes
        const event = webhook.verify(body, request.headers); // also refuses a timestamp that is five minutes off
        const id = request.headers['webhook-id'];

        if (!seen.has(id)) {
            seen.add(id);
            work = work.then(() => handle(event)).catch((error) => console.error(error));
        }
        response.writeHead(204).end();
    } catch (error) {
        console.error(`refused: ${error.message}`);
        response.writeHead(400).end();
    }
}).listen(Number(PORT), '127.0.0.1', () => console.log(`ready http://localhost:${PORT}`));
