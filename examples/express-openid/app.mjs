// A web application of Express that signs people in at a tenant's issuer by OpenID Connect.
import express from 'express';
import sessions from 'express-session';
import { randomBytes } from 'node:crypto';
import * as oidc from 'openid-client';

const {
    ISSUER = 'http://localhost:8080/t/demo', CLIENT_ID, PORT = '8990', BASE = `http://localhost:${PORT}`,
    SESSION_SECRET = randomBytes(32).toString('hex'),
} = process.env;
const REDIRECT = `${BASE}/callback`;

// A public client: PKCE proves that the code is ours. The demo has no TLS; leave allowInsecureRequests out elsewhere.
const issuer = new URL(ISSUER);
const config = await oidc.discovery(issuer, CLIENT_ID, undefined, oidc.None(),
    issuer.hostname === 'localhost' ? { execute: [oidc.allowInsecureRequests] } : {});

const app = express();
app.use(sessions({
    secret: SESSION_SECRET, resave: false, saveUninitialized: false, name: 'example',
    cookie: { httpOnly: true, sameSite: 'lax', secure: BASE.startsWith('https:') },
}));

const escape = (text) => text.replace(/[&<>"']/g, (each) => `&#${each.charCodeAt(0)};`);

app.get('/', (request, response) => {
    const { person } = request.session;
    response.send(person
        ? `<p>Hello ${escape(person.name)} (${escape(person.email)}).</p><a href="/logout">Sign out</a>`
        : '<p>Hello.</p><a href="/login">Sign in</a>');
});

app.get('/login', async (request, response) => {
    const verifier = oidc.randomPKCECodeVerifier(), state = oidc.randomState(), nonce = oidc.randomNonce();
    const next = String(request.query.next ?? '/');

    request.session.login = { verifier, state, nonce, next: /^\/(?![/\\])/.test(next) ? next : '/' };
    response.redirect(oidc.buildAuthorizationUrl(config, {
        redirect_uri: REDIRECT, scope: 'openid profile email', state, nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256',
    }).href);
});

app.get('/callback', async (request, response) => {
    const { verifier, state, nonce, next } = request.session.login ?? {};
    const tokens = await oidc.authorizationCodeGrant(config, new URL(request.originalUrl, BASE),
        { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce });
    const { sub } = tokens.claims();
    const { name, email } = await oidc.fetchUserInfo(config, tokens.access_token, sub);

    await new Promise((done) => request.session.regenerate(done)); // against session fixation
    request.session.person = { sub, name, email };
    request.session.idToken = tokens.id_token;
    response.redirect(next);
});

app.get('/logout', (request, response) => {
    const { idToken } = request.session;
    request.session.destroy(() => response.redirect(
        idToken ? oidc.buildEndSessionUrl(config, { id_token_hint: idToken }).href : '/'));
});

// For a proxy that asks whether a request may pass, see ../nginx-openid.
app.get('/auth', (request, response) => {
    const { person } = request.session;
    response.set(person ? { 'X-Person': encodeURIComponent(person.email) } : {}).status(person ? 204 : 401).end();
});

app.use((error, request, response, next) => { // what the issuer refused, or a callback that nobody asked for
    console.error(error.message);
    response.status(400).send('<p>Sign-in failed.</p><a href="/login">Try again</a>');
});

app.listen(Number(PORT), '127.0.0.1', () => console.log(`ready ${BASE}`));
