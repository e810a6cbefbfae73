// browser.cjs GATEWAY PORT OTHER_PORT TENANT OTHER_TENANT - passkeys in Chromium with a virtual authenticator.
//
// Serves a page at http://localhost:PORT and at OTHER_PORT, whose requests below /api go to the gateway. Both tenants' patient
// application is at PORT. Each step prints "ok NAME" or "FAILED NAME: why"; the exit code is 1 when one failed. Chromium's files
// are in TMPDIR.
const http = require('node:http');
const { createHash, randomBytes } = require('node:crypto');
const npm = require('../support/npm.cjs');

const from = npm('passkeys');
const { chromium } = from('playwright-core');

const [gateway, port, otherPort, tenant, otherTenant] = process.argv.slice(2);
const PAGE = '<!doctype html><title>passkeys</title><input id="email" autocomplete="username webauthn">';
const STEP_MS = 20000;

function insist(condition, why) {
    if (!condition)
        throw new Error(why);
}

function serve(onPort) {
    const server = http.createServer((request, response) => {
        if (!request.url.startsWith('/api/')) {
            response.writeHead(200, { 'Content-Type': 'text/html' });
            response.end(PAGE);
            return;
        }
        const forwarded = http.request(gateway + request.url.slice(4), { method: request.method, headers: request.headers });
        forwarded.on('response', (answer) => {
            response.writeHead(answer.statusCode, answer.headers);
            answer.pipe(response);
        });
        forwarded.on('error', () => response.destroy());
        request.pipe(forwarded);
    });
    return new Promise((resolve) => server.listen(onPort, '127.0.0.1', () => resolve(server)));
}

// ---- the server's side, from here ----

async function call(method, route, body, access) {
    const headers = { 'Content-Type': 'application/json' };
    if (access)
        headers.Authorization = `Bearer ${access}`;
    const answer = await fetch(gateway + route, { method, headers, body: body && JSON.stringify(body) });
    const text = await answer.text();
    return { status: answer.status, body: text ? JSON.parse(text) : null };
}

