// pictures.mjs DEV_JSON FOLDER - screenshots of a demo tenant's console, after adding people, branding and settings; see
// pictures.sh.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import npm from '../support/npm.cjs';

const require = npm('console');
const { chromium } = require('playwright-core');
const [devJson, folder] = process.argv.slice(2);
const { baseUrl, publicUrl, demo } = JSON.parse(readFileSync(devJson, 'utf8'));
const people = [['Ana', 'Lima'], ['Ben', 'Okafor'], ['Carla', 'Weiss'], ['Diego', 'Fuentes'], ['Emre', 'Yildiz']];
let admin;

async function api(method, at, body) {
    const answer = await fetch(baseUrl + at, { method, body: body && JSON.stringify(body),
        headers: { 'Content-Type': 'application/json', ...(admin && { Authorization: `Bearer ${admin}` }) } });

    if (!answer.ok)
        throw new Error(`${method} ${at}: ${answer.status} ${await answer.text()}`);
    return answer.status === 204 ? null : answer.json();
}

async function fill(browser) {
    for (const [name, surname] of people)
        await api('POST', '/auth/tenant/Patient/register', { email: `${name}.${surname}@patients.example`.toLowerCase(), name, surname,
            password: 'correct horse battery staple', tenantCode: demo.tenantCode });
    admin = (await api('POST', '/v2/auth/login', { email: demo.adminEmail, password: demo.adminPassword, clientId: demo.clientId })).accessToken;
    for (const name of ['PATIENT_APP_URL', 'PRACTITIONER_APP_URL'])
        await api('PUT', `/v1/project/settings/values/${name}`, { value: `https://${name.split('_')[0].toLowerCase()}s.seeblick.example` });
    await api('PUT', '/v1/project/branding', { name: 'Seeblick Clinic', colorLight: '#7a1f5c', colorDark: '#f2a7d8',
        imprintUrl: 'https://seeblick.example/imprint', privacyUrl: 'https://seeblick.example/privacy',
        texts: [{ language: 'en', intro: 'Sign in to see your appointments.', help: 'Help: +1 555 0100, Monday to Friday' }] });

    const page = await browser.newPage({ viewport: { width: 320, height: 96 } });

    await page.setContent('<body style="margin:0"><svg width="320" height="96" fill="#7a1f5c"><circle cx="48" cy="48" r="40"/>' +
        '<path d="M120 28h18v40h-18zM154 28h18v40h-18zM188 28h18v40h-18zM222 28h18v40h-18z"/></svg>');
    await api('PUT', '/v1/project/branding/logo', { image: (await page.screenshot({ omitBackground: true })).toString('base64') });
    await page.close();
}

// Elements filled by an API response are there.
const settled = (page) => page.waitForFunction(() => document.querySelector('.who') && !document.querySelector('[aria-busy=true]'));

async function signedIn(browser, width, height, colorScheme) {
    const page = await browser.newPage({ viewport: { width, height }, colorScheme, locale: 'en', timezoneId: 'UTC' });

    await page.goto(`${publicUrl}/console/?tenant=${demo.tenantCode}`);
    await page.waitForURL('**/sign-in?**');
    await page.fill('#email', demo.adminEmail);
    await page.fill('#password', demo.adminPassword);
    await page.click('form button');
    await settled(page);
    return page;
}

async function take(page, at, name, { fullPage = false, prepare } = {}) {
    await page.goto(`${publicUrl}/console${at}`);
    await settled(page);
    await prepare?.(page);
    await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage, animations: 'disabled' });
}

async function prove(page) {
    const row = page.getByRole('button', { name: 'Changed the branding' }).first(), dialog = page.locator('dialog');

    for (let i = 0; i < 60; i++) { // until the row is a leaf of the Merkle tree
        await row.click();
        await dialog.locator('.badge, [role=alert]').first().waitFor();
        if (await dialog.getByText('Verified', { exact: true }).count() > 0)
            return;
        await page.keyboard.press('Escape');
        await page.waitForTimeout(500);
    }
    throw new Error('the row of the trail is not proven');
}

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });

await fill(browser);
const page = await signedIn(browser, 1440, 900, 'light');
await take(page, '/', 'overview');
await take(page, '/templates/PATIENT_WELCOME', 'template', { fullPage: true,
    prepare: () => page.frameLocator('iframe').locator('body *').first().waitFor() });
await take(page, '/audit', 'audit', { prepare: prove });
const dark = await signedIn(browser, 1440, 900, 'dark');
await take(dark, '/settings', 'settings', { fullPage: true });
await take(dark, '/branding', 'branding', { prepare: () => dark.waitForTimeout(500) });
await take(await signedIn(browser, 390, 844, 'light'), '/patients', 'people', { fullPage: true });
await browser.close();
