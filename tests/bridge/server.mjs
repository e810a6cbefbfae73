// server.mjs - servers of the test: free ports, start, stop.
import {spawn, execFileSync} from 'node:child_process';
import {closeSync, openSync, readFileSync} from 'node:fs';
import {connect} from 'node:net';
import {setTimeout as sleep} from 'node:timers/promises';

// Root can't be the user of LemonLDAP::NG's FastCGI server.
const id = flag => Number(execFileSync('id', [flag, 'www-data'], {encoding: 'utf8'}));
export const user = process.getuid() === 0 ? {uid: id('-u'), gid: id('-g')} : {};

const running = [];

export const opens = where => new Promise(done => {
  const socket = connect(where, () => done(socket.end() && true)).on('error', () => done(false));
});

// Starts a program that stays in the foreground, and waits until `where` (a port or socket) accepts connections.
export async function start(command, {where, log, env}) {
  const file = openSync(log, 'a');
  const child = spawn(command[0], command.slice(1), {
    stdio: ['ignore', file, file],
    env: {...process.env, ...env},
    ...user,
  });

  closeSync(file);
  running.push(child);
  for (let tries = 0; child.exitCode === null && tries < 300; tries++) {
    if (await opens(where))
      return;
    await sleep(100);
  }
  throw new Error(`${command[0]} did not start:\n${readFileSync(log, 'utf8').slice(-2000)}`);
}

export async function stopAll() {
  for (const child of running.splice(0).reverse()) {
    if (child.exitCode !== null || child.signalCode !== null)
      continue;
    const ended = new Promise(done => child.once('exit', done));
    const late = setTimeout(() => child.kill('SIGKILL'), 10_000);

    child.kill('SIGTERM');
    await ended;
    clearTimeout(late);
  }
}
