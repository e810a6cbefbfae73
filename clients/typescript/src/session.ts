// session.ts - keeps one sign-in for all tabs of an origin.
//
// The storage is the one place of the tokens: each request reads it, so a tab never sends what
// another tab has replaced. A renewal runs under a Web Lock and looks again at the storage first.
// The channel between the tabs says that the storage changed; it carries no token.
import createClient, { type Client } from 'openapi-fetch';

import { AtriumError, ok } from './errors.js';
import type { components, paths } from './openapi.js';
import { browserStorage, memoryStorage, type TokenStorage } from './storage.js';

type Schemas = components['schemas'];

export type SignedOutReason = 'logout' | 'ended';
export type SessionState =
    | { signedIn: true; profile: string; project: string }
    | { signedIn: false; reason?: SignedOutReason };

export interface SessionOptions {
    /** The address of the installation, "https://api.clinic.example". */
    url: string;
    /** browserStorage() where there is IndexedDB, else memoryStorage(). */
    storage?: TokenStorage;
    /** Keeps sessions of one origin apart: key of the storage, name of lock and channel. */
    name?: string;
    /** Called when a request needs a fresh proof: asks the person, calls stepUp(), and answers
     *  whether that was done. Without it the request stays refused. */
    prove?: (session: Session) => Promise<boolean>;
    fetch?: (request: Request) => Promise<Response>;
}

interface Kept {
    id: string; // of the sign-in, made here
    access: string;
    refresh: string;
    expiresIn: number; // seconds
    at: number; // this machine's clock when the token came
    project: string;
    profile: string;
}

const ANSWER_MS = 10_000; // that one try of a renewal may take
const REPEAT_MS = 45_000; // that one is repeated; authd takes a token again for 120 s by default
const LIST_MS = 2_000; // that a logout waits for other tabs before it forgets the tokens
const LOCK_MS = 60_000; // after which a tab that hangs is passed over
const EARLY_MS = 60_000; // that a token is renewed before it expires
const REVOKE_AGAIN_MS = 15_000;
const REVOCATIONS = 8;

const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms));

// An abort does not end the work, which may be that of others too: it is not waited for.
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
    return new Promise((done, fail) => {
        const abort = () => fail(signal.reason as Error);

        if (signal.aborted)
            abort();
        signal.addEventListener('abort', abort);
        work.then(done, fail).finally(() => signal.removeEventListener('abort', abort));
    });
}

function parse<T>(text: string | null): T | null {
    try {
        return text ? (JSON.parse(text) as T) : null;
    } catch {
        return null;
    }
}

// A clock that was moved renews early. What it does not show, a 401 does.
function isFresh(kept: Kept): boolean {
    const age = Date.now() - kept.at, life = kept.expiresIn * 1000;

    return age >= 0 && age < life - Math.min(EARLY_MS, life / 2);
}

export class Session {
    /** Every route with its types; sends the token, renews it, and asks for proofs. */
    readonly client: Client<paths>;
    /** The same without a token: sign-in, registration, links of mails. */
    readonly open: Client<paths>;
    readonly #base: string;
    readonly #options: SessionOptions;
    readonly #storage: TokenStorage;
    readonly #name: string;
    #channel?: BroadcastChannel;
    // With whether it was told the state since it was added.
    readonly #listeners = new Map<(state: SessionState) => void, boolean>();
    readonly #look = () => void this.#seen();
    readonly #revoke = () => void this.#revokePending();
    #known: string | undefined; // id of the sign-in that the listeners were told last
    readonly #turns = new Map<string, Promise<unknown>>(); // where there are no Web Locks
    #proving?: Promise<boolean>;

