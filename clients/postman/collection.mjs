// collection.mjs OPENAPI >COLLECTION - a Postman collection (v2.1) of all routes in /openapi.json, which Postman, Bruno and
// Insomnia import. `make collection` writes it to build/.
import { readFileSync } from 'node:fs';

const page = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const SIGN_IN = '/v2/auth/login';
const KEEP = [ // the request "Sign in" keeps the tokens for all others
    'const tokens = pm.response.json();',
    "pm.collectionVariables.set('accessToken', tokens.accessToken);",
    "pm.collectionVariables.set('refreshToken', tokens.refreshToken);",
];

const example = ({ example, schema = {} }) => example ?? schema.example ?? schema.examples?.[0] ?? schema.default ?? schema.enum?.[0];

// '/document/{id}?width=' with the examples of the parameters; optional ones are listed, but disabled.
function urlOf(path, parameters) {
    const inQuery = parameters.filter((each) => each.in === 'query');
    const parts = path.slice(1).split('/').map((part) => part.replace(/^\{(\w+)\}$/, ':$1').replace(/\{(\w+)\}/g, '{{$1}}'));

    return {
        raw: `{{baseUrl}}/${parts.join('/')}`, host: ['{{baseUrl}}'], path: parts,
        query: inQuery.map((each) => ({ key: each.name, value: String(example(each) ?? ''), disabled: !each.required,
            description: each.description })),
        variable: parameters.filter((each) => each.in === 'path').map((each) => ({ key: each.name,
            value: each.name === 'tenantCode' ? '{{tenantCode}}' : String(example(each) ?? ''), description: each.description })),
    };
}

function bodyOf(content = {}) {
    const [type, media] = Object.entries(content)[0] ?? [];

    if (!type)
        return {};
    if (type === 'multipart/form-data')
        return { body: { mode: 'formdata', formdata: [{ key: 'file', type: 'file', src: [] }] } };
    const value = media.example ?? Object.values(media.examples ?? {})[0]?.value ?? {};
    return { type, body: { mode: 'raw', raw: JSON.stringify(value, null, 2), options: { raw: { language: 'json' } } } };
}

function requestOf(path, method, operation) {
    const { type, body } = bodyOf(operation.requestBody?.content);

    return {
        name: operation.summary,
        request: {
            method: method.toUpperCase(), description: operation.description, body,
            header: type ? [{ key: 'Content-Type', value: type }] : [],
            url: urlOf(path, operation.parameters ?? []),
            ...(!operation.security?.length && { auth: { type: 'noauth' } }),
        },
    };
}

const folders = new Map();
for (const [path, methods] of Object.entries(page.paths))
    for (const method of METHODS.filter((each) => methods[each])) {
        const [tag = 'Others'] = methods[method].tags ?? [];
        folders.set(tag, [...folders.get(tag) ?? [], requestOf(path, method, methods[method])]);
    }

const signIn = requestOf(SIGN_IN, 'post', page.paths[SIGN_IN].post);
signIn.name = 'Sign in';
signIn.request.body.raw = JSON.stringify({ email: '{{email}}', password: '{{password}}', clientId: '{{clientId}}' }, null, 2);
signIn.event = [{ listen: 'test', script: { type: 'text/javascript', exec: KEEP } }];

console.log(JSON.stringify({
    info: { name: `Atrium ${page.info.version}`, schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
        description: 'Set the variables, and send "Sign in": all other requests then have the token.' },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{accessToken}}', type: 'string' }] },
    variable: Object.entries({ baseUrl: 'http://localhost:8080', tenantCode: 'demo', clientId: '', email: 'admin@demo.example', password: '',
        accessToken: '', refreshToken: '' }).map(([key, value]) => ({ key, value })),
    item: [signIn, ...[...folders].map(([name, item]) => ({ name, item }))],
}, null, 2));
