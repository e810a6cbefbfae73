// faults.mjs - the faults that each client in clients/ must survive, with the proxy and the suite that cause them.
//
// A program that imports this file has the suite's directory as its first argument. Its clients send their requests to
// /api on the proxy, which forwards them to the gateway and can cut, hold and refuse responses. Each client is a peer
// (browser.mjs: a tab of Chromium; keepers.mjs: a process of Python or Go); all peers share one session:
//
//     signIn(email, password, code), register(email)   {next}, or {name, status, requestId} of the client's error
//     me(), renew(), state(), stored(), logout()       status of /auth/me; a new access token; and what their names say
//     renewAlways(), stop()                            renews until stop(): {renewals, wrong, state}
//     hears(what), unasked()                           waits for 'signedIn', 'logout' or 'ended'; sign-outs since then
//     enroll(), stepUp(proof), prove(password)         a request that needs a fresh proof; prove (if the client asks the
//                                                      person itself): the password that it is told, or false
//     fetch(url), wake(), hang(), impatient(), close() wake: the network is back; hang: holds its lock and does nothing
import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { promisify } from 'node:util';

export const [suiteDir] = process.argv.slice(2);
const suite = () => JSON.parse(readFileSync(path.join(suiteDir, 'dev.json'), 'utf8'));
export const { baseUrl: gateway, demo, mailDir, clockFile } = suite();
export const tenant = demo.tenantCode;

export const PASSWORD = 'correct horse battery staple';
export const REFRESH = '/auth/refresh-token';
const RENEWALS = 1000;
const KILL_EVERY = 100; // refreshes
const CUT_EVERY = 29;
const STEP_MS = 240_000;

