// run.mjs URL DIR EMAIL PASSWORD - runs the code of docs/integrate.md, as an application's page would, with a suite at URL
// whose emails are in DIR; the account is demo's admin. Browser features that Node 18 lacks are provided here: a store, locks
// between tabs, an address bar.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { File } from 'node:buffer';
import { randomBytes, webcrypto } from 'node:crypto';

globalThis.crypto ??= webcrypto;

const [url, mailDir, adminEmail, adminPassword] = process.argv.slice(2);
const blocks = [...readFileSync('docs/integrate.md', 'utf8').matchAll(/^```js\n(.*?)^```$/gms)];
const code = blocks.map((block) => block[1]).join('\n');
const names = [...code.matchAll(/^(?:async )?function (\w+)|^const (\w+) =/gm)].map((m) => m[1] ?? m[2]);

const page = { href: 'https://my.clinic.example/' };
const store = new Map();
let locked = Promise.resolve();
const browser = {
  API: url,
  location: { get href() { return page.href; }, get pathname() { return new URL(page.href).pathname; } },
  history: { replaceState: (state, title, path) => { page.href = new URL(path, page.href).href; } },
  localStorage: { getItem: (name) => store.get(name) ?? null, setItem: (name, value) => store.set(name, value) },
  navigator: {
    locks: {
      request: (name, work) => {
        const done = locked.then(work);
        locked = done.catch(() => {});
        return done;
      },
    },
  },
};
const guide = new Function(...Object.keys(browser), `${code}\nreturn { ${names.join(', ')} };`)(
  ...Object.values(browser));

const newAccount = (extra) => ({
  email: `ana.${randomBytes(6).toString('hex')}@patients.example`, password: 'a long demo password',
  name: 'Ana', surname: 'Lima', tenantCode: 'demo', ...extra,
});

// Opens the newest link to that page in an email to the address.
async function openLink(email, path) {
  for (let tries = 0; tries < 100; tries++) {
    const mails = readdirSync(mailDir).sort().reverse().map((name) => readFileSync(join(mailDir, name), 'utf8'));
    const mail = mails.find((text) => text.includes(email) && text.includes(path));
    const found = mail?.replaceAll('=\r\n', '').replaceAll('=\n', '').replaceAll('=3D', '=')
      .match(new RegExp(`https?://[^\\s"<>]*${path}\\?[^\\s"<>]*`));

    if (found) {
      page.href = found[0].replaceAll('&amp;', '&');
      return;
    }
    await new Promise((done) => setTimeout(done, 100));
  }
  assert.fail(`no link to ${path} in a mail to ${email}`);
}

const fails = (promise, want) => assert.rejects(promise, (error) => {
  for (const [name, value] of Object.entries(want))
    assert.equal(error[name], value, `${name} of ${error}`);
  return true;
});

async function signsIn() {
  const account = newAccount();
  const { tokens } = await guide.register(account);
  const again = await guide.signIn(account);

  assert.equal(again.profile.reference, tokens.profile.reference);
  await fails(guide.signIn({ ...account, password: 'wrong' }), { status: 400 });
  await fails(guide.register({ ...account, email: 'none' }), { status: 422 });
  return { account, tokens: again };
}

async function keepsTheSession({ tokens }) {
  guide.keepTokens({ ...tokens, expiresIn: 30 });
  const made = await Promise.all([guide.freshToken(), guide.freshToken(), guide.freshToken()]);

  assert.equal(new Set(made).size, 1);
  assert.notEqual(made[0], tokens.accessToken);
  assert.equal(await guide.freshToken(), made[0]);
  return made[0];
}

async function uploads(token) {
  const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==', 'base64');
  const id = await guide.upload(new File([png], 'dot.png', { type: 'image/png' }), token);

  assert.match(await guide.picture(id, token, 8), /^blob:/);
  await fails(guide.picture(id, 'x.y.z', 8), { status: 401 });
}