    constructor(options: SessionOptions) {
        const baseUrl = new URL(options.url, globalThis.location?.href).href.replace(/\/+$/, '');

        this.#base = `${baseUrl}/`;
        this.#options = options;
        this.#storage = options.storage
            ?? (typeof indexedDB === 'undefined' ? memoryStorage() : browserStorage());
        this.#name = options.name ?? 'atrium';
        this.client = createClient<paths>({ baseUrl, fetch: (request) => this.fetch(request) });
        this.open = createClient<paths>({ baseUrl, fetch: (request) => this.#send(request) });
        if (typeof BroadcastChannel !== 'undefined') {
            this.#channel = new BroadcastChannel(this.#name);
            this.#channel.onmessage = (event) => void this.#seen(event.data as SignedOutReason);
            (this.#channel as { unref?: () => void }).unref?.(); // Node may end
        }
        globalThis.addEventListener?.('pageshow', this.#look); // what a frozen page did not hear
        globalThis.addEventListener?.('online', this.#revoke);
        void this.#read().then((kept) => { this.#known ??= kept?.id; });
        this.#revoke();
    }

    /** Lets go of the channel and the listeners; stays signed in. */
    close(): void {
        this.#channel?.close();
        this.#channel = undefined;
        this.#listeners.clear();
        globalThis.removeEventListener?.('pageshow', this.#look);
        globalThis.removeEventListener?.('online', this.#revoke);
    }

    /** Whether someone is signed in, and as whom; asks the storage, not the service. */
    async state(): Promise<SessionState> {
        const kept = await this.#read();

        return kept ? { signedIn: true, profile: kept.profile, project: kept.project }
            : { signedIn: false };
    }

    /** Calls the listener with the state immediately (as soon as it is read), then at each sign-in
     *  and sign-out, in every tab. Returns a function that stops the calls. */
    onChange(listener: (state: SessionState) => void): () => void {
        this.#listeners.set(listener, false);
        void this.state().then((state) => {
            if (this.#listeners.get(listener) === false)
                this.#tell(listener, state);
        });
        return () => void this.#listeners.delete(listener);
    }

    /** Takes what a sign-in or a registration answered. */
    async begin(tokens: Schemas['token_response']): Promise<void> {
        await this.#locked('', () => this.#write({
            id: crypto.randomUUID(), access: tokens.accessToken, refresh: tokens.refreshToken,
            expiresIn: tokens.expiresIn, at: Date.now(),
            project: tokens.project.reference, profile: tokens.profile.reference,
        }));
    }

    /** Sends a request with the token. A 401 renews the token once; nothing was done then, so the
     *  request may be repeated, unless another person has signed in meanwhile. One that is aborted
     *  waits for no renewal and no proof. */
    async fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
        let request = new Request(input, init), renewed = false, proved = false;
        const { signal } = request;
        let kept = await unlessAborted(signal, this.#current());

        for (;;) {
            const repeat = request.clone();
            const answer = await this.#send(request, kept?.access);
            const error = kept && answer.status === 401
                ? parse<Schemas['error']>(await answer.clone().text()) : null;

            if (!kept || error?.statusCode !== 401)
                return answer;
            const again: boolean = error.code === 'STEP_UP_REQUIRED'
                ? !proved && (proved = await unlessAborted(signal, this.#prove()))
                : !error.code && !renewed && (renewed = true);
            const refused = error.code ? undefined : kept.access;
            const next: Kept | null = again
                ? await unlessAborted(signal, this.#current(refused)) : null;
            if (next?.id !== kept.id)
                return answer;
            [kept, request] = [next, repeat];
        }
    }

    /** A token that is good for a minute at least; null when signed out. One that the service has
     *  refused is renewed, unless another tab has done so. */
    async accessToken(refused?: string): Promise<string | null> {
        return (await this.#current(refused))?.access ?? null;
    }

    /** Proves again who this is (RFC 9470): {password}, or {mfaToken} where a second factor is on.
     *  Throws when the proof is not good. */
    async stepUp(proof: Schemas['step_up_in']): Promise<void> {
        ok(await this.client.POST('/auth/step-up', { body: proof }));
    }

    /** Forgets the tokens at once, in every tab, also offline. The session is ended then, or when
     *  the service can be reached: false says that this is still to come. */
    async logout(): Promise<boolean> {
        const kept = await this.#read();

        if (!kept)
            return this.#revokePending();
        const listed = this.#pending((list) => [...list, kept].slice(-REVOCATIONS)).then(() => true, () => false);

        await Promise.race([listed, sleep(LIST_MS)]); // a tab that hangs, a storage that is full
        await this.#leave(kept);
        void this.#locked('', () => this.#leave(kept)); // a renewal under way may keep what it got
        return await listed ? this.#revokePending() : this.#end(kept);
    }

    // ---- storage ----

    async #read(): Promise<Kept | null> {
        const kept = parse<Kept>(await this.#storage.getItem(this.#name));

        return typeof kept?.refresh === 'string' && typeof kept.access === 'string' ? kept : null;
    }

    async #write(kept: Kept): Promise<void> {
        await this.#storage.setItem(this.#name, JSON.stringify(kept));
        await this.#changed();
    }

    async #forget(reason: SignedOutReason): Promise<void> {
        await this.#storage.removeItem(this.#name);
        await this.#changed(reason);
    }

    // Not a sign-in that came after that one.
    async #leave(kept: Kept): Promise<void> {
        if ((await this.#read())?.id === kept.id)
            await this.#forget('logout');
    }

    async #changed(reason?: SignedOutReason): Promise<void> {
        this.#channel?.postMessage(reason);
        await this.#seen(reason);
    }

    async #seen(reason?: SignedOutReason): Promise<void> {
        const kept = await this.#read();

        if (kept?.id === this.#known)
            return;
        this.#known = kept?.id;
        const state: SessionState = kept ? await this.state() : { signedIn: false, reason };
        for (const listener of this.#listeners.keys())
            this.#tell(listener, state);
    }

    #tell(listener: (state: SessionState) => void, state: SessionState): void {
        this.#listeners.set(listener, true);
        listener(state);
    }

    // ---- renewal ----

    async #current(refused?: string): Promise<Kept | null> {
        const good = (kept: Kept | null) => !kept || (kept.access !== refused && isFresh(kept));
        const kept = await this.#read();

        return good(kept) ? kept : this.#locked('', async () => {
            const now = await this.#read(); // another tab may have renewed it while this one waited
            return good(now) ? now : this.#renew(now!);
        });
    }

    // Repeats the exchange with the same token while its outcome is unknown: authd answers the same
    // pair again. Only authd's own 401 ends the session.
    async #renew(kept: Kept): Promise<Kept | null> {
        const until = performance.now() + REPEAT_MS;

        for (let wait = 100; ; wait = Math.min(2 * wait, 5000)) {
            const made = await this.#exchange(kept.refresh).catch((error: AtriumError) => error);
            const now = await this.#read();

            if (now?.refresh !== kept.refresh)
                return now; // a logout, or another sign-in
            if (!made) {
                await this.#forget('ended');
                return null;
            }
            if (!(made instanceof AtriumError)) {
                const next = { ...kept, access: made.access_token, refresh: made.refresh_token,
                    expiresIn: made.expires_in, at: Date.now() };
                await this.#write(next);
                return next;
            }
            const pause = Math.max(made.retryAfter * 1000, wait * (0.5 + Math.random() / 2));
            if (!made.isTemporary || performance.now() + pause > until)
                throw made; // signed in as before: the next request tries again
            await sleep(pause);
        }
    }

    // null: authd refused the token. Throws AtriumError for anything else but a new pair.
    async #exchange(refresh: string): Promise<Schemas['refresh_token_out'] | null> {
        try {
            const { data, error, response } = await this.open.POST('/auth/refresh-token', {
                body: { refresh_token: refresh }, signal: AbortSignal.timeout(ANSWER_MS) });

            if (data?.access_token && data.refresh_token)
                return data;
            if (response.status === 401 && (error as Schemas['error'])?.statusCode === 401)
                return null;
            throw new AtriumError(response.ok ? null : response, error);
        } catch (cause) {
            throw cause instanceof AtriumError ? cause : new AtriumError(null, null, { cause });
        }
    }

    // Runs while no other tab does. The browser frees the lock of a tab that ends; that of one that
    // hangs is taken after a minute.
    async #locked<T>(what: string, work: () => Promise<T>): Promise<T> {
        let result: Promise<T> | undefined;
        const run = () => (result = work());
        const locks = globalThis.navigator?.locks, name = `${this.#name}${what}`;

        if (!locks) {
            const turn = (this.#turns.get(what) ?? Promise.resolve()).then(run, run);

            this.#turns.set(what, turn.catch(() => {}));
            return turn;
        }
        const waited = { signal: AbortSignal.timeout(LOCK_MS) };
        await locks.request(name, waited, run).catch(() => {}); // what work() throws, result does
        if (!result)
            await locks.request(name, { steal: true }, run).catch(() => {});
        return result!;
    }

    #send(request: Request, token?: string): Promise<Response> {
        if (token && request.url.startsWith(this.#base)) // no other server sees it
            request.headers.set('Authorization', `Bearer ${token}`);
        return (this.#options.fetch ?? globalThis.fetch)(request);
    }

    // One question for all requests of this tab that wait for a proof.
    #prove(): Promise<boolean> {
        const ask = this.#options.prove ?? (async () => false);

        return this.#proving ??= ask(this).finally(() => { this.#proving = undefined; });
    }

    // ---- sessions that were logged out and may still live ----

    async #revocations(): Promise<Kept[]> {
        return parse<Kept[]>(await this.#storage.getItem(`${this.#name}.revoke`)) ?? [];
    }

    // One tab at a time: each writes the whole list.
    #pending(change: (list: Kept[]) => Kept[]): Promise<void> {
        return this.#locked('.list', async () => {
            const key = `${this.#name}.revoke`, list = change(await this.#revocations());

            await (list.length > 0 ? this.#storage.setItem(key, JSON.stringify(list))
                : this.#storage.removeItem(key));
        });
    }

    async #revokePending(): Promise<boolean> {
        if ((await this.#revocations()).length === 0)
            return true;
        return this.#locked('.revoke', async () => {
            for (const kept of await this.#revocations())
                if (await this.#end(kept))
                    await this.#pending((list) => list.filter((each) => each.id !== kept.id));
            const left = (await this.#revocations()).length;
            if (left > 0)
                (setTimeout(this.#revoke, REVOKE_AGAIN_MS) as { unref?: () => void }).unref?.();
            return left === 0;
        });
    }

    // Ends a session by its access token, or where that has expired by a renewed one.
    async #end(kept: Kept): Promise<boolean> {
        const logout = async (token: string) => (await this.open.POST('/auth/logout', {
            headers: { Authorization: `Bearer ${token}` }, keepalive: true,
            signal: AbortSignal.timeout(ANSWER_MS) })).response.status;

        try {
            const status = await logout(kept.access);
            if (status !== 401)
                return status === 204;
            const made = await this.#exchange(kept.refresh);
            return !made || await logout(made.access_token) === 204;
        } catch {
            return false;
        }
    }
}
