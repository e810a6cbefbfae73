// firefox.mjs SUITE - an admin's twelve jobs in Firefox ESR, with the suite of the directory SUITE.
//
// Each job prints "ok NAME" or "FAILED NAME: why"; the exit code is 1 when one failed. Elements are found by what people
// see (role, label), so that another layout changes nothing here, and each job is checked with the API. A violated
// CSP and an uncaught exception fail the job. The pattern CONSOLE_STEPS selects jobs. Firefox's files are in TMPDIR.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import npm from '../support/npm.cjs';

const puppeteer = npm('console')('puppeteer-core');

const suiteDir = process.argv[2];
const { baseUrl: gateway, publicUrl, demo } = JSON.parse(readFileSync(path.join(suiteDir, 'dev.json'), 'utf8'));
const CONSOLE = `${publicUrl}/console`;
const WAIT_MS = 60_000; // maximum wait on a busy machine

function insist(condition, why) {
    if (!condition)
        throw new Error(why);
}

async function until(condition, what) {
    for (const end = Date.now() + WAIT_MS; ; await new Promise((done) => setTimeout(done, 100))) {
        const value = await condition();
        if (value)
            return value;
        insist(Date.now() < end, `never: ${what}`);
    }
}

// ---- the API, from here ----

let admin; // an access token of demo's admin

async function api(method, route, body) {
    const answer = await fetch(gateway + route, { method, body: body && JSON.stringify(body),
        headers: { 'Content-Type': 'application/json', ...(admin && { Authorization: `Bearer ${admin}` }) } });
    const text = await answer.text();

    insist(answer.ok, `${method} ${route}: ${answer.status} ${text}`);
    return text ? JSON.parse(text) : null;
}

const listed = async (route) => (await api('GET', route)).resources;

// ---- the browser ----

let page;
const faults = [];

const SELECTORS = { button: 'button', link: 'a[href]', field: 'input:not([type=hidden], [type=checkbox], [type=radio]), select, textarea',
    check: 'input[type=checkbox], input[type=radio]', search: 'input[type=search]', file: 'input[type=file]', heading: 'h1, h2' };

// Returns the first visible and enabled element of a role whose name matches the whole pattern, or null. An open dialog
// hides everything below it. File inputs are behind a button.
const seek = (role, pattern) => page.evaluateHandle((selector, source, anyway) => {
    const named = new RegExp(`^(${source})$`);
    const nameOf = (each) => (each.getAttribute('aria-label') ?? (each.labels?.length ? each.labels[0].textContent : each.textContent)).trim().replace(/\s+/g, ' ');

    return [...([...document.querySelectorAll('dialog[open]')].pop() ?? document).querySelectorAll(selector)]
        .find((each) => (anyway || (each.getClientRects().length > 0 && !each.disabled && !each.ariaDisabled)) && named.test(nameOf(each))) ?? null;
}, SELECTORS[role], pattern, role === 'file').then((handle) => handle.asElement());

const find = (role, pattern = '.*') => until(() => seek(role, pattern), `${role} "${pattern}"`);
const has = async (role, pattern) => await seek(role, pattern) !== null;

async function click(role, pattern) {
    await (await find(role, pattern)).click();
}

async function fill(label, text, role = 'field') {
    const field = await find(role, label);

    await field.focus();
    await field.evaluate((element) => element.select());
    await page.keyboard.type(text);
    insist(await field.evaluate((element) => element.value) === text, `"${label}" has another text`);
}

const press = (key) => page.keyboard.press(key);
const settled = () => until(async () => await page.$('main [aria-busy=true]') === null, 'the screen is there');

async function go(title) {
    await click('link', title);
    await until(() => page.$$eval('h1', (all, source) => all.some((each) => new RegExp(`^(${source})$`).test(each.textContent)), title), `the screen ${title}`);
    await settled();
}

// The submit button of a form or dialog, whatever it says.
async function submit() {
    await until(() => page.evaluate(() => {
        const button = ([...document.querySelectorAll('dialog[open]')].pop() ?? document.querySelector('main')).querySelector('button[type=submit]:not(:disabled)');

        button?.focus();
        return button !== null;
    }), 'a form that can be sent');
    await press('Enter');
}