export function insist(condition, why) {
    if (!condition)
        throw new Error((typeof why === 'string' ? why : JSON.stringify(why)).slice(0, 500));
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

export async function until(condition, what, ms = 15_000) {
    for (const end = Date.now() + ms; ; await sleep(20)) {
        const value = await condition();
        if (value)
            return value;
        insist(Date.now() < end, `never: ${what}`);
    }
}

// ---- the proxy ----

// fault(path): 'cut' loses the gateway's response; a function gets the response and replaces it; a promise holds it.
export const proxy = { fault: () => null, sent: [], renewed: 0, refused: 0, cut: 0, address: '127.0.0.1' };

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

// Listens on the port; page(request, response) answers requests that are not below /api.
export function serve(port, page) {
    const server = http.createServer((request, response) => {
        if (!request.url.startsWith('/api/'))
            return void page(request, response);
        forward(request, response).catch(() => response.destroy());
    });
    return new Promise((resolve) => server.listen(Number(port), '127.0.0.1', resolve));
}

// Holds the response to the route's next request. Returns functions that say whether it is held, and release it.
export function holdNext(route) {
    let held = false, release;
    const wait = new Promise((done) => { release = done; });
    proxy.fault = (asked) => {
        if (asked !== route || held)
            return null;
        held = true;
        return wait;
    };
    return [() => held, release];
}

// ---- the suite ----

export async function call(method, route, body, access) {
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
export function newEmail() {
    proxy.address = `127.9.${process.pid % 250}.${++people}`; // an unused address, which no limit affects
    return `client${people}-${process.pid}@patients.example`;
}

export async function register() {
    const email = newEmail();
    await good('POST', '/auth/tenant/Patient/register',
        { email, password: PASSWORD, name: 'Ana', surname: 'Prova', tenantCode: tenant });
    return email;
}

let clock = Number(readFileSync(clockFile, 'utf8')) || 0;
export async function advance(seconds) {
    clock += seconds;
    writeFileSync(clockFile, `${clock}\n`);
    await sleep(300);
}

export const now = () => Date.now() / 1000 + clock;

function kill(instance) {
    const { pid } = suite().daemons.find((each) => each.name === 'authd' && String(each.instance) === instance);
    if (pid > 0)
        process.kill(pid, 'SIGKILL');
    return pid > 0 ? 1 : 0;
}

export function codeOf(secret, at) {
    const bits = [...secret].map((c) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(c).toString(2).padStart(5, '0')).join('');
    const key = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
    const counter = Buffer.alloc(8);
    counter.writeBigUInt64BE(BigInt(Math.floor(at / 30)));
    const mac = createHmac('sha1', key).update(counter).digest();
    const number = mac.readUInt32BE(mac[19] & 15) & 0x7fffffff;
    return String(number % 1e6).padStart(6, '0');
}

// ---- the steps ----

// Signs a new person in with the first peer, and waits until the second knows.
export async function start(t) {
    const email = await register();
    const step = await t.one.signIn(email);
    insist(step.next === 'done', step);
    await t.two.hears('signedIn');
    await t.one.unasked();
    return email;
}

const isEnded = async (access) => (await call('GET', '/auth/me', null, access)).status === 401;

export const faults = {
    async 'a sign-in is that of all peers'(t) {
        const email = await register();
        const wrong = await t.one.signIn(email, 'wrong');
        insist(wrong.name === 'AtriumError' && wrong.status === 400 && wrong.requestId, wrong);
        insist(!(await t.one.state()).signedIn, 'signed in by a wrong password');
        const right = await t.one.signIn(email);
        insist(right.next === 'done', right);
        await t.two.hears('signedIn');
        const state = await t.two.state();
        insist(state.signedIn && state.profile.startsWith('Patient/'), state);
        insist(await t.one.me() === 200 && await t.two.me() === 200, 'a peer without a token');
        insist(await t.two.logout() === true, 'not revoked');
        await t.one.hears('logout');
        insist(await t.one.me() === 401, 'still a token');
    },
    async 'a registration signs in'(t) {
        const step = await t.one.register(newEmail());
        insist(step.next === 'done' && await t.two.me() === 200, step);
        const again = await t.one.register('none');
        insist(again.name === 'AtriumError' && again.status === 422, again);
        insist(await t.two.me() === 200 && await t.one.logout(), 'signed out by an error');
    },
    async [`two peers renew ${RENEWALS} times while authd is killed`](t) {
        await start(t);
        let kills = 0;
        const from = proxy.renewed, cuts = proxy.cut, refused = proxy.refused, begun = Date.now();
        proxy.fault = (route) => route === REFRESH && proxy.sent.length % CUT_EVERY === 0 ? 'cut' : null;
        let ended = 0; // signed out
        const loops = [t.one, t.two].map((peer) => peer.renewAlways().finally(() => { ended++; }));
        for (let turn = 0; ended < 2 && proxy.renewed - from < RENEWALS && Date.now() < begun + STEP_MS - 20_000; await sleep(10)) {
            if (proxy.renewed - from < turn * KILL_EVERY)
                continue;
            kills += kill(turn % 2 ? '2' : '1');
            if (++turn % 4 === 0)
                kills += kill(turn % 2 ? '1' : '2');
        }
        const made = proxy.renewed - from;
        await Promise.all([t.one.stop(), t.two.stop()]);
        const seen = await Promise.all(loops);
        proxy.fault = () => null;
        const told = [...await t.one.unasked(), ...await t.two.unasked()];
        console.log(`   ${made} renewals in ${Date.now() - begun} ms, ${kills} kills, ${proxy.cut - cuts} answers cut, `
            + `${seen[0].renewals} and ${seen[1].renewals} tokens taken`);
        insist(seen.every((each) => each.state.signedIn && each.wrong.length === 0 && each.renewals > 100), seen);
        insist(made >= RENEWALS && kills >= 10 && proxy.cut - cuts >= RENEWALS / CUT_EVERY / 2, `too few: ${made} renewals, `
            + `${kills} kills, ${proxy.cut - cuts} cuts`);
        insist(told.length === 0 && proxy.refused === refused, { told, refused: proxy.refused - refused });
        const list = await good('GET', '/auth/session', null, (await t.one.stored()).access);
        insist(JSON.stringify(list).match(/"current":true/g).length === 1, list);
    },
    async 'a lost answer is asked for again with the same token'(t) {
        const from = proxy.sent.length;
        let cuts = 2;
        proxy.fault = (route) => route === REFRESH && cuts-- > 0 ? 'cut' : null;
        insist(await t.one.renew(), 'signed out');
        const sent = proxy.sent.slice(from);
        insist(sent.length === 3 && new Set(sent).size === 1, `${sent.length} requests`);
        insist(await t.two.me() === 200, 'the second peer');
    },
    async 'a peer that ends while it renews holds up no other'(t) {
        const third = await t.open();
        const from = proxy.sent.length;
        const [isHeld] = holdNext(REFRESH);
        third.renew().catch(() => {});
        await until(isHeld, 'the third peer renews');
        const second = t.two.renew();
        await sleep(200);
        insist(proxy.sent.length === from + 1, 'two renewals at a time');
        await third.close();
        insist(await second, 'signed out');
        insist(new Set(proxy.sent.slice(from)).size === 1, 'another token');
        insist(await t.one.me() === 200, 'the first peer');
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
        insist(await t.one.renew(), 'signed out');
        insist(answers.length === 0, 'not repeated');
        // A proxy's sign-in page or a refused address does not end the session; the next request retries.
        for (const [status, body] of [[401, '<h1>Proxy</h1>'], [403, '{"statusCode":403,"message":"Forbidden."}']]) {
            proxy.fault = (route) => route === REFRESH ? (response) => response.writeHead(status).end(body) : null;
            const told = await t.one.renew().catch((error) => error.status);
            insist(told === status, { told, status });
        }
        proxy.fault = () => null;
        insist((await t.two.state()).signedIn && await t.two.renew(), 'signed out');
        insist((await t.one.unasked()).length === 0 && (await t.two.unasked()).length === 0, 'a sign-out');
    },
    async 'a peer that hangs is passed over'(t) {
        const third = await t.open();
        await third.hang();
        await t.two.impatient(true); // the lock of a peer that hangs is taken after a minute: this one is sooner done
        insist(await t.two.renew(), 'signed out');
        await t.two.impatient(false);
        await third.close();
    },
    async 'a token that expired while the machine slept is renewed once'(t) {
        const from = proxy.renewed;
        await advance(2 * 3600);
        const ask = (peer) => [1, 2, 3, 4].map(() => peer.me());
        const all = await Promise.all([...ask(t.one), ...ask(t.two)]);
        insist(all.every((status) => status === 200), all);
        insist(proxy.renewed - from === 1, `${proxy.renewed - from} renewals`);
    },
    async 'a fresh proof is asked for, which is no sign-out'(t) {
        const from = proxy.sent.length;
        await advance(20 * 60);
        const refused = await t.one.enroll();
        insist(refused.status === 401 && refused.code === 'STEP_UP_REQUIRED', refused);
        insist(proxy.sent.length === from && (await t.one.state()).signedIn, 'a renewal or a sign-out');
        const wrong = await t.one.stepUp({ password: 'wrong' });
        insist(wrong === 400, wrong);
        await t.one.stepUp({ password: PASSWORD });
        insist((await t.one.enroll()).status === 200, 'still refused');
        if (!t.two.prove)
            return;
        // Two requests, one question.
        await advance(20 * 60);
        await t.two.prove(PASSWORD);
        const both = await Promise.all([t.two.enroll(), t.two.enroll()]);
        insist(both.every((each) => each.status === 200), both);
        insist(await t.two.asked() === 1, `asked ${await t.two.asked()} times`);
        await advance(20 * 60);
        await t.two.prove(false);
        insist((await t.two.enroll()).code === 'STEP_UP_REQUIRED', 'a refusal');
        await t.two.prove(null);
    },
    async 'a logout while the service is away forgets at once and revokes later'(t) {
        await start(t);
        const { access, refresh } = await t.one.stored();
        proxy.fault = () => (response) => response.destroy();
        const begun = Date.now();
        insist(await t.one.logout() === false, 'revoked');
        insist(Date.now() - begun < 5000 && await t.one.stored() === null, 'not at once');
        await t.two.hears('logout');
        insist(!await isEnded(access), 'revoked without a network');
        proxy.fault = () => null;
        await t.one.wake();
        await until(() => isEnded(access), 'revoked');
        insist((await call('POST', REFRESH, { refresh_token: refresh })).status === 401, 'the refresh token');
    },
    async 'a session that an operator ended is over in both peers'(t) {
        const email = await start(t);
        const ctl = path.resolve(process.env.BUILD || 'build', 'bin/atriumctl');
        await promisify(execFile)(ctl, ['--dir', suiteDir, 'session', 'revoke', '--email', email]);
        await until(async () => await t.one.me() === 401, 'refused');
        await t.one.hears('ended');
        await t.two.hears('ended');
        insist(await t.two.stored() === null, 'still stored');
    },
    async 'another person who signs in meanwhile does not send what the first began'(t) {
        await start(t);
        const { access } = await t.one.stored();
        const other = await register();
        await good('POST', '/auth/logout', undefined, access); // elsewhere
        const [isHeld, release] = holdNext('/auth/me');
        const first = t.one.me();
        await until(isHeld, 'the request is under way');
        await t.two.signIn(other);
        release();
        insist(await first === 401, 'sent as another person');
        insist(await t.one.me() === 200 && await t.one.logout(), 'the other');
    },
    async 'a logout is not undone by a renewal under way'(t) {
        await start(t);
        const { access } = await t.one.stored();
        const [isHeld, release] = holdNext(REFRESH);
        const renewal = t.two.renew();
        await until(isHeld, 'the renewal is under way');
        const out = t.one.logout();
        await t.two.hears('logout');
        release();
        insist(await renewal === null && await out === true, 'not revoked');
        await until(async () => await t.one.stored() === null && !(await t.two.state()).signedIn, 'signed out');
        insist(await isEnded(access), 'not revoked');
    },
    async 'a sign-in is not undone by a renewal under way'(t) {
        await start(t);
        const { profile } = await t.one.state();
        const [isHeld, release] = holdNext(REFRESH);
        const renewal = t.two.renew();
        await until(isHeld, 'the renewal is under way');
        const begun = t.one.signIn(await register());
        await sleep(300);
        release();
        await Promise.all([renewal, begun]);
        const now = await t.two.state();
        insist(now.signedIn && now.profile !== profile && await t.one.me() === 200, now);
        await t.one.logout();
    },
    async 'no other server gets the token'(t) {
        await start(t);
        let got;
        const other = http.createServer((request, response) => {
            got = request.headers;
            response.writeHead(200, { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': '*' }).end();
        });
        await new Promise((done) => other.listen(0, '127.0.0.1', done));
        await t.one.fetch(`http://127.0.0.1:${other.address().port}/api/`);
        other.close();
        insist(got && !got.authorization && !got['access-control-request-headers'], got);
        insist(await t.one.me() === 200, 'the installation');
    },
    async 'a second factor signs in'(t) {
        t.email = await start(t);
        const { access } = await t.one.stored();
        const { otpauthUrl } = await good('GET', '/auth/mfa/status', null, access);
        t.secret = new URL(otpauthUrl).searchParams.get('secret');
        await good('POST', '/auth/mfa/enroll', { token: codeOf(t.secret, now()) }, access);
        await t.one.logout();
        const wrong = await t.one.signIn(t.email, PASSWORD, '000000');
        insist(wrong.status === 400, wrong);
        const done = await t.one.signIn(t.email, PASSWORD, codeOf(t.secret, now() + 30));
        insist(done.next === 'done' && await t.two.me() === 200, done);
    },
};

// Runs the steps (STEP=WORD: only those with WORD in their name) and ends the program. Failed steps are lines on stderr,
// which the test shows; passed steps are lines on stdout.
export async function run(steps, t, close) {
    let failed = 0, passed = 0;

    for (const [name, step] of Object.entries(steps)) {
        if (process.env.STEP && !name.includes(process.env.STEP))
            continue;
        const begun = Date.now();
        let timer;
        const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error('no end')), STEP_MS); });
        proxy.fault = () => null;
        try {
            await Promise.race([step(t), late]);
            passed++;
            console.log(`ok ${name} (${Date.now() - begun} ms)`);
        } catch (error) {
            failed++;
            console.error(`FAILED ${name} (${Date.now() - begun} ms): ${error.message.split('\n')[0].slice(0, 600)}`);
        } finally {
            clearTimeout(timer);
        }
    }
    await close();
    console.log(`${passed} passed, ${failed} failed`);
    process.exit(failed > 0 || passed === 0 ? 1 : 0);
}
