// browser.cjs PART PUBLIC_URL TENANT CLIENT DEVICE_CLIENT EMAIL PASSWORD MAIL_FOLDER TESTED - the hosted pages in Chromium.
//
// PART: light (320 pixels wide), dark (1,280), keyboard, passkeys, tabs, emails.
//
// Each page in both color schemes and without JavaScript: axe-core finds no violation of WCAG 2.2 AA, nothing is wider than the
// window, even with the text at 200 % and from right to left, and there is no CSP report. Then with the keyboard only, and
// passkeys, the only feature with a script, with a virtual authenticator. A template of authd/page/template or a row
// PAGE(GET, ...) that was not used fails the run. Each step prints "ok NAME" or "FAILED NAME: why"; the exit code is 1 when one
// failed. ATRIUM_PAGES_SHOTS=FOLDER stores screenshots. CLIENT needs consent, DEVICE_CLIENT has the device grant; EMAIL and
// PASSWORD belong to a practitioner of two tenants, TESTED is the address after a test sign-in at an identity provider.
const fs = require('node:fs');
const path = require('node:path');
const npm = require('../support/npm.cjs');
const { totp } = require('../support/totp.cjs');

const from = npm('pages');
const { chromium } = from('playwright-core');
const axe = fs.readFileSync(from.resolve('axe-core/axe.min.js'), 'utf8');

const [part, url, tenant, client, deviceClient, twoEmail, twoPassword, mailDir, tested] = process.argv.slice(2);
const shots = process.env.ATRIUM_PAGES_SHOTS;
const PASSWORD = 'correct horse battery staple';
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const STEP_MS = 20000;
const WINDOW = 640; // at 200 % equals the narrowest at 100 %
const NETWORK = `198.18.${['light', 'dark', 'keyboard', 'passkeys', 'tabs', 'emails'].indexOf(part)}`; // clients' network, one per part
let failed = 0, people = 0, clients = 0, reports = [];

// Returns what the pattern finds in the address's newest email.
async function mailed(email, what) {
    for (const end = Date.now() + STEP_MS; Date.now() < end; await new Promise((done) => setTimeout(done, 200))) {
        const mails = fs.readdirSync(mailDir).sort().reverse().map((name) => fs.readFileSync(path.join(mailDir, name), 'utf8'));
        const found = mails.find((text) => text.includes(`To: <${email}>`))?.match(what);

        if (found)
            return found[0];
    }
    throw new Error(`${what} was not mailed to ${email}`);
}
const mailedCode = (email) => mailed(email, /\b\d{6}\b/);

// ---- which pages there are ----

const TEMPLATES = 'authd/page/template';
const texts = Object.fromEntries(fs.readFileSync(path.join(TEMPLATES, 'text/en.txt'), 'utf8').trim().split('\n')
    .map((line) => line.split(' = ')));
const literally = (text) => text.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
const pattern = (address) => new RegExp(`^${literally(address).replace('/t/{{code}}', `/t/(?:${tenant}|annex|-)`)
    .replace(/\{\{?[\w.\\]+\}\}?/g, '[^/]+').replace('{\\*}', '.+')}$`);

