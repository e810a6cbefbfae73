// run.mjs NAME SUITE DIR - runs examples/NAME as its README says, against a suite, and uses it to its end. DIR has cert.pem
// and key.pem for 127.0.0.1, which the suite's maild trusts, and app/ with the packed TypeScript client.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../openid/port.mjs';
import npm from '../support/npm.cjs';

const [name, suiteDir, dir] = process.argv.slice(2);
const { baseUrl, publicUrl, demo } = JSON.parse(readFileSync(path.join(suiteDir, 'dev.json'), 'utf8'));
const issuer = `${publicUrl}/t/${demo.tenantCode}`;
const from = npm('examples');
const LINES_MAX = 80;
const PASSWORD = 'correct horse battery staple';
const home = path.join(dir, name);
const running = [];

function insist(condition, why) {
    if (!condition)
        throw new Error(typeof why === 'string' ? why : JSON.stringify(why));
}

async function until(condition, what, ms = 20_000) {
    for (const end = Date.now() + ms; ; await sleep(50)) {
        const value = await condition();
        if (value)
            return value;
        insist(Date.now() < end, `never: ${what}`);
    }
}

// ---- the example ----

// What there is to read: no comments, no blank lines, and not Go's package and imports.
function insistItIsShort(example) {
    for (const file of readdirSync(path.join('examples', example)).filter((each) => /\.(mjs|js|html|go|py|conf)$/.test(each))) {
        const text = readFileSync(path.join('examples', example, file), 'utf8').replace(/^package.*?^import \(.*?^\)$/ms, '');
        const lines = text.split('\n').filter((each) => !/^\s*(\/\/.*|#.*)?$/.test(each)).length;
        insist(lines <= LINES_MAX, `${example}/${file} has ${lines} lines`);
    }
}

// Copies an example, and puts what it imports beside it, as `npm install` does.
function copy(example = name) {
    const place = path.join(dir, example);
    const versions = (workspace) => JSON.parse(readFileSync(`tests/${workspace}/package.json`, 'utf8')).devDependencies;
    const tested = { ...versions('client'), ...versions('examples') };

    insistItIsShort(example);
    rmSync(place, { recursive: true, force: true });
    cpSync(path.join('examples', example), place, { recursive: true });
    mkdirSync(path.join(place, 'node_modules/@atrium'), { recursive: true });
    let manifest = { dependencies: {} };
    try {
        manifest = JSON.parse(readFileSync(path.join(place, 'package.json'), 'utf8'));
    } catch {
        // not of Node
    }
    for (const [each, version] of Object.entries(manifest.dependencies)) {
        const isClient = each === '@atrium/client';
        insist(isClient || tested[each] === version, `${each} ${version} is tested as ${tested[each]}`);
        symlinkSync(isClient ? path.resolve(dir, 'app/node_modules', each) : from.folder(each), path.join(place, 'node_modules', each));
    }
    return place;
}

// Starts a program and waits until it says that it is ready (a pattern of its output).
async function start(words, { cwd = home, env = {}, ready = /^ready/m } = {}) {
    const program = spawn(words[0], words.slice(1), { cwd, env: { ...process.env, ...env } });
    const self = { program, output: '', ended: new Promise((done) => program.once('exit', done)) };

    running.push(self);
    for (const stream of [program.stdout, program.stderr])
        stream.on('data', (text) => { self.output += text; });
    self.ended.then((code) => { self.code = code; });
    if (ready)
        await until(() => {
            insist(self.code === undefined, `${words.join(' ')} ended: ${self.output}`);
            return ready.test(self.output);
        }, `${words.join(' ')} is ready`);
    return self;
}

async function run(words, options) {
    const self = await start(words, { ...options, ready: null });
    const code = await self.ended;
    insist(code === 0, `${words.join(' ')}: ${code} ${self.output}`);
    return self.output;
}

// ---- the suite ----

async function textOf(stream) {
    let text = '';
    for await (const part of stream)
        text += part;
    return text;
}

// Each request comes from an address of its own: no limit is in the way.
let calls = 0;
function call(method, route, body, access) {
    const headers = { ...(body && { 'Content-Type': 'application/json' }), ...(access && { Authorization: `Bearer ${access}` }) };
    const localAddress = `127.8.${process.pid % 250}.${1 + calls++}`;

    return new Promise((resolve, reject) => {
        http.request(baseUrl + route, { method, headers, localAddress }).on('response', async (answer) => {
            const text = await textOf(answer);
            if (answer.statusCode < 300)
                resolve(text ? JSON.parse(text) : null);
            else
                reject(new Error(`${route}: ${answer.statusCode} ${text}`));
        }).on('error', reject).end(body && JSON.stringify(body));
    });
}

const admin = () => call('POST', '/v2/auth/login',
    { email: demo.adminEmail, password: demo.adminPassword, clientId: demo.clientId });

let people = 0;
const newPerson = () => ({ email: `${name}${++people}-${process.pid}@patients.example`, password: PASSWORD });
async function register() {
    const person = newPerson();
    const tokens = await call('POST', '/auth/tenant/Patient/register',
        { ...person, name: 'Ana', surname: 'Lima', tenantCode: demo.tenantCode });
    return { ...person, ...tokens };
}

async function webhook(route, events, scheme = 'https') {
    const { accessToken } = await admin();
    const port = await freePort();
    const made = await call('POST', '/v1/project/webhooks', { url: `${scheme}://127.0.0.1:${port}${route}`, events }, accessToken);
    return { ...made, port, accessToken };
}

// A request to a server with the certificate: its status and its text.
function secure(url, { method = 'GET', headers, body } = {}) {
    return new Promise((resolve, reject) => {
        https.request(url, { method, headers, ca: readFileSync(path.join(dir, 'cert.pem')) }).on('response', async (answer) => {
            resolve({ status: answer.statusCode, text: await textOf(answer) });
        }).on('error', reject).end(body);
    });
}

// ---- the person ----

async function withChromium(act) {
    const { chromium } = from('playwright-core');
    const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox'] });
    const context = await browser.newContext();

    context.setDefaultTimeout(20_000);
    try {
        return await act(context);
    } finally {
        await browser.close();
    }
}

// On the page of the issuer that the browser was sent to.
async function signIn(page, { email, password }) {
    await page.waitForURL(`${issuer}/**`);
    await page.fill('input[name=email]', email);
    await page.fill('input[name=password]', password);
    await page.keyboard.press('Enter');
}

async function express(options) {
    const place = copy('express-openid'), port = await freePort();
    await start(['node', 'app.mjs'], { cwd: place, env: { ISSUER: issuer, CLIENT_ID: demo.clientId, PORT: port, ...options } });
    return port;
}

const examples = {
    async 'spa-typescript'() {
        copy();
        const port = await freePort(), { email } = newPerson();
        await start(['/usr/bin/python3', '-u', '-m', 'http.server', String(port), '--bind', '127.0.0.1'], { ready: /Serving/ });
        await withChromium(async (context) => {
            const open = async () => {
                const page = await context.newPage();
                await page.goto(`http://localhost:${port}/?api=${baseUrl}`);
                await page.waitForSelector('#sign-in:visible, #account:visible');
                return page;
            };
            const one = await open(), two = await open();
            await one.fill('[name=email]', email);
            await one.fill('[name=password]', PASSWORD);
            await one.click('button[value=register]');
            await two.waitForSelector('#account:visible');
            await one.waitForSelector('#account:visible');
            await one.setInputFiles('#file', { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') });
            await one.waitForSelector('text=note.txt');
            const [opened] = await Promise.all([one.waitForEvent('popup'), one.click('text=note.txt')]);
            await until(async () => (await opened.textContent('body').catch(() => '')).includes('hello'), 'the document');
            await two.click('#sign-out');
            await one.waitForSelector('#sign-in:visible');
            await one.fill('[name=email]', email);
            await one.fill('[name=password]', 'wrong');
            await one.click('button[value=signIn]');
            await one.waitForFunction(() => document.getElementById('message').textContent !== '');
            await one.fill('[name=password]', PASSWORD);
            await one.click('button[value=signIn]');
            await two.waitForSelector('#account:visible');
        });
    },
    async 'express-openid'() {
        const port = await express({}), person = await register();
        const home = `http://localhost:${port}`;
        insist((await fetch(`${home}/auth`)).status === 401, 'lets everyone in');
        insist((await fetch(`${home}/callback?code=x&state=y`)).status === 400, 'takes a code that it did not ask for');
        await withChromium(async (context) => {
            const page = await context.newPage();
            await page.goto(home);
            await page.click('text=Sign in');
            await signIn(page, person);
            await page.waitForSelector(`text=Hello Ana Lima (${person.email})`);
            insist((await context.request.get(`${home}/auth`)).status() === 204, 'does not let the person in');
            await page.click('text=Sign out');
            await page.waitForURL(`${issuer}/**`);
            await page.goto(home);
            await page.waitForSelector('text=Sign in');
            await page.goto(`${home}/login?next=//evil.example/`);
            await signIn(page, person);
            await page.waitForURL(`${home}/`);
        });
    },
    async 'nginx-openid'() {
        const front = await freePort(), person = await register(), home = `http://localhost:${front}`;
        const back = await express({ BASE: home });
        const place = copy(), user = process.getuid() === 0 ? ' user root;' : '';
        const conf = readFileSync(path.join(place, 'nginx.conf'), 'utf8');
        writeFileSync(path.join(place, 'nginx.conf'), conf.replaceAll('8990', back).replaceAll('8991', front));
        await start(['/usr/sbin/nginx', '-p', place, '-c', 'nginx.conf', '-g', `daemon off;${user}`], { ready: /(?:)/ });
        await until(() => fetch(home, { redirect: 'manual' }).then((answer) => answer.status === 302, () => false), 'a redirect');
        await withChromium(async (context) => {
            const page = await context.newPage();
            await page.goto(`${home}/`);
            await signIn(page, person);
            await page.waitForSelector('text=Only for members');
            const answer = await page.reload();
            insist(decodeURIComponent(answer.headers()['x-person']) === person.email, answer.headers());
        });
    },
    async 'go-api'() {
        copy();
        for (const file of ['cert.pem', 'key.pem'])
            cpSync(path.join(dir, file), path.join(home, file));
        const env = { GOCACHE: path.join(dir, 'go-cache'), GOFLAGS: '-mod=mod' };
        await run(['go', 'vet', '.'], { env });
        await run(['go', 'build', '-o', 'api', '.'], { env });
        const before = await register();
        await sleep(1000); // the token is a second older than the program
        const { secret, port } = await webhook('/events', ['session.revoked']);
        const url = `https://127.0.0.1:${port}`;
        await start(['./api'], { env: { ATRIUM_URL: baseUrl, WEBHOOK_SECRET: secret, LISTEN: `127.0.0.1:${port}` } });
        const hello = (token) => secure(`${url}/hello`, { headers: { Authorization: `Bearer ${token}` } });
        const { accessToken, profile } = await register();
        const said = await hello(accessToken);
        insist(said.status === 200 && said.text === `Hello ${profile.reference}\n`, said);
        const [head, body, signature] = accessToken.split('.');
        const other = await register();
        for (const token of ['', 'x.y.z', `${head}.${other.accessToken.split('.')[1]}.${signature}`, before.accessToken,
            `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`])
            insist((await hello(token)).status === 401, `takes ${token}`);
        const forged = await secure(`${url}/events`, { method: 'POST', body: '{}', headers: { 'webhook-id': 'a',
            'webhook-timestamp': String(Math.floor(Date.now() / 1000)), 'webhook-signature': 'v1,AAAA' } });
        insist(forged.status === 400, 'takes a forged event');
        await call('POST', '/auth/logout', undefined, accessToken);
        await until(async () => (await hello(accessToken)).status === 401, 'the end of the session is seen');
        insist((await hello(other.accessToken)).status === 200, 'another session');
        const kidOf = (token) => JSON.parse(Buffer.from(token.split('.')[0], 'base64url')).kid;
        await run([path.resolve(process.env.BUILD || 'build', 'bin/atriumctl'), '--dir', suiteDir, 'keys', 'rotate']);
        const late = await until(async () => {
            const { accessToken: token } = await register();
            await sleep(1000);
            return kidOf(token) !== kidOf(accessToken) && token;
        }, 'a token by the new key', 60_000);
        for (const token of [late, other.accessToken])
            insist((await hello(token)).status === 200, 'a rotation of keys is not seen');
    },
    async 'python-api-key'() {
        copy();
        const { accessToken } = await admin();
        const policy = await call('POST', '/v1/project/access-policies',
            { name: 'Laboratory', resource: [{ resourceType: 'DocumentReference' }] }, accessToken);
        const { key } = await call('POST', '/v1/project/api-keys',
            { name: 'Laboratory', accessPolicy: `AccessPolicy/${policy.id}` }, accessToken);
        writeFileSync(path.join(home, 'report.txt'), 'all is well');
        const ask = (ATRIUM_API_KEY) => ['/usr/bin/env', `ATRIUM_URL=${baseUrl}`, `ATRIUM_API_KEY=${ATRIUM_API_KEY}`,
            '/usr/bin/python3', 'results.py', 'report.txt'];
        const output = await run(ask(key));
        insist(/^[0-9a-f-]{36} report\.txt$/m.test(output) && /^uploaded /m.test(output), output);
        const refused = await start(ask('atk_wrong'), { ready: null });
        insist(await refused.ended === 1 && refused.output.includes('401'), refused.output);
    },
    async 'smart-app'() {
        copy();
        const port = await freePort(), home = `http://127.0.0.1:${port}`, person = await register();
        await start(['node', 'server.mjs'], { env: { ATRIUM_URL: publicUrl, PORT: port, CLIENT_ID: demo.clientId, ADMIN_EMAIL: demo.adminEmail,
            ADMIN_PASSWORD: demo.adminPassword } });
        await withChromium(async (context) => {
            const page = await context.newPage();
            await page.goto(home);
            await page.click('#start');
            await signIn(page, person);
            await page.waitForSelector(`text=Ana Lima, born 1970-01-01 (for ${person.profile.reference})`);
        });
        const { accessToken, profile } = await admin();
        const { clientId, resource } = await (await fetch(`${home}/config.json`)).json();
        const { launch, iss } = await call('POST', '/v1/launch',
            { clientId, resource, patient: person.profile.reference.replace('Patient/', '') }, accessToken);
        await withChromium(async (context) => {
            const page = await context.newPage();
            await page.goto(`${home}/?${new URLSearchParams({ iss, launch })}`);
            await signIn(page, { email: demo.adminEmail, password: demo.adminPassword });
            await page.waitForSelector(`text=Ana Lima, born 1970-01-01 (for ${profile.reference})`);
        });
        for (const token of ['', 'x.y.z'])
            insist((await fetch(`${home}/r4/Patient/x`, { headers: { Authorization: `Bearer ${token}` } })).status === 401, 'reads without a token');
    },
    async 'webhook-receiver'() {
        copy();
        const { id, secret, port, accessToken } = await webhook('/', ['session.created', 'account.created'], 'http');
        const receiver = await start(['node', 'receiver.mjs'], { env: { WEBHOOK_SECRET: secret, PORT: port } });
        await call('POST', `/v1/project/webhooks/${id}/test`, {}, accessToken);
        await until(() => /^webhook\.test/m.test(receiver.output), 'the test event');
        await register();
        await until(() => /^account\.created /m.test(receiver.output) && /^session\.created Session\//m.test(receiver.output),
            'the events');
        const list = await until(async () => {
            const { resources } = await call('GET', `/v1/project/webhooks/${id}/deliveries?state=delivered`, null, accessToken);
            return resources.length > 0 && resources;
        }, 'a delivery');
        const lines = receiver.output;
        await call('POST', `/v1/project/webhooks/${id}/redeliver`, { delivery: list[0].id }, accessToken);
        await sleep(2000); // it comes again, and is not handled again
        insist(receiver.output === lines, `handled twice: ${receiver.output}`);
        const forged = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{"type":"session.created"}',
            headers: { 'webhook-id': 'a', 'webhook-timestamp': String(Math.floor(Date.now() / 1000)), 'webhook-signature': 'v1,AAAA' } });
        insist(forged.status === 400, forged);
        await until(() => /^refused/m.test(receiver.output), 'the forged event is refused');
    },
};

try {
    await examples[name]();
    console.log(`ok ${name}`);
} catch (error) {
    console.error(`${name}: ${error.message.slice(0, 700)}`);
    process.exitCode = 1;
} finally {
    for (const { program, ended, code } of running.reverse()) {
        if (code === undefined)
            program.kill();
        await ended;
    }
}
