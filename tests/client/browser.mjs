// browser.mjs SUITE DIR PORT CHILD - clients/typescript in Chromium with a suite.
//
// DIR/app has the packed client (check.mjs pack). A page at http://localhost:PORT sends requests below /api to the gateway
// through a proxy that can cut, hold and refuse responses. CHILD is a second tenant of demo's admin. Each step prints
// "ok NAME" or "FAILED NAME: why"; the exit code is 1 when one failed. Chromium's files are in TMPDIR.
import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { promisify } from 'node:util';
import npm from '../support/npm.cjs';

const require = npm('client');
const { chromium } = require('playwright-core');

const [suiteDir, dir, port, child] = process.argv.slice(2);
const suite = () => JSON.parse(readFileSync(path.join(suiteDir, 'dev.json'), 'utf8'));
const { baseUrl: gateway, demo, mailDir, clockFile } = suite();
const tenant = demo.tenantCode;

const RENEWALS = 1000;
const KILL_EVERY = 100; // refreshes
const CUT_EVERY = 29;
const STEP_MS = 120_000;
const PASSWORD = 'correct horse battery staple';
const REFRESH = '/auth/refresh-token';

const PAGE = `<!doctype html><title>client</title><input autocomplete="username webauthn">
<script type="importmap">{"imports": {"@atrium/client": "/client/index.js", "openapi-fetch": "/fetch.mjs"}}</script>
<script type="module">
import * as atrium from '@atrium/client';
window.atrium = atrium;
window.heard = [];
window.begin = (options) => {
    window.session?.close();
    window.session = new atrium.Session({ url: '/api', ...options });
    window.session.onChange((state) => window.heard.push({ ...state, at: Date.now() }));
};
begin();
window.ready = true;
</script>`;

function insist(condition, why) {
    if (!condition)
        throw new Error(typeof why === 'string' ? why : JSON.stringify(why));
}

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

async function until(condition, what, ms = 5000) {
    for (const end = Date.now() + ms; ; await sleep(20)) {
        const value = await condition();
        if (value)
            return value;
        insist(Date.now() < end, `never: ${what}`);
    }
}

// ---- the proxy ----

// fault(path): 'cut' loses the gateway's response; a function gets the response and replaces it; a promise holds it.
const proxy = { fault: () => null, sent: [], renewed: 0, refused: 0, cut: 0, address: '127.0.0.1' };

function readBody(stream) {
    return new Promise((resolve, reject) => {
        const parts = [];
        stream.on('data', (part) => parts.push(part));
        stream.on('end', () => resolve(Buffer.concat(parts)));
        stream.on('error', reject);
    });
}

// Sends requests from the person's registration address.
function ask(route, options, body) {
    return new Promise((resolve, reject) => {
        http.request(gateway + route, { ...options, localAddress: proxy.address })
            .on('response', resolve).on('error', reject).end(body);
    });
}

async function forward(request, response) {
    const route = request.url.slice('/api'.length);
    const body = await readBody(request);
    const isRenewal = route === REFRESH;

    if (isRenewal)
        proxy.sent.push(JSON.parse(body).refresh_token);
    const fault = proxy.fault(route);
    if (typeof fault === 'function')
        return void fault(response);
    const headers = { ...request.headers, connection: 'close', host: new URL(gateway).host };
    const answer = await ask(route, { method: request.method, headers }, body);
    const content = await readBody(answer);
    if (isRenewal && answer.statusCode === 200)
        proxy.renewed++;
    if (isRenewal && answer.statusCode === 401)
        proxy.refused++;
    if (fault === 'cut') {
        proxy.cut++;
        return void response.destroy();
    }
    await fault;
    response.writeHead(answer.statusCode, answer.headers);
    response.end(content);
}

const FILES = { '/fetch.mjs': path.join(require.folder('openapi-fetch'), 'dist/index.mjs') };

function serve(request, response) {
    if (request.url.startsWith('/api/'))
        return void forward(request, response).catch(() => response.destroy());
    const file = FILES[request.url] ?? (request.url.startsWith('/client/')
        ? path.join(dir, 'app/node_modules/@atrium/client/dist', path.basename(request.url)) : null);
    response.writeHead(200, { 'Content-Type': file ? 'text/javascript' : 'text/html' });
    response.end(file ? readFileSync(file) : PAGE);
}

// ---- the suite ----

