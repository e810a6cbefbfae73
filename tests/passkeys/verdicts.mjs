// verdicts.mjs FILE - @simplewebauthn/server's result for each authenticator answer in FILE, a line "1" (accepted) or "0" each.
// tests/integration/test_authd_webauthn_peers.c defines the columns. OpenSSL must accept a new credential's key too, because
// the package validates it only at first use.
import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import npm from '../support/npm.cjs';

const modules = path.join(npm('passkeys').folder('@simplewebauthn/server'), 'esm');
const { verifyAuthenticationResponse, verifyRegistrationResponse } = await import(pathToFileURL(path.join(modules, 'index.js')));
const { decodeCredentialPublicKey } = await import(pathToFileURL(path.join(modules, 'helpers/index.js')));

function checkKey(cose) {
    const key = decodeCredentialPublicKey(cose);
    const text = (label) => Buffer.from(key.get(label)).toString('base64url');
    const jwk = {
        1: () => ({ kty: 'OKP', crv: 'Ed25519', x: text(-2) }),
        2: () => ({ kty: 'EC', crv: 'P-256', x: text(-2), y: text(-3) }),
        3: () => ({ kty: 'RSA', n: text(-1), e: text(-2) }),
    }[key.get(1)]();
    createPublicKey({ format: 'jwk', key: jwk });
    if (jwk.kty === 'RSA' && jwk.e !== 'AQAB') // OpenSSL accepts an exponent of 1 too
        throw new Error(`exponent ${jwk.e}`);
}

async function verdict(line) {
    const [kind, origin, rpId, challenge, id, cose, clientDataJSON, attestationObject, authenticatorData, signature] =
        line.split('\t');
    const expected = { expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: rpId };
    const credential = { id, rawId: id, type: 'public-key', clientExtensionResults: {} };

    if (kind === 'create') {
        const { verified, registrationInfo } = await verifyRegistrationResponse({
            ...expected, response: { ...credential, response: { clientDataJSON, attestationObject } },
            supportedAlgorithmIDs: [-7, -8, -257],
        });
        checkKey(registrationInfo.credential.publicKey);
        return verified;
    }
    return (await verifyAuthenticationResponse({
        ...expected, response: { ...credential, response: { clientDataJSON, authenticatorData, signature } },
        credential: { id, publicKey: Buffer.from(cose, 'base64url'), counter: 0 },
    })).verified;
}

let out = '';
for (const line of readFileSync(process.argv[2], 'utf8').split('\n').filter(Boolean)) {
    let accepted = false;
    try {
        accepted = await verdict(line);
    } catch (error) {
        if (process.env.WHY)
            console.error(error.message);
    }
    out += accepted ? '1\n' : '0\n';
}
process.stdout.write(out);
