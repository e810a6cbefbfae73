// oidc-client-ts.mjs - a page with oidc-client-ts in Chromium signs a person in, refreshes and signs out: scripts of another
// origin reach discovery, keys, tokens and userinfo.
import {readFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {signIn, withChromium} from './chromium.mjs';
import {insist, place} from './place.mjs';
import npm from '../support/npm.cjs';

const script = readFileSync(`${npm('openid').folder('oidc-client-ts')}/dist/browser/oidc-client-ts.min.js`);
const HTML = '<!doctype html><title>app</title><script src="/client.js"></script>';

const server = createServer((request, response) => {
  const isScript = request.url === '/client.js';

  response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
  response.end(isScript ? script : HTML);
});
await new Promise(done => server.listen(0, '127.0.0.1', done));
const app = `http://127.0.0.1:${server.address().port}/`;

await withChromium(async page => {
  const settings = {authority: place.issuer, client_id: place.publicId, redirect_uri: `${app}callback`,
    scope: 'openid profile email', loadUserInfo: true};
  // Runs in the page: `client` is its UserManager.
  const run = act => page.evaluate(`(async () => {
      const client = new oidc.UserManager(${JSON.stringify(settings)});
      return (${act})(client);
  })()`);

  await page.goto(app);
  await run('client => { client.signinRedirect(); }');
  await signIn(page, place.issuer, place.person);
  await page.waitForURL(`${app}callback?**`);
  const user = await run('client => client.signinCallback()');
  insist(user.profile.email === place.person.email, `profile ${JSON.stringify(user.profile)}`);
  const renewed = await run('client => client.signinSilent()');
  insist(renewed.access_token !== user.access_token && renewed.refresh_token !== user.refresh_token, 'not renewed');
  await run('client => client.revokeTokens()');
  const after = await fetch(`${place.issuer}/userinfo`, {headers: {authorization: `Bearer ${renewed.access_token}`}});
  insist(after.status === 401, `after revocation: ${after.status}`);
}).finally(() => server.close());
