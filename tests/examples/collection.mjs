// collection.mjs SUITE OPENAPI - makes the collection of clients/postman of the page, and sends it with npm's newman: the
// sign-in, then all requests that read, which must be answered as the page says; then all others, which must reach their
// route (they have made-up ids, so they are refused).
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import npm from '../support/npm.cjs';

const [suiteDir, file] = process.argv.slice(2);
const { baseUrl, demo } = JSON.parse(readFileSync(path.join(suiteDir, 'dev.json'), 'utf8'));
const page = JSON.parse(readFileSync(file, 'utf8'));
const collection = JSON.parse(execFileSync('node', ['clients/postman/collection.mjs', file], { maxBuffer: 64 << 20 }));
const newman = npm('examples')('newman');
const [signIn, ...folders] = collection.item;
const all = folders.flatMap((folder) => folder.item);
const wrong = [];

function insist(condition, why) {
    if (!condition)
        wrong.push(why);
}

async function send(items) {
    const variables = { baseUrl, tenantCode: demo.tenantCode, clientId: demo.clientId, email: demo.adminEmail, password: demo.adminPassword };
    const summary = await promisify(newman.run)({
        collection: { ...collection, item: [signIn, ...items] }, timeoutRequest: 20_000, ignoreRedirects: true,
        globals: { values: [] }, envVar: Object.entries(variables).map(([key, value]) => ({ key, value })),
    });
    const [first, ...rest] = summary.run.executions;

    insist(first.response?.code === 200, `sign-in: ${first.response?.code} ${first.response?.stream}`);
    return rest.map(({ item, request, response, requestError }) => ({ name: `${request.method} ${request.url.getPath()}`,
        summary: item.name, code: response?.code ?? 0, text: `${requestError ?? ''}${response?.stream ?? ''}`.slice(0, 200) }));
}

const operations = Object.values(page.paths).flatMap((methods) => Object.keys(methods).filter((each) => methods[each].operationId));
insist(all.length === operations.length, `${all.length} requests of ${operations.length} operations`);

const isRead = ({ request }) => request.method === 'GET';
const isFixed = ({ request }) => request.url.variable.every(({ key }) => key === 'tenantCode')
    && request.url.query.every(({ disabled }) => disabled);
const reads = await send(all.filter((each) => isRead(each) && isFixed(each)));
insist(reads.length > 20, `${reads.length} requests that read`);
for (const { name, code, text } of reads)
    insist(code >= 200 && code < 400, `${name}: ${code} ${text}`);
const others = await send(all.filter((each) => !isRead(each) || !isFixed(each)));
for (const { name, code, text } of others)
    insist(code > 0 && code < 500 && code !== 405 && code !== 415 && !/"Cannot (GET|POST|PUT|PATCH|DELETE) /.test(text), `${name}: ${code} ${text}`);
console.log(`${1 + reads.length + others.length} requests`);
if (wrong.length > 0) {
    console.error(wrong.slice(0, 12).join('\n'));
    process.exitCode = 1;
}
