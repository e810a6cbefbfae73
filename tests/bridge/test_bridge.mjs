// test_bridge.mjs WORK - signs people of slapd and of a SAML identity provider in through the bridge, and tries what must be
// refused. The client is npm's openid-client, with the checks that Atrium makes of an ID token (authd/federation/id_token.c).
import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {setTimeout as sleep} from 'node:timers/promises';
import npm from '../support/npm.cjs';
import {Bridge, SAML_SECONDS} from './bridge.mjs';
import {Directory, SERVICE_PASSWORD, dn, people} from './directory.mjs';
import {SamlIdp, keyPair, page as formPage} from './saml_idp.mjs';
import {stopAll} from './server.mjs';

const oidc = await npm('bridge').import('openid-client');
const {default: {chromium}} = await npm('bridge').import('playwright-core');
const [work] = process.argv.slice(2);

let browser, callback, redirect, config, issuer;

// ---- the client ----

async function connect(bridge) {
  ({issuer} = bridge);
  config = await oidc.discovery(new URL(issuer), 'atrium', undefined, oidc.ClientSecretBasic(bridge.secret),
                                {execute: [oidc.enableNonRepudiationChecks]});
  assert.equal(config.serverMetadata().issuer, issuer);
}

async function request(extra = {}) {
  const verifier = oidc.randomPKCECodeVerifier(), state = oidc.randomState(), nonce = oidc.randomNonce();
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: redirect, scope: 'openid email profile', state, nonce, code_challenge_method: 'S256',
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier), ...extra,
  });

  return {url, started: Math.floor(Date.now() / 1000),
          checks: {pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true}};
}

const part = (token, index) => JSON.parse(Buffer.from(token.split('.')[index], 'base64url'));

// Checks what openid-client leaves out.
function check({id_token: token, access_token: access}) {
  const header = part(token, 0), claims = part(token, 1), now = Date.now() / 1000;

  assert.equal(header.alg, 'RS256');
  assert.equal(claims.iss, issuer);
  assert.deepEqual([claims.aud].flat(), ['atrium']);
  assert.equal(claims.azp, 'atrium');
  assert.equal(claims.at_hash, createHash('sha256').update(access).digest().subarray(0, 16).toString('base64url'));
  assert.ok(claims.exp > now && claims.iat <= now + 60 && claims.auth_time <= now + 60);
  return claims;
}

async function redeem(back, checks) {
  return check(await oidc.authorizationCodeGrant(config, back, checks));
}

// ---- the person ----

async function person() {
  const context = await browser.newContext({ignoreHTTPSErrors: true});
  const page = await context.newPage();

  page.setDefaultTimeout(8_000);
  return page;
}

async function fill(page, name, password) {
  await page.fill('input[name=user]', name);
  await page.fill('input[name=password]', password);
  await page.keyboard.press('Enter');
}

// Goes to the bridge, acts there, and returns the callback's URL.
async function visit(page, url, act = () => {}) {
  await page.goto(url.href);
  await act(page);
  await page.waitForURL(`${redirect}?**`);
  return new URL(page.url());
}

async function signIn(page, act, extra) {
  const {url, started, checks} = await request(extra);

  return {started, ...await redeem(await visit(page, url, act), checks)};
}

// Messages of LemonLDAP::NG (Lemonldap::NG::Portal::Main::Constants).
const FORM_EMPTY = 2, USER_NOT_FOUND = 4, BAD_CREDENTIALS = 5, SIGN_IN = 9, MALFORMED_USER = 40, SAML_ERROR = 51, DESTINATION = 53,
      CONDITIONS = 54, UNSOLICITED = 55, SIGNATURE = 57, PASSWORD_EMPTY = 67, RENEW = 85;

// Asserts that the bridge shows one of these messages, and sends no code.
async function refused(page, messages, {url}, act = () => {}) {
  await page.goto(url.href);
  await act(page);
  const shown = await page.waitForSelector(`[trmsg]:not([trmsg="${SIGN_IN}"]):not([trmsg="${RENEW}"])`, {state: 'attached'});

  assert.ok(messages.includes(Number(await shown.getAttribute('trmsg'))), `message ${await shown.getAttribute('trmsg')}`);
  assert.ok(!page.url().startsWith(redirect), page.url());
}

