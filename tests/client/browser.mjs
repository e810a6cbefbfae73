// browser.mjs SUITE DIR PORT CHILD - clients/typescript in Chromium with a suite: the faults of faults.mjs, then
// cases that only tabs have.
//
// DIR/app has the packed client (check.mjs pack). One page is served at http://localhost:PORT. CHILD is a second tenant of
// demo's admin. The exit code is 1 when a step failed. Chromium keeps its files in TMPDIR.
import { execFile } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import npm from '../support/npm.cjs';
import {
    PASSWORD, REFRESH, advance, call, codeOf, demo, faults, gateway, insist, mailDir, now, proxy, register, run, serve,
    sleep, start, tenant, until,
} from './faults.mjs';

const require = npm('client');
const { chromium } = require('playwright-core');

const [, dir, port, child] = process.argv.slice(2);

const PAGE = `<!doctype html><title>client</title><input autocomplete="username webauthn">
<script type="importmap">{"imports": {"@atrium/client": "/client/index.js", "openapi-fetch": "/fetch.mjs",
    "@atrium/client/react": "/client/react.js", "react": "/cjs/react", "react-dom/client": "/cjs/react-dom/client"}}</script>
<script type="module">
import * as atrium from '@atrium/client';
window.atrium = atrium;
window.heard = [];
window.begin = (options) => new Promise((done) => { // with what the listener is told when it is added
    let first = true;
    window.session?.close();
    window.session = new atrium.Session({ url: '/api', ...options });
    window.session.onChange((state) => {
        if (first)
            done(state);
        else
            window.heard.push(state);
        first = false;
    });
});
await begin();
window.ready = true;
</script>`;

const FILES = { '/fetch.mjs': path.join(require.folder('openapi-fetch'), 'dist/index.mjs') };

// React comes in CommonJS: each file becomes a module, which imports what the file requires.
const CJS = {
    react: 'react/cjs/react.production.js', scheduler: 'scheduler/cjs/scheduler.production.js',
    'react-dom': 'react-dom/cjs/react-dom.production.js', 'react-dom/client': 'react-dom/cjs/react-dom-client.production.js',
};

function moduleOf(name) {
    const [folder, ...rest] = CJS[name].split('/');
    const text = readFileSync(path.join(require.folder(folder), ...rest), 'utf8');
    const needs = Object.keys(CJS).filter((each) => text.includes(`require("${each}")`));

    return `${needs.map((each, i) => `import need${i} from '/cjs/${each}';`).join('\n')}
        const module = { exports: {} }, require = (name) => ({ ${needs.map((each, i) => `'${each}': need${i}`)} })[name];
        (function (exports) { ${text} })(module.exports);
        export default module.exports;
        ${name === 'react' ? 'export const { useEffect, useState } = module.exports;' : ''}`;
}

function page(request, response) {
    if (request.url.startsWith('/cjs/')) {
        response.writeHead(200, { 'Content-Type': 'text/javascript' });
        return void response.end(moduleOf(request.url.slice('/cjs/'.length)));
    }
    const file = FILES[request.url] ?? (request.url.startsWith('/client/')
        ? path.join(dir, 'app/node_modules/@atrium/client/dist', path.basename(request.url)) : null);
    response.writeHead(200, { 'Content-Type': file ? 'text/javascript' : 'text/html' });
    response.end(file ? readFileSync(file) : PAGE);
}

async function mailedCode(email) {
    return until(() => {
        const mails = readdirSync(mailDir).sort().reverse().map((name) => readFileSync(path.join(mailDir, name), 'utf8'));
        return mails.filter((text) => text.includes(email)).map((text) => text.match(/^\s*(?:.*\D)?(\d{6})\b/m)?.[1])[0];
    }, 'a mailed code');
}

// ---- the tabs ----

// A peer of faults.mjs.
class Tab {
    constructor(page) {
        this.page = page;
    }

    evaluate(...words) {
        return this.page.evaluate(...words);
    }

    signIn(email, password = PASSWORD, code = '') {
        return this.evaluate(async ([who, word, where, factor]) => {
            const login = new atrium.SignIn(session, 'Patient', where);
            const step = login.password(who, word).then((step) => step.next === 'mfa' && factor ? login.factor(factor) : step);
            return step.catch((error) => ({ name: error.name, status: error.status, requestId: error.requestId }));
        }, [email, password, tenant, code]);
    }

    register(email) {
        return this.evaluate(([who, password, where]) => new atrium.SignIn(session, 'Patient', where)
            .register({ email: who, password, name: 'Ana', surname: 'Prova' })
            .catch((error) => ({ name: error.name, status: error.status })), [email, PASSWORD, tenant]);
    }

    me() {
        return this.evaluate(async () => (await session.client.GET('/auth/me')).response.status);
    }

