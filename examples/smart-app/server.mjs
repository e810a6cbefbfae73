// Serves the app, and below /r4 a FHIR server with one resource type, to try the app without one. It registers both with
// the tenant, as an admin does once, and asks the issuer about each token (RFC 7662).
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { ATRIUM_URL = 'http://localhost:8080', TENANT = 'demo', PORT = '8992',
    CLIENT_ID, ADMIN_EMAIL, ADMIN_PASSWORD } = process.env;
const home = `http://127.0.0.1:${PORT}`, base = `${home}/r4`, issuer = `${ATRIUM_URL}/t/${TENANT}`;
const script = new URL('node_modules/fhirclient/build/fhir-client.min.js', import.meta.url);

async function send(url, body, token) {
    const answer = await fetch(url, { method: 'POST', body: body instanceof URLSearchParams ? body : JSON.stringify(body),
        headers: { ...(token && { Authorization: `Bearer ${token}` }),
            ...(!(body instanceof URLSearchParams) && { 'Content-Type': 'application/json' }) } });

    if (!answer.ok)
        throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
    return answer.json();
}

async function register() {
    const { accessToken } = await send(`${ATRIUM_URL}/v2/auth/login`,
        { email: ADMIN_EMAIL, password: ADMIN_PASSWORD, clientId: CLIENT_ID });
    const make = (path, body) => send(`${ATRIUM_URL}/v1/project/${path}`, body, accessToken);
    const { id: resource } = await make('resources', { name: 'Records', base,
        patientScopes: ['patient/*.rs'], practitionerScopes: ['patient/*.rs'] });
    const { id } = await make('clients', { name: 'Records', type: 'confidential', authMethod: 'client_secret_post',
        audiences: [base] });
    const { secret } = await make(`clients/${id}/secret`, {});
    const { id: clientId } = await make('clients', { name: 'Patient summary', firstParty: true, audiences: [base],
        redirectUris: [`${home}/callback`], grantTypes: ['authorization_code'],
        scopes: ['openid', 'fhirUser', 'launch', 'launch/patient'],
        patientScopes: ['patient/*.rs'], practitionerScopes: ['patient/*.rs'] });
    return { resource, clientId, records: { client_id: id, client_secret: secret } };
}

const { resource, clientId, records } = await register();

async function readPatient(request, id) {
    const token = (request.headers.authorization ?? '').replace(/^Bearer /, '');
    const said = token && await send(`${issuer}/introspect`, new URLSearchParams({ ...records, token }));

    if (!said?.active || said.aud !== base)
        return [401, { resourceType: 'OperationOutcome' }];
    if (said.patient !== id || !/(^| )patient\/(Patient|\*)\.(c?rs?|read)( |$)/.test(said.scope))
        return [403, { resourceType: 'OperationOutcome' }];
    return [200, { resourceType: 'Patient', id, birthDate: '1970-01-01', name: [{ text: 'Ana Lima' }] }];
}

async function answer(request, path) {
    const [, id] = path.match(/^\/r4\/Patient\/([^/]+)$/) ?? [];

    if (id)
        return readPatient(request, id);
    if (path === '/r4/.well-known/smart-configuration')
        return [200, await (await fetch(`${issuer}/smart/${resource}/.well-known/smart-configuration`)).json()];
    if (path === '/config.json')
        return [200, { clientId, iss: base, resource }];
    if (path === '/fhir-client.js')
        return [200, readFileSync(script), 'text/javascript'];
    return [200, readFileSync(new URL('index.html', import.meta.url)), 'text/html'];
}

createServer(async (request, response) => {
    const [status, body, type] = await answer(request, new URL(request.url, home).pathname).catch((error) => [502, `${error}`]);

    response.writeHead(status, { 'Content-Type': type ?? 'application/json' });
    response.end(type ? body : JSON.stringify(body));
}).listen(Number(PORT), '127.0.0.1', () => console.log(`ready ${home}`));