const password = (uid, text = people[uid].password) => page => fill(page, uid, text);

// Asserts an error of OAuth 2.0 from the token endpoint.
const denied = (error, promise) => assert.rejects(promise, thrown => {
  assert.equal(thrown.error ?? thrown.cause?.error, error, thrown.stack);
  return true;
});

const cases = {};

// ---- LDAP ----

let directory;

cases['ldap: a person signs in'] = async () => {
  const claims = await signIn(await person(), password('anna'));

  assert.equal(claims.sub, directory.attribute('anna', 'entryUUID'));
  assert.equal(claims.email, 'anna@hospital.example');
  assert.deepEqual([claims.name, claims.given_name, claims.family_name], ['Anna Ärztin', 'Anna', 'Ärztin']);
  assert.ok(claims.auth_time >= claims.started);
};

cases['ldap: sub stays when name and address change'] = async () => {
  const before = await signIn(await person(), password('bert'));

  directory.run('ldapmodify', [], `dn: ${dn('bert')}\nchangetype: modify\nreplace: mail\nmail: b.black@hospital.example`);
  directory.run('ldapmodrdn', ['-r', dn('bert'), 'uid=black']);
  const after = await signIn(await person(), page => fill(page, 'black', people.bert.password));

  assert.equal(after.sub, before.sub);
  assert.notEqual(after.sub, directory.attribute('anna', 'entryUUID'));
  assert.equal(after.email, 'b.black@hospital.example');
};

cases['ldap: wrong names and passwords are refused'] = async () => {
  for (const [name, text, ...messages] of [
    ['anna', 'wrong', BAD_CREDENTIALS],
    ['anna', '', FORM_EMPTY, PASSWORD_EMPTY], // slapd would accept it as an anonymous bind
    ['nobody', 'wrong', BAD_CREDENTIALS, USER_NOT_FOUND],
    ['anna*', people.anna.password, MALFORMED_USER, USER_NOT_FOUND],
    ['*)(uid=anna', people.anna.password, MALFORMED_USER, USER_NOT_FOUND],
  ])
    await refused(await person(), messages, await request(), async page => {
      await page.$$eval('input[required]', inputs => inputs.forEach(input => input.removeAttribute('required')));
      await fill(page, name, text);
    });
};

// ---- OpenID Connect, with slapd behind it ----

cases['ldap: a code is redeemed once'] = async () => {
  const {url, checks} = await request();
  const back = await visit(await person(), url, password('anna'));

  await redeem(back, checks);
  await denied('invalid_grant', redeem(back, checks));
};

cases['ldap: a code needs its verifier'] = async () => {
  const {url, checks} = await request();
  const back = await visit(await person(), url, password('anna'));

  await denied('invalid_grant', redeem(back, {...checks, pkceCodeVerifier: oidc.randomPKCECodeVerifier()}));
};

cases['ldap: a request without PKCE is refused'] = async () => {
  const {url} = await request();

  url.searchParams.delete('code_challenge');
  assert.equal((await visit(await person(), url, password('anna'))).searchParams.get('error'), 'invalid_request');
};

cases['ldap: another redirect URI is refused'] = async () => {
  const {url} = await request({redirect_uri: `${redirect}/other`}), page = await person();

  await page.goto(url.href);
  await fill(page, 'anna', people.anna.password);
  await page.waitForSelector('[trmsg]:not([trmsg="9"]), [trspan=error], #errorcontent', {state: 'attached'});
  assert.ok(page.url().startsWith(issuer), page.url());
};

cases['ldap: another secret is refused'] = async () => {
  const {url, checks} = await request();
  const back = await visit(await person(), url, password('anna'));
  const other = await oidc.discovery(new URL(issuer), 'atrium', undefined, oidc.ClientSecretBasic('wrong'));

  await assert.rejects(oidc.authorizationCodeGrant(other, back, checks), {status: 401});
};