    async renew() {
        const token = await this.evaluate(async () =>
            session.accessToken(await session.accessToken()).catch((error) => ({ status: error.status })));
        if (token?.status !== undefined)
            throw token;
        return token;
    }

    state() {
        return this.evaluate(() => session.state());
    }

    stored() {
        return this.evaluate(() => atrium.browserStorage().getItem('atrium').then(JSON.parse));
    }

    logout() {
        return this.evaluate(() => session.logout());
    }

    // Refreshes until stopped, always with the tab's last token.
    renewAlways() {
        return this.evaluate(async () => {
            const seen = { renewals: 0, wrong: [] };
            window.enough = false;
            for (let token = await session.accessToken(); token && !window.enough;) {
                const next = await session.accessToken(token).catch((error) => { seen.wrong.push(String(error)); return token; });
                if (!next || (next === token && seen.wrong.length > 20))
                    break;
                token = next;
                if (++seen.renewals % 20 === 0) {
                    const { response } = await session.client.GET('/auth/me');
                    if (response.status !== 200 && response.status < 503)
                        seen.wrong.push(`/auth/me ${response.status}`);
                }
            }
            return { ...seen, state: await session.state() };
        });
    }

    stop() {
        return this.evaluate(() => { window.enough = true; });
    }

    heard() {
        return this.evaluate(() => heard.splice(0));
    }

    hears(what) {
        return until(async () => (await this.heard()).find((each) => each.signedIn ? what === 'signedIn' : each.reason === what),
            `a tab hears ${what}`);
    }

    async unasked() {
        return (await this.heard()).filter((each) => !each.signedIn);
    }

    enroll() {
        return this.evaluate(async () => {
            const { response, error } = await session.client.POST('/auth/passkey/enroll/start');
            return { status: response.status, code: error?.code };
        });
    }

    stepUp(proof) {
        return this.evaluate((proof) => session.stepUp(proof).then(() => 204, (error) => error.status), proof);
    }

    prove(password) {
        return this.evaluate((password) => {
            window.asked = 0;
            return begin(password === null ? {} : { prove: async (of) => {
                window.asked++;
                if (password)
                    await of.stepUp({ password });
                return Boolean(password);
            } });
        }, password);
    }

    asked() {
        return this.evaluate(() => asked);
    }

    fetch(url) {
        return this.evaluate(async (url) => { await session.fetch(url); }, url);
    }

    wake() {
        return this.evaluate(() => { dispatchEvent(new Event('online')); });
    }

    async hang() {
        this.evaluate(() => navigator.locks.request('atrium', () => new Promise(() => {}))).catch(() => {});
        await sleep(200);
    }

    impatient(is) {
        return this.evaluate((is) => {
            const timeout = window.timeout ??= AbortSignal.timeout;
            AbortSignal.timeout = is ? (ms) => timeout.call(AbortSignal, ms === 60_000 ? 500 : ms) : timeout;
        }, is);
    }

    close() {
        return this.page.close();
    }
}

async function tab(t) {
    const page = await t.context.newPage();
    await page.goto(`http://localhost:${port}/`);
    await page.waitForFunction(() => window.ready);
    return new Tab(page);
}

// The second tab refreshes and is stopped before the response is stored.
async function renewSlowly(t) {
    await t.two.evaluate(() => {
        const storage = atrium.browserStorage();
        const wait = new Promise((done) => { window.release = done; });
        const slowly = async (...words) => { window.stopped = true; await wait; return storage.setItem(...words); };
        return begin({ storage: { ...storage, setItem: slowly } });
    });
    const renewal = t.two.renew();
    await until(() => t.two.evaluate(() => window.stopped), 'the renewal is under way');
    return [renewal, () => t.two.evaluate(() => { window.stopped = false; window.release(); })];
}

