// console.mjs SUITE PART - the console in Chromium with the suite of the directory SUITE.
//
// PART: jobs (each screen's main job, with the keyboard only), axe (every screen in both color schemes), trouble (network
// cut, a daemon that hangs, two admins at one setting, a required proof). Each step prints "ok NAME" or "FAILED NAME: why";
// the exit code is 1 when one failed. A CSP report fails the step. The pattern CONSOLE_STEPS selects steps. Chromium's
// files are in TMPDIR.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { deflateSync } from 'node:zlib';
import npm from '../support/npm.cjs';

const require = npm('console');
const { chromium } = require('playwright-core');
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const [suiteDir, part] = process.argv.slice(2);
const suite = () => JSON.parse(readFileSync(path.join(suiteDir, 'dev.json'), 'utf8'));
const { baseUrl: gateway, publicUrl, demo, mailDir, clockFile } = suite();
const CONSOLE = `${publicUrl}/console`;
const WAIT_MS = 60_000; // maximum wait on a busy machine
const SEALED_MS = 2000; // until events are in the audit log
const TABS_MAX = 120;
const PEOPLE = 10_000;
const LIST_MS = 150; // maximum time to open a list of this length
const HOSTILE = '<img src=x onerror=document.title="owned">';

function insist(condition, why) {
    if (!condition)
        throw new Error(typeof why === 'string' ? why : JSON.stringify(why));
}

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

async function until(condition, what, ms = WAIT_MS) {
    for (const end = Date.now() + ms; ; await sleep(50)) {
        const value = await condition();
        if (value)
            return value;
        insist(Date.now() < end, `never: ${what}`);
    }
}

// ---- the API, from here ----

async function api(method, route, body, access) {
    const answer = await fetch(gateway + route, { method, body: body && JSON.stringify(body),
        headers: { 'Content-Type': 'application/json', ...(access && { Authorization: `Bearer ${access}` }) } });
    const text = await answer.text();

    return { status: answer.status, data: text ? JSON.parse(text) : null };
}

let admin; // an access token of demo's admin

const read = async (route) => (await api('GET', route, undefined, admin)).data;

async function signInHere() {
    const { data } = await api('POST', '/v2/auth/login', { email: demo.adminEmail, password: demo.adminPassword, clientId: demo.clientId });
    admin = data.accessToken;
}

// An image of 8 times 8 grey pixels.
function png() {
    const chunk = (type, data) => {
        const bytes = Buffer.alloc(12 + data.length);

        bytes.writeUInt32BE(data.length);
        bytes.write(type, 4, 'latin1');
        data.copy(bytes, 8);
        bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
        return bytes;
    };

    return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), chunk('IHDR', Buffer.from('00000008000000080800000000', 'hex')),
        chunk('IDAT', deflateSync(Buffer.alloc(72, 0))), chunk('IEND', Buffer.alloc(0))]);
}

function crc32(bytes) {
    let crc = 0xffffffff;

    for (const byte of bytes) {
        crc ^= byte;
        for (let i = 0; i < 8; i++)
            crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    }
    return (crc ^ 0xffffffff) >>> 0;
}

// A client can register five people per minute, so a fast machine waits.
async function register(email, name, surname) {
    const send = () => api('POST', '/auth/tenant/Patient/register',
        { email, password: 'correct horse battery staple', name, surname, tenantCode: demo.tenantCode });
    let { status } = await send();

    for (const end = Date.now() + 70000; status === 429 && Date.now() < end; ({ status } = await send()))
        await sleep(5000);
    insist(status === 200, `registration: ${status}`);
}

// ---- the browser ----

let browser, page;
const faults = []; // CSP reports, uncaught exceptions and lost focus
const LOST = 'The focus fell to <body>, after';

// Reports on every screen and dialog when the focus is on <body> for half a second, unless it never was elsewhere, or a
// click on the background took it away.
function watchFocus(lost) {
    let last = null, times = 0;

    addEventListener('pointerdown', () => { last = null; }, true);
    setInterval(() => {
        const { activeElement } = document;

        if (!document.querySelector('.shell .who'))
            last = null; // no screen yet, or no console
        else if (activeElement && activeElement !== document.body)
            [last, times] = [activeElement, 0];
        else if (last && ++times === 10)
            console.error(`${lost} ${last.outerHTML.slice(0, 120)}`);
    }, 50);
}

async function open(options = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en', ...options });
    const made = await context.newPage();

    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await context.addInitScript(watchFocus, LOST);
    made.on('console', (message) => {
        if (message.text().startsWith(LOST))
            faults.push(message.text());
        // A template's preview has its own policy, with which it loads no image.
        if (/Content Security Policy|TrustedHTML|TrustedScript/.test(message.text()) && !message.text().includes('"img-src data:"'))
            faults.push(message.text());
    });
    made.on('pageerror', (error) => faults.push(error.message));
    made.setDefaultTimeout(WAIT_MS);
    return made;
}

async function typeSignIn(on = page) {
    await on.goto(`${CONSOLE}/`);
    await on.locator('input:focus').waitFor();
    await on.keyboard.press('Control+A');
    await on.keyboard.type(demo.tenantCode);
    await on.keyboard.press('Enter');
    await on.waitForURL('**/sign-in?**');
    await type(on.locator('input[name=email]'), demo.adminEmail, on);
    await type(on.locator('input[name=password]'), demo.adminPassword, on);
    await on.keyboard.press('Enter');
}

async function signIn(on = page, signOut = 'Sign out') {
    await typeSignIn(on);
    await button(signOut, on).waitFor();
}

// Presses Tab until the element has the focus.
async function tabTo(locator, on = page, key = 'Tab') {
    await locator.waitFor();
    for (let i = 0; i < TABS_MAX; i++) {
        if (await locator.evaluate((element) => element === document.activeElement))
            return;
        await on.keyboard.press(key);
    }
    throw new Error(`cannot be reached by keyboard: ${locator}`);
}

async function press(locator, key = 'Enter', on = page) {
    await tabTo(locator, on);
    await on.keyboard.press(key);
}

async function type(locator, text, on = page) {
    await tabTo(locator, on);
    await on.keyboard.press('Control+A');
    await on.keyboard.type(text);
}

const button = (name, on = page) => on.getByRole('button', { name, exact: true });
const field = (name, on = page) => on.getByLabel(name, { exact: true });
const heading = (name, on = page) => on.getByRole('heading', { name, exact: true });
const says = (text, on = page) => on.locator('.toasts').getByText(text).waitFor();

// Finds it by its place in the navigation, with the keyboard.
async function go(title) {
    await press(page.locator('nav').getByRole('link', { name: title, exact: true }));
    await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
    await until(async () => await page.locator('[aria-busy=true]').count() === 0, `${title} is there`);
    insist(await page.locator('h1').evaluate((element) => element === document.activeElement), 'the heading has no focus');
}

// Holds requests for `pattern` until the returned function is called.
async function hold(pattern, on) {
    let free;
    const freed = new Promise((done) => { free = done; });

    await on.route(pattern, async (route) => {
        await freed;
        await route.continue().catch(() => {}); // from a page that was closed
    });
    return async () => {
        await on.unroute(pattern);
        free();
    };
}

// Tests the sign-in of an application whose redirect URI is on this machine, where this is the application.
async function tryIt(id) {
    await press(button('Test sign-in'));
    const opened = page.context().waitForEvent('page'), asked = page.context().waitForEvent('request', (each) => each.url().includes('/authorize?'));
    await page.context().route('http://localhost:8990/**', (route) => route.fulfill({ body: 'the application' }));
    await axe('test sign-in');
    await press(button('Open sign-in in a new tab'));
    const tab = await opened, { code_challenge: challenge } = Object.fromEntries(new URL((await asked).url()).searchParams);
    await tab.waitForURL(/^http:\/\/localhost:8990\/callback\?|\/consent\b|\/authorize\b/);
    if (!tab.url().startsWith('http://localhost:8990/'))
        await tab.locator('button[value=allow]').click(); // consent, which third-party applications need
    await tab.waitForURL('http://localhost:8990/callback?**');
    const answer = new URL(tab.url()).searchParams;
    insist(answer.get('code') && answer.get('state') === 'test-sign-in', tab.url());
    const redeemed = await fetch(`${gateway}/t/${demo.tenantCode}/token`, { method: 'POST', body: new URLSearchParams({ grant_type: 'authorization_code', client_id: id, code: answer.get('code'),
        redirect_uri: 'http://localhost:8990/callback', code_verifier: challenge }) });
    insist(redeemed.status === 400, 'the code can be redeemed');
    await tab.close();
    await page.context().unroute('http://localhost:8990/**');
    await page.keyboard.press('Escape');
}

const SHIFT_MAX = 0.02;

// Records layout shifts on each page.
const watchShifts = (on) => on.addInitScript(() => {
    window.shifts = [];
    new PerformanceObserver((list) => window.shifts.push(...list.getEntries().filter((each) => !each.hadRecentInput)
        .map(({ value, sources }) => ({ value, of: sources.map(({ node }) => (node?.outerHTML ?? node?.data ?? '').slice(0, 80)) }))))
        .observe({ type: 'layout-shift', buffered: true });
});

async function insistOnNoShift(what, on) {
    await sleep(300); // two frames and the observer's turn, on a busy machine
    const shifts = await on.evaluate(() => window.shifts), sum = shifts.reduce((all, { value }) => all + value, 0);

    insist(sum < SHIFT_MAX, `${what}: moved by ${sum}: ${JSON.stringify(shifts)}`);
}

// Returns what a URL's document shows without its script; then checks that the script draws the same, with the same elements.
async function insistOnSameShell(what, at, shown, on) {
    const script = await hold('**/assets/app-*', on);

    await on.goto(CONSOLE + at, { waitUntil: 'commit' });
    await on.locator(shown).waitFor();
    await on.evaluate(() => { for (const each of document.querySelectorAll('#app *')) each.isFirst = true; });
    const before = await on.locator('#app').innerText();
    const without = (text) => text.replace('<div class="toasts" role="status"></div>', '').replace(/ (id|for)="(i\d+|code)"/g, '');
    const html = without(await on.locator('#app').innerHTML());
    await axeAsItIs(`${what}, without the script`, undefined, on);
    await script();
    await on.locator('.toasts').waitFor({ state: 'attached' });
    insist(await on.locator('#app').innerText() === before, `${what}: other words: ${before} / ${await on.locator('#app').innerText()}`);
    const drawn = without(await on.locator('#app').innerHTML());
    insist(drawn === html, `${what}: other markup: ${html} / ${drawn}`);
    const fresh = await on.evaluate(() => [...document.querySelectorAll('#app *:not(.toasts)')].filter((each) => !each.isFirst).map((each) => each.outerHTML));
    insist(fresh.length === 0, `${what}: made anew: ${fresh}`);
}

// ---- steps ----

