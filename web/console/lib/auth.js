// auth.js - the session; no other module knows its secrets.
//
//   begin(tenant)        opens the hosted sign-in pages of the project's issuer
//   restore()            continues their result or this tab's session; false: sign in
//   token(refused)       returns a valid access token, refreshed if needed
//   headers(...)         returns a request's headers; heard(answer) stores the nonce for the next one
//   signOut()            ends the session here and at the service
//   onSignedOut(f)       calls f when the service has ended the session
//
// The console is an OAuth client of each project's issuer (authorization code with PKCE), and its tokens are bound to a
// key (key.js). The access token is only in this module. The refresh token is in the tab's sessionStorage, where it is
// useless without the key. One refresh serves all requests that wait for it.
import { isAnswer, SESSION } from './first.js';
import { currentLanguage } from './i18n.js';
import { base64url, dropKey, findKey, makeKey, prove, sha256 } from './key.js';

const ASKED = 'atrium.console.sign-in'; // the sign-in in progress, to which the pages return
const LEFT = 'atrium.console.left'; // signed out in this tab: the next sign-in asks for the password
const CLIENT = 'console';
const EARLY_MS = 60_000;
const RENEW_TRIES = 5;

let access = null; // { token, until } by this page's clock
let key = null; // to which the token is bound
let idToken = null;
let nonce = null; // the service's last one
let renewing = null;
let listener = () => {};

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const stored = (name) => JSON.parse(sessionStorage.getItem(name) ?? 'null');
const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

/** A failed sign-in; status 0: there was no response. */
export class SignInError extends Error {
    constructor(status, message) {
        super(message);
        this.status = status;
    }
}

export function onSignedOut(call) {
    listener = call;
}

/** Stores a response's nonce; returns if there is one. */
export function heard(answer) {
    const given = answer.headers.get('DPoP-Nonce');

    nonce = given ?? nonce;
    return given !== null;
}

/** Returns the headers of a request to this origin. */
export async function headers(method, path, bearer) {
    return { Authorization: `DPoP ${bearer}`, DPoP: await prove(key, method, new URL(path, location.origin), nonce, bearer) };
}

async function discover(tenant) {
    let answer;

    try {
        answer = await fetch(`/t/${encodeURIComponent(tenant)}/.well-known/openid-configuration`, { credentials: 'omit',
            signal: AbortSignal.timeout(15_000) });
    } catch {
        throw new SignInError(0);
    }
    if (!answer.ok)
        throw new SignInError(answer.status, `HTTP status ${answer.status}`);
    return answer.json();
}

// The installation's public address, which all its issuers begin with.
const homeOf = (issuer) => issuer.slice(0, issuer.lastIndexOf('/t/'));

/** Leaves this page. Throws SignInError if the project does not exist. */
export async function begin(tenant) {
    const meta = await discover(tenant), home = homeOf(meta.issuer);

    if (new URL(home).origin !== location.origin)
        return location.assign(`${home}/console/?${new URLSearchParams({ tenant })}`);
    const asked = { issuer: meta.issuer, key: (await makeKey()).id, state: random(), nonce: random(), verifier: random(),
        back: location.pathname + location.search };

    sessionStorage.setItem(ASKED, JSON.stringify(asked));
    location.assign(`${meta.authorization_endpoint}?${new URLSearchParams({ client_id: CLIENT, response_type: 'code',
        redirect_uri: `${home}/console/`, scope: 'openid', resource: home, state: asked.state, nonce: asked.nonce,
        code_challenge: await sha256(asked.verifier), code_challenge_method: 'S256', ui_locales: currentLanguage(),
        ...(stored(LEFT) && { prompt: 'login' }) })}`);
    return new Promise(() => {});
}

// Calls the token endpoint with a DPoP proof, and again with a nonce if it requires one.
async function ask(issuer, form) {
    const url = new URL(`${issuer}/token`);

    for (let again = false; ; again = true) {
        const answer = await fetch(url, { method: 'POST', credentials: 'omit', cache: 'no-store',
            headers: { DPoP: await prove(key, 'POST', url, nonce) }, signal: AbortSignal.timeout(15_000),
            body: new URLSearchParams({ ...form, client_id: CLIENT }) });
        const data = await answer.json().catch(() => null);

        if (!heard(answer) || again)
            return { answer, data };
    }
}

function keep(issuer, made) {
    access = { token: made.access_token, until: performance.now() + Math.max(0, made.expires_in * 1000 - EARLY_MS) };
    idToken = made.id_token;
    sessionStorage.setItem(SESSION, JSON.stringify({ issuer, key: key.id, refresh: made.refresh_token, nonce }));
}