async function leaveDialogs() {
    for (let i = 0; i < 3 && await page.$('dialog[open]') !== null; i++) {
        await press('Escape');
        await new Promise((done) => setTimeout(done, 300));
    }
}

const EMAIL = 'ana.lima@patients.example';

// Opens the patient's own screen.
async function openPatient() {
    await go('Patients|People');
    await fill('.*', EMAIL, 'search');
    await until(async () => await page.$$eval('main tbody tr', (rows) => rows.length) === 1, 'one person');
    await click('link', 'Ana Lima.*');
    await until(() => page.$eval('h1', (element) => element.textContent.includes('Ana Lima')), 'the person');
    await settled();
}

async function patient() {
    const [found] = await listed(`/v1/project/accounts?search=${encodeURIComponent(EMAIL)}`);

    return found;
}

const jobs = {
    async 'signs in'() {
        await page.goto(`${CONSOLE}/?tenant=${demo.tenantCode}`);
        await (await page.waitForSelector('input[name=email]')).type(demo.adminEmail);
        await (await page.waitForSelector('input[name=password]')).type(demo.adminPassword);
        await press('Enter');
        await find('button', 'Sign out');
        await find('heading', 'Overview');
    },
    async 'invites someone'() {
        await go('Staff|Members');
        await click('button', 'Invite.*');
        await fill('Email( address)?', 'rui@lakeside.example');
        await fill('First name', 'Rui');
        await fill('Last name', 'Costa');
        await submit();
        await until(async () => (await listed('/v1/projects/me/members?invited=Practitioner')).some((each) => each.email === 'rui@lakeside.example'), 'the invitation');
    },
    async 'finds a person and ends their sessions'() {
        const { id } = await patient();
        await openPatient();
        insist((await listed(`/v1/project/accounts/${id}/sessions`)).length > 0, 'no session to end');
        await click('button', 'End (all )?sessions');
        await fill('Reason', 'Ticket 4711');
        await submit();
        await until(async () => (await listed(`/v1/project/accounts/${id}/sessions`)).length === 0, 'the sessions have ended');
    },
    async 'locks the person'() {
        await openPatient();
        await click('button', 'Lock( .*)?');
        await fill('Reason', 'Ticket 4712');
        await submit();
        await until(async () => (await patient()).state === 'locked', 'locked');
    },
    async 'changes a setting'() {
        await go('Settings');
        await fill('Patient app URL', 'https://my.lakeside.example');
        await press('Enter');
        await until(async () => (await api('GET', '/v1/project/settings')).settings.PATIENT_APP_URL === 'https://my.lakeside.example', 'written');
    },
    async 'makes an access policy'() {
        await go('Access policies');
        await click('button', 'New policy');
        await fill('Name', 'Readers');
        await submit();
        await until(async () => (await listed('/v1/project/access-policies')).some((each) => each.name === 'Readers'), 'the policy');
    },
    async 'makes an application'() {
        await go('Applications');
        await click('button', '(Register|New|Add) application');
        await fill('Name', 'Portal');
        if (await has('field', 'Redirect URIs.*'))
            await fill('Redirect URIs.*', 'https://portal.example/callback');
        await submit();
        await until(async () => (await listed('/v1/project/clients')).some((each) => each.name === 'Portal'), 'the application');
    },
    async 'edits a mail template'() {
        await go('Mail templates');
        await click('link', 'Welcome email.*');
        await fill('Subject', 'Welcome to our clinic');
        await fill('Text', 'Hello');
        await submit();
        await until(async () => (await listed('/v1/project/email-templates')).some((each) => each.subject === 'Welcome to our clinic'), 'the template');
    },
    async 'uploads a document, and sees it'() {
        const file = path.join(mkdtempSync(path.join(process.env.TMPDIR ?? '/tmp', 'files-')), 'letter.txt');
        writeFileSync(file, 'Dear Ana');
        await go('Documents');
        await (await find('file')).uploadFile(file);
        await until(async () => (await listed('/document')).some((each) => each.fileName === 'letter.txt' && each.size === 8), 'the document');
        await click('button', 'letter.txt');
        await until(() => page.$eval('dialog[open]', (element) => element.textContent.includes('Dear Ana')), 'its preview');
    },
    async 'writes content'() {
        await go('Content');
        await click('button', 'New entry');
        await fill('Key', 'opening-hours');
        await submit();
        await fill('Title', 'Opening hours');
        await fill('Text 1', 'Monday to Friday');
        await submit();
        const { defaultLanguage } = await api('GET', '/locales');
        await until(async () => (await api('GET', `/cms/article/opening-hours/${defaultLanguage}`).catch(() => null))?.title === 'Opening hours', 'the entry');
    },
    async 'makes a bot'() {
        await go('Bots');
        await click('button', 'New bot');
        await fill('Name', 'Intake');
        await fill('Identifier( value)?', 'intake');
        await fill('URL', 'https://bots.lakeside.example/intake');
        await submit();
        await until(async () => (await listed('/v1/project/bots')).some((each) => each.name === 'Intake'), 'the bot');
        await find('heading', 'Copy.*secret.*');
    },
    async 'makes a webhook'() {
        await go('Webhooks');
        await click('button', 'New webhook');
        await fill('URL', 'https://hooks.lakeside.example/atrium');
        await click('check', '.*session\\.created.*');
        await submit();
        await until(async () => (await listed('/v1/project/webhooks')).some((each) => each.url === 'https://hooks.lakeside.example/atrium'), 'the webhook');
        await find('heading', 'Copy.*secret.*');
    },
};