cases['ldap: a step-up asks for the password again'] = async () => {
  const page = await person(), first = await signIn(page, password('anna'));

  assert.equal((await signIn(page)).auth_time, first.auth_time);
  await sleep(6500); // portalForceAuthnInterval is 5 s
  const again = await signIn(page, password('anna'), {prompt: 'login', max_age: '0'});

  assert.ok(again.auth_time >= again.started, `${again.auth_time} ${again.started}`);
  assert.equal(again.sub, first.sub);
};

// ---- SAML ----

const hospital = {
  carla: {id: 'opaque-1', mail: 'carla@hospital.example', name: 'Carla Côté', givenName: 'Carla', sn: 'Côté'},
  david: {id: 'opaque-2', mail: 'david@hospital.example', name: 'David Dunn', givenName: 'David', sn: 'Dunn'},
};
let idp;

cases['saml: a person signs in'] = async () => {
  idp.will(hospital.carla);
  const claims = await signIn(await person());

  assert.equal(claims.sub, 'opaque-1');
  assert.equal(claims.email, 'carla@hospital.example');
  assert.deepEqual([claims.name, claims.given_name, claims.family_name], ['Carla Côté', 'Carla', 'Côté']);
  assert.ok(claims.auth_time >= claims.started);
  assert.ok(idp.requests.at(-1).id);
};

cases['saml: sub stays when the address changes'] = async () => {
  idp.will({...hospital.david, mail: 'dunn@hospital.example'});
  const claims = await signIn(await person());

  assert.deepEqual([claims.sub, claims.email], ['opaque-2', 'dunn@hospital.example']);
};

cases['saml: a person without an address gets no claim email'] = async () => {
  idp.will({...hospital.david, mail: undefined});
  const claims = await signIn(await person());

  assert.deepEqual([claims.sub, claims.email], ['opaque-2', undefined]);
};

cases['saml: a step-up asks the identity provider for a new sign-in'] = async () => {
  const page = await person();

  idp.will(hospital.carla);
  const first = await signIn(page), count = idp.requests.length;

  assert.equal((await signIn(page)).auth_time, first.auth_time);
  assert.equal(idp.requests.length, count);
  await sleep(1000 * (SAML_SECONDS + 2));
  const again = await signIn(page, undefined, {prompt: 'login', max_age: '0'});

  assert.ok(again.auth_time >= again.started);
  assert.equal(idp.requests.length, count + 1);
  assert.equal(idp.requests.at(-1).forceAuthn, 'true');
};

const ASSERTION = /<saml:Assertion\b.*<\/saml:Assertion>/s;

