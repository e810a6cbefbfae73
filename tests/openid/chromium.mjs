// chromium.mjs - a person with Chromium.
import npm from '../support/npm.cjs';

export async function withChromium(act) {
  const {default: {chromium}} = await npm('openid').import('playwright-core');
  const browser = await chromium.launch({executablePath: '/usr/bin/chromium', args: ['--no-sandbox']});

  try {
    return await act(await browser.newPage());
  } finally {
    await browser.close();
  }
}

// Acts on the issuer's page to which the browser was sent.
export async function signIn(page, issuer, person) {
  await page.waitForURL(`${issuer}/**`);
  await page.fill('input[name=email]', person.email);
  await page.fill('input[name=password]', person.password);
  await page.keyboard.press('Enter');
}