// ---- run ----

await api('POST', '/auth/tenant/Patient/register', { email: EMAIL, name: 'Ana', surname: 'Lima', password: 'correct horse battery staple', tenantCode: demo.tenantCode });
admin = (await api('POST', '/v2/auth/login', { email: demo.adminEmail, password: demo.adminPassword, clientId: demo.clientId })).accessToken;

const browser = await puppeteer.launch({ browser: 'firefox', executablePath: '/usr/bin/firefox-esr', headless: true, protocolTimeout: 2 * WAIT_MS,
    timeout: WAIT_MS, defaultViewport: { width: 1366, height: 768 }, extraPrefsFirefox: { 'intl.accept_languages': 'en', 'intl.locale.requested': 'en' } });

console.log(`   ${await browser.version()}`);
page = await browser.newPage();
page.setDefaultTimeout(WAIT_MS);
// The hosted pages have no icon and allow no image, so their policy forbids the icon that Firefox looks for.
// A template's preview has its own policy, with which it loads no image.
const note = (text) => !text.includes('/favicon.ico') && !text.includes('“img-src data:”') && faults.push(text);
page.on('pageerror', (error) => note(error.message));
await page.exposeFunction('atriumFault', note);
await page.evaluateOnNewDocument(() => document.addEventListener('securitypolicyviolation',
    ({ effectiveDirective, blockedURI }) => window.atriumFault(`CSP: ${effectiveDirective} ${blockedURI}`)));

const only = process.env.CONSOLE_STEPS && new RegExp(process.env.CONSOLE_STEPS);
let failed = 0;

for (const [name, job] of Object.entries(jobs).filter(([each]) => !only || each === 'signs in' || only.test(each))) {
    try {
        await job();
        insist(faults.length === 0, faults.join('; '));
        await leaveDialogs();
        console.log(`ok an admin ${name}`);
    } catch (error) {
        failed++;
        console.log(`FAILED an admin ${name}: ${error.message}`);
        if (process.env.CONSOLE_PICTURES)
            await page.screenshot({ path: path.join(process.env.CONSOLE_PICTURES, `firefox-${name.replace(/\W+/g, '-')}.png`) }).catch(() => {});
        await leaveDialogs().catch(() => {});
    }
    faults.splice(0);
}
await browser.close();
process.exit(failed ? 1 : 0);