// Attacks on the response: [options of samlp, change of the response, messages].
const attacks = {
  'an unsigned assertion': [{signAssertion: false}, undefined, SIGNATURE, SAML_ERROR],
  'a key of another provider': [() => keyPair(work, 'other'), undefined, SIGNATURE, SAML_ERROR],
  'an assertion for another service': [{audience: 'https://other.example/saml/metadata'}, undefined, CONDITIONS],
  'an expired assertion': [{lifetimeInSeconds: -600}, undefined, CONDITIONS],
  'a response for another address': [{destination: 'https://other.example/acs'}, undefined, DESTINATION],
  'a response without a request': [{}, xml => xml.replace(/ InResponseTo="[^"]*"/, ''), UNSOLICITED, SAML_ERROR],
  'a changed address': [{}, xml => xml.replace('david@', 'carla@'), SIGNATURE, SAML_ERROR],
  'an unsigned assertion before the signed one': [
    {}, async (xml, again) => xml.replace(
      ASSERTION, (await again(hospital.carla, {signAssertion: false})).match(ASSERTION)[0] + xml.match(ASSERTION)[0]),
    SIGNATURE, SAML_ERROR],
  'the signature of another assertion': [
    {}, async (xml, again) => {
      const forged = (await again(hospital.carla, {signAssertion: false})).match(ASSERTION)[0];
      const signed = xml.match(ASSERTION)[0], signature = signed.match(/<Signature\b.*<\/Signature>/s)[0];

      return xml.replace(ASSERTION, forged.replace(
        '</saml:Issuer>', `</saml:Issuer>${signature.replace('</Signature>', `<Object>${signed}</Object></Signature>`)}`));
    }, SIGNATURE, SAML_ERROR],
};

for (const [name, [options, change, ...messages]] of Object.entries(attacks))
  cases[`saml: ${name} is refused`] = async () => {
    idp.will(hospital.david, typeof options === 'function' ? options() : options, change);
    await refused(await person(), messages, await request());
  };

// Both could let an attacker be Carla whose own name at the provider begins with hers.
const confusions = {
  'an unsigned assertion after the signed one': [hospital.david, async (xml, again) => xml.replace(
    ASSERTION, xml.match(ASSERTION)[0] + (await again(hospital.carla, {signAssertion: false})).match(ASSERTION)[0])],
  'a comment in the name': [{...hospital.david, id: 'opaque-1.david'}, xml => xml.replace('opaque-1.david', 'opaque-1<!-- -->.david')],
};

for (const [name, [who, change]] of Object.entries(confusions))
  cases[`saml: ${name} makes nobody else`] = async () => {
    const {url, checks} = await request(), page = await person();

    idp.will(who, {}, change);
    await page.goto(url.href);
    await page.waitForSelector('[trmsg], body:has-text("signed in")', {state: 'attached'});
    if (!page.url().startsWith(redirect))
      return;
    const claims = await redeem(new URL(page.url()), checks);

    assert.deepEqual([claims.sub, claims.email], [who.id, who.mail]);
  };

cases['saml: a response is used once'] = async () => {
  idp.will(hospital.carla);
  await signIn(await person());
  const {url, fields} = idp.answers.at(-1), page = await person(), count = idp.requests.length;

  idp.will(hospital.david);
  await page.setContent(formPage(url, fields));
  await page.waitForSelector('[trmsg], body', {state: 'attached'});
  await page.waitForLoadState('networkidle');
  const claims = await signIn(page);

  assert.equal(claims.sub, 'opaque-2');
  assert.ok(idp.requests.length > count);
};

async function ldap() {
  directory = await Directory.start(work);
  const bridge = await Bridge.start(work, 'ldap', [
    ['https://atrium.example/t/CODE/idp/ID/callback', redirect],
    ['ldaps://ldap.hospital.example', directory.url],
    ['"PASSWORD"', JSON.stringify(SERVICE_PASSWORD)],
  ]);

  await connect(bridge);
  await run('ldap');
  await stopAll();
}

async function saml() {
  idp = await SamlIdp.start(work);
  const bridge = await Bridge.start(work, 'saml', [['https://atrium.example/t/CODE/idp/ID/callback', redirect]], idp.metadata());
  const metadata = await (await fetch(`${bridge.issuer}/saml/metadata/sp`)).text();

  idp.bridgeCert = `-----BEGIN CERTIFICATE-----\n${metadata.match(/X509Certificate>\s*([^<]*?)\s*</)[1]}\n-----END CERTIFICATE-----\n`;
  idp.consumer = metadata.match(/HTTP-POST"[^>]*Location="([^"]*proxySingleSignOnPost)"/)[1];
  await connect(bridge);
  await run('saml');
  await idp.stop();
}

// ---- the run ----

async function run(prefix) {
  for (const [name, act] of Object.entries(cases)) {
    if (!name.startsWith(prefix) || !name.includes(process.env.ATRIUM_BRIDGE_ONLY ?? ''))
      continue;
    try {
      await act();
      passed++;
      console.log(`ok      ${name}`);
    } catch (error) {
      failed++;
      console.log(`FAILED  ${name}\n${error.stack}`);
    }
    await Promise.all(browser.contexts().map(context => context.close()));
  }
}

let passed = 0, failed = 0;

try {
  callback = createServer((_, response) => response.end('signed in')).listen(0, '127.0.0.1');
  await new Promise(done => callback.once('listening', done));
  redirect = `http://127.0.0.1:${callback.address().port}/callback`;
  browser = await chromium.launch({executablePath: '/usr/bin/chromium', args: ['--no-sandbox']});
  await ldap();
  await saml();
} finally {
  await browser?.close();
  await stopAll();
  callback?.close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed || !passed ? 1 : 0;
