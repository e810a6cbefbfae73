// oidc-agent.mjs - Debian's oidc-agent (oidc-agent-cli), without a desktop, gets a person's consent with a code for its own
// web server and as a device. Its tokens are the person's, and it refreshes them.
import {spawn} from 'node:child_process';
import {chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {setTimeout as sleep} from 'node:timers/promises';
import {Browser} from './browser.mjs';
import {insist, place} from './place.mjs';
import {freePort} from './port.mjs';

const root = mkdtempSync(`${tmpdir()}/atrium-oidc-agent-`);
const socket = `${root}/agent`, password = `${root}/password`;
const env = {...process.env, HOME: root, TMPDIR: root, OIDC_CONFIG_DIR: root, OIDC_SOCK: socket};
const redirect = `http://localhost:${await freePort()}/callback`;

writeFileSync(password, 'of the account file\n', {mode: 0o600});
chmodSync(root, 0o700);
const agent = spawn('oidc-agent', ['--console', `--socket-path=${socket}`, '--no-scheme'], {env, stdio: 'ignore'});

const registered = await fetch(`${new URL(place.issuer).origin}/v1/project/clients`, {method: 'POST',
  headers: {'content-type': 'application/json', authorization: `Bearer ${place.admin.access}`},
  body: JSON.stringify({name: 'Agent', type: 'confidential', authMethod: 'client_secret_basic',
    redirectUris: ['http://localhost/callback'], scopes: ['openid', 'profile', 'email', 'offline_access'],
    grantTypes: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code']})});
insist(registered.status === 200, `the client is ${await registered.clone().text()}`);
const {id} = await registered.json();
const made = await fetch(`${new URL(place.issuer).origin}/v1/project/clients/${id}/secret`, {method: 'POST', body: '{}',
  headers: {'content-type': 'application/json', authorization: `Bearer ${place.admin.access}`}});
const {secret} = await made.json();

// Runs a command and returns its output; `seen` gets all output so far each time that there is more.
function run(command, args, seen = () => {}) {
  const child = spawn(command, args, {env, stdio: ['ignore', 'pipe', 'pipe']});
  let text = '';

  for (const stream of [child.stdout, child.stderr])
    stream.on('data', bytes => seen(text += bytes));
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', code => code === 0 ? done(text) : fail(new Error(`${command}: ${code} ${text}`)));
  });
}

// Starts an agent's account with one flow; `act` does the person's part once, when `pattern` is printed.
async function generate(name, flow, pattern, act) {
  let acts;

  await run('oidc-gen', [name, `--issuer=${place.issuer}`, `--client-id=${id}`, `--client-secret=${secret}`,
    `--redirect-uri=${redirect}`, '--scope=openid profile email offline_access', `--flow=${flow}`, `--pw-file=${password}`,
    '--confirm-yes', '--prompt=none', '--no-url-call', '--no-scheme'], text => {
      const found = text.match(pattern);

      if (found)
        acts ??= act(...found);
    });
  await acts;
}

const token = async (name, ...options) => (await run('oidc-token', [...options, name])).trim();

async function isThePersons(access) {
  const answer = await fetch(`${place.issuer}/userinfo`, {headers: {authorization: `Bearer ${access}`}});
  const {email} = await answer.json();

  insist(email === place.person.email, `the token is of ${email}: ${answer.status}`);
}

async function getsAndRenews(name) {
  const first = await token(name), next = await token(name, '--force-new');

  insist(first !== next, 'the token was not renewed');
  await isThePersons(first);
  await isThePersons(next);
}

try {
  for (let i = 0; !existsSync(socket) && i < 100; i++)
    await sleep(50);
  await generate('code', 'code', /^(http\S+\/authorize\?\S+)$/m, async (_, url) => {
    const back = await new Browser().authorize(new URL(url), place.person);

    insist(back.href.startsWith(`${redirect}?`), `the browser is sent to ${back}`);
    await fetch(back);
  });
  await getsAndRenews('code');
  await generate('device', 'device', /(http\S+\/device)\s[^]*?([B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4})/,
    (_, url, code) => new Browser().connect(new URL(url), place.person, code));
  await getsAndRenews('device');
} finally {
  agent.kill();
  rmSync(root, {recursive: true});
}
