// browser.cjs PUBLIC_URL TENANT - the hosted pages in Chromium.
//
// Each page in both colour schemes, 320 and 1,280 pixels wide and without JavaScript: axe-core finds nothing against WCAG
// 2.2 AA, nothing is wider than the window, no report of the content security policy. Then the same with the keyboard
// alone, and passkeys, the one thing that needs a script, with a virtual authenticator. Each step is a line "ok NAME" or
// "FAILED NAME: why"; the exit code is 1 when one failed. ATRIUM_PAGES_SHOTS=FOLDER keeps a picture of each page.
const fs = require('node:fs');
const path = require('node:path');
const { createHmac } = require('node:crypto');

const modules = path.resolve('build/pages/node_modules');
const { chromium } = require(path.join(modules, 'playwright-core'));
const axe = fs.readFileSync(path.join(modules, 'axe-core/axe.min.js'), 'utf8');

const [url, tenant] = process.argv.slice(2);
const shots = process.env.ATRIUM_PAGES_SHOTS;
const PASSWORD = 'correct horse battery staple';
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const STEP_MS = 20000;
let failed = 0, people = 0, clients = 0, reports = [];

function insist(condition, why) {
    if (!condition)
        throw new Error(why);
}

async function step(name, act) {
    try {
        await act();
        insist(reports.length === 0, `policy: ${reports.join('; ')}`);
        console.log(`ok ${name}`);
    } catch (error) {
        failed++;
        console.log(`FAILED ${name}: ${error.message.split('\n').slice(0, 6).join(' | ')}`);
    }
    reports = [];
}

const address = (page) => `${url}/t/${tenant}/${page}`;
const newEmail = () => `pages${++people}-${process.pid}@patients.example`;

async function openPage(browser, options) {
    // a client address of its own: limits of one address are not in the way
    const context = await browser.newContext({
        locale: 'en-GB', extraHTTPHeaders: { 'X-Forwarded-For': `198.18.0.${++clients}` }, ...options });
    const page = await context.newPage();

    page.setDefaultTimeout(STEP_MS);
    page.like = options;
    page.on('console', (message) => {
        if (/content security policy|trusted type/i.test(message.text()))
            reports.push(message.text());
    });
    return page;
}

// What axe-core says of the page, and whether it fits into the window. A picture, when they are kept. Where scripts are off
// axe-core does not run either: it looks at the same document in a page beside.
async function check(page, name) {
    page.beside ??= await page.context().browser().newPage({ ...page.like, javaScriptEnabled: true });

    if (shots)
        await page.screenshot({ path: path.join(shots, `${name}.png`), fullPage: true });
    await page.beside.setContent(await page.content());
    const { violations } = await page.beside.evaluate(`${axe}; axe.run(document, {runOnly: ${JSON.stringify(RULES)}})`);
    const wide = await page.beside.evaluate('document.documentElement.scrollWidth - innerWidth');
    insist(violations.length === 0,
        violations.map((each) => `${each.id}: ${each.nodes.map((node) => node.html).join(' ')}`).join('; '));
    insist(wide <= 0, `${wide} pixels too wide`);
    insist(!/[{}]/.test(await page.title()), 'a placeholder in the title');
}

async function register(page, email) {
    await page.goto(address('register'));
    await page.fill('#name', 'Ana');
    await page.fill('#surname', 'Prova');
    await page.fill('#email', email);
    await page.fill('#password', PASSWORD);
    await page.click('button');
    await page.waitForURL(address('account'));
}

async function signIn(page, email) {
    await page.goto(address('sign-in'));
    await page.fill('#email', email);
    await page.fill('#password', PASSWORD);
    await page.click('form button');
}

function totp(key) {
    const bits = [...key.replace(/ /g, '')].map((c) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(c).toString(2).padStart(5, '0'));
    const bytes = Buffer.from(bits.join('').match(/.{8}/g).map((byte) => parseInt(byte, 2)));
    const counter = Buffer.alloc(8);

    counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30000)));
    const mac = createHmac('sha1', bytes).update(counter).digest(), at = mac[19] & 15;
    return String((mac.readUInt32BE(at) & 0x7fffffff) % 1000000).padStart(6, '0');
}

// ---- every page ----