async function verifies(token) {
  const claims = await guide.verifyToken(token);
  const [header, body, signature] = token.split('.');
  const forged = Buffer.from(JSON.stringify({ ...claims, adm: true })).toString('base64url');

  assert.match(claims.sub, /^Patient\//);
  await assert.rejects(guide.verifyToken(`${header}.${forged}.${signature}`));
  await assert.rejects(guide.verifyToken(`${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`));
  await assert.rejects(guide.verifyToken(token, { audience: 'other' }));
}

async function proves({ account }, token) {
  let asked = 0;
  const remove = () => guide.call('/auth/delete', { method: 'DELETE', token, body: { days: 30 } });
  const stale = () => asked > 0 ? remove() : Promise.reject(Object.assign(new Error(), { code: 'STEP_UP_REQUIRED' }));
  const done = await guide.withProof(stale, token, () => { asked++; return { password: account.password }; });

  assert.ok(done.scheduled);
  assert.equal(asked, 1);
}

async function followsLinks({ account }) {
  await guide.call('/auth/reset-password',
    { method: 'POST', body: { email: account.email, tenantCode: 'demo' } });
  await openLink(account.email, '/set-password');
  const link = guide.takeLink();

  assert.ok(!page.href.includes(link.secret));
  await guide.setPassword(link, 'another long demo password');
  await fails(guide.setPassword(link, 'once more'), { status: 400 });
  await guide.signIn({ ...account, password: 'another long demo password' });
}

const signInAdmin = () => guide.signIn(
  { role: 'Practitioner', email: adminEmail, password: adminPassword, tenantCode: 'demo' });

async function verifiesAddresses() {
  const account = newAccount(), admin = await signInAdmin();

  for (const [name, text] of [['EMAIL_VERIFICATION', '{{verifyUrl}}'], ['EMAIL_CHANGE', '{{verifyUrl}}'],
    ['EMAIL_CHANGED', '{{undoUrl}}']])
    await guide.call(`/v1/project/email-templates/${name}`,
      { method: 'PUT', token: admin.accessToken, body: { subject: 'Your address', text: `Go on: ${text}` } });
  const { tokens } = await guide.register(account);
  await openLink(account.email, '/verify-email');
  const link = guide.takeLink();

  await fails(guide.verifyEmail(link, {}), { status: 401, code: 'SIGN_IN_REQUIRED' });
  await guide.verifyEmail(link, { password: account.password });
  const me = await guide.call('/auth/me', { token: tokens.accessToken });
  assert.equal(me.security.emailVerified, true);
  await changesAddresses(account, tokens.accessToken);
}

async function changesAddresses(account, token) {
  const email = `new.${account.email}`;

  await guide.call('/auth/change-email', { method: 'POST', token, body: { email } });
  await openLink(email, '/verify-email');
  await guide.verifyEmail(guide.takeLink(), { token });
  await guide.signIn({ ...account, email });
  await openLink(account.email, '/undo-email');
  await guide.undoEmail(guide.takeLink());
  await fails(guide.signIn({ ...account, email }), { status: 400 });
}

async function acceptsInvitations() {
  const admin = await signInAdmin();
  const email = `rui.${randomBytes(6).toString('hex')}@staff.example`;

  await guide.call('/v1/projects/me/members', {
    method: 'POST', token: admin.accessToken, body: { email, firstName: 'Rui', lastName: 'Costa' },
  });
  await openLink(email, '/invitation');
  const link = guide.takeLink();
  const shown = await guide.openInvitation(link);

  assert.equal(shown.email, email);
  assert.equal(shown.accept, 'set-password');
  await fails(guide.acceptInvitation(link, { token: admin.accessToken }), { status: 400 });
  await guide.acceptInvitation(link, { password: 'a long demo password' });
  await guide.signIn({ role: 'Practitioner', email, password: 'a long demo password' });
}

async function repeats() {
  const kept = globalThis.fetch;
  let asked = 0;

  globalThis.fetch = async () => {
    asked++;
    return new Response('{"message":"Busy."}', { status: asked < 3 ? 503 : 200, headers: { 'Retry-After': '1' } });
  };
  try {
    await guide.callAgain('/auth/me');
    assert.equal(asked, 3);
    asked = 0;
    await fails(guide.callAgain('/document', { method: 'POST' }), { status: 503 });
    assert.equal(asked, 1);
  } finally {
    globalThis.fetch = kept;
  }
}

const session = await signsIn();
const token = await keepsTheSession(session);
await uploads(token);
await verifies(token);
await proves(session, token);
await followsLinks(session);
await verifiesAddresses();
await acceptsInvitations();
await repeats();
console.log(`${blocks.length} blocks ran`);