const jobs = {
    async 'an admin signs in and sees what works'() {
        await signIn();
        await heading('Setup status').waitFor();
        insist(await page.evaluate(() => document.cookie === '' && localStorage.length <= 3
            && !JSON.stringify(localStorage).includes('eyJ') && !JSON.stringify(sessionStorage).includes('eyJ')), 'an access token is kept');
    },
    async 'the document has the shell, the script goes on with the same elements, and nothing moves'() {
        for (const width of [390, 1440]) {
            const other = await open({ viewport: { width, height: 900 } });
            await watchShifts(other);
            await insistOnSameShell(`sign-in at ${width}`, '/', '.alone form', other);
            await insistOnNoShift(`sign-in at ${width}`, other);
            insist(await other.locator('.shell').count() === 0, 'the shell is shown to one who is signed out');
            await signIn(other);
            const name = await other.locator('.project').textContent();
            for (const [at, language, title] of [['/', 'en', 'Overview'], ['/', 'de', 'Übersicht'], ['/staff', 'en', 'Staff'], ['/audit', 'es', 'Registro de auditoría'],
                ['/settings', 'en', 'Settings'], ['/templates', 'en', 'Mail templates']]) {
                const what = `${at} in ${language} at ${width}`;
                await other.evaluate((tag) => localStorage.setItem('atrium.console.language', tag), language);
                const tokens = await hold('**/token', other);
                await insistOnSameShell(what, at, '.shell main [role=status][aria-busy=true]', other);
                insist(await other.locator('h1').textContent() === title, `${what}: the title is ${await other.locator('h1').textContent()}`);
                insist(await other.locator('nav [aria-current=page]').textContent() === title, `${what}: another place`);
                insist(!(await other.locator('.shell').textContent()).includes(name), `${what}: the project is named`);
                await tokens();
                await until(async () => await other.locator('.who').count() > 0 && await other.locator('[aria-busy=true]').count() === 0, `${what} is there`);
                await insistOnNoShift(what, other);
            }
            await other.context().close();
        }
    },
    async 'a tab in the background is ready when it is looked at'() {
        const other = await open();
        await other.addInitScript(() => Object.defineProperty(document, 'hidden', { value: true }));
        await other.addInitScript(() => { window.PerformanceObserver.prototype.observe = () => {}; });
        await other.goto(`${CONSOLE}/`);
        await other.locator('input:focus').waitFor();
        await other.context().close();
    },
    async 'the overview counts who signed in, and who was refused'() {
        await page.getByText('No email failed in the last 30 days.').waitFor();
        await page.getByText('No bot failed in the last 24 hours.').waitFor();
        const counts = async (key) => (await read('/v1/project/sign-ins')).resources.reduce((sum, each) => sum + each[key], 0);
        const before = await counts('failed');
        const { status } = await api('POST', '/v2/auth/login', { email: demo.adminEmail, password: 'wrong', clientId: demo.clientId });
        insist(status === 400, `sign-in: ${status}`);
        await until(async () => await counts('failed') > before, 'the refused one is counted');
        const came = await counts('succeeded'), other = await open();
        await signIn(other);
        await other.context().close();
        await until(async () => await counts('succeeded') > came, 'the one who came in is counted');
        await sleep(SEALED_MS);
        insist(await counts('succeeded') === came + 1, 'one sign-in on the pages is counted twice');
        await page.reload();
        const [good, bad] = [await counts('succeeded'), await counts('failed')];
        await page.getByText(`${good} successful`, { exact: true }).waitFor();
        await page.getByText(`${bad} failed`, { exact: true }).waitFor();
        const table = page.getByRole('table', { name: 'Sign-ins in the last 24 hours' });
        insist(await table.getByRole('row').count() === 26, 'not each hour is in the table');
        const sums = await table.locator('tbody tr').evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll('td')].map((cell) => Number(cell.textContent)))
            .reduce(([a, b], [c, d]) => [a + c, b + d]));
        insist(sums[0] === good && sums[1] === bad, `${sums} for ${good}, ${bad}`);
        const bars = await page.locator('.bar i').evaluateAll((all) => all.map((each) => each.offsetHeight));
        insist(bars.length > 0 && bars.every((height) => height >= 3), `heights ${bars}`);
    },
    async 'the setup checklist ends, and names what is required'() {
        const setup = page.locator('section').filter({ has: heading('Setup status') });
        const path = '/v1/project/email-templates/PASSWORD_RESET', languages = (await read('/v1/project/email-templates')).resources
            .filter(({ name }) => name === 'PASSWORD_RESET').map(({ language }) => language ?? '');
        const kept = await Promise.all(languages.map((language) => read(`${path}?language=${language}`)));
        await setup.getByText('Everything that this project uses is set up.').waitFor();
        insist(await setup.getByRole('listitem').count() === 0, 'the finished list is not folded');
        await api('DELETE', path, undefined, admin);
        try {
            await page.reload();
            await setup.getByRole('progressbar', { name: 'Setup status' }).waitFor();
            insist((await setup.getByRole('listitem').allTextContents()).every((each) => each.includes('reset their password')), 'optional flows are required');
            await press(setup.getByText('Ready and optional', { exact: true }));
            await setup.getByRole('listitem').filter({ hasText: 'Patients change their email' }).getByText('Optional').waitFor();
            await setup.getByRole('link', { name: 'template “Password reset”' }).first().waitFor();
        } finally {
            for (const { language, subject, text, html } of kept)
                await api('PUT', path, { ...(language && { language }), subject, text, html }, admin);
        }
    },
    async 'the recommended settings are shown before they are applied, and are those of --strict'() {
        const path = '/v1/project/account-policy', before = await read(path);
        const source = readFileSync('settingsd/account_policy.c', 'utf8').match(/account_policy_strict\[\] =([^;]*);/)[1];
        const strict = JSON.parse([...source.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, part]) => part.replaceAll('\\"', '"')).join(''));
        await api('PUT', path, { passwordMinLength: 20 }, admin); // stricter
        try {
            await page.reload();
            await press(button('Review changes'));
            const dialog = page.locator('dialog');
            await dialog.getByLabel('Second factor required for: No one → Admins').waitFor();
            insist(await dialog.getByRole('checkbox').count() === Object.keys(strict).length - 1, 'not each that is weaker');
            insist(await dialog.getByText('Minimum password length:').count() === 0, 'a stricter setting is weakened');
            await tabTo(dialog.getByLabel(/^Second factor/));
            await page.keyboard.press('Space'); // the demo's admin has no second factor
            await press(dialog.getByRole('button', { name: 'Apply' }));
            await says('Saved.');
            const after = await read(path), want = { ...strict, passwordMinLength: 20, requireMfa: before.requireMfa };
            insist(Object.entries(want).every(([name, value]) => after[name] === value), after);
            await page.getByText('1 setting of the account policy is weaker than recommended.').waitFor();
        } finally {
            await api('PUT', path, Object.fromEntries(Object.keys(strict).map((name) => [name, before[name]])), admin);
        }
    },
    async 'the overview names the mails and the bots that fail'() {
        const { data: bot } = await api('POST', '/v1/project/bots',
            { name: 'Grumpy', kind: 'http', url: 'https://127.0.0.2/', identifier: [{ value: 'grumpy' }] }, admin);
        const ran = await api('POST', '/bots?identifier=grumpy', {}, admin);
        insist(ran.status === 400, `bot: ${ran.status}`);
        renameSync(mailDir, `${mailDir}.away`);
        try {
            await register('unlucky@people.example', 'Una', 'Lucky');
            await until(async () => (await read('/v1/project/mail-failures')).resources.length > 0, 'a mail failed');
            await page.reload();
            const mails = page.getByRole('region', { name: 'Failed emails' });
            await mails.getByText('Retrying').waitFor();
            insist(await mails.getByRole('link', { name: 'Welcome email' }).count() === 1, 'not by its template');
            insist(!(await mails.textContent()).includes('unlucky'), 'an address is shown');
        } finally {
            renameSync(`${mailDir}.away`, mailDir);
        }
        await until(async () => (await read('/v1/project/mail-failures')).resources.length === 0, 'the mail is sent', 2 * WAIT_MS);
        await page.reload();
        await page.getByText('No email failed in the last 30 days.').waitFor();
        await press(page.getByRole('link', { name: 'Grumpy' }));
        await page.getByRole('heading', { level: 1, name: 'Bots' }).waitFor();
        await heading('Run “Grumpy”').waitFor();
        await page.getByRole('region', { name: 'Recent executions' }).getByText('Failed').waitFor();
        await api('DELETE', `/v1/project/bots/${bot.id}`, undefined, admin);
    },
    async 'a person is found and signed out'() {
        await register('hostile@people.example', HOSTILE, 'Lima');
        await go('Patients');
        await type(field('Search'), 'hostile@');
        await page.getByRole('row').filter({ hasText: 'hostile@people.example' }).waitFor();
        await until(async () => await page.locator('tbody tr').count() === 1, 'one row');
        await press(page.locator('tbody a'));
        await page.getByRole('heading', { level: 1 }).filter({ hasText: HOSTILE }).waitFor();
        await button('End all sessions').waitFor();
        insist(await page.title().then((title) => title !== 'owned') && await page.locator('main img').count() === 0, 'a name became an element');
        await press(button('End all sessions'));
        await type(field('Reason'), 'Ticket 4711');
        await page.keyboard.press('Enter');
        await says('Sessions ended.');
        await page.getByText('No active sessions.').waitFor();
    },
    async 'a lock is undone'() {
        await press(button('Lock'));
        await type(field('Reason'), 'Ticket 4712');
        await page.keyboard.press('Enter');
        await says('Person locked.');
        await button('Unlock').last().waitFor();
        await press(button('Undo'));
        await button('Lock').waitFor();
    },
    async 'a locked person is told apart in one sentence, and unlocked from there'() {
        const { id } = (await read('/v1/project/accounts?search=hostile@')).resources[0];
        await api('POST', `/v1/project/accounts/${id}/lock`, { reason: 'Ticket 4716' }, admin);
        await page.reload();
        const answer = page.locator('.notice').filter({ hasText: `${HOSTILE} Lima can’t sign in. An admin locked this person.` });
        await press(answer.getByRole('button', { name: 'Unlock' }));
        await type(field('Reason'), 'Ticket 4717');
        await page.keyboard.press('Enter');
        await says('Person unlocked.');
        await answer.waitFor({ state: 'detached' });
    },
    async 'one session ends, and the others stay'() {
        const signIns = ['one', 'two'].map(() => api('POST', '/v2/auth/login', { email: 'hostile@people.example', password: 'correct horse battery staple', clientId: demo.clientId }));
        const tokens = (await Promise.all(signIns)).map(({ data }) => data.accessToken);
        const alive = async () => (await Promise.all(tokens.map((token) => api('GET', '/auth/me', undefined, token)))).filter(({ status }) => status === 200).length;
        await page.reload();
        const ends = page.getByRole('button', { name: /^End session: / });
        await ends.nth(1).waitFor();
        await press(ends.first());
        await type(field('Reason'), 'Ticket 4718');
        await page.keyboard.press('Enter');
        await says('Session ended.');
        await until(async () => await ends.count() === 1 && await alive() === 1, 'one is left');
    },
    async 'what happened to an account is in the audit log'() {
        const person = new URL(page.url()).pathname.split('/').at(-1);
        await press(page.getByRole('link', { name: 'What happened to this account' }));
        await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
        insist(new URL(page.url()).searchParams.get('person') === person, page.url());
        await page.goBack();
        await button('Export data').waitFor();
    },
    async 'what is asked about a sign-in is said in the language of the admin'() {
        const name = `${HOSTILE} Lima`;
        await page.getByText(`${name} can sign in with the right password.`).waitFor();
        insist(!await page.getByText('Not locked by the operator').isVisible(), 'the checks are not folded');
        await press(page.locator('summary'));
        await page.getByText('Not locked by the operator').waitFor();
        await page.locator('.preferences select').first().selectOption('de');
        await page.getByText('Nicht vom Betreiber gesperrt').waitFor();
        await page.getByText(`${name} kann sich mit dem richtigen Passwort anmelden.`).waitFor();
        await page.locator('.preferences select').first().selectOption('en');
    },
    async 'the data of a patient are exported and fetched'() {
        await press(button('Export data'));
        await type(field('Reason'), 'Ticket 4714');
        await page.keyboard.press('Enter');
        await says('Export started.');
        const fetched = page.waitForEvent('download');
        await press(button('Download'));
        const file = readFileSync(await (await fetched).path());
        insist(file.subarray(0, 2).toString() === 'PK' && (await fetched).suggestedFilename().endsWith('.zip'), 'no ZIP');
    },
    async 'a deletion wants the name, and days that can be'() {
        await press(button('Delete account'));
        await type(field('Reason'), 'Ticket 4713');
        insist(await page.locator('dialog').getByRole('button', { name: 'Delete account' }).isDisabled(), 'not typed yet');
        await type(field('Days until deletion'), '91');
        await type(page.getByLabel(/^Type “/), `${HOSTILE} Lima`);
        await page.keyboard.press('Enter');
        await page.locator('dialog .field').filter({ hasText: 'Days until deletion' }).locator('.problem').waitFor();
        await type(field('Days until deletion'), '90');
        await page.keyboard.press('Enter');
        await says('Deletion scheduled.');
        await button('Cancel deletion').waitFor();
    },
    async 'a session names the application that has it'() {
        await go('Staff');
        await type(field('Search'), demo.adminEmail);
        await until(async () => await page.locator('tbody tr').count() === 1, 'one row');
        await press(page.locator('tbody a'));
        await page.locator('td[data-title=Application]').filter({ hasText: 'Atrium' }).first().waitFor();
        insist(await page.locator('td[data-title="Sign-in method"]').first().textContent() === 'Password', 'not in words');
        insist(await page.locator('th[scope=row]').filter({ hasText: /unknown/ }).count() === 0, 'a device that is not known'); // fetch, in api()
    },
    async 'staff are filtered, and a row opens the person'() {
        await go('Staff');
        await page.getByRole('row').filter({ hasText: demo.adminEmail }).waitFor();
        await field('Second factor').selectOption({ label: 'Set up' });
        await page.getByText('No matches', { exact: true }).waitFor();
        await field('Second factor').selectOption({ label: 'Not set up' });
        await field('Access').selectOption({ label: 'Admins' });
        await field('Sort by').selectOption({ label: 'Newest first' });
        await until(() => page.url().endsWith('/staff?admin=true&secondFactor=false&sort=newest'), page.url());
        const cell = await page.getByRole('row').filter({ hasText: demo.adminEmail }).locator('td').nth(1).boundingBox();
        await page.mouse.click(cell.x + 5, cell.y + 5);
        await heading('Profile').waitFor();
        insist(/\/staff\/[0-9a-f-]{36}$/.test(page.url()), page.url());
        insist(await button('Remove from project').count() === 0, 'an admin can remove their own account');
    },
    async 'old addresses lead to the new ones'() {
        for (const [from, to] of [['/members', '/staff'], ['/people?role=Practitioner&search=ada', '/staff?search=ada'], ['/people?search=lima', '/patients?search=lima']]) {
            await page.goto(CONSOLE + from);
            await field('Search').waitFor();
            await until(() => page.url() === CONSOLE + to, `${from} leads to ${page.url()}`);
        }
    },
    async 'a colleague is invited'() {
        await go('Staff');
        await press(button('Invite staff'));
        await page.locator('dialog input:focus').waitFor();
        insist(await field('Email address').evaluate((input) => input === document.activeElement), 'the dialog has no focus');
        await page.keyboard.type('rui@lakeside.example');
        await type(field('First name'), 'Rui');
        await type(field('Last name'), 'Costa');
        await page.keyboard.press('Enter');
        await says('Invitation sent to rui@lakeside.example.');
        await page.getByRole('row').filter({ hasText: 'rui@lakeside.example' }).waitFor();
        await until(() => readdirSync(mailDir).some((name) => readFileSync(path.join(mailDir, name), 'utf8').includes('rui@lakeside.example')), 'the mail');
    },
    async 'an invitation is resent, and withdrawn'() {
        await press(page.getByRole('button', { name: 'Rui Costa' }));
        await page.locator('dialog').getByText('rui@lakeside.example').waitFor();
        await press(button('Resend'));
        await says('Invitation resent.');
        await press(page.getByRole('button', { name: 'Rui Costa' }));
        await press(button('Withdraw invitation'));
        await press(button('Withdraw'));
        await says('Invitation withdrawn.');
        await page.getByText('No pending invitations').waitFor();
    },
    async 'Escape closes a dialog and gives the focus back'() {
        await press(button('Invite staff'));
        await page.locator('dialog input:focus').waitFor();
        await page.keyboard.press('Escape');
        await until(async () => await page.locator('dialog').count() === 0, 'closed');
        insist(await button('Invite staff').evaluate((element) => element === document.activeElement), 'the focus is lost');
    },
    async 'a switch is turned and turned back'() {
        await go('Settings');
        const patients = page.getByRole('switch', { name: 'Patient sign-in' });
        insist(await patients.getAttribute('aria-checked') === 'true', 'an unset switch is on');
        await press(patients, 'Space');
        await says('“Patient sign-in” disabled.');
        await until(async () => (await read('/v1/project/settings')).settings.PATIENT_LOGIN_ENABLED === false, 'written');
        await press(button('Undo'));
        await until(async () => (await read('/v1/project/settings')).settings.PATIENT_LOGIN_ENABLED, 'undone');
    },
    async 'an address is written, and the history shows it'() {
        await type(field('Patient app URL'), 'https://my.lakeside.example');
        await page.keyboard.press('Enter');
        await says('Saved.');
        await tabTo(page.getByRole('tab', { name: 'Settings' }), page, 'Shift+Tab');
        await page.keyboard.press('ArrowRight');
        await page.getByRole('row').filter({ hasText: 'https://my.lakeside.example' }).first().waitFor();
        await page.keyboard.press('Home');
        await page.getByRole('tabpanel', { name: 'Settings' }).getByRole('switch').first().waitFor();
        await page.keyboard.press('End');
        await page.getByRole('tabpanel', { name: 'History' }).getByRole('table').waitFor();
    },
    async 'the account policy is changed'() {
        await go('Account policy');
        await type(field('Minimum password length'), '10');
        await page.keyboard.press('Enter');
        await says('Saved.');
        await until(async () => (await read('/v1/project/account-policy')).passwordMinLength === 10, 'written');
    },
    async 'an access policy is made'() {
        await go('Access policies');
        await press(button('New policy'));
        await type(field('Name'), 'Readers');
        await field('Preset').selectOption({ label: 'Read all documents' });
        insist(await field('Own documents: Read').isDisabled() && await field('Own documents: Read').isChecked(), 'what is allowed for all is not for the own');
        insist(await field('Bots: Read').count() === 0, 'bots are read');
        await press(field('Own documents: Create'), 'Space');
        await press(field('Languages: Read'), 'Space');
        insist(await field('Preset').inputValue() === '', 'still the preset');
        await page.getByRole('listitem').filter({ hasText: 'find and read all documents in the project' }).waitFor();
        await page.getByRole('listitem').filter({ hasText: /^create their own documents$/ }).waitFor();
        await press(button('Save'));
        await page.getByRole('heading', { level: 1, name: 'Readers' }).waitFor();
        const made = await until(async () => (await read('/v1/project/access-policies')).resources.find((each) => each.name === 'Readers'), 'written');
        insist(JSON.stringify(made.resource.map(({ resourceType, interaction, criteria }) => [resourceType, interaction, criteria].filter(Boolean).join(' '))) === JSON.stringify([
            'DocumentReference search,read', 'DocumentReference create DocumentReference?author=%profile', 'Content read']), made.resource);
        await page.getByText('No one has this policy.').waitFor();
    },
    async 'who has a policy is listed'() {
        const patients = (await read('/v1/project/access-policies')).resources.find(({ id }) => demo.patientAccessPolicy.endsWith(id));
        await go('Access policies');
        await press(page.getByRole('link', { name: patients.name, exact: true }));
        await page.getByRole('region', { name: 'People with this policy' }).getByRole('row').filter({ hasText: 'hostile@people.example' }).waitFor();
    },
    async 'an application is registered with the defaults of its kind, and its screen says how to connect it'() {
        const kinds = { 'Single-page app': ['public', 'authorization_code refresh_token', 'oidc-client-ts', 'AppAuth'], 'Mobile or desktop app': ['public', 'authorization_code refresh_token', 'oidc-client-ts', 'AppAuth'],
            'Web application': ['confidential', 'authorization_code refresh_token', 'Auth.js', 'Spring Security', 'Authlib'], Service: ['confidential', 'client_credentials', 'Authlib'] };

        for (const [kind, [clientType, grantTypes, ...libraries]] of Object.entries(kinds)) {
            await page.goto(`${CONSOLE}/clients`); // its address in earlier releases
            await page.waitForURL('**/console/applications');
            await press(button('Register application'));
            await heading('Register application').waitFor();
            await type(field('Name'), `Kind ${kind}`);
            await field(kind).check();
            if (kind !== 'Service')
                await type(field('Redirect URIs'), 'http://localhost:8990/callback');
            insist(await field('Redirect URIs').count() === (kind === 'Service' ? 0 : 1), 'redirect URIs of a service');
            await press(button('Register'));
            if (clientType === 'confidential') {
                await heading('Copy this secret').waitFor();
                await page.keyboard.press('Escape');
            }
            await page.getByRole('heading', { level: 1, name: `Kind ${kind}` }).waitFor();
            const id = new URL(page.url()).pathname.split('/').pop(), made = await read(`/v1/project/clients/${id}`);
            insist(made.type === clientType && made.grantTypes.join(' ') === grantTypes, made);
            const { issuer } = await (await fetch(`${gateway}/t/${demo.tenantCode}/.well-known/openid-configuration`)).json();
            for (const shown of [issuer, `${issuer}/.well-known/openid-configuration`, id])
                await page.locator('dd code').filter({ hasText: shown }).first().waitFor();
            insist((await field('Library').locator('option').allTextContents()).map((each) => each.replace(/ \(.*/, '')).join() === libraries.join(), `libraries for: ${kind}`);
            for (const each of await field('Library').locator('option').all()) {
                await field('Library').selectOption(await each.getAttribute('value'));
                const code = await page.locator('pre').textContent();
                insist(code.includes(id) && code.includes(issuer) && (!code.includes('NextAuth') || code.includes('\n    id: "atrium"')), code);
            }
            await axe(`application: ${kind}`);
            insist(await button('Test sign-in').count() === (kind === 'Service' ? 0 : 1), 'a service cannot sign in');
            if (kind === 'Single-page app')
                await tryIt(id);
            await api('DELETE', `/v1/project/clients/${id}`, undefined, admin);
        }
    },
    async 'an OAuth client is registered, its secret shown once, and edited'() {
        const written = async () => {
            const { id } = (await read('/v1/project/clients')).resources.find((each) => each.name === 'Charts');
            return read(`/v1/project/clients/${id}`);
        };

        await go('Applications');
        await press(button('Register application'));
        await type(field('Name'), 'Charts');
        await page.keyboard.press('Enter');
        await page.locator('.field').filter({ hasText: 'Redirect URIs' }).locator('.problem').waitFor();
        await type(field('Redirect URIs'), 'https://charts.example/callback');
        await type(field('Scopes'), 'openid profile');
        await page.locator('summary').click();
        await press(field('Refresh token (longer sessions)'), 'Space');
        await press(button('Register'));
        await heading('Copy this secret').waitFor();
        insist((await page.locator('dialog pre').textContent()).startsWith('atcs_'), 'no secret');
        await page.keyboard.press('Escape');
        await says('Application registered.');
        await page.getByRole('heading', { level: 1, name: 'Charts' }).waitFor();
        insist(await page.locator('h1').evaluate((element) => element === document.activeElement), 'the heading has no focus');
        insist(await field('Redirect URIs').inputValue() === 'https://charts.example/callback', 'its address is not shown');
        await page.locator('summary').click();
        await press(field('Refresh token (longer sessions)'), 'Space');
        await press(button('Save'));
        await says('Saved.');
        const now = await written();
        insist(now.authMethod === 'client_secret_basic' && now.grantTypes.join() === 'authorization_code,refresh_token' && now.scopes.join() === 'openid,profile'
            && now.redirectUris.length === 1 && now.secretCreatedAt, now);
        await press(button('New secret'));
        await heading('Copy this secret').waitFor();
        await page.locator('dialog').getByText(/The previous secret works until/).waitFor();
        await page.keyboard.press('Escape');
        insist(!(await page.content()).includes('atcs_'), 'the secret is still there');
    },
    async 'a key is made, shown once and revoked'() {
        await go('API keys');
        await press(button('New key'));
        await page.locator('dialog input:focus').waitFor();
        await page.keyboard.type('Laboratory');
        await field('Access policy').selectOption({ label: 'Readers' });
        await press(button('Create key'));
        await heading('Copy your API key').waitFor();
        const key = await page.locator('dialog pre').textContent();
        insist((await api('GET', '/document', undefined, key)).status === 200, 'the key opens nothing');
        await page.keyboard.press('Escape');
        await press(page.getByRole('row').filter({ hasText: 'Laboratory' }).getByRole('button', { name: 'Revoke' }));
        await type(page.getByLabel(/^Type “/), 'Laboratory');
        await page.keyboard.press('Enter');
        await says('Revoked.');
        insist((await api('GET', '/document', undefined, key)).status === 401, 'the key still works');
    },
    async 'branding shows its contrast, is written and gets a logo'() {
        await go('Branding');
        await type(field('Light mode color'), '#8fc1f5');
        await page.getByText(/must be at least 4.5:1/).waitFor();
        await press(button('Save'));
        await until(() => field('Light mode color').evaluate((element) => element === document.activeElement), 'the unreadable color has the focus');
        insist((await read('/v1/project/branding')).colorLight === null, 'an unreadable color is saved');
        await press(page.getByRole('button', { name: /^Use #[0-9a-f]{6}, the closest readable color$/ }));
        await page.getByText(/^Contrast [0-9.]+:1. Good.$/).waitFor();
        await field('Light mode color').fill('#7a1f5c');
        await field('Dark mode color').fill('#f2a7d8');
        await field('Name').fill('Seeblick');
        await type(field('Text above the sign-in form'), HOSTILE);
        const preview = page.frameLocator('iframe.brand'), color = () => preview.locator('main form button').evaluate((element) => getComputedStyle(element).backgroundColor);
        await preview.getByText(HOSTILE).waitFor();
        await preview.getByText('Seeblick', { exact: true }).waitFor();
        await until(async () => await color() === 'rgb(242, 167, 216)', 'the dark preview');
        await page.getByRole('tab', { name: 'Light' }).click();
        await until(async () => await color() === 'rgb(122, 31, 92)', 'the light preview');
        insist(await preview.locator('.tenant').evaluate((element) => element.ownerDocument.title !== 'owned' && !element.ownerDocument.querySelector('script, img[src=x]')), 'a text became an element');
        await press(button('Save'));
        await says('Saved.');
        await page.locator('header .project').getByText('Seeblick', { exact: true }).waitFor();
        const chooser = page.waitForEvent('filechooser');
        await press(button('Upload logo'));
        await (await chooser).setFiles({ name: 'logo.png', mimeType: 'image/png', buffer: png() });
        await page.getByAltText('Logo').waitFor();
        await until(() => page.getByAltText('Logo').evaluate((image) => image.naturalHeight === 96), 'the logo');
        const drawn = await (await fetch(`${gateway}/t/${demo.tenantCode}/sign-in`)).text();
        insist(drawn.includes('brand.css?v=') && drawn.includes('brand.png?v=') && drawn.includes('&lt;img src=x') && !drawn.includes(HOSTILE), 'the page');
        insist(await page.title() !== 'owned', 'a text became an element');
        await go('Settings');
        await tabTo(page.getByRole('tab', { name: 'Settings' }));
        await page.keyboard.press('ArrowRight');
        for (const [name, value] of [['Branding: Logo', 'an image'], ['Branding: Texts', 'English'], ['Branding: Light mode color', '#7a1f5c']])
            await page.getByRole('row').filter({ hasText: name }).filter({ hasText: value }).first().waitFor();
    },
    async 'an event of the log opens to its details with its proof, and a changed one is not proven'() {
        await go('Audit log');
        await field('Action').selectOption('branding.write');
        const row = page.getByRole('row').filter({ hasText: 'Changed the branding' }).first(), opener = row.getByRole('button', { name: 'Changed the branding' });
        await row.waitFor();
        await until(async () => await page.getByRole('row').filter({ hasText: 'Signed in' }).count() === 0, 'filtered');
        insist(await row.getByText(demo.adminEmail).count() === 1, `not named: ${await row.textContent()}`);
        const { resources } = await read('/v1/project/audit?action=branding.write');
        await until(async () => (await api('GET', `/v1/project/audit/${resources[0].id}/proof`, undefined, admin)).status === 200, 'a leaf');
        await press(opener);
        const dialog = page.locator('dialog');
        await dialog.locator('.badge').getByText(/^Verified(, except the signature)?$/).waitFor();
        for (const [name, value] of [['Actor', demo.adminEmail], ['Action', 'branding.write'], ['IP address', '127.0.0.1'], ['Event ID', resources[0].id]])
            await dialog.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) }).getByText(value).waitFor();
        await press(dialog.getByText('How this works'));
        await dialog.getByText(/^The log is a hash tree/).waitFor();
        await page.keyboard.press('Escape');
        await until(() => opener.evaluate((element) => element === document.activeElement), 'the focus is back');
        await page.route('**/proof', async (route) => {
            const answer = await route.fetch(), proof = await answer.json();
            await route.fulfill({ response: answer, json: { ...proof, record: proof.record.replace('branding.write', 'branding.read') } });
        });
        await press(opener);
        await dialog.getByText('Not verified', { exact: true }).waitFor();
        await page.unroute('**/proof');
        await page.keyboard.press('Escape');
        // A valid proof of another row.
        const other = (await read('/v1/project/audit?action=account-policy')).resources[0] ?? (await read('/v1/project/audit')).resources.at(-1);
        const { data: swapped } = await api('GET', `/v1/project/audit/${other.id}/proof`, undefined, admin);
        await page.route('**/proof', (route) => route.fulfill({ json: swapped }));
        await press(opener);
        await dialog.getByText('Verified, but a different row', { exact: true }).waitFor();
        await page.unroute('**/proof');
        await page.keyboard.press('Escape');
        await press(button('Clear filters'));
        await page.locator('tbody tr').filter({ hasNotText: 'Changed the branding' }).first().waitFor();
        insist(await page.evaluate(() => document.activeElement !== document.body), 'the focus is lost');
    },
    async 'the log is filtered by a person and a period, and the filter is in the address'() {
        await register('audited@people.example', 'Audrey', 'Tome');
        await sleep(SEALED_MS);
        await type(field('Person'), 'audited@');
        await page.getByRole('option').filter({ hasText: 'Audrey Tome' }).waitFor();
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Enter');
        await until(async () => await page.locator('tbody tr').evaluateAll((rows) => rows.length > 0 && rows.every((each) => /Audrey Tome|Sent an email/.test(each.textContent))), 'only this person');
        await page.getByRole('button', { name: 'Registered', exact: true }).waitFor();
        insist(await field('Person').inputValue() === 'Audrey Tome', 'not the name');
        await field('Period').selectOption('today');
        await page.waitForURL(/period=today/);
        await page.reload();
        await page.getByRole('button', { name: 'Registered', exact: true }).waitFor();
        await until(async () => await field('Person').inputValue() === 'Audrey Tome', 'the name after a reload');
        await field('Period').selectOption('custom');
        await field('From').fill('2001-01-01T00:00');
        await field('To').fill('2001-01-02T00:00');
        await heading('No matching events').waitFor();
        await page.locator('.empty').getByRole('button', { name: 'Clear filters' }).click();
        await page.getByRole('row').filter({ hasText: demo.adminEmail }).first().waitFor();
    },
    async 'the filtered log is exported, without formulas, and an export is canceled'() {
        await register('formula@people.example', '=HYPERLINK("https://x.example")', 'Lima');
        await sleep(SEALED_MS);
        const [{ id }] = (await read('/v1/project/accounts?search=formula@')).resources;
        await page.goto(`${CONSOLE}/audit?person=${id}`);
        await page.getByRole('button', { name: 'Registered', exact: true }).waitFor();
        const coming = page.waitForEvent('download');
        await press(button('Export CSV'));
        const lines = readFileSync(await (await coming).path(), 'utf8').trimEnd().split('\r\n');
        insist(lines[0].startsWith('\ufeff"Time","Event"'), lines[0]);
        insist(lines.length - 1 === (await read(`/v1/project/audit?_count=100&target=Account/${id}`)).resources.length, `${lines.length} lines`);
        insist(lines.some((each) => each.includes('"Registered"') && each.includes(`"'=HYPERLINK(""https://x.example"") Lima","formula@people.example"`)), lines[1]);
        insist(!lines.slice(1).some((each) => /"[=+@-]/.test(each)), 'a formula');
        await says(/events? exported\./);
        let came = false;
        page.once('download', () => { came = true; });
        const free = await hold((url) => url.searchParams.get('_count') === '100', page);
        await press(button('Export CSV'));
        await page.getByRole('progressbar', { name: 'Export events' }).waitFor();
        await press(page.locator('dialog').getByRole('button', { name: 'Cancel' }));
        await page.locator('dialog').waitFor({ state: 'detached' });
        await free();
        await sleep(500);
        insist(!came, 'a canceled export is saved');
        insist(await button('Export CSV').evaluate((element) => element === document.activeElement), 'the focus is lost');
    },
    async 'a template is edited beside its preview, which runs nothing'() {
        await go('Mail templates');
        await press(page.getByRole('link', { name: 'Welcome email' }));
        await type(field('Subject'), 'Welcome to {{projectName}}');
        await type(field('Text'), 'Hello {{recipientName}}');
        await type(field('HTML'), '<style>b{color:red}</style><b id="hello">Hello {{recipientName}}</b><script>top.document.title="owned"</script>'
            + `<img src="${gateway}/document/public/x" onerror="top.document.title='owned'"><img src=x onerror="top.document.title='owned'">`);
        const frame = page.frameLocator('iframe');
        await frame.locator('#hello').filter({ hasText: 'Hello Ana Lima' }).waitFor();
        // The preview can still be replaced by a newer one.
        await until(() => frame.locator('#hello').evaluate((element) => getComputedStyle(element).color === 'rgb(255, 0, 0)'), 'styles');
        insist(await page.title() !== 'owned', 'the preview ran a script');
        await page.locator('#app').evaluate(() => {});
        faults.splice(0, faults.length, ...faults.filter((each) => !/image|inline (event|script)|Blocked script/i.test(each))); // from the preview's own policy
        await press(button('Save'));
        await says('Saved.');
        await until(async () => (await read('/v1/project/email-templates')).resources.some((each) => each.subject === 'Welcome to {{projectName}}'), 'written');
    },
    async 'a picture is uploaded, shown, shared and deleted'() {
        await go('Documents');
        const chooser = page.waitForEvent('filechooser');
        await press(button('Upload files'));
        await (await chooser).setFiles({ name: 'x-ray.png', mimeType: 'image/png', buffer: png() });
        await says('“x-ray.png” uploaded.');
        const row = page.getByRole('row').filter({ hasText: 'x-ray.png' });
        await row.getByText('Practitioner').waitFor();
        await type(field('File name contains'), 'RAY');
        await field('Type').selectOption('image');
        await field('Sort by').selectOption('fileName');
        await until(async () => await page.locator('tbody tr').count() === 1 && await row.count() === 1, 'found');
        await until(() => new URL(page.url()).search === '?search=RAY&kind=image&sort=fileName', 'the address keeps it');
        await field('Type').selectOption('pdf');
        await heading('No results').waitFor();
        await press(button('Clear filters'));
        await press(button('x-ray.png'));
        await page.locator('dialog img[src^="blob:"]').waitFor();
        const fetched = page.waitForEvent('download');
        await press(button('Download'));
        insist(readFileSync(await (await fetched).path()).equals(png()) && (await fetched).suggestedFilename() === 'x-ray.png', 'another file');
        await press(page.getByRole('switch', { name: 'Public link' }), 'Space');
        await says('Public link enabled.');
        const link = await page.locator('dialog .code').textContent();
        insist((await fetch(link)).status === 200, 'the link does not work');
        await page.keyboard.press('Escape');
        await press(page.getByRole('row').filter({ hasText: 'x-ray.png' }).getByRole('button', { name: 'Delete' }));
        await type(page.getByLabel(/^Type “/), 'x-ray.png');
        await page.keyboard.press('Enter');
        await says('Deleted.');
        insist((await fetch(link)).status === 404, 'the file is still there');
    },
    async 'a PDF and a text have a preview; what could run a script has none'() {
        const pdf = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj '
            + '3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj\ntrailer<</Root 1 0 R>>');
        const active = `<script>top.document.title = 'owned'</script>`;
        const files = [['a.pdf', 'application/pdf', pdf], ['fake.pdf', 'application/pdf', active], ['b.txt', 'text/plain', active],
            ['c.svg', 'image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg">${active}</svg>`], ['d.html', 'text/html', active], ['e.md', 'text/markdown', active]];

        const chooser = page.waitForEvent('filechooser');
        await press(button('Upload files'));
        await (await chooser).setFiles(files.map(([name, mimeType, text]) => ({ name, mimeType, buffer: Buffer.from(text) })));
        for (const [name] of files) {
            await press(button(name));
            if (name.endsWith('.pdf'))
                await page.locator('dialog iframe[src^="blob:"]').waitFor();
            else if (name === 'b.txt')
                await page.locator('dialog pre').filter({ hasText: '<script>' }).waitFor();
            else
                await page.locator('dialog').getByText('There is no preview for this file.').waitFor();
            insist(await page.locator('dialog img').count() === 0, `${name} is drawn`);
            await sleep(200); // a script would have run
            insist(await page.title() !== 'owned', `${name} ran`);
            await page.keyboard.press('Escape');
        }
        for (const { id, fileName } of (await read('/document')).resources)
            if (files.some(([name]) => name === fileName))
                await api('DELETE', `/document/${id}`, undefined, admin);
    },
    async 'an upload is cancelled and leaves nothing'() {
        const session = await page.context().newCDPSession(page);
        await session.send('Network.enable');
        await session.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 20_000 });
        const chooser = page.waitForEvent('filechooser');
        await press(button('Upload files'));
        await (await chooser).setFiles({ name: 'large.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(2_000_000) });
        await page.locator('progress').waitFor();
        await press(button('Cancel'));
        await until(async () => await page.locator('progress').count() === 0, 'cancelled');
        await session.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
        await until(async () => (await read('/document')).resources.every((each) => each.fileName !== 'large.bin'), 'removed');
    },
    async 'content is translated beside its source'() {
        const state = (language) => page.locator(`tbody tr:first-child td[data-title=${language}] .badge`);
        await go('Content');
        await field('Show').selectOption({ label: 'Missing in Spanish' });
        await state('Spanish').filter({ hasText: 'Missing' }).waitFor();
        await press(page.locator('tbody tr:first-child th a'));
        await field('Title').nth(1).waitFor();
        await type(field('Title').nth(1), 'Dolor de espalda');
        await press(button('Publish'));
        await says('Published.');
        const key = new URL(page.url()).searchParams.get('key'), source = await read(`/cms/article/${key}/en`);
        await until(async () => (await read(`/cms/article/${key}/es`)).title === 'Dolor de espalda', 'written');
        await page.locator('option').filter({ hasText: 'Spanish – Up to date' }).waitFor({ state: 'attached' });
        await api('PUT', `/cms/article/${key}/en`, { title: `${source.title}!`, sections: source.sections }, admin);
        await press(page.locator('.back a'));
        await field('Show').selectOption({ label: 'Outdated in Spanish' });
        await state('Spanish').filter({ hasText: 'Outdated' }).waitFor();
        insist(await page.locator('tbody tr').count() === 1, 'others are outdated');
        await press(page.locator('tbody tr:first-child th a'));
        await press(button('Mark as up to date'));
        await says('Marked as up to date.');
        await button('Mark as up to date').waitFor({ state: 'detached' });
        insist((await read('/cms/article/map/es?translation=outdated')).total === 0, 'it is outdated');
        await api('PUT', `/cms/article/${key}/en`, { title: source.title, sections: source.sections }, admin);
    },
    async 'a draft is kept from readers until it is published'() {
        const drafts = async () => (await read('/v1/project/content-drafts')).resources.map(({ title }) => title).join();
        const published = async () => (await api('GET', '/cms/article/flu-shots/en', undefined, admin)).data.title;
        await page.goto(`${CONSOLE}/content`);
        await press(button('New entry'));
        await page.locator('dialog input:focus').waitFor();
        await page.keyboard.type('flu-shots');
        await page.keyboard.press('Enter');
        await type(field('Title'), 'Flu shots');
        await type(field('Text 1'), 'From October.');
        await press(button('Save draft'));
        await says('Draft saved. Only admins can see it.');
        insist(await drafts() === 'Flu shots' && await published() === undefined, 'not a draft, or published');
        await press(page.locator('.back a'));
        const row = page.getByRole('row').filter({ hasText: 'flu-shots' });
        await row.locator('td[data-title=English] .badge').filter({ hasText: 'Draft' }).waitFor();
        await page.locator('.count').getByText(/, 1 unpublished$/).waitFor();
        await field('Show').selectOption('drafts');
        await until(async () => await page.locator('tbody tr').count() === 1, 'only drafts');
        await press(row.locator('th a'));
        await type(field('Title'), 'Flu shots 2026');
        await press(button('Publish'));
        await says('Published.');
        insist(await drafts() === '' && await published() === 'Flu shots 2026', 'not published');
        await type(field('Title'), 'Flu shots 2027');
        await press(button('Save draft'));
        await page.locator('details summary').click();
        insist(await field('Title').nth(1).inputValue() === 'Flu shots 2026', 'the published version is not shown');
        await press(button('Discard draft'));
        await until(async () => await field('Title').first().inputValue() === 'Flu shots 2026', 'the published version is back');
        await press(button('Undo'));
        await until(async () => await field('Title').first().inputValue() === 'Flu shots 2027', 'the draft is back');
        await press(button('Publish'));
        await until(async () => await published() === 'Flu shots 2027', 'published');
        await api('DELETE', '/cms/article/flu-shots/en', undefined, admin);
    },
    async 'a bot is run'() {
        await go('Bots');
        await press(page.getByRole('button', { name: /^Run “/ }).first());
        await type(field('Input (JSON object)'), '{"hello": "world"}');
        await press(button('Run').last());
        // Where the kernel forbids the sandbox, the response is an error that says so.
        await page.locator('main pre, main [role=alert]').first().waitFor();
    },
    async 'a domain and an identity provider are added, changed and deleted'() {
        await go('Single sign-on');
        await press(button('Add domain'));
        await type(field('Domain'), 'Lakeside.example');
        await press(button('Add domain').last());
        await heading('Verify lakeside.example').waitFor();
        insist(/^atrium-domain-verification=/.test(await page.locator('dialog code').nth(1).textContent()), 'no record');
        await press(button('Verify').last());
        await page.locator('dialog [role=alert]').waitFor(); // there is no such record
        await page.keyboard.press('Escape');
        await page.getByRole('row').filter({ hasText: 'lakeside.example' }).getByText('Waiting for the record').waitFor();
        await press(button('New provider'));
        await type(field('Button text'), 'Lakeside staff');
        await type(field('Issuer'), 'https://login.microsoftonline.com/common/v2.0');
        await type(field('Client ID'), 'atrium');
        await type(field('Client secret'), 'never-shown-again');
        await press(button('Save'));
        await page.locator('dialog .problem').getByText('This doesn’t fit your other choices.').waitFor();
        await field('Provider').selectOption('oidc');
        await type(field('Issuer'), 'https://login.lakeside.example');
        await field('Status').selectOption('active');
        await press(button('Save'));
        await heading('Redirect URI').waitFor();
        insist(/\/t\/demo\/idp\/[0-9a-f-]+\/callback$/.test(await page.locator('dialog pre').textContent()), 'no redirect URI');
        await page.keyboard.press('Escape');
        const row = page.getByRole('row').filter({ hasText: 'Lakeside staff' });
        await row.getByText('Active').waitFor();
        await press(row.getByRole('button', { name: 'Test' }));
        await press(button('Start test'));
        await page.locator('dialog [role=alert]').waitFor(); // no provider is there
        await page.keyboard.press('Escape');
        await press(row.getByRole('button', { name: 'Edit' }));
        insist(await field('Client secret').inputValue() === '', 'the secret is shown');
        await field('Status').selectOption('disabled');
        await press(button('Save'));
        await row.getByText('Disabled').waitFor();
        await press(row.getByRole('button', { name: 'Delete' }));
        await type(field('Type “Lakeside staff” to confirm'), 'Lakeside staff');
        await press(page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
        await row.waitFor({ state: 'detached' });
        await press(page.getByRole('row').filter({ hasText: 'lakeside.example' }).getByRole('button', { name: 'Delete' }));
        await type(field('Type “lakeside.example” to confirm'), 'lakeside.example');
        await press(page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
        await page.getByRole('row').filter({ hasText: 'lakeside.example' }).waitFor({ state: 'detached' });
    },
    async 'sign-in with a provider is required once it was tested and an admin is left who can undo it'() {
        const other = await open({ locale: 'de' });
        await signIn(other, 'Abmelden'); // an active provider changes the sign-in page
        const { data } = await api('POST', '/v1/project/identity-providers', { name: 'Ward staff', preset: 'oidc', issuer: 'https://login.lakeside.example', clientId: 'atrium', clientSecret: 'never-shown-again',
            roles: ['practitioners', 'patients'], state: 'active' }, admin);
        const set = (what) => inDatabase(`update auth.identity_provider set ${what} where id = '${data.id}'`);
        const refused = async (text) => {
            await other.goto(`${CONSOLE}/sign-on`);
            await other.getByRole('row').filter({ hasText: 'Ward staff' }).getByRole('button', { name: 'Bearbeiten' }).click();
            await other.getByRole('group', { name: 'Anmeldung mit diesem Anbieter verlangen' }).getByLabel('Patienten').check();
            await button('Speichern', other).click();
            await other.locator('dialog [role=alert]').getByText(text).waitFor();
        };

        await refused('Testen Sie zuerst den Anbieter.');
        set('tested_at = 4000000000000');
        await refused('Erlauben Sie zuerst einem Admin');
        await other.context().close();
        await page.goto(`${CONSOLE}/staff?search=${encodeURIComponent(demo.adminEmail)}`);
        await press(page.locator('tbody a'));
        await press(button('Allow local sign-in'));
        await press(page.locator('dialog').getByRole('button', { name: 'Allow local sign-in' }));
        await page.locator('.facts div').filter({ hasText: 'Local sign-in' }).getByText('Allowed').waitFor();
        set(`enforced = '{patients}'`);
        await go('Overview');
        await page.getByText('No admin with local sign-in has a second factor.').waitFor(); // as after atriumctl user reset-mfa
        await page.locator('.facts div').filter({ hasText: 'Admins with local sign-in' }).getByText('No second factor').waitFor();
        await go('Single sign-on');
        const row = page.getByRole('row').filter({ hasText: 'Ward staff' });
        await row.getByText('Practitioners, Patients (required)').waitFor();
        await press(row.getByRole('button', { name: 'Delete' }));
        await type(field('Type “Ward staff” to confirm'), 'Ward staff');
        await press(page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
        await page.locator('dialog [role=alert]').getByText('Stop requiring sign-in with this provider before you delete it.').waitFor();
        await page.keyboard.press('Escape');
        await press(row.getByRole('button', { name: 'Edit' }));
        await page.getByRole('group', { name: 'Require sign-in with this provider' }).getByLabel('Patients').uncheck();
        await press(button('Save'));
        await row.getByText('Practitioners, Patients', { exact: true }).waitFor();
        await page.goto(`${CONSOLE}/staff?search=${encodeURIComponent(demo.adminEmail)}`);
        await press(page.locator('tbody a'));
        await press(button('Remove local sign-in'));
        await press(page.locator('dialog').getByRole('button', { name: 'Remove local sign-in' }));
        await button('Allow local sign-in').waitFor();
        await api('DELETE', `/v1/project/identity-providers/${data.id}`, undefined, admin);
    },
    'the messages that the console translates are those of authd'() {
        const source = (name) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
        const said = readdirSync(new URL('../../authd', import.meta.url), { recursive: true }).filter((name) => name.endsWith('.c')).map((name) => source(`authd/${name}`).replace(/"\s*"/g, '')).join('');
        const [, list] = /const byMessage = \{(.*?)\n\};/s.exec(source('web/console/lib/errors.js'));

        for (const [, message] of list.matchAll(/^ {4}'(.*?)': N\(/gm))
            insist(said.includes(`"${message}"`), message);
    },
    async 'an identity provider that another changed: both versions are shown'() {
        const body = { name: 'Everyone', preset: 'oidc', issuer: 'https://login.lakeside.example', clientId: 'atrium', roles: ['patients'] };
        const { status, data } = await api('POST', '/v1/project/identity-providers', body, admin);
        insist(status === 200, data);
        await go('Overview'); // the screen loads its lists when it is opened
        await go('Single sign-on');
        await press(page.getByRole('row').filter({ hasText: 'Everyone' }).getByRole('button', { name: 'Edit' }));
        await type(field('Button text'), 'Mine');
        await api('PUT', `/v1/project/identity-providers/${data.id}`, { ...body, name: 'Theirs' }, admin);
        await press(button('Save'));
        await page.getByText('Someone else changed this while you were editing.').waitFor();
        await press(button('Use the saved version'));
        insist(await field('Button text').inputValue() === 'Theirs', 'not the saved version');
        await press(button('Save'));
        await page.getByRole('row').filter({ hasText: 'Theirs' }).waitFor();
        await api('DELETE', `/v1/project/identity-providers/${data.id}`, undefined, admin);
    },
    async 'a directory gets a token that is shown once, and its groups a policy after a preview'() {
        const policy = (await api('POST', '/v1/project/access-policies', { name: 'Ward staff', resource: [{ resourceType: 'DocumentReference' }] }, admin)).data.id;
        await go('Directory sync');
        await press(button('New token'));
        await page.locator('dialog input:focus').waitFor();
        await page.keyboard.type('Okta');
        await press(button('Create token'));
        await heading('Copy your token').waitFor();
        const [address, token] = await page.locator('dialog code').allTextContents();
        insist(address === `${publicUrl}/t/${demo.tenantCode}/scim/v2` && token.startsWith('scim_'), [address, token]);
        await axe('a new token');
        await page.keyboard.press('Escape');
        await page.locator('dialog').waitFor({ state: 'detached' });
        insist(!(await page.content()).includes('scim_'), 'the token is still there');
        const clear = await syncDirectory(token, 'Ward 3');
        await press(button('Refresh'));
        await page.getByRole('row').filter({ hasText: 'Create person' }).getByText('has not verified the domain').waitFor();
        await page.getByRole('row').filter({ hasText: 'Create group' }).getByText('Done').waitFor();
        await go('Overview'); // the screen loads its lists when it is opened
        await go('Directory sync');
        await press(button('Add mapping'));
        insist(await button('Preview and save').isDisabled(), 'a mapping without a group is offered');
        await field('Group').selectOption({ index: 1 });
        await field('Access policy').selectOption({ label: 'Ward staff' });
        await press(button('Preview and save'));
        await heading('Preview').waitFor();
        await axe('a preview of mappings');
        await press(button('Save'));
        await says('Saved.');
        insist((await read('/v1/project/scim-mappings')).resources[0]?.accessPolicy === `AccessPolicy/${policy}`, 'not saved');
        await press(button('Remove'));
        await press(button('Preview and save'));
        await heading('Preview').waitFor();
        await press(button('Save'));
        await until(async () => (await read('/v1/project/scim-mappings')).resources.length === 0, 'no mappings');
        await clear();
        await press(page.getByRole('row').filter({ hasText: 'Okta' }).getByRole('button', { name: 'Delete' }));
        await type(field('Type “Okta” to confirm'), 'Okta');
        await page.keyboard.press('Enter');
        await says('Deleted.');
        insist((await api('GET', `/t/${demo.tenantCode}/scim/v2/Users`, undefined, token)).status === 401, 'the token still works');
        await api('DELETE', `/v1/project/access-policies/${policy}`, undefined, admin);
    },
    async 'a webhook is made, and its secret shown once'() {
        await go('Webhooks');
        await press(button('New webhook'));
        await type(field('URL'), 'https://hooks.lakeside.example/atrium');
        await press(field('session.created'), 'Space');
        await press(button('Save'));
        await heading('Copy this secret').waitFor();
        insist((await page.locator('dialog pre').textContent()).startsWith('whsec_'), 'no secret');
        await page.keyboard.press('Escape');
        await press(page.getByRole('link', { name: 'https://hooks.lakeside.example/atrium' }));
        await heading('No deliveries yet').waitFor();
        insist(!(await page.content()).includes('whsec_'), 'the secret is still there');
    },
    async 'a test event is sent to a webhook, its attempts are shown, and it is retried'() {
        const url = 'http://127.0.0.1:9/nothing-listens';
        await go('Webhooks');
        await press(button('New webhook'));
        await type(field('URL'), url);
        await press(field('document.created'), 'Space');
        await press(button('Save'));
        await heading('Copy this secret').waitFor();
        await page.keyboard.press('Escape');
        await press(page.getByRole('link', { name: url, exact: true }));
        await press(button('Send test event'));
        await page.getByRole('heading', { level: 1, name: 'webhook.test', exact: true }).waitFor();
        insist(await page.locator('h1').evaluate((element) => element === document.activeElement), 'the heading has no focus');
        await page.locator('tbody td').filter({ hasText: 'Connection failed' }).first().waitFor();
        await page.getByText(/^Attempt \d+ failed, next at /).waitFor();
        insist(/"type": "webhook.test"/.test(await page.locator('pre').textContent()), 'no payload');
        await axe('one delivery');
        await press(button('Retry now'));
        await says('1 delivery will be resent.');
        await until(async () => await page.locator('tbody tr').count() >= 2, 'a second attempt');
        await press(page.getByRole('link', { name: '← Webhook' }));
        await page.getByRole('row').filter({ hasText: 'webhook.test' }).getByText('Retrying').waitFor();
        await axe('one webhook');
        await page.getByRole('link', { name: 'webhook.test' }).waitFor();
        await api('DELETE', `/v1/project/webhooks/${new URL(page.url()).pathname.split('/').pop()}`, undefined, admin);
    },
    async 'a webhook of ends of sessions has an audience and no secret'() {
        await go('Webhooks');
        await press(button('New webhook'));
        await type(field('URL'), 'https://events.lakeside.example/set');
        await field('Format').selectOption('caep');
        insist(await button('Save').isDisabled(), 'saved without an audience');
        await type(field('Audience'), 'https://events.lakeside.example/');
        await press(button('Save'));
        await press(page.getByRole('link', { name: 'https://events.lakeside.example/set' }));
        await heading('No deliveries yet').waitFor();
        insist((await page.content()).includes('session.revoked'), 'its event is not shown');
        insist(await button('New secret').count() === 0, 'a secret is offered');
        await press(button('Edit'));
        insist(await field('Audience').inputValue() === 'https://events.lakeside.example/', 'its audience is not shown');
        await page.keyboard.press('Escape');
    },
    async 'the language and the colours are chosen'() {
        await page.locator('.preferences select').first().selectOption('de');
        await until(async () => await page.locator('html').getAttribute('lang') === 'de', 'German');
        await page.locator('.preferences select').first().selectOption('en');
        await page.locator('.preferences select').last().selectOption('dark');
        insist(await page.locator('html').evaluate((element) => getComputedStyle(element).colorScheme) === 'dark', 'not dark');
        await page.locator('.preferences select').last().selectOption('system');
    },
    async 'a message stays while it is looked at, one key reaches its Undo, and it leaves with its screen'() {
        const other = await open(), toast = other.locator('.toast'), undo = button('Undo', other);
        await other.addInitScript(() => { // the seconds of a message are tenths here
            const real = window.setTimeout;
            window.setTimeout = (call, ms, ...rest) => real.call(window, call, ms >= 6000 ? ms / 10 : ms, ...rest);
        });
        await signIn(other);
        await other.goto(`${CONSOLE}/settings`);
        const one = other.getByRole('switch', { name: 'Patient invitations' }), isOn = () => one.getAttribute('aria-checked');
        const has = (locator) => locator.evaluate((element) => element === document.activeElement);
        const turn = async () => {
            const was = await isOn();
            await press(one, 'Space', other);
            await until(async () => await isOn() !== was, 'turned');
            await undo.waitFor();
        };
        await turn();
        await toast.waitFor({ state: 'detached' });
        await turn();
        await other.keyboard.press('F8');
        insist(await has(undo), 'F8 does not reach it');
        await sleep(2000);
        insist(await toast.count() === 1, 'it leaves while it has the focus');
        await other.keyboard.press('F8');
        insist(await has(one), 'F8 does not lead back');
        await toast.waitFor({ state: 'detached' });
        await turn();
        await toast.hover();
        await sleep(2000);
        insist(await toast.count() === 1, 'it leaves under the pointer');
        const before = await isOn();
        await other.keyboard.press('F8');
        await other.keyboard.press('Enter');
        await until(async () => await isOn() !== before, 'undone');
        insist(await has(one), 'the focus is not where it was');
        await other.mouse.move(0, 0);
        await turn();
        await other.keyboard.press('F8');
        await other.keyboard.press('Escape');
        await toast.waitFor({ state: 'detached' });
        insist(await has(one), 'the focus is not where it was after Escape');
        await turn();
        await other.locator('nav').getByRole('link', { name: 'Staff', exact: true }).click();
        await other.getByRole('heading', { level: 1, name: 'Staff' }).waitFor();
        insist(await toast.count() === 0, 'it is on another screen');
        await other.context().close();
    },
    async 'a field that is too long is explained in the language of the admin'() {
        const other = await open({ locale: 'de' });
        await signIn(other, 'Abmelden');
        await other.goto(`${CONSOLE}/keys`);
        await button('Neuer Schlüssel', other).click();
        const dialog = other.locator('dialog'), name = other.getByLabel('Name', { exact: true });
        await dialog.locator('select option').nth(1).waitFor({ state: 'attached' });
        await dialog.locator('select').selectOption({ index: 1 });
        await name.fill('x'.repeat(300));
        await dialog.getByRole('button', { name: 'Schlüssel erstellen' }).click();
        await dialog.locator('.field').filter({ has: name }).getByText(/^Geben Sie höchstens \d+ Zeichen ein\.$/).waitFor();
        await name.fill('Zu weit');
        await dialog.locator('input[type=number]').fill('400');
        await dialog.getByRole('button', { name: 'Schlüssel erstellen' }).click();
        await dialog.getByText('Geben Sie höchstens 365 ein.').waitFor();
        await other.context().close();
    },
    async 'a reload stays signed in, a sign-out does not'() {
        await page.reload();
        await button('Sign out').waitFor();
        await press(button('Sign out'));
        await field('Tenant code').waitFor();
        await page.reload();
        await field('Tenant code').waitFor();
        await page.goto(`${publicUrl}/t/${demo.tenantCode}/account`);
        insist(new URL(page.url()).pathname.endsWith('/sign-in'), 'the pages are still signed in');
    },
};

const screens = ['/', '/staff', '/staff?tab=invitations', '/patients', '/settings', '/settings?tab=history', '/account-policy', '/branding', '/audit', '/sign-on', '/directory', '/policies', '/policies/new', '/applications', '/applications/new', '/keys', '/templates',
    '/templates/PATIENT_WELCOME', '/documents', '/content', '/bots', '/webhooks', '/nothing'];

const dialogs = [['/', 'Review changes'], ['/keys', 'New key'], ['/sign-on', 'Add domain'], ['/sign-on', 'New provider'], ['/directory', 'New token'], ['/bots', 'New bot'], ['/webhooks', 'New webhook'], ['/content', 'New entry']];
const furnished = [['/sign-on', 'Test'], ['/sign-on', 'Edit'], ['/directory', 'Preview and save']]; // dialogs that need furnish()
const actsOnPatients = ['End all sessions', 'Lock', 'Export data', 'Delete account', 'Remove from project']; // dialogs on a patient's screen

async function axe(what, rules) {
    await until(async () => await page.locator('[aria-busy=true]').count() === 0, `${what} is there`);
    await axeAsItIs(what, rules);
}

async function axeAsItIs(what, rules, on = page) {
    await on.evaluate(AXE);
    const { violations } = await on.evaluate((only) => window.axe.run(document, { iframes: false, resultTypes: ['violations'],
        runOnly: only ?? ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }), rules);

    insist(violations.length === 0, `${what}: ${violations.map((each) => `${each.id} ${each.nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`).join('; ')}`);
    const over = await on.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    insist(over <= 0, `${what}: wider than the window by ${over}`);
}

async function axeDialog(what, opener, rules) {
    await opener.click();
    await page.locator('dialog').waitFor();
    await axe(what, rules);
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
}

// Checks that do not depend on the colors run once.
async function inScheme(colorScheme, width, rules) {
    page = await open({ colorScheme, viewport: { width, height: 900 } });
    await page.goto(`${CONSOLE}/`);
    await field('Tenant code').waitFor();
    await axe('sign-in', rules);
    await signIn();
    for (const each of screens) {
        await page.goto(CONSOLE + each);
        await page.locator('h1').waitFor();
        await axe(each, rules);
    }
    for (const [at, name] of dialogs) {
        await page.goto(CONSOLE + at);
        await axeDialog(`${at}: ${name}`, button(name), rules);
    }
    await page.goto(`${CONSOLE}/audit`);
    await axeDialog('/audit: an event', page.locator('tbody button').first(), rules);
    await field('Person').fill(demo.adminEmail);
    await page.locator('.combo [role=option]').first().waitFor();
    await axe('/audit: people to choose from', rules);
    await page.goto(`${CONSOLE}/staff?search=${encodeURIComponent(demo.adminEmail)}`);
    await page.locator('tbody a').click();
    await heading('Sessions in this project').waitFor();
    await axe('one person', rules);
    const patient = `${colorScheme}${width}@axe.example`;
    await register(patient, 'Ana', 'Lima');
    await page.goto(`${CONSOLE}/patients?search=${encodeURIComponent(patient)}`);
    await page.locator('tbody a').click();
    for (const name of actsOnPatients)
        await axeDialog(`one person: ${name}`, button(name), rules);
    await page.goto(`${CONSOLE}/staff?invite=1`);
    await page.locator('dialog').waitFor();
    await axe('invitation', rules);
    await page.context().close();
}

// Finds shown elements that are wider than the window, cut off or too small for a finger.
const badlyPlaced = (on) => on.evaluate(() => {
    const name = (each) => `${each.tagName} ${each.className} "${(each.getAttribute('aria-label') ?? each.innerText).slice(0, 40)}"`;
    const shown = [...document.querySelectorAll('#app *')].filter((each) => each.checkVisibility() && !each.closest('.hidden') && each.getBoundingClientRect().width > 0);
    const height = (each) => Math.max(...[each, ...each.labels ?? []].map((one) => one.getBoundingClientRect().height)) + (each.matches('.switch') ? 20 : 0); // its ::before
    const isText = (each) => each.matches('a') && each.parentElement.childNodes.length > 1 && getComputedStyle(each).display === 'inline';
    const found = shown.filter((each) => each.getBoundingClientRect().right > innerWidth + 1).map((each) => `beyond the window: ${name(each)}`);
    const small = shown.filter((each) => each.matches('a, button, input, select, textarea, summary') && !isText(each) && height(each) < 44 && !each.closest('li .hint, li strong, dd'))
        .map((each) => `${height(each)} high: ${name(each)}`);

    return [...document.documentElement.scrollWidth > innerWidth ? ['the document is wider than the window'] : [], ...found, ...small];
});

async function onAPhone() {
    const name = 'Donaudampfschifffahrt'.repeat(9);
    const other = await open({ viewport: { width: 360, height: 780 }, hasTouch: true, isMobile: true });
    await register(`long${process.pid}@axe.example`, name.slice(0, 100), name.slice(0, 100));
    await signIn(other);
    await other.route('**/auth/me', async (route) => {
        const answer = await route.fetch(), me = await answer.json();
        await route.fulfill({ response: answer, json: { ...me, project: { ...me.project, name } } });
    });
    const person = (await read(`/v1/project/accounts?search=long${process.pid}@axe`)).resources[0].id;
    for (const each of [...screens, `/patients?search=long${process.pid}@axe`, `/patients/${person}`]) {
        await other.goto(CONSOLE + each);
        await other.locator('.who').waitFor({ state: 'attached' });
        await until(async () => await other.locator('[aria-busy=true]').count() === 0, `${each} is there`);
        const found = await badlyPlaced(other);
        insist(found.length === 0, `${each}: ${found.slice(0, 5).join('; ')}`);
    }
    await other.getByRole('button', { name: 'Menu' }).tap();
    await other.locator('.side.open').waitFor();
    const found = await badlyPlaced(other);
    insist(found.length === 0, `the menu: ${found.slice(0, 5).join('; ')}`);
    await other.context().close();
}

// Where there is space, controls of a row are side by side, and no word is broken.
async function onADesk() {
    const other = await open({ viewport: { width: 1280, height: 900 } }), name = 'Donaudampfschifffahrt'.repeat(9).slice(0, 100);
    await register(`wide${process.pid}@axe.example`, name, name);
    await signIn(other);
    await other.evaluate(() => localStorage.setItem('atrium.console.language', 'de'));
    await other.goto(`${CONSOLE}/account-policy`);
    await other.locator('.form input').first().waitFor();
    const rows = await other.locator('.form').first().evaluate((form) => [...form.querySelectorAll('input:not([type=checkbox]), select')].map((each) => each.getBoundingClientRect())
        .map(({ top, height }) => `${Math.round(top)} ${Math.round(height)}`));
    insist(new Set(rows).size === 1, `controls at ${rows.join(', ')}`);
    await other.goto(`${CONSOLE}/audit?period=custom`);
    await other.locator('tbody tr').first().waitFor();
    const fields = await other.locator('.filters .field:has(input, select)').evaluateAll((all) => all.map((each) => [each, each.querySelector('input, select')].map((one) => one.getBoundingClientRect().right)));
    insist(fields.every(([field_, input]) => input <= field_ + 1), `wider than its place: ${fields.join(' / ')}`);
    await other.goto(`${CONSOLE}/patients?sort=newest`);
    await other.getByRole('row').filter({ hasText: `wide${process.pid}@axe.example` }).waitFor();
    const broken = await other.locator('tbody td').evaluateAll((all) => all.filter((each) => {
        const range = document.createRange();

        return [...each.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && !/\s/.test(node.data.trim()) && node.data.length < 14).some((node) => {
            range.selectNodeContents(node);
            return range.getClientRects().length > 1;
        });
    }).map((each) => each.textContent));
    insist(broken.length === 0, `broken: ${broken.join(', ')}`);
    await other.evaluate(() => localStorage.setItem('atrium.console.language', 'en'));
    await other.context().close();
}

const languages = ['en', 'de', 'es'].map((tag) => [tag, tag === 'en' ? {} : JSON.parse(readFileSync(new URL(`../../web/console/text/${tag}.json`, import.meta.url), 'utf8'))]);
const sizes = [[390, 844], [768, 1024], [1366, 768], [1440, 900]];
const ZOOMED = [683, 384]; // 1366x768 at 200 %

// Finds shown texts that are cut or broken inside a word, and what scrolls sideways or reaches beyond the window.
const badlyShown = (on) => on.evaluate(() => {
    const LONGEST = 40; // letters; longer words can break
    const name = (each) => `${each.tagName} ${each.className} "${(each.getAttribute('aria-label') ?? each.textContent).trim().slice(0, 50)}"`;
    const found = document.documentElement.scrollWidth > innerWidth ? ['the document is wider than the window'] : [];
    const all = [...document.querySelectorAll('body *')].filter((each) => each.checkVisibility() && !each.closest('.hidden, svg, iframe'));
    const pen = document.createElement('canvas').getContext('2d'), range = document.createRange();

    for (const each of all) {
        const { overflowX, overflowY, font, paddingLeft, paddingRight } = getComputedStyle(each);
        const box = each.getBoundingClientRect(), isInput = each.matches('input, textarea, progress');

        if (!isInput && overflowX !== 'visible' && each.clientWidth > 0 && each.scrollWidth > each.clientWidth + 1)
            found.push(`${/auto|scroll/.test(overflowX) ? 'scrolls sideways' : 'is cut'}: ${name(each)}`);
        if (!isInput && /hidden|clip/.test(overflowY) && each.clientHeight > 0 && each.scrollHeight > each.clientHeight + 1)
            found.push(`is cut below: ${name(each)}`);
        if (box.right > innerWidth + 1)
            found.push(`is beyond the window: ${name(each)}`);
        if (each.matches('select') && each.selectedIndex >= 0) {
            pen.font = font;
            const need = pen.measureText(each.selectedOptions[0].text).width + parseFloat(paddingLeft) + parseFloat(paddingRight);
            if (need > each.clientWidth + 1)
                found.push(`is cut: ${name(each)}: ${each.selectedOptions[0].text}`);
        }
        for (const node of each.matches('option, textarea, pre') ? [] : each.childNodes) {
            if (node.nodeType !== Node.TEXT_NODE || !node.data.trim())
                continue;
            for (const { 0: word, index } of node.data.matchAll(/[\p{L}\p{N}]+/gu)) {
                range.setStart(node, index);
                range.setEnd(node, index + word.length);
                const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
                const { right } = range.getBoundingClientRect();
                if (lines.size > 1 && word.length < LONGEST)
                    found.push(`is broken: ${word} in ${name(each)}`);
                const place = each.closest('button, .button, .badge, td, th, dd, label, li, p, h1, h2, div')?.getBoundingClientRect();
                if (place && right > place.right + 2)
                    found.push(`sticks out: ${word} of ${name(each)}`);
            }
        }
    }
    return [...new Set(found)];
});

// As a directory: makes a group of all users, and a user of a domain that is not verified.
async function syncDirectory(token, displayName) {
    const scim = (method, path, body) => api(method, `/t/${demo.tenantCode}/scim/v2/${path}`, body, token);
    const { data: { Resources: users } } = await scim('GET', 'Users');
    const group = await scim('POST', 'Groups', { displayName, members: users.map(({ id }) => ({ value: id })) });
    const refused = await scim('POST', 'Users', { userName: 'ana@elsewhere.example', name: { givenName: 'Ana', familyName: 'Lima' }, emails: [{ value: 'ana@elsewhere.example' }] });

    insist(group.status === 201 && refused.status === 400, { group, refused });
    return () => scim('DELETE', `Groups/${group.data.id}`);
}

const inDatabase = (statement) => execFileSync('psql', ['-qAtX', '-v', 'ON_ERROR_STOP=1', '-c', statement, suite().postgres.conninfo]);

// Makes a row of each kind, with words of usual length.
async function furnish() {
    await signInHere();
    const post = async (path, body) => {
        const { status, data } = await api('POST', path, body, admin);

        insist(status < 300, { path, data });
        return data;
    };
    const clinic = `clinic${process.pid}`;
    const policy = await post('/v1/project/access-policies', { name: 'Scheduling assistants', resource: [{ resourceType: 'DocumentReference', interaction: ['read', 'search'] }] });
    const imported = await post('/v1/projects/me/imports', { accounts: [{ firstName: 'Maximiliane', lastName: 'Freifrau von Hohenlohe-Schillingsfürst', email: `maximiliane.hohenlohe-schillingsfuerst@${clinic}.lakeside-clinic.example` }] });

    insist(imported.imported === 1, imported);
    await post('/v1/projects/me/members', { email: `dr.katharina.montgomery-smythe@${clinic}.lakeside-clinic.example`, firstName: 'Katharina', lastName: 'Montgomery-Smythe', type: 'Practitioner', admin: false, accessPolicy: `AccessPolicy/${policy.id}` });
    await post('/v1/project/api-keys', { name: 'Nightly export', accessPolicy: `AccessPolicy/${policy.id}`, days: 90, addresses: ['192.0.2.0/24', '2001:db8::/32'] });
    await post('/v1/project/webhooks', { url: 'https://hooks.lakeside-clinic.example/atrium/events', events: ['session.created', 'account.created'] });
    await post('/v1/project/domains', { domain: `appointments.${clinic}.lakeside-clinic.example` });
    const provider = await post('/v1/project/identity-providers', { name: 'Lakeside Clinic staff', preset: 'entra', issuer: 'https://login.microsoftonline.com/7b5e7a3c-52f4-4b6c-9a53-1d0a6f0c2e11/v2.0', clientId: '2f1c0e6a-8d0b-4c57-b8e7-94d6a1c3f520', roles: ['practitioners', 'patients'] });
    await post('/v1/project/bots', { name: 'Appointment reminder', kind: 'http', url: 'https://bots.lakeside-clinic.example/reminder', identifier: [{ value: `reminder-${clinic}` }] });
    await post('/document', { fileName: 'Discharge summary November 2026.pdf', contentType: 'application/pdf' });
    const person = (await read(`/v1/project/accounts?search=maximiliane.hohenlohe`)).resources[0].id;

    inDatabase(`update auth.identity_provider set enforced = '{patients}' where id = '${provider.id}'`);
    inDatabase(`insert into auth.identity (id, provider_id, project_id, issuer, subject, role, account_id, created_at, last_used_at)
        select gen_random_uuid(), id, project_id, issuer, '${clinic}', 'Patient', '${person}', 1796000000000, 1796200000000 from auth.identity_provider where id = '${provider.id}'`);
    await post('/v1/project/scim-tokens', { name: 'Microsoft Entra ID of the clinic', addresses: ['192.0.2.0/24', '2001:db8::/32'] });
    await syncDirectory((await post('/v1/project/scim-tokens', { name: 'Okta' })).token, 'Gastroenterology nurses');
    await post('/v1/project/access-policies', { name: 'Ward staff', resource: [{ resourceType: 'DocumentReference' }] });
    const [group] = (await read('/v1/project/scim-groups')).resources;
    insist((await api('PUT', '/v1/project/scim-mappings', { resources: [{ group: group.id, accessPolicy: `AccessPolicy/${policy.id}` }] }, admin)).status === 200, 'no mapping');
    return person;
}

// Every screen and dialog in each language and size. Collects everything before it fails.
async function inEachSizeAndLanguage() {
    const person = await furnish(), bad = [], [own] = (await read(`/v1/project/accounts?search=${encodeURIComponent(demo.adminEmail)}`)).resources;
    const other = page = await open();
    const settled = () => until(async () => await other.locator('[aria-busy=true]').count() === 0, 'it is there');
    const look = async (what, [width, height]) => {
        await other.setViewportSize({ width, height });
        await other.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
        bad.push(...(await badlyShown(other)).map((each) => `${what} at ${width}: ${each}`));
    };
    const speak = async (tag) => {
        await other.locator('.preferences select').first().evaluate((select, to) => { select.value = to; select.dispatchEvent(new Event('change', { bubbles: true })); }, tag);
        await until(() => other.evaluate((to) => document.documentElement.lang === to, tag), `${tag} is spoken`);
        await settled();
    };
    const lookAtDialog = async (what, opener) => {
        await other.setViewportSize({ width: 1440, height: 900 });
        await opener.focus();
        await other.keyboard.press('Enter');
        await other.locator('dialog').waitFor();
        await settled();
        insist(await other.evaluate(() => document.activeElement.closest('dialog')), `${what}: the focus is not inside`);
        for (const size of [...sizes, ZOOMED]) {
            await look(what, size);
            const seen = await other.locator('dialog > form > .buttons').evaluate((each) => {
                const { top, bottom } = each.getBoundingClientRect();
                return top >= 0 && bottom <= innerHeight && each.contains(document.elementFromPoint(innerWidth / 2, (top + bottom) / 2));
            });
            if (!seen)
                bad.push(`${what} at ${size.join('x')}: its buttons are not in view`);
        }
        await other.setViewportSize({ width: 1440, height: 900 });
        await other.keyboard.press('Escape');
        await other.locator('dialog').waitFor({ state: 'detached' });
        insist(await opener.evaluate((each) => each === document.activeElement), `${what}: the focus is not back`);
    };
    const places = [...screens.map((at) => [at, []]), ['/staff', ['Invite staff']], [`/people/${person}`, [...actsOnPatients, 'Remove link']], [`/staff/${own.id}`, ['Allow local sign-in']], ...[...dialogs, ...furnished].map(([at, name]) => [at, [name]])];

    await signIn(other);
    for (const [at, names] of places) {
        await other.goto(CONSOLE + at);
        await other.locator('.who').waitFor({ state: 'attached' });
        await other.locator('h1').waitFor();
        await settled();
        for (const [tag, words] of languages) {
            await speak(tag);
            for (const size of sizes)
                await look(`${at} in ${tag}`, size);
            for (const name of names)
                await lookAtDialog(`${at}: ${name} in ${tag}`, button(words[name] ?? name, other));
        }
    }
    await speak('en');
    await other.context().close();
    insist(bad.length === 0, `${bad.length} places\n    ${bad.join('\n    ')}`);
}

const accessible = {
    'light, a desk': () => inScheme('light', 1440),
    'dark, a desk': () => inScheme('dark', 1440, ['color-contrast']),
    'light, a phone': () => inScheme('light', 390, ['target-size', 'color-contrast', 'label', 'aria-required-children']),
    'a phone: what a finger touches is 44 points high, and nothing is wider than the window': onAPhone,
    'a desk: controls of one row are at one height, and no word is broken where there is room': onADesk,
    'each screen and dialog in each language and size: no text is cut, nothing scrolls sideways, the buttons are in view': inEachSizeAndLanguage,
};

// Two admins at one thing: made here, opened there, changed here meanwhile. Input there is never lost.
async function rivals(path, method, body, open, { label = 'Name', shown = (data) => data.name, as = (text) => text, save = 'Save' } = {}) {
    const { data } = await api(method, path, body(as('Ours')), admin);
    const at = method === 'POST' ? `${path}/${data.id}` : path, typed = field(label);
    const conflict = page.getByRole('alert').filter({ hasText: 'Someone else changed this' });
    const meet = async (theirs, mine) => {
        await typed.waitFor();
        await type(typed, mine);
        await api(method === 'POST' ? 'PUT' : method, at, body(theirs), admin);
        await press(button(save).last());
        await conflict.waitFor();
        insist(await conflict.evaluate((element) => element.contains(document.activeElement)), 'it is not gone to');
        insist(await conflict.getByText(theirs, { exact: true }).count() === 1 && await conflict.getByText(mine, { exact: true }).count() === 1, 'not both');
        insist(await typed.inputValue() === mine, 'lost');
    };

    await open(as('Ours'));
    await meet(as('Theirs first'), as('Mine first'));
    await press(button('Use the saved version'));
    await until(async () => await typed.inputValue() === as('Theirs first'), 'theirs is shown');
    await meet(as('Theirs then'), as('Mine then'));
    await press(button('Save my version'));
    await until(async () => shown(await read(at)) === as('Mine then'), 'mine is written');
    await conflict.waitFor({ state: 'detached' });
}

const trouble = {
    async 'a cut network keeps what was typed'() {
        await signIn();
        await go('Settings');
        await type(field('Patient app URL'), 'https://typed.lakeside.example');
        await page.context().setOffline(true);
        await page.keyboard.press('Enter');
        await page.getByText('No response. Check your connection.').first().waitFor();
        insist(await field('Patient app URL').inputValue() === 'https://typed.lakeside.example', 'lost');
        await page.getByText('The service can’t be reached.').waitFor();
        await page.context().setOffline(false);
        await press(button('Save').first());
        await says('Saved.');
        await until(async () => await page.getByText('The service can’t be reached.').count() === 0, 'said to be back');
    },
    async 'a daemon that is killed is waited for'() {
        process.kill(suite().daemons.find((each) => each.name === 'settingsd').pid, 'SIGKILL');
        await go('Account policy');
        await field('Minimum password length').waitFor();
    },
    async 'a daemon that hangs is said, and another try helps'() {
        const { pid } = suite().daemons.find((each) => each.name === 'maild');
        process.kill(pid, 'SIGSTOP');
        try {
            await press(page.locator('nav').getByRole('link', { name: 'Mail templates', exact: true }));
            await page.locator('.notice[role=alert]').waitFor({ timeout: 120_000 });
        } finally {
            process.kill(pid, 'SIGCONT');
        }
        await until(async () => (await read('/v1/project/email-templates'))?.resources, 'maild is back');
        await press(button('Retry'));
        await page.getByRole('link', { name: 'Welcome email' }).waitFor();
    },
    async 'a daemon that hangs takes its own part of the overview alone'() {
        const { pid } = suite().daemons.find((each) => each.name === 'botd');
        const bots = page.getByRole('region', { name: 'Failed bots' });
        await go('Settings');
        process.kill(pid, 'SIGSTOP');
        try {
            await press(page.locator('nav').getByRole('link', { name: 'Overview', exact: true }));
            await page.locator('.chart').waitFor();
            await page.getByText('No email failed in the last 30 days.').waitFor();
            await page.locator('section').filter({ has: heading('Setup status') }).locator('summary').waitFor();
            await bots.locator('.notice[role=alert]').waitFor({ timeout: 120_000 });
            insist(await page.locator('main .notice[role=alert]').count() === 1, 'another part fails too');
        } finally {
            process.kill(pid, 'SIGCONT');
        }
        await until(async () => (await read('/v1/project/bot-failures'))?.resources, 'botd is back');
        await press(bots.getByRole('button', { name: 'Retry' }));
        await bots.getByText('No bot failed in the last 24 hours.').or(bots.locator('li').first()).waitFor();
        insist(await bots.locator('.notice').count() === 0, 'still an error');
    },
    async 'two admins write the same setting: both versions are shown'() {
        const mine = page, other = await open();
        await signIn(other);
        await other.goto(`${CONSOLE}/settings`);
        await field('Patient app URL', other).waitFor();
        await go('Settings');
        await type(field('Patient app URL'), 'https://mine.lakeside.example');
        await field('Patient app URL', other).fill('https://theirs.lakeside.example');
        await button('Save', other).first().click();
        await says('Saved.', other);
        await press(button('Save').first());
        const conflict = page.getByRole('alert').filter({ hasText: 'Someone else changed this' });
        await conflict.waitFor();
        insist(await conflict.getByText('https://theirs.lakeside.example').count() === 1 && await conflict.getByText('https://mine.lakeside.example').count() === 1, 'not both');
        insist(await field('Patient app URL').inputValue() === 'https://mine.lakeside.example', 'lost');
        await press(button('Save my version'));
        await says('Saved.');
        await until(async () => (await read('/v1/project/settings')).settings.PATIENT_APP_URL === 'https://mine.lakeside.example', 'written');
        await other.getByRole('switch', { name: 'Patient registration' }).click();
        await other.getByRole('alert').filter({ hasText: 'Someone else changed this' }).waitFor();
        await button('Use the saved version', other).click();
        insist((await read('/v1/project/settings/history')).resources[0].name === 'PATIENT_APP_URL', 'a stale switch was written');
        await other.context().close();
        page = mine;
    },
    async 'a policy that another changed: both versions are shown'() {
        const resource = [{ resourceType: 'Content', interaction: ['read'] }];
        await rivals('/v1/project/access-policies', 'POST', (name) => ({ name, resource }), async (name) => {
            await go('Access policies');
            await press(page.getByRole('link', { name, exact: true }));
        });
    },
    async 'an application that another changed: both versions are shown'() {
        await rivals('/v1/project/clients', 'POST', (name) => ({ name }), async (name) => {
            await go('Applications');
            await press(page.getByRole('link', { name, exact: true }));
        });
    },
    async 'a bot that another changed: both versions are shown'() {
        const bot = { identifier: [{ value: 'rival' }], kind: 'http', url: 'https://bots.lakeside.example/rival' };
        await rivals('/v1/project/bots', 'POST', (name) => ({ name, ...bot }), async (name) => {
            await go('Bots');
            await press(page.getByRole('row').filter({ hasText: name }).getByRole('button', { name: 'Edit' }));
        });
    },
    async 'an entry that another changed: both versions are shown'() {
        await rivals('/cms/article/rival/en', 'PUT', (title) => ({ title, sections: [{ text: 'One.' }] }), async () => {
            await go('Content');
            await press(page.locator('tbody th a[href*="key=rival"]'));
        }, { label: 'Title', shown: ({ title }) => title, save: 'Publish' });
    },
    async 'languages that another changed: both versions are shown, and other settings are in no way'() {
        const { languages, defaultLanguage } = await read('/locales');
        const tags = { Ours: 'en, de', 'Theirs first': 'en, es', 'Mine first': 'en, fr', 'Theirs then': 'en, it', 'Mine then': 'en, pt' };
        await rivals('/locales', 'PATCH', (text) => ({ languages: text.split(', '), defaultLanguage: 'en' }), () => go('Settings'),
            { label: 'Language tags', shown: (data) => data.languages.join(', '), as: (text) => tags[text] });
        await api('PUT', '/v1/project/settings/values/PATIENT_APP_URL', { value: 'https://mine.lakeside.example' }, admin);
        await type(field('Language tags'), 'en, de, es');
        await press(button('Save').last());
        await until(async () => (await read('/locales')).languages.length === 3, 'another setting is in the way');
        await api('PATCH', '/locales', { languages, defaultLanguage }, admin);
    },
    async 'a webhook that another changed: both versions are shown'() {
        await rivals('/v1/project/webhooks', 'POST', (url) => ({ url, events: ['session.created'] }), async (url) => {
            await go('Webhooks');
            await press(page.getByRole('link', { name: url, exact: true }));
            await press(button('Edit'));
        }, { label: 'URL', shown: ({ url }) => url, as: (text) => `https://rival.lakeside.example/${text.replace(' ', '-')}` });
    },
    async 'a webhook more than there may be: the dialog says why'() {
        const made = [];
        let answer;

        do {
            answer = await api('POST', '/v1/project/webhooks', { url: `https://many.lakeside.example/${made.length}`, events: ['session.created'] }, admin);
            made.push(answer.data.id);
        } while (answer.status === 200);
        insist(answer.status === 409, JSON.stringify(answer));
        await go('Webhooks');
        await press(button('New webhook'));
        await type(field('URL'), 'https://many.lakeside.example/more');
        await page.getByRole('checkbox', { name: 'session.created' }).check();
        await press(button('Save'));
        await page.getByRole('dialog').getByText('The project has 20 webhooks already.').waitFor();
        insist(await page.getByText('Someone else changed this').count() === 0, 'a rival is named');
        await page.keyboard.press('Escape');
        for (const id of made.filter(Boolean))
            await api('DELETE', `/v1/project/webhooks/${id}`, undefined, admin);
    },
    async 'a mail template that another changed: both versions are shown'() {
        await rivals('/v1/project/email-templates/EXPORT_MADE', 'PUT', (subject) => ({ subject, text: 'It is made.' }), async () => {
            await go('Mail templates');
            await press(page.getByRole('link', { name: 'Export ready', exact: true }));
        }, { label: 'Subject', shown: ({ subject }) => subject });
    },
    async 'a mail template that another wrote first: both versions are shown'() {
        await go('Mail templates');
        await press(page.getByRole('link', { name: 'Passkey possibly copied', exact: true }));
        await type(field('Subject'), 'Mine');
        await type(field('Text'), 'Mine is this');
        const tag = (await read('/locales')).defaultLanguage;
        await api('PUT', '/v1/project/email-templates/PASSKEY_COUNTER', { language: tag, subject: 'Theirs', text: 'Theirs is this' }, admin);
        await press(button('Save'));
        const conflict = page.getByRole('alert').filter({ hasText: 'Someone else changed this' });
        await conflict.getByText('Theirs is this', { exact: true }).waitFor();
        await press(button('Use the saved version'));
        await until(async () => await field('Subject').inputValue() === 'Theirs', 'theirs is shown');
    },
    async 'what was typed is asked for before it is left'() {
        await go('Settings');
        await type(field('Patient app URL'), 'https://unsaved.lakeside.example');
        const asked = new Promise((done) => page.once('dialog', async (dialog) => { await dialog.dismiss(); done(dialog.message()); }));
        await page.locator('nav').getByRole('link', { name: 'Bots' }).click();
        insist((await asked).includes('without saving'), 'not asked');
        insist(await field('Patient app URL').inputValue() === 'https://unsaved.lakeside.example', 'lost');
        page.once('dialog', (dialog) => dialog.accept());
        await page.locator('nav').getByRole('link', { name: 'Bots' }).click();
        await page.getByRole('heading', { level: 1, name: 'Bots' }).waitFor();
    },
    async 'each form that holds what was typed is asked for, on each way out'() {
        const tags = field('Language tags'), history = page.getByRole('tab', { name: 'History' });
        const kept = async (what, way) => {
            const asked = new Promise((done) => page.once('dialog', async (dialog) => { await dialog.dismiss(); done(true); }));
            await way();
            insist(await Promise.race([asked, sleep(3000)]), `${what}: not asked`);
            await until(async () => new URL(page.url()).pathname === '/console/settings', `${what}: back at the form`);
            insist(await tags.inputValue() === 'en, de, fr', `${what}: lost`);
        };

        await page.goto(`${CONSOLE}/bots`);
        await go('Settings');
        await type(tags, 'en, de, fr');
        await type(field('Patient app URL'), 'https://unsaved.lakeside.example');
        await button('Discard').click();
        await kept('another form is clean again', () => page.locator('nav').getByRole('link', { name: 'Bots' }).click());
        await kept('a tab', () => history.click());
        await kept('a tab, by keyboard', async () => {
            await tabTo(page.getByRole('tab', { name: 'Settings' }), page, 'Shift+Tab');
            await page.keyboard.press('ArrowRight');
        });
        await kept('Back', () => page.evaluate(() => history.back()));
        await kept('Back, again', () => page.evaluate(() => history.back()));
        await page.locator('.skip').focus();
        await page.keyboard.press('Enter');
        insist(await page.locator('main').evaluate((element) => element === document.activeElement), 'the content has no focus');
        await page.evaluate(() => { location.hash = 'main'; });
        await kept('after a fragment', () => page.locator('nav').getByRole('link', { name: 'Bots' }).click());
        await page.locator('.preferences select').first().selectOption('de');
        await page.getByRole('heading', { level: 1, name: 'Einstellungen' }).waitFor();
        insist(await page.getByLabel('Sprachkürzel', { exact: true }).inputValue() === 'en, de, fr', 'the language of the console: lost');
        await page.locator('.preferences select').first().selectOption('en');
        page.once('dialog', (dialog) => dialog.accept());
        await page.evaluate(() => history.go(-2));
        await page.getByRole('heading', { level: 1, name: 'Bots' }).waitFor();
    },
    async 'another language of a template is asked for, and a preview that was emptied comes back'() {
        await page.goto(`${CONSOLE}/templates/PATIENT_WELCOME`);
        await field('HTML').fill('<b id="first">First</b>');
        await page.frameLocator('iframe').locator('#first').waitFor();
        await field('HTML').fill('');
        await page.getByText('Without HTML, the email is sent as plain text.').waitFor();
        await field('HTML').fill('<b id="second">Second</b>');
        await page.frameLocator('iframe').locator('#second').waitFor();
        const asked = new Promise((done) => page.once('dialog', async (dialog) => { await dialog.dismiss(); done(true); }));
        await page.getByRole('tablist', { name: 'Languages' }).locator('[aria-selected=false]').first().click();
        insist(await Promise.race([asked, sleep(3000)]), 'not asked');
        insist(await field('HTML').inputValue() === '<b id="second">Second</b>', 'lost');
        await button('Discard').click();
    },
    async 'a webhook that its receiver has switched off is switched on'() {
        const url = 'https://gone.lakeside.example/';
        const { status, data } = await api('POST', '/v1/project/webhooks', { url, events: ['session.created'], enabled: false }, admin);
        insist(status < 300, data);
        await page.route('**/v1/project/webhooks', async (route) => { // as after a 410
            const answer = await route.fetch(), list = await answer.json();
            await route.fulfill({ response: answer, json: { ...list, resources: list.resources.map((each) => ({ ...each, ...(!each.enabled && { goneAt: each.createdAt }) })) } });
        });
        await go('Webhooks');
        const row = page.getByRole('row').filter({ hasText: url });
        await row.getByText('Disabled by receiver').waitFor();
        await row.getByRole('switch').click();
        await says('Webhook enabled.');
        await row.getByText('Disabled by receiver').waitFor({ state: 'detached' });
        await page.unroute('**/v1/project/webhooks');
        insist((await read('/v1/project/webhooks')).resources.find((each) => each.url === url).enabled, 'not written');
    },
    async 'a file that fails does not keep the others back'() {
        await go('Documents');
        const chooser = page.waitForEvent('filechooser');
        await button('Upload files').click();
        const file = (name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) });
        await (await chooser).setFiles([file('first.txt'), file(`${'long'.repeat(100)}.txt`), file('last.txt')]);
        await page.getByRole('row').filter({ hasText: 'last.txt' }).waitFor();
        const failed = page.getByRole('alert').filter({ hasText: 'Upload failed:' });
        await failed.waitFor();
        insist(await failed.getByText(/long.txt: /).count() === 1 && await failed.getByText('first.txt').count() === 0, 'not said which');
    },
    async 'a screen comes when it is opened, and one that does not come is asked for again'() {
        const other = await open(), asked = [];
        const modules = () => asked.map((url) => url.match(/assets\/(\w+)-/)[1]).join();
        await signIn(other);
        other.on('request', (request) => request.url().includes('/assets/') && request.url().endsWith('.js') && asked.push(request.url()));
        await other.goto(`${CONSOLE}/`);
        await heading('Setup status', other).waitFor();
        insist(modules() === 'app,overview', modules());
        await other.route('**/assets/bots-*', (route) => route.abort());
        await other.locator('nav').getByRole('link', { name: 'Bots' }).click();
        await other.getByText('This screen failed to load.').waitFor();
        insist(await other.locator('h1').textContent() === 'Bots', 'without its title');
        await other.unroute('**/assets/bots-*');
        await press(button('Retry', other), 'Enter', other);
        await other.getByRole('button', { name: /^Run “/ }).first().waitFor();
        await other.goto(`${CONSOLE}/staff`);
        await other.getByRole('table').waitFor();
        insist(modules().endsWith('app,people'), modules());
        await other.route('**/assets/de-*', (route) => route.abort());
        await other.locator('.preferences select').first().selectOption('de');
        await says('This screen failed to load.', other);
        insist(await other.locator('.preferences select').first().inputValue() === 'en', 'another language is named');
        await other.unroute('**/assets/de-*');
        await other.locator('.preferences select').first().selectOption('de');
        await other.getByRole('heading', { level: 1, name: 'Mitarbeitende' }).waitFor();
        await other.context().close();
    },
    async 'a screen whose module comes before its effects run is shown'() {
        const other = await open();
        await other.addInitScript(() => { // timers and frames wait while `held` is a list
            for (const name of ['setTimeout', 'requestAnimationFrame']) {
                const real = window[name];
                window[name] = (call, ...rest) => (window.held ? window.held.push(() => real.call(window, call, ...rest)) : real.call(window, call, ...rest));
            }
        });
        await signIn(other);
        await other.goto(`${CONSOLE}/staff`);
        await other.getByRole('table').waitFor();
        await other.evaluate(() => new Promise((done) => {
            const link = document.querySelector('nav a[href$="/keys"]');
            document.getElementById('module-keys').addEventListener('settled', () => {
                const { held } = window;
                window.held = null;
                held.forEach((each) => each());
                done();
            });
            link.dispatchEvent(new Event('pointerenter'));
            window.held = [];
            link.click();
        }));
        await button('New key', other).waitFor();
        await other.context().close();
    },
    async 'a screen that breaks says so, and the others are there'() {
        await page.goto(`${CONSOLE}/staff`);
        await page.route('**/v1/project/api-keys*', (route) => route.fulfill({ json: { resources: [{ id: 'x', name: 'Of no shape' }] } }));
        await page.locator('nav').getByRole('link', { name: 'API keys' }).click();
        await page.getByText('Something went wrong.').waitFor();
        await page.unroute('**/v1/project/api-keys*');
        await press(button('Retry'));
        await button('New key').waitFor();
        await go('Staff');
    },
    async 'an address of the console leads to no other route'() {
        const asked = [], note = (request) => asked.push(new URL(request.url()).pathname);
        page.on('request', note);
        for (const at of ['/policies/..%5C..%5C..%5Cdocument%5Cpublic%5Cx', '/people/..%5C..%5C..%5Cauth%5Cactivity', '/webhooks/x%3Fy', '/templates/A%5CB']) {
            await page.goto(CONSOLE + at);
            await heading('There is no screen at this URL').waitFor();
        }
        await page.goto(`${CONSOLE}/content?type=..&key=auth&language=activity`);
        await page.getByRole('heading', { level: 1, name: 'auth' }).waitFor();
        await field('Title').last().waitFor();
        await page.goto(`${CONSOLE}/content?type=article&language=..%5C..%5C..%5Cauth%5Cactivity`);
        await field('Type').waitFor();
        await page.locator('tbody tr').first().waitFor();
        page.off('request', note);
        insist(!asked.some((each) => each === '/auth/activity' || each === '/document/public/x'), asked);
    },
    async 'what is typed while it is saved stays typed, and what was saved stays shown'() {
        const put = (at) => ({ pathname }) => pathname.endsWith(at) && !pathname.startsWith('/console');
        const held = async (at, saves, typing, kept) => {
            const free = await hold(put(at), page);
            await saves();
            await typing();
            await free();
            await says('Saved.');
            await until(kept, `${at}: what was typed is there`, 5000);
            insist(await button('Save').first().isEnabled(), `${at}: it cannot be saved`);
            await button('Discard').first().click();
        };

        await page.goto(`${CONSOLE}/account-policy`);
        await type(field('Minimum password length'), '11');
        await held('/account-policy', () => page.keyboard.press('Enter'), () => field('Minimum password length').fill('12'), async () => await field('Minimum password length').inputValue() === '12');
        insist(await field('Minimum password length').inputValue() === '11', 'the saved one is not shown');
        await page.goto(`${CONSOLE}/templates/PATIENT_WELCOME`);
        await type(field('Subject'), 'Saved subject');
        const list = await hold(({ pathname }) => pathname === '/v1/project/email-templates', page);
        await held('/email-templates/PATIENT_WELCOME', () => page.keyboard.press('Enter'), () => field('Subject').fill('Later subject'), async () => await field('Subject').inputValue() === 'Later subject');
        insist(await field('Subject').inputValue() === 'Saved subject', `shown: ${await field('Subject').inputValue()}`);
        await list();
    },
    async 'two clicks make one secret'() {
        const { data } = await api('POST', '/v1/project/clients', { name: 'Twice', type: 'confidential', authMethod: 'client_secret_basic',
            grantTypes: ['client_credentials'], redirectUris: [], scopes: [] }, admin);
        insist(data.id, data);
        let sent = 0;
        await page.route('**/secret', async (route) => { sent++; await sleep(300); await route.continue(); });
        await page.goto(`${CONSOLE}/applications/${data.id}`);
        const again = button('New secret');
        await again.waitFor();
        await again.evaluate(async (element) => { element.click(); await new Promise((done) => setTimeout(done, 50)); element.click(); });
        await heading('Copy this secret').waitFor();
        await sleep(500);
        await page.unroute('**/secret');
        insist(sent === 1, `${sent} secrets were asked for`);
        await page.keyboard.press('Escape');
        await api('DELETE', `/v1/project/clients/${data.id}`, undefined, admin);
    },
    async 'a page of a list that was left is not put into the next one'() {
        const [{ id }] = (await read('/v1/project/accounts')).resources;
        for (let i = 0; i < 60; i++)
            await read(`/v1/project/accounts/${id}`); // one audit row each
        await api('PUT', '/v1/project/account-policy', { passwordMinLength: 10 }, admin);
        await sleep(SEALED_MS);
        await page.goto(`${CONSOLE}/audit`);
        await button('Show more').waitFor();
        const free = await hold((url) => url.searchParams.has('_cursor'), page);
        await button('Show more').click();
        await field('Action').selectOption('account-policy.write');
        await until(async () => await page.locator('tbody .start').evaluateAll((all) => all.length > 0 && all.every((each) => each.textContent === 'Changed the account policy')), 'filtered');
        await free();
        await sleep(1000);
        const actions = await page.locator('tbody .start').allTextContents();
        insist(actions.every((each) => each === 'Changed the account policy'), actions);
    },
    async 'a picture that comes too late is let go'() {
        const other = await open();
        await other.addInitScript(() => {
            const { createObjectURL, revokeObjectURL } = URL;
            window.made = [];
            URL.createObjectURL = (blob) => { const url = createObjectURL.call(URL, blob); window.made.push(url); return url; };
            URL.revokeObjectURL = (url) => { window.made = window.made.filter((each) => each !== url); revokeObjectURL.call(URL, url); };
        });
        await signIn(other);
        await other.goto(`${CONSOLE}/documents`);
        const chooser = other.waitForEvent('filechooser');
        await button('Upload files', other).click();
        await (await chooser).setFiles({ name: 'late.png', mimeType: 'image/png', buffer: png() });
        const open_ = other.getByRole('button', { name: 'late.png', exact: true });
        await open_.click();
        await other.locator('dialog img[src^="blob:"]').waitFor();
        await other.keyboard.press('Escape');
        await until(() => other.evaluate(() => window.made.length === 0), 'let go when it is closed');
        const free = await hold((url) => url.searchParams.has('width'), other);
        await open_.click();
        await other.locator('dialog [aria-busy=true]').waitFor();
        const came = other.waitForResponse((answer) => answer.url().includes('width='));
        await other.keyboard.press('Escape');
        await free();
        await came;
        await sleep(500);
        insist(await other.evaluate(() => window.made.length === 0), 'it is kept');
        await other.context().close();
    },
    async 'rules that are none are said, and break nothing'() {
        await page.goto(`${CONSOLE}/policies/new`);
        await field('Name').fill('Of no shape');
        await page.getByRole('tab', { name: 'JSON' }).click();
        for (const text of ['{}', '{"resource": [null]}', '{"resource": [{"resourceType": "Bot", "interaction": 7}]}', '[', '']) {
            await field('Rules and networks').fill(text);
            await page.getByText('Enter valid JSON with a list of rules in “resource”.').first().waitFor();
            insist(await button('Save').isDisabled(), `saved: ${text}`);
            await page.getByRole('tab', { name: 'Table' }).click();
            insist(await field('Rules and networks').inputValue() === text, `lost: ${text}`);
        }
        await field('Rules and networks').fill('{"resource": [{"resourceType": "Bot"}]}');
        await page.getByRole('tab', { name: 'Table' }).click();
        await field('Bots: Run').waitFor();
        insist(await field('Bots: Run').isChecked() && !await field('Content: Read').isChecked(), 'not taken over');
        page.once('dialog', (dialog) => dialog.accept());
        await page.goto(`${CONSOLE}/policies`);
    },
    async 'texts of the pages that another changed: both versions are shown'() {
        const none = { name: null, colorLight: null, colorDark: null, imprintUrl: null, privacyUrl: null };
        await rivals('/v1/project/branding', 'PUT', (intro) => ({ ...none, texts: [{ language: 'en', intro, help: null }] }), async () => {
            await page.goto(`${CONSOLE}/staff`);
            await go('Branding');
            await field('Language').last().selectOption('en');
        }, { label: 'Text above the sign-in form', shown: ({ texts }) => texts[0].intro });
    },
    async 'an undo that fails is said'() {
        await register('undo@people.example', 'Undo', 'Lima');
        await page.goto(`${CONSOLE}/patients?search=undo@`);
        await page.locator('tbody a').click();
        await press(button('Lock'));
        await type(field('Reason'), 'Ticket 4715');
        await page.keyboard.press('Enter');
        await says('Person locked.');
        await page.route('**/unlock', (route) => route.abort());
        await press(button('Undo'));
        await says('No response.');
        await page.unroute('**/unlock');
        await button('Unlock').last().waitFor();
    },
    async 'a key is shown though its dialog was closed meanwhile'() {
        await page.goto(`${CONSOLE}/keys`);
        const { data: policy } = await api('POST', '/v1/project/access-policies', { name: 'Of keys', resource: [{ resourceType: 'Content', interaction: ['read'] }] }, admin);
        await page.reload();
        await press(button('New key'));
        await field('Name').fill('Hasty');
        await field('Access policy').selectOption({ label: 'Of keys' });
        const free = await hold((url) => url.pathname === '/v1/project/api-keys', page);
        await press(button('Create key'));
        await page.keyboard.press('Escape');
        await page.locator('dialog').waitFor({ state: 'detached' });
        await free();
        await heading('Copy your API key').waitFor();
        insist((await page.locator('dialog pre').textContent()).startsWith('atk_'), 'no key');
        await page.keyboard.press('Escape');
        for (const each of (await read('/v1/project/api-keys')).resources)
            await api('DELETE', `/v1/project/api-keys/${each.id}`, undefined, admin);
        await api('DELETE', `/v1/project/access-policies/${policy.id}`, undefined, admin);
    },
    async 'two switches one after the other are no conflict'() {
        await page.goto(`${CONSOLE}/settings`);
        const [first, second] = ['Patient invitations', 'Practitioner invitations'].map((name) => page.getByRole('switch', { name }));
        await first.waitFor();
        const free = await hold('**/settings/PATIENT_INVITATION_ENABLED', page);
        await first.click();
        await second.evaluate((element) => element.click());
        await free();
        await says('“Patient invitations”');
        await sleep(500);
        insist(await page.getByText('Someone else changed this').count() === 0, 'a rival is named');
        await press(button('Undo'));
    },
    async 'the focus stays where something is done, or goes'() {
        const focused = () => page.evaluate(() => document.activeElement.textContent || document.activeElement.getAttribute('aria-label'));
        await page.goto(`${CONSOLE}/staff?search=${encodeURIComponent(demo.adminEmail)}`);
        await page.locator('tbody a').click();
        await press(page.locator('summary'));
        await tabTo(button('Check again'));
        const free = await hold('**/explain*', page);
        await page.keyboard.press('Enter');
        await page.locator('button[aria-busy=true]').waitFor();
        await sleep(300);
        insist(await focused() === 'Check again', `a button that works: ${await focused()}`);
        await free();
        await page.getByText('can sign in with the right password.').waitFor();
        const made = [];
        for (const name of ['Gone', 'Staying'])
            made.push((await api('POST', '/v1/project/bots', { name, kind: 'http', url: 'https://bots.lakeside.example/', identifier: [{ value: name.toLowerCase() }] }, admin)).data);
        await page.goto(`${CONSOLE}/bots`);
        await press(page.getByRole('row').filter({ hasText: 'Gone' }).getByRole('button', { name: 'Delete' }));
        await type(page.getByLabel(/^Type “/), 'Gone');
        await page.keyboard.press('Enter');
        await says('Deleted.');
        await page.getByRole('row').filter({ hasText: 'Gone' }).waitFor({ state: 'detached' });
        await sleep(300);
        insist(await page.evaluate(() => document.activeElement.matches('.table')), `a row that goes: ${await focused()}`);
        await api('DELETE', `/v1/project/bots/${made[1].id}`, undefined, admin);
    },
    async 'what is wrong is said at its place, or below'() {
        await page.goto(`${CONSOLE}/settings`);
        await type(field('Language tags'), 'en, n_o');
        await press(button('Save').last());
        await page.locator('.field').filter({ hasText: 'Language tags' }).locator('.problem').waitFor();
        page.once('dialog', (dialog) => dialog.accept());
        await page.goto(`${CONSOLE}/account-policy`);
        await page.route('**/v1/project/account-policy', (route) => (route.request().method() === 'PUT' ? route.fulfill({ status: 422,
            json: { statusCode: 422, message: [{ path: 'requireMfa', message: 'Of no field.' }] } }) : route.continue()));
        await field('Second factor required for').selectOption('admins');
        await press(button('Save'));
        await page.getByRole('alert').filter({ hasText: 'Of no field.' }).waitFor();
        await page.unroute('**/v1/project/account-policy');
        await button('Discard').click();
    },
    async 'what was typed in a dialog is asked for before it is left'() {
        await page.goto(`${CONSOLE}/bots`);
        await go('API keys');
        await press(button('New key'));
        await type(field('Name'), 'Half of a na');
        const asked = new Promise((done) => page.once('dialog', async (dialog) => { await dialog.dismiss(); done(true); }));
        await page.evaluate(() => history.back());
        insist(await Promise.race([asked, sleep(3000)]), 'not asked');
        await until(async () => new URL(page.url()).pathname === '/console/keys', 'back at the dialog');
        insist(await field('Name').inputValue() === 'Half of a na', 'lost');
        await page.keyboard.press('Escape');
        await page.locator('dialog').waitFor({ state: 'detached' });
        await go('Staff');
    },
    async 'a suggestion over what was typed is taken back'() {
        await api('PUT', '/cms/article/suggested/en', { title: 'Back pain', sections: [{ text: 'Move.' }] }, admin);
        await page.route('**/ai/translation', async (route) => { // independent of the provider
            const { text } = route.request().postDataJSON();
            await route.fulfill({ json: { text: text.map((each) => `${each} (es)`), items: text.map(() => ({ status: 'translated' })) } });
        });
        await page.goto(`${CONSOLE}/content?type=article&key=suggested&language=es`);
        await field('Title').nth(1).fill('Mi propio texto');
        await press(button('Suggest translation'));
        await until(async () => await field('Title').nth(1).inputValue() === 'Back pain (es)', 'suggested');
        await press(button('Undo'));
        await until(async () => await field('Title').nth(1).inputValue() === 'Mi propio texto', 'taken back');
        await page.unroute('**/ai/translation');
        page.once('dialog', (dialog) => dialog.accept());
        await page.goto(`${CONSOLE}/`);
    },
    async 'a list goes on past the rows of one answer'() {
        const entries = Array.from({ length: 130 }, (each, i) => i);
        while (entries.length > 0)
            await Promise.all(entries.splice(0, 10).map(async (i) => {
                const { status, data } = await api('PUT', `/cms/faq/many-${i}/en`, { title: `Question ${i}`, sections: [{ text: 'Answer' }] }, admin);
                insist(status < 300, data);
            }));
        await page.goto(`${CONSOLE}/content?type=faq`);
        await page.locator('tbody tr').first().waitFor();
        let asked = 0;
        const count = (request) => { asked += request.url().includes('/map/'); };
        page.on('request', count);
        for (let i = 0; await button('Show more').count() > 0; i++) {
            const rows = await page.locator('tbody tr').count();
            insist(i < 5, 'it does not end');
            asked = 0;
            await button('Show more').click();
            await until(async () => await page.locator('tbody tr').count() > rows, `more than ${rows} rows`, 10_000);
            insist(asked === 1, `${asked} requests after ${rows} rows`);
        }
        page.off('request', count);
        insist(await page.locator('tbody tr').count() >= 130, 'not all');
    },
    async 'an old sign-in proves itself before it acts'() {
        await register('proof@people.example', 'Proof', 'Lima');
        writeFileSync(clockFile, '1800'); // half an hour
        await sleep(300);
        await page.goto(`${CONSOLE}/patients?search=proof@`);
        await page.locator('tbody a').click();
        await button('Lock').click();
        await field('Reason').fill('Ticket 4714');
        await page.keyboard.press('Enter');
        await heading('Confirm it’s you').waitFor();
        await page.locator('dialog input:focus').waitFor();
        await page.keyboard.type('wrong');
        await page.keyboard.press('Enter');
        await page.getByText('Incorrect password or code. Try again.').waitFor();
        await type(field('Password'), demo.adminPassword);
        await page.keyboard.press('Enter');
        await says('Person locked.');
    },
    async 'two requests that wait for a proof are both done'() {
        await signInHere(); // the sign-in from before the change of the clock is too old to make a webhook
        const { data } = await api('POST', '/v1/project/webhooks', { url: 'https://both.lakeside.example/', events: ['session.created'] }, admin);
        insist(data.id, data);
        await page.goto(`${CONSOLE}/webhooks/${data.id}`);
        await button('New secret').waitFor();
        writeFileSync(clockFile, '3000');
        await sleep(300);
        await page.evaluate(() => {
            for (const name of ['New secret', 'Retry failed deliveries'])
                [...document.querySelectorAll('button')].find((each) => each.textContent === name).click();
        });
        await heading('Confirm it’s you').waitFor();
        await type(field('Password'), demo.adminPassword);
        await page.keyboard.press('Enter');
        await says('0 deliveries will be resent.');
        await heading('Copy this secret').waitFor();
        await page.keyboard.press('Escape');
    },
    async 'a count has the form that its language has for it'() {
        await signInHere();
        await api('PUT', '/cms/count/first/en', { title: 'First', sections: [{ text: 'One.' }] }, admin);
        const counts = async (forms) => {
            await page.goto(`${CONSOLE}/content?type=count`);
            for (const [tag, text] of Object.entries(forms)) {
                await page.locator('.preferences select').first().selectOption(tag);
                await page.locator('.count').getByText(text, { exact: true }).waitFor();
            }
            await page.locator('.preferences select').first().selectOption('en');
        };
        await counts({ en: '1 entry', de: '1 Eintrag', es: '1 entrada' });
        await api('PUT', '/cms/count/second/en', { title: 'Second', sections: [{ text: 'Two.' }] }, admin);
        await counts({ en: '2 entries', de: '2 Einträge', es: '2 entradas' });
        await page.goto(`${CONSOLE}/content?type=none-of-this`);
        await page.locator('.count').getByText('0 entries', { exact: true }).waitFor();
    },
    async 'a search that finds nothing says so, and leads back'() {
        await page.goto(`${CONSOLE}/content`);
        await field('Search').fill('zzzz');
        await heading('No results').waitFor();
        await press(button('Clear filters'));
        await page.locator('tbody a').first().waitFor();
        insist(await field('Search').inputValue() === '', 'still searched for');
    },
    async 'a time is said with its zone'() {
        const other = await open({ timezoneId: 'Asia/Tokyo' });
        await signIn(other);
        await other.goto(`${CONSOLE}/audit`);
        await other.locator('tbody .time').first().filter({ hasText: /, \d+:\d\d:\d\d\s[AP]M\sGMT\+9$/ }).waitFor();
        await other.getByText('Times are in the zone Asia/Tokyo.').waitFor();
        await other.context().close();
    },
    async 'a long list is gone through from any row, and is not drawn as a whole'() {
        const TOTAL = 20_000, asked = [];
        await page.route('**/cms/large/map/*', async (route) => {
            const query = new URL(route.request().url()).searchParams, count = Number(query.get('_count')), offset = Number(query.get('_offset'));
            asked.push(offset);
            await route.fulfill({ json: { total: TOTAL, resources: Array.from({ length: Math.min(count, TOTAL - offset) }, (each, i) => ({ source: { key: `k${offset + i + 1}`, title: `Row ${offset + i + 1}` }, languages: [] })) } });
        });
        const shown = (from, to) => page.getByText(`Rows ${from} to ${to}`, { exact: false }).waitFor();
        await page.goto(`${CONSOLE}/content?type=large`);
        await page.getByText('20,000 entries').waitFor();
        for (let rows = 100; rows <= 500; rows += 50) {
            await button('Show more').click();
            await shown(1, rows);
        }
        await button('Show more').click();
        await shown(501, 550);
        insist(await page.locator('tbody tr').count() === 50, 'more rows than these are drawn');
        await until(() => page.evaluate(() => document.activeElement.matches('.table') && document.activeElement.getBoundingClientRect().top > 0), 'the first of them is seen and has the focus');
        await type(field('Go to row'), '19990');
        await page.keyboard.press('Enter');
        await shown('19,990', '20,000');
        insist(await page.locator('tbody th code').first().textContent() === 'k19990' && await button('Show more').count() === 0, 'other rows');
        await type(field('Go to row'), '20001');
        insist(await button('Go').isDisabled(), 'a row that there is not');
        await press(button('Back to first row'));
        await shown(1, 50);
        insist(asked.length < 20, `${asked.length} requests`);
        await page.unroute('**/cms/large/map/*');
    },
    async 'an upload under way is asked for before it is cut off, on each way out'() {
        await page.goto(`${CONSOLE}/bots`);
        await go('Documents');
        const session = await page.context().newCDPSession(page), speed = (uploadThroughput) => session.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput });
        await session.send('Network.enable');
        await speed(20_000);
        const chooser = page.waitForEvent('filechooser');
        await press(button('Upload files'));
        await (await chooser).setFiles({ name: 'half.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(4_000_000) });
        await page.locator('progress').waitFor();
        const kept = async (what, way, question) => {
            const asked = new Promise((done) => page.once('dialog', async (dialog) => { await dialog.dismiss(); done(dialog.type() === 'beforeunload' ? 'reload' : dialog.message()); }));
            await way();
            const text = await Promise.race([asked, sleep(3000)]);
            insist(text === question, `${what}: ${text ?? 'not asked'}`);
            await until(async () => new URL(page.url()).pathname === '/console/documents', `${what}: back`);
            insist(await page.locator('progress').count() === 1, `${what}: cut off`);
        };
        const cut = 'Leave this screen? The upload in progress will be canceled.';
        await kept('a link', () => page.locator('nav').getByRole('link', { name: 'Bots' }).click(), cut);
        await kept('Back', () => page.evaluate(() => history.back()), cut);
        await kept('the sign-out', () => button('Sign out').click(), cut);
        await kept('a reload', () => page.evaluate(() => { setTimeout(() => location.reload()); }), 'reload');
        page.once('dialog', (dialog) => dialog.accept());
        await page.locator('nav').getByRole('link', { name: 'Bots' }).click();
        await page.getByRole('heading', { level: 1, name: 'Bots' }).waitFor();
        await speed(-1);
        await until(async () => (await read('/document')).resources.every((each) => each.fileName !== 'half.bin'), 'removed');
        await go('Staff'); // not asked again
    },
    async 'a logo goes once that is confirmed'() {
        await api('PUT', '/v1/project/branding/logo', { image: png().toString('base64') }, admin);
        await page.goto(`${CONSOLE}/branding`);
        await press(button('Remove logo'));
        await page.locator('dialog').getByText('The image will be deleted').waitFor();
        await page.keyboard.press('Escape');
        insist((await read('/v1/project/branding')).logo, 'it is gone');
        await press(button('Remove logo'));
        await press(page.locator('dialog').getByRole('button', { name: 'Remove' }));
        await says('Removed.');
        insist(!(await read('/v1/project/branding')).logo, 'it is there');
    },
    async 'a list of ten thousand people opens at once'() {
        await signInHere();
        for (let i = 0; i < PEOPLE; i += 2000) {
            const accounts = Array.from({ length: 2000 }, (each, k) => ({ email: `person${i + k}@many.example`, firstName: 'Person', lastName: `${i + k}` }));
            const { status, data } = await api('POST', '/v1/projects/me/imports', { accounts }, admin);
            insist(status === 200 && data.imported === 2000, data);
        }
        await page.goto(`${CONSOLE}/`);
        // From the click until the frame after this many rows is drawn, the best of several on a busy machine.
        const opens = async (path, rows, limit) => {
            let best = Infinity;
            for (let i = 0; i < 5 || (i < 30 && best >= limit); i++) {
                await page.locator('nav').getByRole('link', { name: 'Overview', exact: true }).click();
                await heading('Setup status').waitFor();
                best = Math.min(best, await page.evaluate(([to, count]) => new Promise((done) => {
                    const begin = performance.now();
                    const seen = new MutationObserver(() => {
                        if (document.querySelectorAll('main tbody tr').length < count)
                            return;
                        seen.disconnect();
                        requestAnimationFrame(() => setTimeout(() => done(Math.round(performance.now() - begin))));
                    });

                    seen.observe(document.body, { subtree: true, childList: true });
                    document.querySelector(`nav a[href$="${to}"]`).click();
                }), [path, rows]));
            }
            return best;
        };
        // A machine that is slow for the few bots can be slow for people too.
        const few = await opens('/bots', 1, LIST_MS), limit = Math.max(LIST_MS, 3 * few), many = await opens('/patients', 50, limit);

        console.log(`   ${many} ms from the click to the rows of ${PEOPLE} people, ${few} ms to those of the bots`);
        insist(many < limit, `${many} ms, and ${few} ms for the bots`);
    },
    async 'an ID token for another client is no sign-in'() {
        const other = await open();
        await other.route('**/token', async (route) => {
            const answer = await route.fetch(), made = await answer.json();
            const [head, claims, signature] = made.id_token?.split('.') ?? [];
            const swapped = claims && Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(claims, 'base64url')), aud: 'another' })).toString('base64url');
            await route.fulfill({ response: answer, json: claims ? { ...made, id_token: `${head}.${swapped}.${signature}` } : made });
        });
        await typeSignIn(other);
        await other.waitForURL('**/console/**');
        await button('Sign out', other).or(field('Tenant code', other)).waitFor();
        insist(await button('Sign out', other).count() === 0, 'it has signed in');
        insist(await other.evaluate(() => sessionStorage.getItem('atrium.console.session')) === null, 'a token is kept');
        await other.context().close();
    },
    async 'a session that is ended elsewhere leads to the sign-in'() {
        await signInHere();
        await api('DELETE', '/auth/session/all', undefined, admin);
        await page.locator('nav').getByRole('link', { name: 'Webhooks' }).click();
        await page.getByText('Your session has ended. Please sign in again.').waitFor();
        insist(await page.evaluate(() => sessionStorage.length === 0), 'a token is kept');
    },
};

// ---- run ----

browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-quic',
    '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'] });
await signInHere();
page = await open();
let failed = 0;
const only = process.env.CONSOLE_STEPS && new RegExp(process.env.CONSOLE_STEPS);
if (only)
    await signIn();
for (const [name, step] of Object.entries({ jobs, axe: accessible, trouble }[part]).filter(([each]) => !only || only.test(each))) {
    try {
        await step();
        insist(faults.length === 0, faults.splice(0).join('; '));
        console.log(`ok ${name}`);
    } catch (error) {
        failed++;
        console.log(`FAILED ${name}: ${error.message}`);
        if (process.env.CONSOLE_PICTURES)
            await page.screenshot({ path: `${process.env.CONSOLE_PICTURES}/${name.replace(/\W+/g, '-')}.png`, fullPage: true }).catch(() => {});
        faults.splice(0);
    }
}
await browser.close();
process.exit(failed ? 1 : 0);
