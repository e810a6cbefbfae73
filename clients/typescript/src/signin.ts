// signin.ts - one sign-in, step by step, with a proof key (PKCE, RFC 7636, method S256).
import { ok } from './errors.js';
import type { components } from './openapi.js';
import type { Session } from './session.js';

type Schemas = components['schemas'];
type LoginStep = Schemas['login_step'];
export type Role = 'Patient' | 'Practitioner';

/** What the person is asked for next: nothing, a code of the second factor, the mailed code, or
 *  which tenant to sign in to. */
export type Step =
    | { next: 'done' }
    | { next: 'mfa' }
    | { next: 'code' }
    | { next: 'tenant'; tenants: Schemas['login_tenant'][] };

/** What a registration leads to: a session, or an email that the person must read first. */
export type Registered =
    | { next: 'done' }
    | { next: 'mail'; mail: Schemas['register_step']['nextStep'] };

function base64url(bytes: Uint8Array): string {
    return btoa(String.fromCharCode(...bytes))
        .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Shows a passkey for the challenge that a start answered. */
export async function showPasskey(
    { loginId, options }: Schemas['passkey_request'],
    how: { mediation?: CredentialMediationRequirement; signal?: AbortSignal } = {},
): Promise<{ loginId: string; credential: Schemas['passkey_credential'] }> {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
        options as unknown as PublicKeyCredentialRequestOptionsJSON);
    const shown = await navigator.credentials.get({ publicKey, ...how });

    return { loginId, credential: (shown as PublicKeyCredential).toJSON() };
}

export class SignIn {
    readonly #session: Session;
    readonly #role: Role;
    #tenantCode?: string;
    #verifier = '';
    #loginId = '';
    #sessionCode = '';

    /** Practitioners may leave the tenant out; those with several are asked for it. */
    constructor(session: Session, role: 'Practitioner', tenantCode?: string);
    constructor(session: Session, role: Role, tenantCode: string);
    constructor(session: Session, role: Role, tenantCode?: string) {
        [this.#session, this.#role, this.#tenantCode] = [session, role, tenantCode];
    }

    /** Registers a new person of the tenant and signs them in. */
    async register(person: Omit<Schemas['patient_register_in'], 'tenantCode'>): Promise<Registered> {
        const answer = ok(await this.#session.open.POST(`/auth/tenant/${this.#role}/register`,
            { body: { ...person, tenantCode: this.#tenantCode! } }));

        if ('nextStep' in answer)
            return { next: 'mail', mail: answer.nextStep };
        await this.#session.begin(answer);
        return { next: 'done' };
    }

    async password(email: string, password: string): Promise<Step> {
        const body = { email, password, tenantCode: this.#tenantCode!,
            codeChallenge: await this.#challenge() };

        return this.#next(ok(await this.#session.open.POST(
            `/auth/tenant/${this.#role}/login/start`, { body })));
    }

    /** Has a code mailed to the address, if it has an account. */
    async mailCode(email: string): Promise<Step> {
        const body = { email, tenantCode: this.#tenantCode!,
            codeChallenge: await this.#challenge() };
        const step = ok(await this.#session.open.POST(
            `/auth/tenant/${this.#role}/code/start`, { body }));

        this.#loginId = step.loginId;
        return { next: 'code' };
    }

    async code(code: string): Promise<Step> {
        return this.#next(ok(await this.#session.open.POST(
            `/auth/tenant/${this.#role}/login/code`, { body: { loginId: this.#loginId, code } })));
    }

    /** The six digits of the authenticator, or a recovery code. */
    async factor(mfaToken: string): Promise<Step> {
        return this.#factor({ loginId: this.#loginId, mfaToken });
    }

    async factorByPasskey(): Promise<Step> {
        const start = ok(await this.#session.open.POST(
            `/auth/tenant/${this.#role}/login/mfa/start`, { body: { loginId: this.#loginId } }));

        return this.#factor(await showPasskey(start));
    }

    /** Without a password; mediation 'conditional' offers it in the field of the address. */
    async passkey(how?: Parameters<typeof showPasskey>[1]): Promise<Step> {
        const body = { tenantCode: this.#tenantCode!, codeChallenge: await this.#challenge() };
        const start = ok(await this.#session.open.POST(
            `/auth/tenant/${this.#role}/passkey/start`, { body }));

        return this.#next(ok(await this.#session.open.POST(
            `/auth/tenant/${this.#role}/passkey/finish`, { body: await showPasskey(start, how) })));
    }

    /** One of the tenants that were offered. */
    async tenant(code: string): Promise<Step> {
        this.#tenantCode = code;
        return this.#finish();
    }

    async #factor(body: Schemas['login_mfa_in']): Promise<Step> {
        return this.#next(ok(await this.#session.open.POST(
            `/auth/tenant/${this.#role}/login/mfa`, { body })));
    }

    async #challenge(): Promise<string> {
        this.#verifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
        const bytes = new TextEncoder().encode(this.#verifier);

        return base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
    }

    async #next(step: LoginStep): Promise<Step> {
        if (step.nextStep === 'mfa') {
            this.#loginId = step.loginId;
            return { next: 'mfa' };
        }
        this.#sessionCode = step.sessionCode;
        if (!this.#tenantCode && step.tenants && step.tenants.length > 1)
            return { next: 'tenant', tenants: step.tenants };
        this.#tenantCode ??= step.tenants?.[0]?.tenantCode;
        return this.#finish();
    }

    async #finish(): Promise<Step> {
        const tenantCode = this.#tenantCode;

        await this.#session.begin(ok(await this.#session.open.POST(
            `/auth/tenant/${this.#role}/login/token`,
            { body: { sessionCode: this.#sessionCode, codeVerifier: this.#verifier,
                ...(this.#role === 'Practitioner' && { tenantCode }) } })));
        return { next: 'done' };
    }
}
