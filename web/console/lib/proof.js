// proof.js - verifies in the browser that an audit event is in the log: the signature of a checkpoint (C2SP signed
// note, Ed25519) and an inclusion proof (RFC 6962, section 2.1.1).

const bytesOf = (base64) => Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));
const utf8 = (text) => new TextEncoder().encode(text);
const equal = (a, b) => a.length === b.length && a.every((each, i) => each === b[i]);

const joined = (...parts) => {
    const all = new Uint8Array(parts.reduce((sum, each) => sum + each.length, 0));
    let at = 0;

    for (const each of parts) {
        all.set(each, at);
        at += each.length;
    }
    return all;
};

const sha256 = async (...parts) => new Uint8Array(await crypto.subtle.digest('SHA-256', joined(...parts)));
const leafHash = (record) => sha256([0], utf8(record));
const nodeHash = (left, right) => sha256([1], left, right);

// Returns the root for the leaf; `hashes` has the nearest first. Numbers reach 2^53, so it uses no shifts.
async function rootOf(leaf, index, size, hashes) {
    if (size === 1)
        return hashes.length === 0 ? leaf : null;
    if (hashes.length === 0)
        return null;
    let left = 1;

    while (left * 2 < size)
        left *= 2;
    const [rest, beside] = [hashes.slice(0, -1), hashes.at(-1)];
    const below = await (index < left ? rootOf(leaf, index, left, rest) : rootOf(leaf, index - left, size - left, rest));

    return below && (index < left ? nodeHash(below, beside) : nodeHash(beside, below));
}

// "origin\nsize\nroot\n\n— name base64(4 bytes of the key's hash, 64 of the signature)\n"
function readNote(note) {
    const end = note.indexOf('\n\n');
    const [origin, size, root] = note.slice(0, end).split('\n');

    return { text: note.slice(0, end + 1), origin, size: Number(size), root: bytesOf(root),
        signatures: note.slice(end + 2).split('\n').filter((each) => each.startsWith('— ')).map((each) => each.slice(2).split(' ')) };
}

// Returns null if this browser does not support Ed25519.
async function isSigned(note, verifierKey) {
    const [name, hash] = verifierKey.split('+', 2), key = bytesOf(verifierKey.slice(name.length + hash.length + 2));
    const named = (await sha256(utf8(`${name}\n`), key)).slice(0, 4);
    const mine = note.signatures.map(([signer, text]) => [signer, bytesOf(text)]).find(([signer, text]) => signer === name && equal(text.slice(0, 4), named));
    let imported;

    if (name !== note.origin || key[0] !== 1 || !mine)
        return false;
    try {
        imported = await crypto.subtle.importKey('raw', key.slice(1), { name: 'Ed25519' }, false, ['verify']);
    } catch {
        return null;
    }
    return crypto.subtle.verify('Ed25519', imported, mine[1].slice(4), utf8(note.text));
}

/** Returns the action as in the audit log: "session.create". */
export const actionOf = (event) => event.subtype?.at(-1)?.code ?? event.type.code;

/**
 * Verifies the response of `/v1/project/audit/{id}/proof`: {included, signed, size}. included is null if the record is
 * no longer kept; signed is null if the browser cannot verify it.
 */
export async function verify({ record, index, size, hashes, checkpoint, verifierKey }) {
    const note = readNote(checkpoint);
    const root = record !== null && record !== undefined && note.size === size && index < size
        ? await rootOf(await leafHash(record), index, size, hashes.map(bytesOf)) : null;

    return { size, index, included: record === null || record === undefined ? null : Boolean(root) && equal(root, note.root),
        signed: await isSigned(note, verifierKey) };
}

/** True when the proof's record is this AuditEvent: same place in the log, time, action and entity. */
export function isRecordOf(record, event) {
    const { daemon, sequence, at, entity, event: row } = JSON.parse(record);
    const about = entity ?? (row.account ? `Account/${row.account}` : undefined);

    return `${daemon}-${sequence}` === event.id && at === Date.parse(event.recorded) && row.action === actionOf(event)
        && about === event.entity?.[0]?.what?.display;
}

/** Web Cryptography works only with https or on localhost. */
export const canVerify = () => Boolean(globalThis.crypto?.subtle);