async function good(method, route, body, access) {
    const answer = await call(method, route, body, access);
    insist(answer.status < 300, `${route}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
}

const verifier = randomBytes(32).toString('base64url');
const challenge = createHash('sha256').update(verifier).digest('base64url');

function register(email) {
    return good('POST', '/auth/tenant/Patient/register',
        { email, password: 'correct horse battery staple', name: 'Ana', surname: 'Prova', tenantCode: tenant });
}

function signInStart(tenantCode) {
    return good('POST', '/auth/tenant/Patient/passkey/start', { tenantCode, codeChallenge: challenge });
}

function signInFinish(loginId, credential) {
    return call('POST', '/auth/tenant/Patient/passkey/finish', { loginId, credential });
}

// ---- the browser's side ----

function create(page, options) {
    return page.evaluate(async (json) => {
        const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(json);
        return (await navigator.credentials.create({ publicKey })).toJSON();
    }, options);
}

function get(page, options, mediation) {
    return page.evaluate(async ([json, how]) => {
        const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(json);
        return (await navigator.credentials.get({ publicKey, ...(how && { mediation: how }) })).toJSON();
    }, [options, mediation]);
}

async function fails(promise, name) {
    try {
        await promise;
    } catch (error) {
        insist(error.message.includes(name), `${error.message} instead of ${name}`);
        return;
    }
    throw new Error(`no ${name}`);
}

async function authenticator(page) {
    const session = await page.context().newCDPSession(page);
    await session.send('WebAuthn.enable', { enableUI: false });
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
        options: { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true,
            isUserVerified: true, automaticPresenceSimulation: true },
    });
    return { session, authenticatorId };
}

// Another page's key: a browser separates authenticators by page.
async function copyKey(from, to) {
    const { credentials } = await from.session.send('WebAuthn.getCredentials', { authenticatorId: from.authenticatorId });
    for (const credential of credentials)
        await to.session.send('WebAuthn.addCredential', { authenticatorId: to.authenticatorId, credential });
}

async function enroll(page, access) {
    const start = await good('POST', '/auth/passkey/enroll/start', {}, access);
    const credential = await create(page, start.options);
    return good('POST', '/auth/passkey/enroll/finish',
        { enrollmentId: start.enrollmentId, name: 'Chromium', credential }, access);
}

const steps = {
    async 'a browser makes a passkey'(t) {
        t.passkey = await enroll(t.page, t.access);
        const { passkeys } = await good('GET', '/auth/passkey', null, t.access);
        insist(passkeys.length === 1 && passkeys[0].rpId === 'localhost', JSON.stringify(passkeys));
    },
    async 'no second one on the same device'(t) {
        await fails(enroll(t.page, t.access), 'InvalidStateError');
    },
    async 'a discoverable passkey signs in'(t) {
        const start = await signInStart(tenant);
        t.shown = { loginId: start.loginId, credential: await get(t.page, start.options) };
        const step = await signInFinish(start.loginId, t.shown.credential);
        insist(step.status === 200, JSON.stringify(step));
        const tokens = await good('POST', '/auth/tenant/Patient/login/token',
            { sessionCode: step.body.sessionCode, codeVerifier: verifier });
        await good('GET', '/auth/me', null, tokens.accessToken);
    },
    async 'conditional mediation signs in'(t) {
        insist(await t.page.evaluate(() => PublicKeyCredential.isConditionalMediationAvailable()), 'not available');
        const start = await signInStart(tenant);
        const step = await signInFinish(start.loginId, await get(t.page, start.options, 'conditional'));
        insist(step.status === 200, JSON.stringify(step));
    },
    async 'a replay is refused'(t) {
        const same = await signInFinish(t.shown.loginId, t.shown.credential);
        insist(same.status === 400, JSON.stringify(same));
        const start = await signInStart(tenant);
        const moved = await signInFinish(start.loginId, t.shown.credential);
        insist(moved.status === 400, JSON.stringify(moved));
    },
    async 'a passkey proves again'(t) {
        const start = await good('POST', '/auth/step-up/start', {}, t.access);
        const credential = await get(t.page, start.options);
        await good('POST', '/auth/step-up', { loginId: start.loginId, credential }, t.access);
    },
    async 'a page of another port is refused'(t) {
        await copyKey(t.device, t.otherDevice);
        const start = await signInStart(tenant);
        const step = await signInFinish(start.loginId, await get(t.other, start.options));
        insist(step.status === 400, JSON.stringify(step));
    },
    async 'another tenant refuses it'(t) {
        const start = await signInStart(otherTenant);
        insist(start.options.rpId === 'localhost', JSON.stringify(start.options));
        const step = await signInFinish(start.loginId, await get(t.page, start.options));
        insist(step.status === 400, JSON.stringify(step));
    },
    async 'an authenticator without user verification shows none'(t) {
        await t.device.session.send('WebAuthn.setUserVerified',
            { authenticatorId: t.device.authenticatorId, isUserVerified: false });
        const start = await signInStart(tenant);
        await fails(get(t.page, start.options), 'NotAllowedError');
        await t.device.session.send('WebAuthn.setUserVerified',
            { authenticatorId: t.device.authenticatorId, isUserVerified: true });
    },
    async 'a removed passkey is refused'(t) {
        await good('DELETE', `/auth/passkey/${t.passkey.id}`, null, t.access);
        const start = await signInStart(tenant);
        const step = await signInFinish(start.loginId, await get(t.page, start.options));
        insist(step.status === 400, JSON.stringify(step));
    },
};

async function run(browser) {
    const t = { page: await browser.newPage(), other: await browser.newPage() };
    let failed = 0;

    await t.page.goto(`http://localhost:${port}/`);
    await t.other.goto(`http://localhost:${otherPort}/`);
    t.device = await authenticator(t.page);
    t.otherDevice = await authenticator(t.other);
    t.access = (await register(`browser-${process.pid}@patients.example`)).accessToken;
    for (const [name, step] of Object.entries(steps)) {
        let timer;
        const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error('no end')), STEP_MS); });
        try {
            await Promise.race([step(t), late]);
            console.log(`ok ${name}`);
        } catch (error) {
            failed++;
            console.log(`FAILED ${name}: ${error.message}`);
        } finally {
            clearTimeout(timer);
        }
    }
    return failed;
}

(async () => {
    const servers = [await serve(Number(port)), await serve(Number(otherPort))];
    const browser = await chromium.launch({
        executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'],
    });
    const failed = await run(browser).finally(() => browser.close());
    for (const server of servers)
        server.close();
    process.exit(failed > 0 ? 1 : 0);
})().catch((error) => {
    console.log(`FAILED: ${error.stack}`);
    process.exit(2);
});