// Identifies a template in a document: its heading, NULL if that is a variable, and its forms' targets.
const templates = fs.readdirSync(TEMPLATES).filter((name) => name.endsWith('.html')).map((name) => {
    const text = fs.readFileSync(path.join(TEMPLATES, name), 'utf8');
    const key = text.match(/<h1>\{\{t ([\w.]+)\}\}/);

    return { name, heading: key && new RegExp(`^${literally(texts[key[1]]).replace(/\{\w+\}/g, '.+')}$`), seen: false,
        actions: [...text.matchAll(/<form[^>]* action="([^"]*)"/g)].map(([, address]) => pattern(address)) };
});
const routes = [...fs.readFileSync('authd/authd_routes.def', 'utf8').matchAll(/^PAGE\(GET, +"([^"]*)", +(\w+)/gm)]
    .filter(([, , handler]) => !handler.endsWith('_file_get'))
    .map(([, address]) => ({ address, at: pattern(address.replace('{tenantCode}', '{{code}}')), seen: false }));

function noteAddress(address) {
    for (const route of routes)
        route.seen ||= route.at.test(new URL(address).pathname);
}

async function noteTemplate(page) {
    const { heading, actions } = await page.evaluate(() => ({ heading: document.querySelector('h1').textContent,
        actions: [...document.forms].map((form) => form.getAttribute('action')) }));
    const fixed = templates.some((each) => each.heading?.test(heading));
    const shown = templates.filter((each) => (each.heading ? each.heading.test(heading)
        : !fixed && (each.actions.length > 0) === (actions.length > 0)) &&
        actions.every((address) => each.actions.some((action) => action.test(address))));

    insist(shown.length === 1, `a page of ${shown.length} templates: ${heading}, ${actions}`);
    shown[0].seen = true;
}

function checkAllSeen() {
    const left = [...templates.filter((each) => !each.seen).map((each) => each.name),
        ...routes.filter((each) => !each.seen).map((each) => each.address)];

    insist(left.length === 0, `not looked at: ${left.join(', ')}`);
}

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
    // A new client address, which the gateway trusts, so that limits per address do not apply.
    const context = await browser.newContext({
        locale: 'en-GB', extraHTTPHeaders: { 'X-Forwarded-For': `${NETWORK}.${++clients}` }, ...options });
    const page = await context.newPage();

    page.setDefaultTimeout(STEP_MS);
    page.like = options;
    page.on('request', (request) => {
        if (request.isNavigationRequest())
            noteAddress(request.url());
    });
    page.on('console', (message) => {
        if (/content security policy|trusted type/i.test(message.text()))
            reports.push(message.text());
    });
    return page;
}

// Runs axe-core, checks that the page fits into the window, and takes a screenshot if wanted. Without scripts axe-core cannot
// run, so it checks the same document in another page. A narrow window means touch input.
async function check(page, name) {
    page.beside ??= await page.context().browser().newPage({ ...page.like, javaScriptEnabled: true });

    if (shots)
        await page.screenshot({ path: path.join(shots, `${name}.png`), fullPage: true });
    await page.beside.setContent((await page.content()).replace(/<meta http-equiv="refresh"[^>]*>/, ''));
    const { violations } = await page.beside.evaluate(`${axe}; axe.run(document, {runOnly: ${JSON.stringify(RULES)}})`);
    const wide = await page.beside.evaluate(WIDER);
    insist(violations.length === 0,
        violations.map((each) => `${each.id}: ${each.nodes.map((node) => node.html).join(' ')}`).join('; '));
    insist(wide <= 0, `${wide} pixels too wide`);
    insist(!/[{}]/.test(await page.title()), 'a placeholder in the title');
    insist(await page.beside.evaluate(BEHIND) === 0, 'a hint stands between a field and what is wrong with it');
    if (page.like.hasTouch) {
        const small = await page.beside.evaluate(SMALL);
        insist(small.length === 0, `for a finger: ${small.join(', ')}`);
    }
    await checkSizes(page.beside);
    await noteTemplate(page.beside);
}

const BEHIND = 'document.querySelectorAll(".hint + .wrong").length';
// Finds targets of less than 44 pixels, except those in a sentence.
const SMALL = `[...document.querySelectorAll('a, button, input:not([type=hidden])')].map((each) => [each, Math.max(...[each, ...each.labels ?? []]
    .map((one) => one.getBoundingClientRect().height))]).filter(([each, height]) => height > 0 && height < 44
    && !(each.matches('a') && [...each.parentElement.childNodes].some((node) => node.nodeType === 3 && node.data.trim())))
    .map(([each, height]) => each.textContent + ' ' + height)`;
const WIDER = 'document.documentElement.scrollWidth - innerWidth';

// From right to left; and with doubled text in a window that is as wide as a narrow one then.
async function checkSizes(beside) {
    const window = beside.viewportSize();

    await beside.evaluate('document.documentElement.dir = "rtl"');
    const leftwards = await beside.evaluate(`Math.max(${WIDER}, -Math.min(0,
        ...[...document.querySelectorAll('body *')].map((each) => each.getBoundingClientRect().left)))`);
    await beside.evaluate('document.documentElement.dir = "ltr", document.documentElement.style.fontSize = "200%"');
    await beside.setViewportSize({ width: WINDOW, height: window.height });
    const large = await beside.evaluate(WIDER);
    await beside.setViewportSize(window);
    insist(leftwards <= 0, `${leftwards} pixels too wide from right to left`);
    insist(large <= 0, `${large} pixels too wide at 200 %`);
}

async function register(page, email, role = 'patient') {
    await page.goto(address('register'));
    await page.fill('#name', 'Ana');
    await page.fill('#surname', 'Prova');
    await page.fill('#email', email);
    await page.fill('#password', PASSWORD);
    await page.check(`[value=${role}]`);
    await page.click('button');
    await page.waitForURL(address('account'));
}

async function signIn(page, email) {
    await page.goto(address('sign-in'));
    await page.fill('#email', email);
    await page.fill('#password', PASSWORD);
    await page.click('form button');
}

const CALLBACK = 'https://app.example/cb';
const authorize = (state) => address('authorize?' + new URLSearchParams({ client_id: client, state,
    response_type: 'code', redirect_uri: CALLBACK, scope: 'openid profile email offline_access',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' }));

// A device's code (RFC 8628, section 3.2).
async function deviceCode() {
    const answer = await fetch(address('device_authorization'), { method: 'POST',
        headers: { 'X-Forwarded-For': `${NETWORK}.${++clients}` },
        body: new URLSearchParams({ client_id: deviceClient, scope: 'openid profile email' }) });

    insist(answer.status === 200, `device_authorization: ${answer.status}`);
    return (await answer.json()).user_code;
}

// ---- every page ----

async function visitAll(browser, scheme, width) {
    const page = await openPage(browser, {
        javaScriptEnabled: false, colorScheme: scheme, viewport: { width, height: 800 }, hasTouch: width < WINDOW });
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
    await see('identity-provider', async () => {
        // The page leads on by itself, and stays to be looked at.
        await page.route((to) => to.origin !== new URL(url).origin, (route) => route.fulfill({ status: 204 }));
        await page.goto(`${url}/t/annex/sign-in`);
        await Promise.all([page.waitForRequest(/[?&]code_challenge=/), page.click('form[action$="/start"] button')]);
    });
    await see('sign-in-address', () => page.goto(`${url}/t/annex/sign-in`));
    await see('sign-in-password', async () => {
        await page.fill('#email', 'ana@patients.example');
        await page.click('form[action$="/sign-in"] button');
        await page.waitForSelector('#password');
    });
    await see('identity-provider-test', () => page.goto(tested));
    await see('identity-provider-test-again', async () => {
        await page.goto(tested);
        await page.locator('[role=alert]').waitFor();
    });
    await see('no-page', () => page.goto(`${url}/t/nowhere/sign-in`));
    await see('missing', async () => {
        const answer = await page.goto(`${url}/no/such/page`);

        insist(answer.status() === 404, `it is ${answer.status()}`);
    });
    await see('front', () => page.click('main .more a'));
    await see('front-wrong', async () => {
        await page.fill('#tenant', 'nowhere');
        await page.click('button');
        await page.waitForSelector('#tenant-wrong');
    });
    await step(`the front page leads to a tenant's sign-in ${scheme}`, async () => {
        await page.fill('#tenant', tenant);
        await page.click('button');
        await page.waitForURL(address('sign-in'));
    });
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
    for (const link of ['set-password', 'verify-email', 'undo-email', 'invitation'])
        await see(link, () => at(`${link}?id=0198c0de-0000-7000-8000-000000000000&secret=x`));
    await see('continue-as-patient', () => at('continue-as-patient?token=x'));
    await see('dead-link-again', async () => {
        await at('verify-email?id=0198c0de-0000-7000-8000-000000000000&secret=x');
        await page.fill('#email', 'nonsense');
        await page.click('button');
        await page.waitForSelector('#email-wrong');
    });
    await see('choose', async () => {
        const both = newEmail();

        for (const role of ['patient', 'practitioner']) {
            const other = await openPage(browser, {});

            await register(other, both, role);
            await other.context().close();
        }
        await signIn(page, both);
        await page.waitForSelector('[name=role]');
    });
    await see('account-code', async () => {
        await page.goto(`${url}/t/-/sign-in`);
        await page.fill('#email', twoEmail);
        await page.fill('#password', twoPassword);
        await page.click('form button');
        await page.waitForSelector('[name=code]');
    });
    await see('own-account', async () => {
        await page.fill('#code', await mailedCode(twoEmail));
        await page.click('form button');
        await page.waitForURL(`${url}/t/-/account`);
    });
    await see('live-link', async () => {
        await page.goto(`${url}/t/-/reset-password`);
        await page.fill('#email', twoEmail);
        await page.click('main form button');
        await page.goto(await mailed(twoEmail, /https?:\/\/\S+\/set-password\?\S+/));
        await page.waitForSelector('#password');
    });
    await see('account', () => register(page, email));
    await see('account-twice', async () => {
        const other = await openPage(browser, {});
        await signIn(other, email);
        await other.waitForURL(address('account'));
        await other.context().close();
        await at('account');
    });
    await see('consent', () => page.goto(authorize('st8')));
    await see('logout', () => at('logout'));
    await see('export', () => at('account/export'));
    await see('export-asked', () => page.click('button'));
    await see('export-ready', async () => {
        for (const end = Date.now() + STEP_MS; Date.now() < end && await page.locator('li a').count() === 0; await at('account/export'))
            await page.waitForTimeout(500);
        insist(await page.locator('li a').count() === 1, 'the file was not made');
    });
    await see('device-wrong', async () => {
        await at('device'); // requires a separate sign-in
        await page.fill('#email', email);
        await page.fill('#password', PASSWORD);
        await page.click('form button');
        await page.fill('#device-code', 'BCDF-GHJK');
        await page.click('button');
        await page.waitForSelector('#device-wrong');
    });
    await see('device-confirm', async () => {
        await page.fill('#device-code', await deviceCode());
        await page.click('button');
        await page.waitForSelector('[value=approve]');
    });
    await see('device-denied', () => page.click('[value=deny]'));
    await see('device', async () => {
        await at('device');
        await page.fill('#email', email);
        await page.fill('#password', PASSWORD);
        await page.click('form button');
        await page.waitForSelector('#device-code');
    });
    await see('device-done', async () => {
        await page.fill('#device-code', await deviceCode());
        await page.click('button');
        await page.click('[value=approve]');
        await page.waitForSelector('[role=status]');
    });
    await see('account-consent', async () => {
        await at('account');
        insist(await page.locator('button[value=withdraw]').count() === 1, 'the consent is not shown');
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
    await step(`every page was looked at ${scheme} ${width}`, async () => {
        await page.goto(`${url}/t/${tenant}`);
        await at('mfa'); // a used step leads to the sign-in
        checkAllSeen();
    });
    await page.context().close();
}

// ---- the keyboard ----

async function keyboardAlone(browser) {
    const page = await openPage(browser, { javaScriptEnabled: false });
    const email = newEmail();
    const type = async (...texts) => {
        await page.waitForSelector('input:focus'); // autofocus comes with a frame, possibly after the load
        for (const text of texts) {
            await page.keyboard.type(text);
            await page.keyboard.press('Tab');
        }
    };

    await step('registers with the keyboard', async () => {
        await page.goto(address('register')); // the first field has the focus
        await type('Ana', 'Prova', email, PASSWORD);
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
    await step('lets a device in with the keyboard', async () => {
        await page.goto(address('device'));
        await type(email);
        await page.keyboard.type(PASSWORD);
        await page.keyboard.press('Enter');
        await page.waitForSelector('#device-code:focus');
        await page.keyboard.type(await deviceCode());
        await page.keyboard.press('Enter');
        await page.waitForSelector('[value=approve]');
        for (let i = 0; i < 20 && await page.evaluate('document.activeElement.value') !== 'approve'; i++)
            await page.keyboard.press('Tab');
        insist(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle') !== 'none', 'no focus is seen');
        await page.keyboard.press('Enter');
        await page.waitForSelector('[role=status]');
        insist((await page.textContent('h1')) === texts['note.device_approved'], 'it is not let in');
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
        await page.click('button[value=sign-out]'); // the next page starts by itself
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
        insist((await page.textContent('.alert')).includes('This passkey didn’t work'), 'it was accepted');
    });
    await page.context().close();
}

// ---- two tabs, two clicks ----

async function twoTabs(browser) {
    const page = await openPage(browser, { javaScriptEnabled: false });
    const second = await page.context().newPage();
    const email = newEmail();
    // The browser goes to the client with a code; the client has no network address.
    const answered = (tab, state) => tab.waitForRequest((request) => request.url().startsWith(`${CALLBACK}?code=`)
        && new URL(request.url()).searchParams.get('state') === state);
    const fill = async (tab) => {
        await tab.fill('#email', email);
        await tab.fill('#password', PASSWORD);
    };
    let recovery;

    second.setDefaultTimeout(STEP_MS);
    await step('two clicks make one account', async () => {
        await page.goto(address('register'));
        await page.fill('#name', 'Ana');
        await page.fill('#surname', 'Prova');
        await fill(page);
        await page.dblclick('button');
        await page.waitForURL(address('account'));
    });
    await step('two clicks show the recovery codes', async () => {
        await page.goto(address('account/factor'));
        await page.fill('#code', totp(await page.textContent('strong bdi')));
        await page.dblclick('button');
        await page.waitForSelector('li');
        recovery = (await page.textContent('li')).trim();
        insist(recovery.length > 0, 'there are none');
    });
    await step('a reload shows them again', async () => {
        await page.reload(); // sends the form a second time
        insist((await page.textContent('li')).trim() === recovery, 'others, or none');
    });
    await step('two clicks spend one recovery code', async () => {
        await page.goto(address('account'));
        await page.dblclick('button[value=sign-out]');
        await page.waitForURL(address('sign-in?note=signed-out'));
        await fill(page);
        await page.dblclick('form button');
        await page.fill('#code', recovery);
        await page.dblclick('form button');
        await page.waitForURL(address('account'));
    });
    await step('each tab gets its answer', async () => {
        const person = newEmail();

        await page.context().clearCookies();
        await page.goto(address('register'));
        await page.fill('#name', 'Ana');
        await page.fill('#surname', 'Prova');
        await page.fill('#email', person);
        await page.fill('#password', PASSWORD);
        await page.click('button');
        await page.waitForURL(address('account'));
        await page.click('button[value=sign-out]');
        for (const [tab, state] of [[page, 'one'], [second, 'two']]) {
            await tab.goto(authorize(state));
            await tab.fill('#email', person);
            await tab.fill('#password', PASSWORD);
        }
        await page.click('form button');
        await page.waitForSelector('button[value=allow]');
        await Promise.all([answered(page, 'one'), page.dblclick('button[value=allow]')]);
        await Promise.all([answered(second, 'two'), second.click('form button')]);
    });
    await step('a browser that was closed shows the form again', async () => {
        await page.context().clearCookies();
        await page.goto(authorize('three'));
        await fill(page);
        await page.context().clearCookies();
        await page.click('form button');
        await page.waitForSelector('.alert');
        insist((await page.textContent('.alert')) === texts['error.stale'], 'it says something else');
        insist(await page.inputValue('#email') === email, 'what was typed is lost');
        insist(await page.inputValue('#password') === '', 'the password is shown again');
        await check(page, 'sign-in-stale');
    });
    await page.context().close();
}

// ---- the emails of the demo ----

async function emails(browser) {
    const page = await openPage(browser, {});
    const email = newEmail();
    // Returns the first link to a page in the newest email to that address.
    const open = async (link) => {
        const found = page.locator('article', { hasText: email }).locator(`a[href*="${link}"]`).first();

        for (const end = Date.now() + STEP_MS; Date.now() < end && await found.count() === 0; await page.waitForTimeout(200))
            await page.goto(`${url}/dev/mail`);
        await found.click();
    };

    await step('the welcome leads to the sign-in', async () => {
        await register(page, email);
        await page.click('button[value=sign-out]');
        await open(`/t/${tenant}`);
        await page.waitForURL(address('sign-in'));
    });
    await step('a link sets a new password', async () => {
        await page.click(`a[href="/t/${tenant}/reset-password"]`);
        await page.fill('#email', email);
        await page.click('button');
        await page.waitForSelector('[role=status]');
        await open('/set-password?');
        await page.fill('#password', 'another horse battery staple');
        await page.click('button');
        await page.waitForURL(address('sign-in?note=password-set'));
        await page.fill('#email', email);
        await page.fill('#password', 'another horse battery staple');
        await page.click('form button');
        await page.waitForURL(address('account'));
    });
    await page.context().close();
}

async function main() {
    const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });

    if (shots)
        fs.mkdirSync(shots, { recursive: true });
    await { light: () => visitAll(browser, 'light', 320), dark: () => visitAll(browser, 'dark', 1280),
        keyboard: () => keyboardAlone(browser), passkeys: () => passkeys(browser), tabs: () => twoTabs(browser),
        emails: () => emails(browser) }[part]();
    await browser.close();
    process.exit(failed ? 1 : 0);
}

main().catch((error) => {
    console.log(`FAILED: ${error.stack}`);
    process.exit(1);
});
