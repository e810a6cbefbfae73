// api.js - requests to the public API, with the access token, which is refreshed, and fresh proof where it is required.
import { headers as bearerHeaders, heard, token } from './auth.js';
import { problemText } from './errors.js';

/** status 0: there was no response. The texts of problems are in the language of the moment at which they are read. */
export class ApiError extends Error {
    constructor(answer, body) {
        super(typeof body?.message === 'string' ? body.message : '');
        this.status = answer?.status ?? 0;
        this.code = body?.code;
        this.problems = (Array.isArray(body?.message) ? body.message : []).map((each) => ({ path: each.path, get message() { return problemText(each); } }));
        if (this.problems.length > 0)
            Object.defineProperty(this, 'message', { get: () => this.problems.map((each) => `${each.path}: ${each.message}`).join(' ') });
        this.retryAfter = Number(answer?.headers.get('Retry-After')) || 0;
        this.requestId = answer?.headers.get('X-Request-Id') ?? null;
    }

    /** Returns the error of a member of the body, or of one inside it. */
    problem(name) {
        return this.problems.find(({ path }) => path === name || path.startsWith(`${name}.`))?.message;
    }
}

const GET_TRIES = 3, PAGE_MAX = 100;

let prove = async () => false, proving = null;
let watch = () => {};

/** Sets the function that asks the person for fresh proof and returns if it was given. */
export const onProof = (call) => { prove = call; };
/** Sets the function that learns if the last request had a response. */
export const onReach = (call) => { watch = call; };

// Asks once for all requests that wait for fresh proof.
const proof = () => (proving ??= prove().finally(() => { proving = null; }));

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

async function send(method, path, { body, etag, signal, raw }, bearer) {
    const headers = await bearerHeaders(method, path, bearer);

    if (body !== undefined)
        headers['Content-Type'] = 'application/json';
    if (etag !== undefined)
        headers[etag ? 'If-Match' : 'If-None-Match'] = etag ?? '*';
    try {
        const answer = await fetch(path, { method, headers, signal, credentials: 'omit',
            cache: 'no-store', body: body === undefined ? undefined : JSON.stringify(body) });
        const data = answer.status === 204 ? null
            : raw && answer.ok ? await answer.blob() : JSON.parse(await answer.text() || 'null');

        watch(true);
        return { answer, data };
    } catch (cause) {
        if (signal?.aborted)
            throw cause;
        watch(false);
        throw new ApiError(null);
    }
}

async function once(method, path, options) {
    let bearer = await token(), renewed = false, proven = false, hasNonce = false;

    for (;;) {
        if (!bearer)
            throw new ApiError({ status: 401, headers: new Headers() });
        const { answer, data } = await send(method, path, options, bearer);

        if (heard(answer) && answer.status === 401 && !hasNonce) {
            hasNonce = true; // sends the proof again with the nonce
            continue;
        }
        if (answer.ok)
            return { data, etag: answer.headers.get('ETag') };
        if (answer.status === 401 && data?.code === 'STEP_UP_REQUIRED' && !proven) {
            proven = true;
            if (await proof())
                continue;
        } else if (answer.status === 401 && !data?.code && !renewed) {
            renewed = true;
            bearer = await token(bearer);
            continue;
        }
        throw new ApiError(answer, data);
    }
}

/** Returns {data, etag}, or throws ApiError. Retries a GET without a response or with a temporary error. */
export async function call(method, path, options = {}) {
    for (let i = 1; ; i++) {
        try {
            return await once(method, path, options);
        } catch (error) {
            const temporary = error instanceof ApiError && (error.status === 0 || error.status === 503);

            if (method !== 'GET' || !temporary || i === GET_TRIES)
                throw error;
            await sleep(Math.min(2000, Math.max(error.retryAfter * 1000, 250 * i)));
        }
    }
}

export const get = async (path, options) => (await call('GET', path, options)).data;
export const post = async (path, body = {}) => (await call('POST', path, { body })).data;
export const put = async (path, body) => (await call('PUT', path, { body })).data;
export const patch = async (path, body) => (await call('PATCH', path, { body })).data;
export const remove = async (path) => (await call('DELETE', path)).data;

/**
 * Returns an object with its ETag as the member `etag`. The other functions replace or change it if it still has that
 * ETag; without one, they create it if it does not exist.
 */
export const getState = async (path) => stateOf(await call('GET', path));
export const putState = async (path, body, etag) => stateOf(await call('PUT', path, { body, etag: etag ?? null }));
export const patchState = async (path, body, etag) => stateOf(await call('PATCH', path, { body, etag }));
const stateOf = ({ data, etag }) => ({ ...data, etag });

/** Like getState(), but null if the object does not exist. */
export const findState = (path) => getState(path).catch((failure) => {
    if (failure.status !== 404)
        throw failure;
    return null;
});

/** Returns "?a=1&b=2" from the values that are set. */
export function query(values) {
    const set = Object.entries(values).filter(([, value]) => value !== undefined && value !== ''
        && value !== null);

    return set.length ? `?${new URLSearchParams(set)}` : '';
}

/** Returns `count` rows of a list with a total, after the first `skipped`, with as many requests as needed. */
export async function rows(path, values, count, skipped = 0) {
    const all = [];

    for (;;) {
        const found = await get(path + query({ ...values, _count: Math.min(count - all.length, PAGE_MAX), _offset: skipped + all.length }));
        all.push(...found.resources);
        if (all.length >= count || skipped + all.length >= found.total || found.resources.length === 0)
            return { ...found, resources: all };
    }
}

/** Creates a document from a file; removes it again if the upload fails or is cancelled. */
export async function upload(file, onProgress, signal) {
    const made = await post('/document', { fileName: file.name,
        contentType: file.type || 'application/octet-stream' });

    try {
        signal.throwIfAborted(); // cancelled before there was something to send
        await postForm(made.uploadOptions, file, onProgress, signal);
    } catch (error) {
        await remove(`/document/${made.id}`).catch(() => {});
        throw error;
    }
    return made;
}

// Uses XMLHttpRequest, because fetch reports no progress.
function postForm({ url, fields }, file, onProgress, signal) {
    const form = new FormData();

    for (const [name, value] of Object.entries(fields))
        form.append(name, value);
    form.append('file', file);
    return new Promise((resolve, reject) => {
        const request = new XMLHttpRequest();
        const abort = () => request.abort();

        signal.addEventListener('abort', abort);
        request.upload.onprogress = ({ loaded, total }) => onProgress(total ? loaded / total : 0);
        request.onloadend = () => {
            signal.removeEventListener('abort', abort);
            if (request.status === 204)
                return resolve();
            let body = null;
            try {
                body = JSON.parse(request.responseText);
            } catch { /* from the store, in XML */ }
            return reject(signal.aborted ? signal.reason : new ApiError(request.status
                ? { status: request.status, headers: new Headers() } : null, body));
        };
        request.open('POST', url);
        request.send(form);
    });
}
