// key.js - the key to which a tab's tokens are bound (RFC 9449). No script can read its private half. The browser keeps
// it in IndexedDB, because a sign-in leaves this page and returns.
const STORE = 'keys';
const LIFE_MS = 8 * 24 * 3600 * 1000; // longer than any session

const opened = new Promise((done, fail) => {
    const opening = indexedDB.open('atrium.console', 1);

    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE, { keyPath: 'id' });
    opening.onsuccess = () => done(opening.result);
    opening.onerror = () => fail(opening.error);
});
opened.catch(() => {}); // each use of a key reports the error

async function keys(mode, act) {
    const store = (await opened).transaction(STORE, mode).objectStore(STORE);

    return new Promise((done, fail) => {
        const request = act(store);

        request.onsuccess = () => done(request.result);
        request.onerror = () => fail(request.error);
    });
}

export const dropKey = (id) => keys('readwrite', (store) => store.delete(id)).catch(() => {});

/** Makes a key { id, pair }, and deletes keys that are older than any session. */
export async function makeKey() {
    const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']);
    const key = { id: crypto.randomUUID(), pair, made: Date.now() };

    for (const each of await keys('readonly', (store) => store.getAll()))
        if (Date.now() - each.made > LIFE_MS)
            await dropKey(each.id);
    await keys('readwrite', (store) => store.put(key));
    return key;
}

/** Returns undefined if the browser has deleted the key. */
export const findKey = (id) => keys('readonly', (store) => store.get(id));

const bytes = (text) => new TextEncoder().encode(text);

export const base64url = (data) => btoa(String.fromCharCode(...new Uint8Array(data)))
    .replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');

export const sha256 = async (text) => base64url(await crypto.subtle.digest('SHA-256', bytes(text)));

/** Returns the proof for one request. nonce: the service's latest; token: the request's access token. */
export async function prove({ pair }, method, url, nonce, token) {
    const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', pair.publicKey);
    const claims = { jti: crypto.randomUUID(), htm: method, htu: url.origin + url.pathname,
        iat: Math.floor(Date.now() / 1000), ...(nonce && { nonce }), ...(token && { ath: await sha256(token) }) };
    const text = [{ typ: 'dpop+jwt', alg: 'ES256', jwk: { kty, crv, x, y } }, claims]
        .map((part) => base64url(bytes(JSON.stringify(part)))).join('.');
    const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, pair.privateKey, bytes(text));

    return `${text}.${base64url(signature)}`;
}
