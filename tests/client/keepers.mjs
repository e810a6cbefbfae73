// keepers.mjs SUITE DIR PORT PROGRAM... - the session keeper of a language through the faults of faults.mjs. PROGRAM URL FILE
// (keeper.py, keeper.go) is started as two processes and more, which share the session in DIR/session.json. Each takes
// requests {id, do, words} as lines on stdin and answers with lines {id, value} or {id, error}.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { PASSWORD, REFRESH, faults, holdNext, insist, run, serve, start, until } from './faults.mjs';

const [, dir, port, ...program] = process.argv.slice(2);
const file = path.join(dir, 'session.json');

class Process {
    #child = spawn(program[0], [...program.slice(1), `http://127.0.0.1:${port}/api`, file], { stdio: ['pipe', 'pipe', 'inherit'] });
    #waiting = new Map();
    #id = 0;
    #ended = false;

    constructor() {
        createInterface({ input: this.#child.stdout }).on('line', (line) => {
            const { id, value, error } = JSON.parse(line);
            const [done, fail] = this.#waiting.get(id);
            error ? fail(error) : done(value ?? null);
        });
        this.#child.on('exit', () => {
            this.#ended = true;
            this.#waiting.forEach(([, fail]) => fail(new Error('the process ended')));
        });
    }

    do(what, ...words) {
        const id = ++this.#id;
        if (this.#ended)
            return Promise.reject(new Error('the process ended'));
        this.#child.stdin.write(`${JSON.stringify({ id, do: what, words })}\n`);
        return new Promise((...ends) => this.#waiting.set(id, ends));
    }

    async stored() {
        try {
            const { session, Session = session } = JSON.parse(readFileSync(file, 'utf8'));
            return Session ? { access: Session.access_token ?? Session.access, refresh: Session.refresh_token ?? Session.refresh } : null;
        } catch {
            return null;
        }
    }

    signIn = (email, password = PASSWORD, code = '') => this.do('signIn', email, password, code).catch((error) => error);
    register = (email) => this.do('register', email, PASSWORD).catch((error) => error);
    stepUp = (proof) => this.do('stepUp', proof).then(() => 204, (error) => error.status);
    hears = (what) => until(async () => (await this.do('state')).signedIn === (what === 'signedIn'), `a process hears ${what}`);
    unasked = async () => (await this.do('state')).signedIn ? [] : ['signed out'];

    async hang() {
        const [isHeld] = holdNext(REFRESH);
        this.do('renew').catch(() => {});
        await until(isHeld, 'a renewal is under way');
        this.#child.kill('SIGSTOP');
    }

    async close() {
        if (this.#ended)
            return;
        const ended = new Promise((done) => this.#child.once('exit', done));
        this.#child.kill('SIGKILL');
        await ended;
    }
}
for (const what of ['me', 'renew', 'state', 'logout', 'renewAlways', 'stop', 'enroll', 'fetch', 'wake', 'impatient'])
    Process.prototype[what] = function (...words) { return this.do(what, ...words); };

const steps = {
    ...faults,
    async 'only its owner reads the file'(t) {
        insist((statSync(file).mode & 0o777) === 0o600, statSync(file).mode.toString(8));
        insist(!(await t.one.do('state')).signedIn || await t.one.logout(), 'a logout');
    },
    async 'a file that is damaged is no session'(t) {
        await start(t);
        writeFileSync(file, '{"session": {"acc');
        insist(!(await t.two.state()).signedIn && await t.two.me() === 401, 'signed in with half a file');
        await start(t);
        rmSync(file);
        insist(!(await t.two.state()).signedIn && await t.two.me() === 401, 'signed in without a file');
    },
};

await serve(port, (request, response) => response.writeHead(404).end());
const t = { one: new Process(), two: new Process(), open: async () => new Process() };
await run(steps, t, () => Promise.all([t.one.close(), t.two.close()]));
