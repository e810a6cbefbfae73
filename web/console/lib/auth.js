// auth.js - who is signed in: the one module that knows how.
//
//   restore()            takes up the session of this tab; false: sign in
//   SignIn               the steps of a sign-in, each answering what comes next
//   token(refused)       an access token that is good for a while; renews it
//   signOut()            ends the session here and at the service
//   onSignedOut(f)       f is called when the service has ended the session
//
// The access token is in this module alone, the refresh token in the tab's sessionStorage. No cookie
// is used. A renewal runs once however many requests wait for it.
const KEY = 'atrium.console.session';
const EARLY_MS = 60_000;
const RENEW_TRIES = 5;

let access = null; // { token, until } by this page's clock
let renewing = null;
let listener = () => {};

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

async function post(path, body, bearer) {
    const headers = { 'Content-Type': 'application/json' };

    if (bearer)
        headers.Authorization = `Bearer ${bearer}`;
    const answer = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body ?? {}),
        credentials: 'omit', cache: 'no-store', signal: AbortSignal.timeout(15_000) });
    const text = answer.status === 204 ? '' : await answer.text();

    return { answer, data: text ? JSON.parse(text) : null };
}

function keep(token, refresh, seconds) {
    access = { token, until: performance.now() + Math.max(0, seconds * 1000 - EARLY_MS) };
    sessionStorage.setItem(KEY, refresh);
}

function forget() {
    access = null;
    sessionStorage.removeItem(KEY);
}

export function onSignedOut(call) {
    listener = call;
}

// The outcome of a try without an answer is unknown: authd answers the same token again for a while.
async function exchange(refresh) {
    for (let i = 0; ; i++) {
        try {
            const { answer, data } = await post('/auth/refresh-token', { refresh_token: refresh });

            if (answer.ok)
                return data;
            if (answer.status === 401)
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
    const refresh = sessionStorage.getItem(KEY);
    const made = refresh ? await exchange(refresh) : null;

    if (sessionStorage.getItem(KEY) !== refresh)
        return access?.token ?? null; // signed out or in again meanwhile
    if (!made) {
        forget();
        listener();
        return null;
    }
    keep(made.access_token, made.refresh_token, made.expires_in);
    return access.token;
}

export async function token(refused) {
    if (access && access.token !== refused && performance.now() < access.until)
        return access.token;
    renewing ??= renew().finally(() => { renewing = null; });
    return renewing;
}

export async function restore() {
    return sessionStorage.getItem(KEY) !== null && await token() !== null;
}

export async function signOut() {
    const held = access?.token;

    forget();
    if (held)
        await post('/auth/logout', null, held).catch(() => {});
}

const base64url = (data) => btoa(String.fromCharCode(...new Uint8Array(data)))
    .replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');

/** What the service said no with. */
export class Refusal extends Error {
    constructor({ answer, data }) {
        super(typeof data?.message === 'string' ? data.message : `HTTP status ${answer.status}`);
        this.status = answer.status;
        this.code = data?.code;
    }
}

async function ask(path, body) {
    const result = await post(`/auth/tenant/Practitioner/${path}`, body);

    if (!result.answer.ok)
        throw new Refusal(result);
    return result.data;
}

/** Shows a passkey for what the service asked. */
export async function showPasskey({ loginId, options }) {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    const shown = await navigator.credentials.get({ publicKey });

    return { loginId, credential: shown.toJSON() };
}

export const hasPasskeys = () => typeof PublicKeyCredential !== 'undefined'
    && typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function';

/** One sign-in: each step answers 'mfa', 'tenant' (with tenants) or 'done'. */
export class SignIn {
    async #begin(tenantCode) {
        this.tenantCode = tenantCode || undefined;
        this.verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
        return base64url(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(this.verifier)));
    }

    async password(tenantCode, email, password) {
        const codeChallenge = await this.#begin(tenantCode);

        return this.#next(await ask('login/start',
            { email, password, codeChallenge, tenantCode: this.tenantCode }));
    }

    async passkey(tenantCode) {
        const codeChallenge = await this.#begin(tenantCode);
        const start = await ask('passkey/start', { codeChallenge, tenantCode: this.tenantCode });

        return this.#next(await ask('passkey/finish', await showPasskey(start)));
    }

    async factor(mfaToken) {
        return this.#next(await ask('login/mfa', { loginId: this.loginId, mfaToken }));
    }

    async factorByPasskey() {
        const start = await ask('login/mfa/start', { loginId: this.loginId });

        return this.#next(await ask('login/mfa', await showPasskey(start)));
    }

    async tenant(code) {
        this.tenantCode = code;
        return this.#finish();
    }

    async #next(step) {
        if (step.nextStep === 'mfa') {
            this.loginId = step.loginId;
            return { next: 'mfa' };
        }
        this.sessionCode = step.sessionCode;
        if (!this.tenantCode && step.tenants?.length > 1)
            return { next: 'tenant', tenants: step.tenants };
        this.tenantCode ??= step.tenants?.[0]?.tenantCode;
        return this.#finish();
    }

    async #finish() {
        const made = await ask('login/token', { sessionCode: this.sessionCode,
            codeVerifier: this.verifier, tenantCode: this.tenantCode });

        keep(made.accessToken, made.refreshToken, made.expiresIn);
        return { next: 'done' };
    }
}
