// demo-rp.mjs - the unmodified program from `atriumctl client create --demo-rp` signs a person in. It imports npm's
// openid-client and listens on port 8990.
import {spawn} from 'node:child_process';
import {mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {setTimeout as sleep} from 'node:timers/promises';
import {Browser} from './browser.mjs';
import npm from '../support/npm.cjs';
import {insist, place} from './place.mjs';

const home = 'http://localhost:8990/';
const root = mkdtempSync(`${tmpdir()}/atrium-demo-rp-`);

writeFileSync(`${root}/demo.mjs`, place.program);
mkdirSync(`${root}/node_modules`);
symlinkSync(npm('openid').folder('openid-client'), `${root}/node_modules/openid-client`);
const program = spawn(process.execPath, ['demo.mjs'], {cwd: root, stdio: 'inherit'});

async function begin() {
  for (let i = 0; i < 100 && program.exitCode === null; i++) {
    try {
      return await fetch(home, {redirect: 'manual'});
    } catch {
      await sleep(100);
    }
  }
  throw new Error(`the program does not listen: ${program.exitCode}`);
}

try {
  const begun = await begin();

  insist(begun.status === 302, `the program answers ${begun.status} ${await begun.text()}`);
  const back = await new Browser().authorize(new URL(begun.headers.get('location')), place.person);
  insist(back.href.startsWith(`${home}callback?`), `the browser is sent to ${back}`);
  const shown = await (await fetch(back)).text();
  insist(shown.startsWith('{'), `the program answers ${shown}`);
  const {claims, userinfo} = JSON.parse(shown);
  insist(claims.iss === place.issuer && claims.sub === userinfo.sub && userinfo.email === place.person.email,
    `the person is ${shown}`);
} finally {
  program.kill();
  rmSync(root, {recursive: true});
}