const steps = {
    async 'a new listener is told the state immediately, and each change once'(t) {
        const third = await tab(t);
        const before = await third.evaluate(() => begin());
        insist(before.signedIn === false && !before.reason, before);
        await start(t);
        await third.hears('signedIn');
        const told = await third.evaluate(() => begin());
        insist(told.signedIn && told.profile === (await t.one.state()).profile, told);
        await t.one.logout();
        await third.hears('logout');
        insist((await third.heard()).length === 0, 'told twice');
        const removed = await third.evaluate(async () => {
            const all = [];
            session.onChange((state) => all.push(state))();
            await session.state();
            return all;
        });
        insist(removed.length === 0, removed);
        await third.close();
    },
    async 'a React component shows the state'(t) {
        const third = await tab(t);
        await third.evaluate(async () => {
            const { useSession } = await import('@atrium/client/react');
            const { default: React } = await import('react');
            const { default: { createRoot } } = await import('react-dom/client');
            const Name = () => {
                const state = useSession(session);
                return React.createElement('p', {}, state?.signedIn ? state.profile : state && `signed out: ${state.reason}`);
            };
            createRoot(document.body.appendChild(document.createElement('div'))).render(React.createElement(Name));
        });
        const shows = (text) => until(() => third.evaluate((text) => document.querySelector('p')?.textContent === text, text),
            `"${text}"`);
        await shows('signed out: undefined');
        await start(t);
        await shows((await t.one.state()).profile);
        await t.one.logout();
        await shows('signed out: logout');
        await third.close();
    },
    ...faults,
    async 'a clock that is set back renews'(t) {
        const from = proxy.renewed;
        await t.one.evaluate(() => { window.now = Date.now; Date.now = () => window.now() - 86400e3; });
        insist(await t.one.me() === 200 && proxy.renewed - from === 1, 'set back');
        await t.one.evaluate(() => { Date.now = window.now; });
        insist(await t.two.me() === 200, 'as before');
    },
    async 'an upload tells its progress'(t) {
        const network = await t.context.newCDPSession(t.one.page);
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
        const { access, refresh } = await t.one.stored();
        await t.context.setOffline(true);
        const begun = Date.now();
        insist(await t.one.logout() === false, 'revoked');
        insist(Date.now() - begun < 5000 && await t.one.stored() === null, 'not at once');
        await t.two.hears('logout');
        insist((await call('GET', '/auth/me', null, access)).status === 200, 'revoked without a network');
        await t.context.setOffline(false);
        await until(async () => (await call('GET', '/auth/me', null, access)).status === 401, 'revoked');
        insist((await call('POST', REFRESH, { refresh_token: refresh })).status === 401, 'the refresh token');
        await until(() => t.one.evaluate(async () => await atrium.browserStorage().getItem('atrium.revoke') === null), 'forgotten');
        // A slow service does not delay it either.
        await start(t);
        let release;
        proxy.fault = (route) => route === '/auth/logout' ? new Promise((done) => { release = done; }) : null;
        const slow = t.one.logout();
        await until(async () => await t.two.stored() === null && release, 'forgotten');
        release();
        proxy.fault = () => null;
        insist(await slow === true, 'not revoked');
        // A page opened later does it too, with a token that has expired by then.
        await start(t);
        const kept = await t.one.stored();
        await t.context.setOffline(true);
        await t.one.logout();
        await advance(2 * 3600);
        await Promise.all([t.one, t.two].map((page) => page.evaluate(() => session.close())));
        await t.context.setOffline(false);
        const later = await tab(t);
        await until(() => later.evaluate(async () => await atrium.browserStorage().getItem('atrium.revoke') === null), 'revoked later');
        insist((await call('POST', REFRESH, { refresh_token: kept.refresh })).status === 401, 'not revoked');
        await later.close();
        await Promise.all([t.one, t.two].map((page) => page.page.reload()));
        await Promise.all([t.one, t.two].map((page) => page.page.waitForFunction(() => window.ready)));
    },
    async 'two tabs that log out at once lose no revocation'(t) {
        const email = await start(t), first = await t.one.stored();
        await t.one.evaluate(() => { // the first is stopped while it writes the list
            const storage = atrium.browserStorage(), wait = new Promise((done) => { window.release = done; });
            const slowly = async (key, value) => { if (key.endsWith('.revoke')) { window.stopped = true; await wait; } return storage.setItem(key, value); };
            return begin({ storage: { ...storage, setItem: slowly } });
        });
        const one = t.one.logout();
        await until(() => t.one.evaluate(() => window.stopped), 'the first logs out');
        await t.two.signIn(email);
        const second = await t.two.stored();
        await t.context.setOffline(true);
        const two = t.two.logout();
        await sleep(300);
        await t.one.evaluate(() => window.release());
        insist(await one === false && await two === false, 'revoked without a network');
        const list = await t.two.evaluate(() => atrium.browserStorage().getItem('atrium.revoke').then(JSON.parse));
        insist(list.map((each) => each.id).sort().join() === [first.id, second.id].sort().join(), list.length);
        await t.context.setOffline(false);
        for (const { refresh } of [first, second])
            await until(async () => (await call('POST', REFRESH, { refresh_token: refresh })).status === 401, 'revoked');
        await t.one.evaluate(() => begin());
    },
    async 'a logout forgets the tokens while another tab hangs or the storage is full'(t) {
        await start(t);
        await t.two.evaluate(() => new Promise((held) => {
            void navigator.locks.request('atrium.list', () => new Promise((done) => { window.release = done; held(); }));
        }));
        const out = t.one.logout();
        await until(async () => await t.one.stored() === null, 'forgotten while another tab hangs');
        await t.two.evaluate(() => window.release());
        insist(await out === true, 'not revoked');
        await start(t);
        const kept = await t.one.stored();
        await t.one.evaluate(() => {
            const storage = atrium.browserStorage();
            const full = async (key, value) => { if (key.endsWith('.revoke')) throw new DOMException('full', 'QuotaExceededError'); return storage.setItem(key, value); };
            return begin({ storage: { ...storage, setItem: full } });
        });
        insist(await t.one.logout() === true && await t.one.stored() === null, 'kept with a full storage');
        insist((await call('POST', REFRESH, { refresh_token: kept.refresh })).status === 401, 'not revoked');
        await t.one.evaluate(() => begin());
    },
    async 'a sign-in is not undone by a logout that was begun before it'(t) {
        const email = await start(t);
        await t.one.evaluate(() => {
            const storage = atrium.browserStorage(), wait = new Promise((done) => { window.release = done; });
            const slowly = async (key, value) => { if (key.endsWith('.revoke')) { window.slow = true; await wait; } return storage.setItem(key, value); };
            return begin({ storage: { ...storage, setItem: slowly } });
        });
        const out = t.one.logout();
        await until(() => t.one.evaluate(() => window.slow), 'the logout is under way');
        await t.two.signIn(email);
        await t.one.evaluate(() => window.release());
        await out;
        insist((await t.two.state()).signedIn && await t.two.me() === 200, 'undone');
        await t.two.logout();
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
        insist(await t.one.me() === 200 && await t.two.me() === 200 && await t.one.logout(), 'the renewal was lost');
    },
    async 'a logout and a sign-in are not undone by a renewal that is being stored'(t) {
        await start(t);
        const { access } = await t.one.stored();
        const [first, release] = await renewSlowly(t);
        const out = t.one.logout();
        await t.two.hears('logout');
        await release();
        await first;
        insist(await out === true, 'not revoked');
        await until(async () => await t.one.stored() === null && !(await t.two.state()).signedIn, 'signed out');
        insist((await call('GET', '/auth/me', null, access)).status === 401, 'not revoked');
        await start(t);
        const { profile } = await t.one.state();
        const [second, go] = await renewSlowly(t);
        const begun = t.one.signIn(await register());
        await sleep(300);
        await go();
        await Promise.all([second, begun]);
        const last = await t.two.state();
        insist(last.signedIn && last.profile !== profile && await t.one.me() === 200, last);
        await t.two.evaluate(() => begin());
    },
    async 'a passkey signs in, is a second factor and a proof'(t) {
        await advance(90); // each code works once
        const begun = await t.one.signIn(t.email, PASSWORD, codeOf(t.secret, now()));
        insist(begun.next === 'done', begun);
        const network = await t.context.newCDPSession(t.one.page);
        await t.one.page.bringToFront();
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
        await t.one.logout();
        const done = await t.one.evaluate((where) => new atrium.SignIn(session, 'Patient', where).passkey(), tenant);
        insist(done.next === 'done' && await t.one.me() === 200, done);
        await t.one.logout();
        const second = await t.one.evaluate(async ([who, word, where]) => {
            const login = new atrium.SignIn(session, 'Patient', where);
            return [await login.password(who, word), await login.factorByPasskey()];
        }, [t.email, PASSWORD, tenant]);
        insist(second[0].next === 'mfa' && second[1].next === 'done', second);
        await t.one.evaluate(async () => session.stepUp(
            await atrium.showPasskey(atrium.ok(await session.client.POST('/auth/step-up/start')))));
        await network.detach();
        await t.one.logout();
    },
    async 'a mailed code signs in'(t) {
        const email = await register();
        const asked = await t.one.evaluate(([who, where]) => {
            window.login = new atrium.SignIn(session, 'Patient', where);
            return login.mailCode(who);
        }, [email, tenant]);
        insist(asked.next === 'code', asked);
        const done = await t.one.evaluate((code) => login.code(code), await mailedCode(email));
        insist(done.next === 'done' && await t.two.me() === 200, done);
        await t.one.logout();
    },
    async 'a practitioner of two tenants is asked for one'(t) {
        const begin = () => t.one.evaluate(async ([who, word]) => {
            window.login = new atrium.SignIn(session, 'Practitioner');
            return login.password(who, word);
        }, [demo.adminEmail, demo.adminPassword]);
        const asked = await begin();
        insist(asked.next === 'tenant' && asked.tenants.some((each) => each.tenantCode === child), asked);
        const done = await t.one.evaluate((code) => login.tenant(code), child);
        const { project, signedIn } = await t.two.state();
        insist(done.next === 'done' && signedIn && project !== demo.projectId, { done, project });
        await t.one.logout();
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

await serve(port, page);
const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'],
});
const t = { context: await browser.newContext(), open: () => tab(t) };
t.one = await tab(t);
t.two = await tab(t);
await run(steps, t, () => browser.close());
