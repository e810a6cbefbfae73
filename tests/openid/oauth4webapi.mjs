// oauth4webapi.mjs - an application with npm's oauth4webapi 3, flow by flow.
import npm from '../support/npm.cjs';

const oauth = await npm('openid').import('oauth4webapi');

const HTTP = {[oauth.allowInsecureRequests]: true};

async function open({issuer, id, secret}) {
  const url = new URL(issuer);
  const as = await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, HTTP));
  return {as, client: {client_id: id}, auth: oauth.ClientSecretBasic(secret)};
}

// Retries when the server requires a nonce, as the library expects.
async function again(ask) {
  try {
    return await ask();
  } catch (error) {
    if (!oauth.isDPoPNonceError(error))
      throw error;
    return ask();
  }
}

async function signIn(at, {pushed, bound} = {}) {
  const {as, client, auth} = await open(at);
  const DPoP = bound ? oauth.DPoP(client, await oauth.generateKeyPair('ES256')) : undefined;
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState(), nonce = oauth.generateRandomNonce();
  let parameters = new URLSearchParams({
    client_id: at.id,
    response_type: 'code',
    redirect_uri: at.redirect,
    scope: 'openid profile email',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
  });
  if (pushed) {
    const {request_uri} = await oauth.processPushedAuthorizationResponse(
      as, client, await oauth.pushedAuthorizationRequest(as, client, auth, parameters, HTTP));
    parameters = new URLSearchParams({client_id: at.id, request_uri});
  }
  const back = await at.browser.authorize(new URL(`${as.authorization_endpoint}?${parameters}`), at.person);
  const answer = oauth.validateAuthResponse(as, client, back, state);
  const tokens = await again(async () => {
    const response = await oauth.authorizationCodeGrantRequest(
      as, client, auth, answer, at.redirect, verifier, {...HTTP, DPoP});
    const read = await oauth.processAuthorizationCodeResponse(
      as, client, response, {expectedNonce: nonce, requireIdToken: true});
    await oauth.validateApplicationLevelSignature(as, response, HTTP);
    return read;
  });
  return {as, client, auth, DPoP, tokens, sub: oauth.getValidatedIdTokenClaims(tokens).sub};
}

const userinfo = ({as, client, sub}, token, DPoP) => again(async () =>
  oauth.processUserInfoResponse(
    as, client, sub, await oauth.userInfoRequest(as, client, token, {...HTTP, DPoP})));

const renew = async ({as, client, auth}, token) => oauth.processRefreshTokenResponse(
  as, client, await oauth.refreshTokenGrantRequest(as, client, auth, token, HTTP));

const introspect = async ({as, client, auth}, token) => oauth.processIntrospectionResponse(
  as, client, await oauth.introspectionRequest(as, client, auth, token, HTTP));

export async function code(at) {
  const session = await signIn(at);
  at.equal((await userinfo(session, session.tokens.access_token)).email, at.person.email);
}

export async function par(at) {
  await signIn(at, {pushed: true});
}

export async function dpop(at) {
  const session = await signIn(at, {bound: true});
  const {access_token, token_type} = session.tokens;
  at.equal(token_type, 'dpop');
  at.equal((await userinfo(session, access_token, session.DPoP)).sub, session.sub);
  await at.refused(401, () => userinfo(session, access_token));
}

export async function refresh(at) {
  const session = await signIn(at);
  const next = await renew(session, session.tokens.refresh_token);
  at.differ(next.access_token, session.tokens.access_token);
  at.differ(next.refresh_token, session.tokens.refresh_token);
  await userinfo(session, next.access_token);
}

export async function introspection(at) {
  const session = await signIn(at);
  const said = await introspect(session, session.tokens.access_token);
  at.equal(said.active, true);
  at.equal(said.sub, session.sub);
  at.equal((await introspect(session, 'unknown')).active, false);
}

export async function revocation(at) {
  const session = await signIn(at);
  const {as, client, auth, tokens} = session;
  await oauth.processRevocationResponse(
    await oauth.revocationRequest(as, client, auth, tokens.refresh_token, HTTP));
  at.equal((await introspect(session, tokens.access_token)).active, false);
  await at.refused(400, () => renew(session, tokens.refresh_token));
}

// The library has no function for it, so the URL comes from its discovery.
export async function logout(at) {
  const session = await signIn(at);
  const {as, tokens} = session;
  const parameters = new URLSearchParams(
    {id_token_hint: tokens.id_token, post_logout_redirect_uri: at.home, state: 'left'});
  const back = await at.browser.leave(new URL(`${as.end_session_endpoint}?${parameters}`));
  at.equal(back.href, `${at.home}?state=left`);
  at.equal((await introspect(session, tokens.access_token)).active, false);
}

export async function device(at) {
  const {as, client, auth} = await open(at);
  const shown = await oauth.processDeviceAuthorizationResponse(
    as, client, await oauth.deviceAuthorizationRequest(as, client, auth, {scope: 'openid email'}, HTTP));
  const poll = async () => oauth.processDeviceCodeResponse(
    as, client, await oauth.deviceCodeGrantRequest(as, client, auth, shown.device_code, HTTP));
  await at.refused(400, poll);
  await at.browser.connect(new URL(shown.verification_uri), at.person, shown.user_code);
  const tokens = await poll();
  const {sub} = oauth.getValidatedIdTokenClaims(tokens);
  at.equal((await userinfo({as, client, sub}, tokens.access_token)).email, at.person.email);
}

export async function client_credentials(at) {
  const {as, client, auth} = await open(at);
  const tokens = await oauth.processClientCredentialsResponse(
    as, client, await oauth.clientCredentialsGrantRequest(
      as, client, auth, {scope: 'read', resource: at.resource}, HTTP));
  const said = await introspect({as, client, auth}, tokens.access_token);
  at.equal(said.active, true);
  at.equal(said.scope, 'read');
}
