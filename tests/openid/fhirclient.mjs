// fhirclient.mjs - npm's fhirclient in Chromium launches standalone for a patient and from a health record for a practitioner
// (SMART App Launch 2.2), and reads from a FHIR server that introspects each token. This program is that server: it has two
// patients, publishes its configuration, and refuses what a token does not allow.
import {readFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {signIn, withChromium} from './chromium.mjs';
import {insist, place} from './place.mjs';
import npm from '../support/npm.cjs';

const script = readFileSync(`${npm('openid').folder('fhirclient')}/build/fhir-client.min.js`);
const HTML = '<!doctype html><title>app</title><script src="/fhir-client.js"></script>';
const api = new URL(place.issuer).origin;
const OTHER = '00000000-0000-4000-8000-000000000000';

const json = (response, status, body) => {
  response.writeHead(status, {'Content-Type': 'application/json', 'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Headers': '*'});
  response.end(JSON.stringify(body));
};

// An admin's setup.
const administer = async (path, body) => {
  const answer = await fetch(`${api}${path}`, {method: 'POST', body: JSON.stringify(body),
    headers: {'content-type': 'application/json', authorization: `Bearer ${place.admin.access}`}});
  insist(answer.status === 200, `${path}: ${answer.status} ${await answer.clone().text()}`);
  return answer.json();
};

const records = {};

const introspect = async request => {
  const answer = await fetch(`${place.issuer}/introspect`, {method: 'POST', body: new URLSearchParams({
    client_id: records.client, client_secret: records.secret,
    token: (request.headers.authorization ?? '').replace(/^Bearer /, '')})});
  return answer.json();
};

const readPatient = async (request, response, id) => {
  const token = await introspect(request);

  if (!token.active || token.aud !== records.base)
    return json(response, 401, {resourceType: 'OperationOutcome'});
  if (token.patient !== id || !/(^| )patient\/(Patient|\*)\.(c?rs?|read)( |$)/.test(token.scope))
    return json(response, 403, {resourceType: 'OperationOutcome'});
  return json(response, 200, {resourceType: 'Patient', id, birthDate: '1970-01-01'});
};

const server = createServer(async (request, response) => {
  const {pathname} = new URL(request.url, 'http://app');
  const [, patient] = pathname.match(/^\/r4\/Patient\/([^/]+)$/) ?? [];

  if (request.method === 'OPTIONS')
    return json(response, 200, {});
  if (pathname === '/r4/.well-known/smart-configuration') {
    const page = await fetch(`${place.issuer}/smart/${records.id}/.well-known/smart-configuration`);
    return json(response, page.status, await page.json());
  }
  if (patient)
    return readPatient(request, response, patient);
  if (pathname.startsWith('/r4/'))
    return json(response, 404, {resourceType: 'OperationOutcome'});
  response.setHeader('Content-Type', pathname === '/fhir-client.js' ? 'text/javascript' : 'text/html');
  response.end(pathname === '/fhir-client.js' ? script : HTML);
});
await new Promise(done => server.listen(0, '127.0.0.1', done));
const app = `http://127.0.0.1:${server.address().port}`;

records.base = `${app}/r4`;
({id: records.id} = await administer('/v1/project/resources', {name: 'Records', base: records.base,
  patientScopes: ['patient/*.rs'], practitionerScopes: ['patient/*.rs', 'user/*.rs']}));
({id: records.client} = await administer('/v1/project/clients', {name: 'Records', type: 'confidential',
  authMethod: 'client_secret_post', audiences: [records.base]}));
({secret: records.secret} = await administer(`/v1/project/clients/${records.client}/secret`, {}));
const {id: clientId} = await administer('/v1/project/clients', {name: 'Growth chart', firstParty: true,
  redirectUris: ['http://127.0.0.1/callback'], grantTypes: ['authorization_code', 'refresh_token'],
  scopes: ['openid', 'fhirUser', 'offline_access', 'launch', 'launch/patient'], audiences: [records.base],
  patientScopes: ['patient/*.rs'], practitionerScopes: ['patient/*.rs']});

// Runs in the page to which the browser returned.
const finish = async other => {
  const client = await FHIR.oauth2.ready();
  const status = async act => { try { await act(); return 200; } catch (error) { return error.statusCode ?? error.status ?? `${error}`; } };
  const before = client.state.tokenResponse.access_token;
  const read = await client.patient.read();
  const foreign = await status(() => client.request(`Patient/${other}`));

  if (client.state.tokenResponse.scope.split(' ').includes('offline_access'))
    await client.refresh();
  return {patient: client.patient.id, read: read.id, foreign, user: client.user.fhirUser,
    scope: client.state.tokenResponse.scope, renewed: before !== client.state.tokenResponse.access_token,
    again: (await client.patient.read()).id};
};

const launched = async (start, parameters, person) => withChromium(async page => {
  await page.goto(`${app}${start}`);
  await page.evaluate(`void FHIR.oauth2.authorize(${JSON.stringify({clientId, redirectUri: `${app}/callback`, pkceMode: 'required', ...parameters})})`);
  await signIn(page, place.issuer, person);
  await page.waitForURL(`${app}/callback**`);
  await page.waitForLoadState();
  return page.evaluate(`(${finish})(${JSON.stringify(OTHER)})`);
});

const check = (name, got, want) => {
  for (const [key, value] of Object.entries(want))
    insist(got[key] === value, `${name}, ${key}: ${got[key]} instead of ${value}`);
};

try {
  const alone = await launched('/', {iss: records.base,
    scope: 'launch/patient openid fhirUser offline_access patient/Patient.read'}, place.person);
  check('standalone launch', alone, {patient: place.patient, read: place.patient, foreign: 403, again: place.patient,
    user: `Patient/${place.patient}`, renewed: true,
    scope: 'launch/patient openid fhirUser offline_access patient/Patient.read'});

  const {launch, iss} = await administer('/v1/launch', {clientId, resource: records.id, patient: place.patient});
  const inside = await launched(`/launch?${new URLSearchParams({iss, launch})}`,
    {scope: 'launch openid fhirUser patient/*.cruds'}, place.admin);
  check('EHR launch', inside, {patient: place.patient, read: place.patient, foreign: 403, user: place.admin.profile,
    scope: 'launch openid fhirUser patient/*.rs'});
} finally {
  server.closeAllConnections();
  server.close();
}