function forget() {
    const id = stored(SESSION)?.key;

    access = idToken = null;
    sessionStorage.removeItem(SESSION);
    if (id)
        dropKey(id);
}

const claimsOf = (token) => JSON.parse(atob(token.split('.')[1].replace(/-/g, '+').replace(/_/g, '/')));

// True for an ID token of this client (OpenID Connect Core 1.0, section 3.1.3.7).
const isForUs = (claims) => claims.aud === CLIENT;

// Handles the pages' response. `state` identifies the request, `iss` the issuer (RFC 9207).
async function finish(said) {
    const asked = stored(ASKED);

    sessionStorage.removeItem(ASKED);
    history.replaceState(history.state, '', asked?.back ?? '/console/');
    if (!asked || said.get('state') !== asked.state || said.get('iss') !== asked.issuer)
        throw new SignInError(409, 'state');
    if (said.has('error'))
        throw new SignInError(403, said.get('error_description') ?? said.get('error'));
    key = await findKey(asked.key);
    const { answer, data } = await ask(asked.issuer, { grant_type: 'authorization_code', code: said.get('code'),
        redirect_uri: `${homeOf(asked.issuer)}/console/`, code_verifier: asked.verifier });

    const claims = answer.ok ? claimsOf(data.id_token) : null;

    if (!claims || claims.nonce !== asked.nonce || !isForUs(claims))
        throw new SignInError(answer.ok ? 409 : answer.status, data?.error_description ?? 'ID token');
    sessionStorage.removeItem(LEFT);
    keep(asked.issuer, data);
}

// The outcome of a try without a response is unknown. authd accepts the same token again for a while.
async function exchange({ issuer, refresh }) {
    for (let i = 0; ; i++) {
        try {
            const { answer, data } = await ask(issuer, { grant_type: 'refresh_token', refresh_token: refresh });

            if (answer.ok)
                return data;
            if (answer.status === 400 || answer.status === 401)
                return null;
            if (answer.status < 500 && answer.status !== 429)
                throw new Error(`HTTP status ${answer.status}`);
        } catch (error) {
            if (i + 1 >= RENEW_TRIES)
                throw error;
        }
        if (i + 1 >= RENEW_TRIES)
            throw new Error('no answer');
        await sleep(300 * 2 ** i);
    }
}

async function renew() {
    const session = stored(SESSION);

    nonce ??= session?.nonce; // from the previous page, which saves a request
    key ??= session ? await findKey(session.key) : null;
    const made = session && key ? await exchange(session) : null;

    if (stored(SESSION)?.refresh !== session?.refresh)
        return access?.token ?? null; // signed out or in again meanwhile
    if (!made || !isForUs(claimsOf(made.id_token))) {
        forget();
        listener();
        return null;
    }
    keep(session.issuer, made);
    return access.token;
}

export async function token(refused) {
    if (access && access.token !== refused && performance.now() < access.until)
        return access.token;
    renewing ??= renew().finally(() => { renewing = null; });
    return renewing;
}

export async function restore() {
    const said = new URLSearchParams(location.search);

    if (isAnswer(said)) {
        await finish(said);
        return true;
    }
    return stored(SESSION) !== null && await token() !== null;
}

/** Ends the session. If the issuer has an end-session page, opens that page. */
export async function signOut() {
    const { issuer } = stored(SESSION), held = access?.token, hint = idToken;

    if (held)
        await fetch('/auth/logout', { method: 'POST', credentials: 'omit', headers: await headers('POST', '/auth/logout', held),
            signal: AbortSignal.timeout(15_000) }).catch(() => {});
    forget();
    sessionStorage.setItem(LEFT, 'true');
    const end = await discover(issuer.slice(issuer.lastIndexOf('/') + 1)).then((meta) => meta.end_session_endpoint, () => null);

    if (end && hint)
        location.assign(`${end}?${new URLSearchParams({ id_token_hint: hint, client_id: CLIENT,
            post_logout_redirect_uri: `${homeOf(issuer)}/console/` })}`);
}

/** Shows a passkey for the service's challenge. */
export async function showPasskey({ loginId, options }) {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    const shown = await navigator.credentials.get({ publicKey });

    return { loginId, credential: shown.toJSON() };
}

export const hasPasskeys = () => typeof PublicKeyCredential !== 'undefined'
    && typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function';
