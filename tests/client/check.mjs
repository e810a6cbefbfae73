// check.mjs pack|types|breaks DIR OPENAPI - the package of clients/typescript as an application gets it.
//
// pack: compiles and packs a copy, checks its files, installs it below DIR/app and compiles usage.ts there.
// types: writes the types of the description OPENAPI into the package's copy in DIR.
// breaks: incompatible changes of the description break the client or usage.ts at compile time, others do not.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import npm from '../support/npm.cjs';

const [what, dir, page] = process.argv.slice(2);
const source = path.resolve('clients/typescript');
const from = npm('client');
const ts = from('typescript');

const IMPORTED = ['openapi-fetch', 'openapi-typescript-helpers', '@types/react', 'react', 'react-dom', 'scheduler'];
const KEEPER_LINES = 400;
const PACKED = ['LICENSE', 'README.md', 'package.json', ...['errors', 'index', 'openapi', 'react', 'session', 'signin', 'storage', 'upload']
    .flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`])].sort();
const HEAD = '// openapi.ts - the types of /openapi.json, by openapi-typescript. Do not edit.\n';

function insist(condition, complaint) {
    if (!condition)
        throw new Error(complaint);
}

// Installs the client's imports into DIR/NAME, as `npm install` does.
function place(name) {
    mkdirSync(path.join(dir, name, 'node_modules/@types'), { recursive: true });
    for (const each of IMPORTED)
        symlinkSync(from.folder(each), path.join(dir, name, 'node_modules', each));
}

function run(tool, ...words) {
    try {
        return execFileSync(tool, words, { encoding: 'utf8', cwd: path.join(dir, 'client'), maxBuffer: 64 << 20 });
    } catch (error) {
        throw new Error(`${tool} ${words[0]}: ${error.stdout}${error.stderr}`);
    }
}

async function typesOf(description) {
    const generator = await import(path.join(from.folder('openapi-typescript'), 'dist/index.mjs'));
    const text = generator.astToString(await generator.default(structuredClone(description), { defaultNonNullable: false }));

    return `${HEAD}${text}`;
}

// ---- pack ----

async function pack() {
    const manifest = JSON.parse(readFileSync(path.join(source, 'package.json'), 'utf8'));
    const tools = JSON.parse(readFileSync('tests/client/package.json', 'utf8')).devDependencies;
    const app = path.join(dir, 'app');

    insist(manifest.version === JSON.parse(readFileSync(page, 'utf8')).info.version, 'another version than /openapi.json');
    insist(Object.keys(manifest.dependencies).join() === 'openapi-fetch', 'a dependency');
    for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }))
        insist(tools[name] === version, `tests/client has another ${name} than clients/typescript`);
    insist(readFileSync('LICENSE').equals(readFileSync(path.join(source, 'LICENSE'))), 'another LICENSE');
    insist(readFileSync(path.join(source, 'src/session.ts'), 'utf8').split('\n').length <= KEEPER_LINES + 1,
        `session.ts has more than ${KEEPER_LINES} lines`);

    for (const name of ['client', 'app'])
        rmSync(path.join(dir, name), { recursive: true, force: true });
    cpSync(source, path.join(dir, 'client'),
        { recursive: true, filter: (file) => !/\/(dist|node_modules)(\/|$)/.test(file.slice(source.length)) });
    await types(path.join(dir, 'client'));
    place('client');
    run(process.execPath, from.resolve('typescript/bin/tsc'), '-p', '.');
    const [packed] = JSON.parse(run('npm', 'pack', '--json', '--offline', '--loglevel=error', '--cache', path.join(dir, 'npm')));
    const files = packed.files.map((file) => file.path).sort();
    insist(JSON.stringify(files) === JSON.stringify(PACKED), `packed ${files.join(' ')}`);

    // Checks the result of `npm install`.
    const unpacked = path.join(app, 'node_modules/@atrium/client');
    mkdirSync(unpacked, { recursive: true });
    run('tar', '-xzf', packed.filename, '-C', unpacked, '--strip-components=1');
    place('app');
    writeFileSync(path.join(app, 'package.json'), '{"type":"module"}');
    cpSync('tests/client/usage.ts', path.join(app, 'usage.ts'));
    const errors = compile([path.join(app, 'usage.ts')], {}, { paths: {} });
    insist(errors.length === 0, errors.join('\n'));
}

// ---- types ----

async function types(client = dir) {
    writeFileSync(path.join(client, 'src/openapi.ts'), await typesOf(JSON.parse(readFileSync(page, 'utf8'))));
}

// ---- breaks ----

const libraries = new Map(); // parsed once

// Returns the compiler's errors with `text` replacing the named files, only in the file `only` if given.
function compile(files, text, extra, only) {
    const options = {
        strict: true, noEmit: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, types: [],
        moduleResolution: ts.ModuleResolutionKind.NodeNext, lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
        verbatimModuleSyntax: true, skipLibCheck: true, ...extra,
    };
    const host = ts.createCompilerHost(options);
    const { readFile, getSourceFile } = host;

    host.readFile = (file) => text[file] ?? readFile(file);
    host.getSourceFile = (file, ...rest) => {
        if (text[file] !== undefined)
            return ts.createSourceFile(file, text[file], options.target);
        if (!file.includes('/typescript/lib/'))
            return getSourceFile(file, ...rest);
        if (!libraries.has(file))
            libraries.set(file, getSourceFile(file, ...rest));
        return libraries.get(file);
    };
    const program = ts.createProgram(files, options, host);
    const file = only && program.getSourceFile(files.find((each) => path.basename(each) === only));
    return ts.getPreEmitDiagnostics(program, file).map((each) =>
        `${each.file ? path.basename(each.file.fileName) : ''}: ${ts.flattenDiagnosticMessageText(each.messageText, ' ')}`);
}

// Changes of the description, and the file that must not compile then; null: all must compile.
const CHANGES = {
    'a route that the client asks is gone': ['signin.ts', (d) => delete d.paths['/auth/tenant/Patient/code/start']],
    'a route that an application asks is gone': ['usage.ts', (d) => delete d.paths['/auth/me']],
    'the new refresh token has another name': ['session.ts', ({ components: { schemas } }) => {
        const { properties } = schemas.refresh_token_out;
        properties.token = properties.refresh_token;
        delete properties.refresh_token;
        schemas.refresh_token_out.required[schemas.refresh_token_out.required.indexOf('refresh_token')] = 'token';
    }],
    'a document has no form': ['upload.ts', (d) => delete d.components.schemas.document.properties.uploadOptions],
    'a request needs another member': ['upload.ts', ({ components: { schemas } }) => {
        schemas.document_create_in.properties.folder = { type: 'string' };
        schemas.document_create_in.required.push('folder');
    }],
    'a number takes the place of a text': ['usage.ts', (d) => {
        d.components.schemas.document.properties.id = { type: 'integer' };
    }],
    'there is more than before': [null, (d) => {
        d.paths['/auth/more'] = { get: { ...d.paths['/auth/me'].get, operationId: 'more' } };
        d.components.schemas.document.properties.more = { type: 'string' };
        d.components.schemas.document_create_in.properties.more = { type: 'string' };
        d.components.schemas.error.properties.code.enum.push('MORE');
    }],
};

async function breaks() {
    const description = JSON.parse(readFileSync(page, 'utf8'));
    const client = path.join(dir, 'client');
    const sources = readdirSync(path.join(client, 'src')).map((name) => path.join(client, 'src', name));
    const usage = path.join(client, 'usage.ts');

    cpSync('tests/client/usage.ts', usage);
    for (const [name, [file, change]] of Object.entries(CHANGES)) {
        const changed = structuredClone(description);
        change(changed);
        const text = { [path.join(client, 'src/openapi.ts')]: await typesOf(changed) };
        const errors = compile([...sources, usage], text,
            { paths: { '@atrium/client': [path.join(client, 'src/index.ts')], '@atrium/client/react': [path.join(client, 'src/react.ts')] } }, file);

        insist(file ? errors.some((each) => each.startsWith(file)) : errors.length === 0,
            `${name}: ${errors.join('\n') || 'it compiles'}`);
        console.log(`ok ${name}${file ? `: ${errors.find((each) => each.startsWith(file)).slice(0, 160)}` : ''}`);
    }
}

try {
    await { pack, types, breaks }[what]();
} catch (error) {
    console.error(error.message);
    process.exitCode = 1;
}