async function call(method, route, body, access) {
    const headers = { ...(body && { 'Content-Type': 'application/json' }), ...(access && { Authorization: `Bearer ${access}` }) };
    const answer = await ask(route, { method, headers }, body && JSON.stringify(body));
    const text = String(await readBody(answer));
    return { status: answer.statusCode, body: text ? JSON.parse(text) : null };
}

async function good(...words) {
    const answer = await call(...words);
    insist(answer.status < 300, `${words[1]}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
}

let people = 0;
async function register() {
    proxy.address = `127.9.${process.pid % 250}.${++people}`; // an unused address, which no limit affects
    const email = `client${people}-${process.pid}@patients.example`;
    await good('POST', '/auth/tenant/Patient/register',
        { email, password: PASSWORD, name: 'Ana', surname: 'Prova', tenantCode: tenant });
    return email;
}

let clock = Number(readFileSync(clockFile, 'utf8')) || 0;
async function advance(seconds) {
    clock += seconds;
    writeFileSync(clockFile, `${clock}\n`);
    await sleep(300);
}

const now = () => Date.now() / 1000 + clock;

function kill(instance) {
    const { pid } = suite().daemons.find((each) => each.name === 'authd' && String(each.instance) === instance);
    if (pid > 0)
        process.kill(pid, 'SIGKILL');
    return pid > 0 ? 1 : 0;
}

function codeOf(secret, at) {
    const bits = [...secret].map((c) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(c).toString(2).padStart(5, '0')).join('');
    const key = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
    const counter = Buffer.alloc(8);
    counter.writeBigUInt64BE(BigInt(Math.floor(at / 30)));
    const mac = createHmac('sha1', key).update(counter).digest();
    const number = mac.readUInt32BE(mac[19] & 15) & 0x7fffffff;
    return String(number % 1e6).padStart(6, '0');
}

async function mailedCode(email) {
    return until(() => {
        const mails = readdirSync(mailDir).sort().reverse().map((name) => readFileSync(path.join(mailDir, name), 'utf8'));
        return mails.filter((text) => text.includes(email)).map((text) => text.match(/^\s*(?:.*\D)?(\d{6})\b/m)?.[1])[0];
    }, 'a mailed code');
}

// ---- the pages ----

const signIn = (page, email, password = PASSWORD) => page.evaluate(([...words]) =>
    new atrium.SignIn(session, 'Patient', words[2]).password(words[0], words[1]), [email, password, tenant]);
const me = (page) => page.evaluate(async () => (await session.client.GET('/auth/me')).response.status);
const state = (page) => page.evaluate(() => session.state());
const stored = (page) => page.evaluate(() => atrium.browserStorage().getItem('atrium').then(JSON.parse));
const renew = (page) => page.evaluate(async () => session.accessToken(await session.accessToken()));
const heard = (page) => page.evaluate(() => heard.splice(0));
const logout = (page) => page.evaluate(() => session.logout());

async function tab(t) {
    const page = await t.context.newPage();
    await page.goto(`http://localhost:${port}/`);
    await page.waitForFunction(() => window.ready);
    return page;
}

async function start(t) {
    const email = await register();
    insist((await signIn(t.one, email)).next === 'done', 'not signed in');
    await until(async () => (await heard(t.two)).some((each) => each.signedIn), 'the second tab is signed in');
    await heard(t.one);
    return email;
}

// Both tabs refresh until stopped, always with the tab's last token.
function renewAlways(page) {
    return page.evaluate(async () => {
        const seen = { renewals: 0, asked: 0, wrong: [] };
        for (let token = await session.accessToken(); token && !window.enough;) {
            const next = await session.accessToken(token).catch((error) => { seen.wrong.push(String(error)); return token; });
            if (!next || (next === token && seen.wrong.length > 20))
                break;
            token = next;
            if (++seen.renewals % 20 === 0) {
                const { response } = await session.client.GET('/auth/me');
                seen.asked++;
                if (response.status !== 200 && response.status < 503)
                    seen.wrong.push(`/auth/me ${response.status}`);
            }
        }
        return { ...seen, state: await session.state() };
    });
}

// The second tab refreshes and is stopped before the response, or (slow) before it is stored.
async function renewSlowly(t, slow) {
    let stopped = false, release;
    if (slow)
        await t.two.evaluate(() => {
            const storage = atrium.browserStorage();
            const wait = new Promise((done) => { window.release = done; });
            const slowly = async (...words) => { window.stopped = true; await wait; return storage.setItem(...words); };
            begin({ storage: { ...storage, setItem: slowly } });
        });
    else
        proxy.fault = (route) => {
            if (route !== REFRESH || stopped)
                return null;
            stopped = true;
            return new Promise((done) => { release = done; });
        };
    const renewal = renew(t.two);
    await until(() => slow ? t.two.evaluate(() => window.stopped) : stopped, 'the renewal is under way');
    return [renewal, async () => {
        await (slow ? t.two.evaluate(() => { window.stopped = false; window.release(); }) : release());
    }];
}

const steps = {
    async 'a sign-in is that of all tabs'(t) {
        const email = await register();
        const wrong = await t.one.evaluate(async ([who, where]) =>
            new atrium.SignIn(session, 'Patient', where).password(who, 'wrong').catch((error) =>
                ({ name: error.name, status: error.status, id: error.requestId })), [email, tenant]);
        insist(wrong.name === 'AtriumError' && wrong.status === 400 && wrong.id, wrong);
        await signIn(t.one, email);
        const told = await until(async () => (await heard(t.two))[0], 'the second tab hears of it');
        insist(told.signedIn && told.profile.startsWith('Patient/'), told);
        insist(await me(t.one) === 200 && await me(t.two) === 200, 'a tab without a token');
        insist(await logout(t.two) === true, 'not revoked');
        await until(async () => (await heard(t.one)).some((each) => each.reason === 'logout'), 'the first hears of the logout');
        insist(await me(t.one) === 401, 'still a token');
    },
    async [`two tabs renew ${RENEWALS} times while authd is killed`](t) {
        const email = await start(t);
        let kills = 0;
        const from = proxy.renewed, cuts = proxy.cut, begun = Date.now();
        proxy.fault = (route) => route === REFRESH && proxy.sent.length % CUT_EVERY === 0 ? 'cut' : null;
        const loops = [renewAlways(t.one), renewAlways(t.two)];
        for (let turn = 0; proxy.renewed - from < RENEWALS && Date.now() < begun + STEP_MS - 5000; await sleep(10)) {
            if (proxy.renewed - from < turn * KILL_EVERY)
                continue;
            kills += kill(turn % 2 ? '2' : '1');
            if (++turn % 4 === 0)
                kills += kill(turn % 2 ? '1' : '2');
        }
        await Promise.all([t.one, t.two].map((page) => page.evaluate(() => { window.enough = true; })));
        const seen = await Promise.all(loops);
        proxy.fault = () => null;
        const told = [...await heard(t.one), ...await heard(t.two)];
        const made = proxy.renewed - from;
        const list = await t.one.evaluate(async () => (await session.client.GET('/auth/session')).data);
        console.log(`   ${made} renewals in ${Date.now() - begun} ms, ${kills} kills, ${proxy.cut - cuts} answers cut, `
            + `${seen[0].renewals} and ${seen[1].renewals} tokens taken`);
        insist(made >= RENEWALS && kills >= 10 && proxy.cut - cuts >= RENEWALS / CUT_EVERY / 2, 'too few');
        insist(seen.every((each) => each.state.signedIn && each.wrong.length === 0 && each.renewals > 100), seen);
        insist(told.length === 0 && proxy.refused === 0, { told, refused: proxy.refused });
        insist(JSON.stringify(list).match(/"current":true/g).length === 1, list);
        t.email = email;
    },
    async 'a lost answer is asked for again with the same token'(t) {
        const from = proxy.sent.length;
        let cuts = 2;
        proxy.fault = (route) => route === REFRESH && cuts-- > 0 ? 'cut' : null;
        insist(await renew(t.one), 'signed out');
        const sent = proxy.sent.slice(from);
        insist(sent.length === 3 && new Set(sent).size === 1, sent.length);
        insist(await me(t.two) === 200, 'the second tab');
    },
    async 'a tab that is closed while it renews holds up no other'(t) {
        const third = await tab(t);
        const from = proxy.sent.length;
        let held = false;
        proxy.fault = (route) => {
            if (route !== REFRESH || held)
                return null;
            held = true;
            return new Promise(() => {});
        };
        third.evaluate(() => session.accessToken().then((token) => session.accessToken(token))).catch(() => {});
        await until(() => held, 'the third tab renews');
        const second = renew(t.two);
        await sleep(200);
        insist(proxy.sent.length === from + 1, 'two renewals at a time');
        await third.close();
        insist(await second, 'signed out');
        insist(new Set(proxy.sent.slice(from)).size === 1, 'another token');
        insist(await me(t.one) === 200, 'the first tab');
    },
    async 'a service that is away ends no session'(t) {
        const answers = [
            (response) => response.destroy(),
            (response) => response.writeHead(503, { 'Retry-After': '1' }).end('{"statusCode":503,"message":"Busy."}'),
            (response) => response.writeHead(502).end('<h1>Bad Gateway</h1>'),
            (response) => response.writeHead(429, { 'Retry-After': '1' }).end('{"statusCode":429,"message":"Slow."}'),
            (response) => {
                response.writeHead(200, { 'Content-Length': 100 }).write('{"access_token":"');
                setTimeout(() => response.destroy(), 50);
            },
        ];
        proxy.fault = (route) => route === REFRESH ? answers.shift() : null;
        insist(await renew(t.one), 'signed out');
        insist(answers.length === 0, 'not repeated');
        // A proxy's sign-in page or a refused address does not end the session; the next request retries.
        for (const [status, body] of [[401, '<h1>Proxy</h1>'], [403, '{"statusCode":403,"message":"Forbidden."}']]) {
            proxy.fault = (route) => route === REFRESH ? (response) => response.writeHead(status).end(body) : null;
            const told = await t.one.evaluate(async () =>
                session.accessToken(await session.accessToken()).catch((error) => error.status));
            insist(told === status, told);
        }
        proxy.fault = () => null;
        insist((await state(t.two)).signedIn && await renew(t.two), 'signed out');
        insist((await heard(t.one)).length === 0 && (await heard(t.two)).length === 0, 'a sign-out');
    },
    async 'a hung tab is passed over'(t) {
        // The page is told that LOCK_MS have passed, so its lock is taken over.
        const third = await tab(t);
        third.evaluate(() => navigator.locks.request('atrium', () => new Promise(() => {}))).catch(() => {});
        await sleep(200);
        await t.two.evaluate(() => { const { timeout } = AbortSignal; window.timeout = timeout;
            AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms === 60_000 ? 500 : ms); });
        insist(await renew(t.two), 'signed out');
        await t.two.evaluate(() => { AbortSignal.timeout = window.timeout; });
        await third.close();
    },
    async 'a token that expired while the machine slept is renewed once'(t) {
        const from = proxy.renewed;
        await advance(2 * 3600);
        const ask = (page) => page.evaluate(() => Promise.all([1, 2, 3, 4].map(async () =>
            (await session.client.GET('/auth/me')).response.status)));
        const all = (await Promise.all([ask(t.one), ask(t.two)])).flat();
        insist(all.every((status) => status === 200), all);
        insist(proxy.renewed - from === 1, proxy.renewed - from);
        // The page's clock can be set back or forward meanwhile.
        await t.one.evaluate(() => { window.now = Date.now; Date.now = () => window.now() - 86400e3; });
        insist(await me(t.one) === 200 && proxy.renewed - from === 2, 'set back');
        await t.one.evaluate(() => { Date.now = window.now; });
        insist(await me(t.two) === 200, 'as before');
    },
    async 'a fresh proof is asked for, which is no sign-out'(t) {
        const enroll = (page) => page.evaluate(async () => {
            const { response, error } = await session.client.POST('/auth/passkey/enroll/start');
            return { status: response.status, code: error?.code };
        });
        const from = proxy.sent.length;
        await advance(20 * 60);
        const refused = await enroll(t.one);
        insist(refused.status === 401 && refused.code === 'STEP_UP_REQUIRED', refused);
        insist(proxy.sent.length === from && (await state(t.one)).signedIn, 'a renewal or a sign-out');
        const wrong = await t.one.evaluate(() => session.stepUp({ password: 'wrong' }).catch((error) => error.status));
        insist(wrong === 400, wrong);
        await t.one.evaluate((password) => session.stepUp({ password }), PASSWORD);
        insist((await enroll(t.one)).status === 200, 'still refused');
        // Two requests, one refresh.
        await advance(20 * 60);
        await t.two.evaluate((password) => {
            window.asked = 0;
            begin({ prove: async (of) => { window.asked++; await of.stepUp({ password }); return true; } });
        }, PASSWORD);
        const both = await Promise.all([enroll(t.two), enroll(t.two)]);
        insist(both.every((each) => each.status === 200), both);
        insist(await t.two.evaluate(() => asked) === 1, 'asked twice');
        await advance(20 * 60);
        await t.two.evaluate(() => begin({ prove: async () => false }));
        insist((await enroll(t.two)).code === 'STEP_UP_REQUIRED', 'a refusal');
        await t.two.evaluate(() => begin());
    },
    async 'an upload tells its progress'(t) {
        const network = await t.context.newCDPSession(t.one);
        const throttle = (bytes) => network.send('Network.emulateNetworkConditions',
            { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: bytes });
        await throttle(4 << 20);
        const done = await t.one.evaluate(async () => {
            const bytes = new Uint8Array(4 << 20).fill(7), steps = [];
            const document = await atrium.upload(session, new File([bytes], 'a.bin', { type: 'application/x-test' }),
                { onProgress: (part) => steps.push(part) });
            const { data, response } = await session.client.GET('/document/{id}',
                { params: { path: { id: document.id } }, parseAs: 'blob' });
            return { steps, status: response.status, size: data?.size };
        });
        insist(done.size === 4 << 20, done);
        insist(done.steps.length > 3 && done.steps.at(-1) === 1
            && done.steps.every((part, i) => part > 0 && (i === 0 || part > done.steps[i - 1])), done.steps);
        const aborted = await t.one.evaluate(async () => {
            const abort = new AbortController(), steps = [];
            const error = await atrium.upload(session, new File([new Uint8Array(4 << 20)], 'b.bin'), {
                signal: abort.signal, onProgress: (part) => { steps.push(part); abort.abort(); },
            }).catch((reason) => reason);
            const { data } = await session.client.GET('/document');
            return { name: error.name, steps, list: JSON.stringify(data) };
        });
        await network.detach();
        insist(aborted.name === 'AbortError' && aborted.steps.length === 1 && aborted.steps[0] < 1, aborted);
        insist(aborted.list.includes('a.bin') && !aborted.list.includes('b.bin'), aborted.list);
    },
    async 'a logout without a network forgets at once and revokes later'(t) {
        await start(t);
        const { access, refresh } = await stored(t.one);
        await t.context.setOffline(true);
        const begun = Date.now();
        insist(await logout(t.one) === false, 'revoked');
        insist(Date.now() - begun < 1000 && await stored(t.one) === null, 'not at once');
        await until(async () => (await heard(t.two)).some((each) => each.reason === 'logout'), 'the second tab hears');
        insist((await call('GET', '/auth/me', null, access)).status === 200, 'revoked without a network');
        await t.context.setOffline(false);
        await until(async () => (await call('GET', '/auth/me', null, access)).status === 401, 'revoked', 10000);
        insist((await call('POST', REFRESH, { refresh_token: refresh })).status === 401, 'the refresh token');
        await until(() => t.one.evaluate(async () => await atrium.browserStorage().getItem('atrium.revoke') === null), 'forgotten');
        // A slow service does not delay it either.
        await start(t);
        let release;
        proxy.fault = (route) => route === '/auth/logout' ? new Promise((done) => { release = done; }) : null;
        const slow = logout(t.one);
        await until(async () => await stored(t.two) === null && release, 'forgotten');
        release();
        proxy.fault = () => null;
        insist(await slow === true, 'not revoked');
        // A page opened later does it too, with a token that has expired by then.
        await start(t);
        const kept = await stored(t.one);
        await t.context.setOffline(true);
        await logout(t.one);
        await advance(2 * 3600);
        await Promise.all([t.one, t.two].map((page) => page.evaluate(() => session.close())));
        await t.context.setOffline(false);
        const later = await tab(t);
        await until(() => later.evaluate(async () => await atrium.browserStorage().getItem('atrium.revoke') === null), 'revoked later');
        insist((await call('POST', REFRESH, { refresh_token: kept.refresh })).status === 401, 'not revoked');
        await later.close();
        await Promise.all([t.one, t.two].map((page) => page.reload()));
        await Promise.all([t.one, t.two].map((page) => page.waitForFunction(() => window.ready)));
    },
    async 'two tabs that log out at once lose no revocation'(t) {
        const email = await start(t), first = await stored(t.one);
        await t.one.evaluate(() => { // the first is stopped while it writes the list
            const storage = atrium.browserStorage(), wait = new Promise((done) => { window.release = done; });
            const slowly = async (key, value) => { if (key.endsWith('.revoke')) { window.stopped = true; await wait; } return storage.setItem(key, value); };
            begin({ storage: { ...storage, setItem: slowly } });
        });
        const one = logout(t.one);
        await until(() => t.one.evaluate(() => window.stopped), 'the first logs out');
        await signIn(t.two, email);
        const second = await stored(t.two);
        await t.context.setOffline(true);
        const two = logout(t.two);
        await sleep(300);
        await t.one.evaluate(() => window.release());
        insist(await one === false && await two === false, 'revoked without a network');
        const list = await t.two.evaluate(() => atrium.browserStorage().getItem('atrium.revoke').then(JSON.parse));
        insist(list.map((each) => each.id).sort().join() === [first.id, second.id].sort().join(), list.length);
        await t.context.setOffline(false);
        for (const { refresh } of [first, second])
            await until(async () => (await call('POST', REFRESH, { refresh_token: refresh })).status === 401, 'revoked', 10000);
        await t.one.evaluate(() => begin());
    },
    async 'a logout forgets the tokens while another tab hangs or the storage is full'(t) {
        await start(t);
        await t.two.evaluate(() => new Promise((held) => {
            void navigator.locks.request('atrium.list', () => new Promise((done) => { window.release = done; held(); }));
        }));
        const out = logout(t.one);
        await until(async () => await stored(t.one) === null, 'forgotten while another tab hangs', 10000);
        await t.two.evaluate(() => window.release());
        insist(await out === true, 'not revoked');
        await start(t);
        const kept = await stored(t.one);
        await t.one.evaluate(() => {
            const storage = atrium.browserStorage();
            const full = async (key, value) => { if (key.endsWith('.revoke')) throw new DOMException('full', 'QuotaExceededError'); return storage.setItem(key, value); };
            begin({ storage: { ...storage, setItem: full } });
        });
        insist(await logout(t.one) === true && await stored(t.one) === null, 'kept with a full storage');
        insist((await call('POST', REFRESH, { refresh_token: kept.refresh })).status === 401, 'not revoked');
        await t.one.evaluate(() => begin());
    },
    async 'a sign-in is not undone by a logout that was begun before it'(t) {
        const email = await start(t);
        await t.one.evaluate(() => {
            const storage = atrium.browserStorage(), wait = new Promise((done) => { window.release = done; });
            const slowly = async (key, value) => { if (key.endsWith('.revoke')) { window.slow = true; await wait; } return storage.setItem(key, value); };
            begin({ storage: { ...storage, setItem: slowly } });
        });
        const out = logout(t.one);
        await until(() => t.one.evaluate(() => window.slow), 'the logout is under way');
        await signIn(t.two, email);
        await t.one.evaluate(() => window.release());
        await out;
        insist((await state(t.two)).signedIn && await me(t.two) === 200, 'undone');
        await logout(t.two);
        await t.one.evaluate(() => begin());
    },
    async 'a request that is aborted waits for no renewal'(t) {
        await start(t);
        let release;
        proxy.fault = (route) => route === REFRESH ? new Promise((done) => { release = done; }) : null;
        const aborted = t.one.evaluate(async () => {
            const storage = atrium.browserStorage(), kept = JSON.parse(await storage.getItem('atrium'));
            await storage.setItem('atrium', JSON.stringify({ ...kept, at: 0 })); // makes it refresh
            const from = performance.now();
            const why = await session.fetch('/api/auth/me', { signal: AbortSignal.timeout(300) }).catch((error) => error.name);
            return [why, performance.now() - from];
        });
        await until(() => release, 'the renewal is under way');
        const [why, ms] = await aborted;
        release();
        proxy.fault = () => null;
        insist(why === 'TimeoutError' && ms < 2000, { why, ms });
        insist(await me(t.one) === 200 && await me(t.two) === 200 && await logout(t.one), 'the renewal was lost');
    },
    async 'a session that an operator ended is over in both tabs'(t) {
        const email = await start(t);
        const ctl = path.resolve(process.env.BUILD || 'build', 'bin/atriumctl');
        await promisify(execFile)(ctl, ['--dir', suiteDir, 'session', 'revoke', '--email', email]);
        await until(async () => await me(t.one) === 401, 'refused');
        const [one] = await until(async () => {
            const list = await heard(t.one);
            return list.length > 0 && list;
        }, 'the first tab hears');
        const [two] = await until(async () => {
            const list = await heard(t.two);
            return list.length > 0 && list;
        }, 'the second tab hears');
        insist(one.reason === 'ended' && two.reason === 'ended' && two.at - one.at < 1000, { one, two });
        insist(await stored(t.two) === null, 'still stored');
    },
    async 'another person who signs in meanwhile does not send what the first began'(t) {
        await start(t);
        const { access } = await stored(t.one);
        const other = await register();
        await good('POST', '/auth/logout', undefined, access); // elsewhere
        let release;
        proxy.fault = (route) => route === '/auth/me' ? new Promise((done) => { release = done; }) : null;
        const first = me(t.one);
        await until(() => release, 'the request is under way');
        proxy.fault = () => null;
        await signIn(t.two, other);
        release();
        insist(await first === 401, 'sent as another person');
        insist(await me(t.one) === 200 && await logout(t.one), 'the other');
    },
    async 'a logout is not undone by a renewal under way'(t) {
        for (const slow of [false, true]) {
            await start(t);
            const { access } = await stored(t.one);
            const [renewal, release] = await renewSlowly(t, slow);
            const out = logout(t.one);
            await until(async () => (await heard(t.two)).some((each) => each.reason === 'logout'), 'the logout is heard');
            await release();
            await renewal;
            insist(await out === true, 'not revoked');
            await until(async () => await stored(t.one) === null && !(await state(t.two)).signedIn, 'signed out');
            insist((await call('GET', '/auth/me', null, access)).status === 401, 'not revoked');
        }
    },
    async 'a sign-in is not undone by a renewal under way'(t) {
        await start(t);
        const { profile } = await state(t.one);
        const [renewal, release] = await renewSlowly(t, true);
        const begun = signIn(t.one, await register());
        await sleep(300);
        await release();
        await Promise.all([renewal, begun]);
        const now = await state(t.two);
        insist(now.signedIn && now.profile !== profile && await me(t.one) === 200, now);
        await logout(t.one);
        await t.two.evaluate(() => begin());
    },
    async 'no other server gets the token'(t) {
        await start(t);
        let got;
        const other = http.createServer((request, response) => {
            got = request.headers;
            response.writeHead(200, { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': '*' }).end();
        });
        await new Promise((done) => other.listen(0, '127.0.0.1', done));
        await t.one.evaluate((url) => session.fetch(url), `http://127.0.0.1:${other.address().port}/api/`);
        other.close();
        insist(got && !got.authorization && !got['access-control-request-headers'], got);
        insist(await me(t.one) === 200, 'the installation');
    },
    async 'a second factor signs in'(t) {
        const email = await start(t);
        t.email = email;
        t.secret = await t.one.evaluate(async () =>
            new URL((await session.client.GET('/auth/mfa/status')).data.otpauthUrl).searchParams.get('secret'));
        const enrolled = await t.one.evaluate(async (token) =>
            (await session.client.POST('/auth/mfa/enroll', { body: { token } })).response.status, codeOf(t.secret, now()));
        insist(enrolled === 200, enrolled);
        await t.one.evaluate((where) => { window.login = new atrium.SignIn(session, 'Patient', where); }, tenant);
        const asked = await t.one.evaluate(([who, word]) => login.password(who, word), [email, PASSWORD]);
        insist(asked.next === 'mfa', asked);
        const wrong = await t.one.evaluate(() => login.factor('000000').catch((error) => error.status));
        insist(wrong === 400, wrong);
        const done = await t.one.evaluate((code) => login.factor(code), codeOf(t.secret, now() + 30));
        insist(done.next === 'done' && await me(t.two) === 200, done);
    },
    async 'a passkey signs in, is a second factor and a proof'(t) {
        const network = await t.context.newCDPSession(t.one);
        await t.one.bringToFront();
        await network.send('WebAuthn.enable', { enableUI: false });
        await network.send('WebAuthn.addVirtualAuthenticator', { options: { protocol: 'ctap2', transport: 'internal',
            hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true } });
        const made = await t.one.evaluate(async () => {
            const { client } = session;
            const start = atrium.ok(await client.POST('/auth/passkey/enroll/start'));
            const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(start.options);
            const credential = (await navigator.credentials.create({ publicKey })).toJSON();
            return atrium.ok(await client.POST('/auth/passkey/enroll/finish',
                { body: { enrollmentId: start.enrollmentId, name: 'Chromium', credential } }));
        });
        insist(made.id, made);
        await logout(t.one);
        const done = await t.one.evaluate((where) => new atrium.SignIn(session, 'Patient', where).passkey(), tenant);
        insist(done.next === 'done' && await me(t.one) === 200, done);
        await logout(t.one);
        const second = await t.one.evaluate(async ([who, word, where]) => {
            const login = new atrium.SignIn(session, 'Patient', where);
            return [await login.password(who, word), await login.factorByPasskey()];
        }, [t.email, PASSWORD, tenant]);
        insist(second[0].next === 'mfa' && second[1].next === 'done', second);
        await t.one.evaluate(async () => session.stepUp(
            await atrium.showPasskey(atrium.ok(await session.client.POST('/auth/step-up/start')))));
        await network.detach();
        await logout(t.one);
    },
    async 'a mailed code signs in'(t) {
        const email = await register();
        const asked = await t.one.evaluate(([who, where]) => {
            window.login = new atrium.SignIn(session, 'Patient', where);
            return login.mailCode(who);
        }, [email, tenant]);
        insist(asked.next === 'code', asked);
        const done = await t.one.evaluate((code) => login.code(code), await mailedCode(email));
        insist(done.next === 'done' && await me(t.two) === 200, done);
        await logout(t.one);
    },
    async 'a practitioner of two tenants is asked for one'(t) {
        const begin = () => t.one.evaluate(async ([who, word]) => {
            window.login = new atrium.SignIn(session, 'Practitioner');
            return login.password(who, word);
        }, [demo.adminEmail, demo.adminPassword]);
        const asked = await begin();
        insist(asked.next === 'tenant' && asked.tenants.some((each) => each.tenantCode === child), asked);
        const done = await t.one.evaluate((code) => login.tenant(code), child);
        const { project, signedIn } = await state(t.two);
        insist(done.next === 'done' && signedIn && project !== demo.projectId, { done, project });
        await logout(t.one);
    },
    async 'Node keeps a session too, and ends when its work is done'() {
        const email = await register();
        const file = path.join(dir, 'app/node.mjs');
        writeFileSync(file, `
            import { Session, SignIn, ok, upload } from '@atrium/client';
            const [url, email, password, tenant] = process.argv.slice(2);
            const session = new Session({ url });
            const step = await new SignIn(session, 'Patient', tenant).password(email, password);
            const first = await session.accessToken();
            const all = new Set(await Promise.all([1, 2, 3].map(() => session.accessToken(first))));
            if (step.next !== 'done' || all.size !== 1 || all.has(first))
                throw new Error('renewals');
            const steps = [];
            const document = await upload(session, new Blob(['hello']), { fileName: 'a.txt', onProgress: (done) => steps.push(done) });
            const { data } = await session.client.GET('/document/{id}', { params: { path: { id: document.id } }, parseAs: 'text' });
            if (data !== 'hello' || steps.join() !== '1')
                throw new Error('upload');
            if (!await session.logout() || (await session.client.GET('/auth/me')).response.status !== 401)
                throw new Error('logout');
        `);
        await promisify(execFile)(process.execPath, [file, gateway, email, PASSWORD, tenant], { timeout: 20000 });
    },
};

async function run(browser) {
    const context = await browser.newContext();
    const t = { browser, context };
    let failed = 0;

    t.one = await tab(t);
    t.two = await tab(t);
    for (const [name, step] of Object.entries(steps)) {
        if (process.env.STEP && !name.includes(process.env.STEP))
            continue;
        const begun = Date.now();
        let timer;
        const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error('no end')), STEP_MS); });
        proxy.fault = () => null;
        try {
            await Promise.race([step(t), late]);
            console.log(`ok ${name} (${Date.now() - begun} ms)`);
        } catch (error) {
            failed++;
            console.log(`FAILED ${name}: ${error.message}`);
        } finally {
            clearTimeout(timer);
        }
    }
    return failed;
}

const server = http.createServer(serve);
await new Promise((resolve) => server.listen(Number(port), '127.0.0.1', resolve));
const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'],
});
const failed = await run(browser).finally(() => browser.close());
process.exit(failed > 0 ? 1 : 0);
