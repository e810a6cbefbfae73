// check.cjs DIR URL - lints DIR/openapi.json and DIR/openapi-3.0.json, generates three clients from the first into DIR,
// compiles them with usage.ts, and runs it against URL. Any tool's complaint goes to stderr and ends this with 1.
const { execFile } = require('node:child_process');
const { copyFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');

const [dir, url] = process.argv.slice(2);
const from = require('../support/npm.cjs')('openapi-clients');
const env = {
    ...process.env, CI: '1', NO_COLOR: '1', DO_NOT_TRACK: '1',
    REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
};

// Runs a tool in DIR and returns its name, exit code and output.
function run(tool, ...words) {
    return new Promise((done) => {
        execFile(tool === 'node' ? process.execPath : from.folder(`.bin/${tool}`), words,
            { cwd: dir, env, maxBuffer: 64 << 20 },
            (error, out, err) => done({ tool, code: error ? error.code ?? 1 : 0, out, err }));
    });
}

function insist(result, complaint) {
    if (result.code === 0 && !complaint)
        return;
    console.error(`${result.tool}: ${complaint ?? `exit code ${result.code}`}\n${result.out}${result.err}`);
    process.exitCode = 1;
}

// Redocly exits with 0 despite warnings; its JSON counts them.
function insistRedocly(result) {
    const { errors, warnings, ignored } = JSON.parse(result.out).totals;

    insist(result, errors + warnings + ignored > 0 ? `${errors} errors, ${warnings} warnings` : null);
}

async function main() {
    writeFileSync(path.join(dir, 'spectral.yaml'), 'extends: ["spectral:oas"]\n');
    writeFileSync(path.join(dir, 'tsconfig.json'), JSON.stringify({
        compilerOptions: {
            strict: true, target: 'ES2022', module: 'CommonJS', moduleResolution: 'Node10',
            lib: ['ES2022', 'DOM', 'DOM.Iterable'], outDir: 'js', types: ['node'],
            typeRoots: [path.join(from.folder('@types/node'), '..')],
        },
        include: ['*.ts', 'hey/**/*.ts'],
    }));
    copyFileSync('tests/openapi-clients/usage.ts', path.join(dir, 'usage.ts'));

    for (const page of ['openapi.json', 'openapi-3.0.json']) {
        // The suite's public_url, which the descriptions name, is on localhost.
        insistRedocly(await run('redocly', 'lint', page, '--extends=recommended', '--format=json',
            '--skip-rule=no-server-example.com'));
        insist(await run('spectral', 'lint', page, '--ruleset=spectral.yaml', '--fail-severity=hint'));
    }
    insist(await run('openapi-typescript', 'openapi.json', '-o', 'types.ts', '--default-non-nullable=false'));
    insist(await run('openapi-ts', '-i', 'openapi.json', '-o', 'hey', '-c', '@hey-api/client-fetch'));
    insist(await run('orval', '--input', 'openapi.json', '--output', 'orval.ts', '--client', 'fetch'));
    if (process.exitCode)
        return;
    insist(await run('tsc', '-p', '.'));
    if (!process.exitCode)
        insist(await run('node', 'js/usage.js', url));
}

main();
