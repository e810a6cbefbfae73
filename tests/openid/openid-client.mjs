// openid-client.mjs - an application with npm's openid-client 6, flow by flow.
import npm from '../support/npm.cjs';

const oidc = await npm('openid').import('openid-client');

const open = ({issuer, id, secret}) =>
  oidc.discovery(new URL(issuer), id, undefined, oidc.ClientSecretBasic(secret), {
    execute: [oidc.allowInsecureRequests, oidc.enableNonRepudiationChecks],
  });

async function signIn(at, {pushed, DPoP, config} = {}) {
  config ??= await open(at);
  const verifier = oidc.randomPKCECodeVerifier();
  const state = oidc.randomState(), nonce = oidc.randomNonce();
  const parameters = {
    redirect_uri: at.redirect,
    scope: 'openid profile email',
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
  };
  const url = pushed ? await oidc.buildAuthorizationUrlWithPAR(config, parameters, {DPoP})
                     : oidc.buildAuthorizationUrl(config, parameters);
  const back = await at.browser.authorize(url, at.person);
  const tokens = await oidc.authorizationCodeGrant(
    config, back,
    {pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true},
    undefined, {DPoP});
  return {config, tokens, sub: tokens.claims().sub};
}

export async function code(at) {
  const {config, tokens, sub} = await signIn(at);
  const user = await oidc.fetchUserInfo(config, tokens.access_token, sub);
  at.equal(user.email, at.person.email);
}

export async function par(at) {
  await signIn(at, {pushed: true});
}

export async function dpop(at) {
  const config = await open(at);
  const DPoP = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair('ES256'));
  const {tokens, sub} = await signIn(at, {DPoP, config});
  at.equal(tokens.token_type, 'dpop');
  const user = await oidc.fetchUserInfo(config, tokens.access_token, sub, {DPoP});
  at.equal(user.sub, sub);
  await at.refused(401, () => oidc.fetchUserInfo(config, tokens.access_token, sub));
}

export async function refresh(at) {
  const {config, tokens, sub} = await signIn(at);
  const next = await oidc.refreshTokenGrant(config, tokens.refresh_token);
  at.differ(next.access_token, tokens.access_token);
  at.differ(next.refresh_token, tokens.refresh_token);
  await oidc.fetchUserInfo(config, next.access_token, sub);
}

export async function introspection(at) {
  const {config, tokens, sub} = await signIn(at);
  const said = await oidc.tokenIntrospection(config, tokens.access_token);
  at.equal(said.active, true);
  at.equal(said.sub, sub);
  at.equal((await oidc.tokenIntrospection(config, 'unknown')).active, false);
}

export async function revocation(at) {
  const {config, tokens} = await signIn(at);
  await oidc.tokenRevocation(config, tokens.refresh_token);
  at.equal((await oidc.tokenIntrospection(config, tokens.access_token)).active, false);
  await at.refused(400, () => oidc.refreshTokenGrant(config, tokens.refresh_token));
}

export async function logout(at) {
  const {config, tokens, sub} = await signIn(at);
  const url = oidc.buildEndSessionUrl(
    config, {id_token_hint: tokens.id_token, post_logout_redirect_uri: at.home, state: 'left'});
  const back = await at.browser.leave(url);
  at.equal(back.href, `${at.home}?state=left`);
  await at.refused(401, () => oidc.fetchUserInfo(config, tokens.access_token, sub));
}

export async function device(at) {
  const config = await open(at);
  const shown = await oidc.initiateDeviceAuthorization(config, {scope: 'openid email'});
  await at.browser.connect(new URL(shown.verification_uri), at.person, shown.user_code);
  const tokens = await oidc.pollDeviceAuthorizationGrant(config, {...shown, interval: 1});
  const user = await oidc.fetchUserInfo(config, tokens.access_token, tokens.claims().sub);
  at.equal(user.email, at.person.email);
}

export async function client_credentials(at) {
  const config = await open(at);
  const tokens = await oidc.clientCredentialsGrant(config, {scope: 'read', resource: at.resource});
  const said = await oidc.tokenIntrospection(config, tokens.access_token);
  at.equal(said.active, true);
  at.equal(said.scope, 'read');
}
