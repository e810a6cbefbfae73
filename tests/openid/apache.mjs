// apache.mjs - Apache with Debian's modules, configured from the output of `atriumctl client create --demo-rp`, admits people
// whom the issuer signed in (mod_auth_openidc), and programs with a token that it verifies (mod_oauth2).
import {spawn} from 'node:child_process';
import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {setTimeout as sleep} from 'node:timers/promises';
import {signIn, withChromium} from './chromium.mjs';
import {insist, place} from './place.mjs';
import {freePort} from './port.mjs';

const port = await freePort();
const home = `http://localhost:${port}`;
const root = mkdtempSync(`${tmpdir()}/atrium-apache-`);
const modules = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'headers', 'dir', 'mime', 'auth_openidc', 'oauth2'];
// Drops root.
const user = process.getuid() === 0 ? ['User nobody', 'Group nogroup'] : [];

mkdirSync(`${root}/protected`);
mkdirSync(`${root}/api`);
writeFileSync(`${root}/protected/index.html`, 'inner page', {mode: 0o644});
writeFileSync(`${root}/api/index.html`, 'records', {mode: 0o644});
if (process.getuid() === 0)
  spawn('chmod', ['-R', 'a+rX', root]);
writeFileSync(`${root}/apache.conf`, [
  ...modules.map(name => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`), ...user,
  `ServerName localhost`, `Listen 127.0.0.1:${port}`, `ServerRoot ${root}`, `DocumentRoot ${root}`, `PidFile ${root}/pid`,
  `ErrorLog ${root}/error.log`, 'LogLevel error', `TypesConfig /dev/null`, 'DirectoryIndex index.html', `DefaultRuntimeDir ${root}`,
  'Header set X-Person "expr=%{REMOTE_USER}"',
  place.apache.replaceAll('localhost:8990', `localhost:${port}`),
  '<Location /api>', 'AuthType oauth2',
  `OAuth2TokenVerify introspect ${place.issuer}/introspect introspect.auth=client_secret_basic&client_id=${place.id}` +
      `&client_secret=${place.secret}&introspect.ssl_verify=false`,
  'Require valid-user', '</Location>', '',
].join('\n'));
const apache = spawn('/usr/sbin/apache2', ['-f', `${root}/apache.conf`, '-DFOREGROUND'], {stdio: 'inherit'});

async function answers() {
  for (let i = 0; i < 100; i++) {
    try {
      return await fetch(`${home}/`, {redirect: 'manual'});
    } catch {
      await sleep(100);
    }
  }
  throw new Error(`apache does not start: ${readFileSync(`${root}/error.log`, 'utf8')}`);
}

async function letsPeopleIn() {
  await withChromium(async page => {
    await page.goto(`${home}/protected/`);
    await signIn(page, place.issuer, place.person);
    await page.click('button[value=allow]'); // a third-party client
    await page.waitForURL(`${home}/protected/`);
    const answer = await page.reload(), who = answer.headers()['x-person'];

    insist(await page.textContent('body') === 'inner page', `the page is ${answer.status()}`);
    insist(/^[0-9a-f-]{36}@/.test(who), `the person is ${who}`);
  });
}

async function letsProgramsIn() {
  const answer = await fetch(`${place.issuer}/token`, {method: 'POST',
    headers: {authorization: `Basic ${btoa(`${place.id}:${place.secret}`)}`},
    body: new URLSearchParams({grant_type: 'client_credentials', scope: 'read', resource: place.resource})});
  const {access_token: token} = await answer.json();
  const ask = async bearer => (await fetch(`${home}/api/`, {headers: {authorization: `Bearer ${bearer}`}})).status;

  insist(await ask(token) === 200, `a token is answered ${await ask(token)}`);
  insist(await ask(`${token.slice(0, -5)}AAAAA`) === 401, 'a forged token is taken');
}

try {
  await answers();
  await letsPeopleIn();
  await letsProgramsIn();
} catch (error) {
  console.error(readFileSync(`${root}/error.log`, 'utf8').split('\n').slice(-3).join('\n'));
  throw error;
} finally {
  apache.kill();
  await new Promise(done => apache.once('exit', done));
  rmSync(root, {recursive: true});
}
