// reference.mjs SUITE [PICTURES] - the API reference at /docs in Chromium, with the suite of the folder SUITE behind it:
// read an operation, authorize with a token, try it. A report of the Content-Security-Policy, a script that threw and a
// request to another origin fail. PICTURES: a folder for pictures of the page, wide and narrow, light and dark.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import npm from '../support/npm.cjs';

const require = npm('console');
const { chromium } = require('playwright-core');

const [suiteDir, pictures] = process.argv.slice(2);
const { baseUrl: gateway, publicUrl, demo } = JSON.parse(readFileSync(path.join(suiteDir, 'dev.json'), 'utf8'));
const ORIGIN = new URL(publicUrl).origin;
const faults = [];

async function signIn() {
    const answer = await fetch(`${gateway}/v2/auth/login`, { method: 'POST', headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ email: demo.adminEmail, password: demo.adminPassword, clientId: demo.clientId }) });

    return (await answer.json()).accessToken;
}

async function open(browser, width, colorScheme) {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, locale: 'en' });
    const page = await context.newPage();

    page.setDefaultTimeout(60_000);
    page.on('console', (message) => /Content Security Policy|Trusted/.test(message.text()) && faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('request', (request) => {
        const url = new URL(request.url());
        if (url.protocol !== 'data:' && url.protocol !== 'blob:' && url.origin !== ORIGIN)
            faults.push(`asked ${url.origin}`);
    });
    await page.goto(`${publicUrl}/docs`);
    // The list has only the operations in view.
    await page.locator('.operation-filter-input').fill('/auth/me');
    await page.locator('#operations-Account-me').waitFor();
    return page;
}

async function tryMe(page, token) {
    await page.locator('.btn.authorize').click();
    const bearer = page.locator('.auth-container', { hasText: 'bearer' }).first();
    if (!(await bearer.textContent()).includes('/v2/auth/login'))
        faults.push('the dialog does not say how to get a token');
    await bearer.locator('input').fill(token);
    await bearer.locator('button.authorize').click();
    await page.locator('.btn-done').first().click();

    const me = page.locator('#operations-Account-me');
    await me.locator('.opblock-summary-control').click();
    await me.getByText('Try it out').click();
    await me.locator('.btn.execute').click();
    const status = (await me.locator('.live-responses-table .response-col_status').nth(1).textContent()).trim();
    const body = await me.locator('.live-responses-table .response-col_description').nth(1).textContent();

    if (!status.startsWith('200') || !body.includes(demo.adminEmail))
        faults.push(`GET /auth/me: ${status} ${body.slice(0, 300)}`);
}

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--headless=new', '--no-sandbox',
    '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update',
    '--disable-sync'] });
const token = await signIn();

for (const [width, scheme] of [[1440, 'light'], [390, 'dark'], [1440, 'dark'], [390, 'light']]) {
    const page = await open(browser, width, scheme);
    const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

    if (sideways > 0)
        faults.push(`${width}: ${sideways} pixels wider than the window`);
    if (pictures)
        await page.screenshot({ path: path.join(pictures, `reference-${width}-${scheme}.png`) });
    if (width === 1440 && scheme === 'light' || width === 390 && scheme === 'dark')
        await tryMe(page, token);
    if (pictures)
        await page.screenshot({ path: path.join(pictures, `reference-${width}-${scheme}-me.png`) });
    await page.context().close();
}
await browser.close();
for (const fault of faults)
    console.error(fault);
process.exit(faults.length ? 1 : 0);
