// lighthouse.mjs PUBLIC_URL TENANT - the hosted pages and the console's first screen as Lighthouse 12 sees them, on its slow
// profile (a slow phone on slow 4G, simulated).
//
// Each page must have at least LEAST in performance, accessibility and best practices; search engines are kept out, so SEO is not
// measured. The console besides has to bring its first screen within CONSOLE_GZIP bytes. The figures are printed as a table;
// the exit code is 1 when one is too low. ATRIUM_LIGHTHOUSE_ONLY=WORD measures the pages with that word alone.
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(path.resolve('build/lighthouse/node_modules/package.json'));
const { chromium } = require('playwright-core');
const { default: lighthouse } = await import(pathToFileURL(require.resolve('lighthouse')));

const [url, tenant] = process.argv.slice(2);
const only = process.env.ATRIUM_LIGHTHOUSE_ONLY;
const CATEGORIES = ['performance', 'accessibility', 'best-practices'];
const LEAST = 0.95;
const CONSOLE_GZIP = 70 * 1024;
const PASSWORD = 'correct horse battery staple';
const LINK = '?id=0198c0de-0000-7000-8000-000000000000&secret=x';

// What anyone can open, and what needs a session.
const OPEN = ['sign-in', 'register', 'reset-password', `set-password${LINK}`, `verify-email${LINK}`, `undo-email${LINK}`,
    `invitation${LINK}`];
const OWN = ['account', 'account/password', 'account/factor', 'account/passkeys', 'account/export', 'account/delete', 'change-email',
    'step-up?goal=account', 'logout'];

const address = (page) => `${url}/t/${tenant}/${page}`;

function freePort() {
    return new Promise((done) => {
        const server = createServer().listen(0, '127.0.0.1', () => {
            const { port } = server.address();

            server.close(() => done(port));
        });
    });
}

async function register(browser) {
    const page = await browser.newPage();

    await page.goto(address('register'));
    await page.fill('#name', 'Ana');
    await page.fill('#surname', 'Prova');
    await page.fill('#email', `lighthouse-${process.pid}@patients.example`);
    await page.fill('#password', PASSWORD);
    await page.click('button');
    await page.waitForURL(address('account'));
    await page.close();
}

let failed = 0;
const row = (...cells) => console.log(`| ${cells.join(' | ')} |`);

// The page as Lighthouse sees it; the cookie stays. What is lower than it may be is printed with the audits that cost it.
async function measure(name, at, port, look = () => []) {
    if (only && !name.includes(only))
        return;
    const { lhr } = await lighthouse(at, { port, onlyCategories: CATEGORIES, disableStorageReset: true, logLevel: 'error' });
    const scores = CATEGORIES.map((category) => lhr.categories[category].score ?? 0);
    const low = CATEGORIES.filter((category, i) => !(scores[i] >= LEAST));
    const why = low.flatMap((category) => lhr.categories[category].auditRefs.filter(({ id, weight }) => weight > 0 &&
        lhr.audits[id].score !== null && lhr.audits[id].score < 1).map(({ id }) => `${category}: ${id} ${lhr.audits[id].displayValue ?? ''}`));

    if (lhr.runtimeError)
        why.push(lhr.runtimeError.message);
    why.push(...look(lhr));
    row(name, ...scores.map((score) => score.toFixed(2)), `${Math.round(lhr.audits['largest-contentful-paint'].numericValue ?? 0)} ms`,
        `${Math.ceil((lhr.audits['total-byte-weight'].numericValue ?? 0) / 1024)} KiB`);
    for (const each of why)
        console.log(`FAILED ${name}: ${each}`);
    failed += why.length;
}

function isSmall({ audits }) {
    const bytes = audits['total-byte-weight'].numericValue;

    return bytes <= CONSOLE_GZIP ? [] : [`${bytes} bytes are more than ${CONSOLE_GZIP}`];
}

async function main() {
    const port = await freePort();
    const browser = await chromium.launchPersistentContext(path.join(process.env.TMPDIR ?? '/tmp', 'lighthouse'), {
        executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', `--remote-debugging-port=${port}`] });

    row('page', ...CATEGORIES, 'largest paint', 'weight');
    row('---', '---', '---', '---', '---', '---');
    for (const page of OPEN)
        await measure(page.replace(LINK, ''), address(page), port);
    await measure('console', `${url}/console/`, port, isSmall);
    await register(browser);
    for (const page of OWN)
        await measure(page, address(page), port);
    await browser.close();
    process.exit(failed ? 1 : 0);
}

main().catch((error) => {
    console.log(`FAILED: ${error.stack}`);
    process.exit(1);
});