async function visitAll(browser, scheme, width) {
    const page = await openPage(browser, {
        javaScriptEnabled: false, colorScheme: scheme, viewport: { width, height: 800 } });
    const email = newEmail();
    const see = (name, open) => step(`${name} ${scheme} ${width}`, async () => {
        await open();
        await check(page, `${name}-${scheme}-${width}`);
    });
    const at = (name) => page.goto(address(name));

    await see('sign-in', () => at('sign-in'));
    await see('sign-in-wrong', async () => {
        await page.fill('#email', 'nonsense');
        await page.click('form button');
    });
    await see('no-page', () => page.goto(`${url}/t/nowhere/sign-in`));
    await see('register-wrong', async () => {
        await at('register');
        await page.click('button');
    });
    await see('register', () => at('register'));
    await see('reset-password', () => at('reset-password'));
    await see('reset-sent', async () => {
        await page.fill('#email', 'none@there.example');
        await page.click('button');
    });
    for (const link of ['set-password', 'verify-email', 'undo-email'])
        await see(link, () => at(`${link}?id=0198c0de-0000-7000-8000-000000000000&secret=x`));
    await see('dead-link', () => page.click('button'));
    await see('account', () => register(page, email));
    await see('account-twice', async () => {
        const other = await openPage(browser, {});
        await signIn(other, email);
        await other.waitForURL(address('account'));
        await other.context().close();
        await at('account');
    });
    await see('change-email', () => at('change-email'));
    await see('change-email-wrong', () => page.click('button'));
    await see('password', () => at('account/password'));
    await see('password-wrong', () => page.click('button'));
    await see('passkeys', () => at('account/passkeys'));
    await see('step-up', () => at('step-up?goal=account'));
    await see('step-up-wrong', async () => {
        await page.fill('#password', 'wrong');
        await page.click('button');
    });
    await see('factor', () => at('account/factor'));
    await see('factor-wrong', async () => {
        await page.fill('#code', '000000');
        await page.click('button');
    });
    await see('recovery-codes', async () => {
        await page.fill('#code', totp(await page.textContent('strong bdi')));
        await page.click('button');
    });
    await see('factor-on', () => at('account/factor'));
    await see('step-up-code', () => at('step-up?goal=account'));
    await see('delete', () => at('account/delete'));
    await see('account-ends', async () => {
        await page.click('button');
        await page.waitForURL(address('account'));
    });
    await see('keep', () => page.click('button[value=keep]'));
    await see('mfa', async () => {
        await page.fill('#email', email);
        await page.fill('#password', PASSWORD);
        await page.click('form button');
        await page.waitForSelector('#code');
    });
    await page.context().close();
}

// ---- the keyboard ----

async function keyboardAlone(browser) {
    const page = await openPage(browser, { javaScriptEnabled: false });
    const email = newEmail();
    const type = async (...texts) => {
        for (const text of texts) {
            await page.keyboard.type(text);
            await page.keyboard.press('Tab');
        }
    };

    await step('registers with the keyboard', async () => {
        await page.goto(address('register')); // the first field has the focus
        await type('Ana', 'Prova', email);
        await page.keyboard.type(PASSWORD);
        await page.keyboard.press('Enter');
        await page.waitForURL(address('account'));
    });
    await step('signs out and in with the keyboard', async () => {
        for (let i = 0; i < 20 && await page.evaluate('document.activeElement.value') !== 'sign-out'; i++)
            await page.keyboard.press('Tab');
        insist(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle') !== 'none', 'no focus is seen');
        await page.keyboard.press('Enter');
        await page.waitForURL(address('sign-in?note=signed-out'));
        await type(email);
        await page.keyboard.type(PASSWORD);
        await page.keyboard.press('Enter');
        await page.waitForURL(address('account'));
    });
    await page.context().close();
}

// ---- passkeys ----

async function passkeys(browser) {
    const page = await openPage(browser, {});
    const client = await page.context().newCDPSession(page);
    const email = newEmail();

    await client.send('WebAuthn.enable', { enableUI: false });
    const { authenticatorId } = await client.send('WebAuthn.addVirtualAuthenticator', {
        options: {
            protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true,
            isUserVerified: true, automaticPresenceSimulation: true,
        },
    });
    const keys = async () => (await client.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length;

    await step('a passkey is added', async () => {
        await register(page, email);
        await page.goto(address('account/passkeys'));
        await page.fill('#passkey-name', 'My <b>phone</b>');
        await page.click('#passkey button');
        await page.waitForURL(address('account/passkeys?note=passkey-changed'));
        insist(await page.inputValue('#name-1') === 'My <b>phone</b>', 'its name');
        insist(await keys() === 1, 'the authenticator has none');
        await check(page, 'passkeys-one');
    });
    await step('it is renamed', async () => {
        await page.fill('#name-1', 'Telephone');
        await page.click('button[value=rename]');
        await page.waitForURL(address('account/passkeys?note=passkey-changed'));
        insist(await page.inputValue('#name-1') === 'Telephone', 'its name');
    });
    await step('a fresh proof takes it', async () => {
        await page.goto(address('step-up?goal=account/passkeys'));
        await page.click('#passkey button');
        await page.waitForURL(address('account/passkeys'));
        await page.goto(address('account'));
    });
    await step('it signs in from the list at the address field', async () => {
        await page.click('button[value=sign-out]'); // the page behind asks by itself
        await page.waitForURL(address('account'));
        insist((await page.textContent('dl')).includes(email), 'another account');
    });
    await step('it signs in by its button', async () => {
        await client.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: false });
        await page.click('button[value=sign-out]');
        await page.waitForURL(address('sign-in?note=signed-out'));
        await check(page, 'sign-in-passkey');
        await client.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: true });
        await page.click('#passkey button').catch(() => {});
        await page.waitForURL(address('account'));
    });
    await step('it is removed and signs in no more', async () => {
        await page.goto(address('account/passkeys'));
        await page.click('button[value=remove]');
        await page.waitForURL(address('account/passkeys?note=passkey-changed'));
        insist(await page.locator('button[value=remove]').count() === 0, 'it is there');
        await page.goto(address('account'));
        await page.click('button[value=sign-out]');
        await page.waitForSelector('.alert');
        insist((await page.textContent('.alert')).includes('not accepted'), 'it was accepted');
    });
    await page.context().close();
}

async function main() {
    const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });

    if (shots)
        fs.mkdirSync(shots, { recursive: true });
    // Each scheme and each width once.
    for (const [scheme, width] of [['light', 320], ['dark', 1280]])
        await visitAll(browser, scheme, width);
    await keyboardAlone(browser);
    await passkeys(browser);
    await browser.close();
    process.exit(failed ? 1 : 0);
}

main().catch((error) => {
    console.log(`FAILED: ${error.stack}`);
    process.exit(1);
});
