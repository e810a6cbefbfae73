// clients.js - applications (OAuth clients): registration, how each gets tokens, and what its code needs to sign people in.
import { get, getState, post, putState, remove } from '../lib/api.js';
import { html, useEffect, useState } from '../lib/html.js';
import { N, t, time } from '../lib/i18n.js';
import { Link, navigate } from '../lib/router.js';
import { Badge, Button, Check, Conflict, ConfirmName, Copied, copy, Dialog, Empty, ErrorBox, Facts, Field, Loaded, otherError, Page, Secret, Section, Table, toast, useAct, useGuard, useId, useLoad, useSave } from '../lib/ui.js';
import { libraries } from './snippets.js';

const PATH = '/v1/project/clients';
const CODE = 'authorization_code', SERVICE = 'client_credentials', DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';
const types = { public: N('Public'), confidential: N('Confidential') };
const methods = { client_secret_basic: N('Client secret in the header'), client_secret_post: N('Client secret in the body'), private_key_jwt: N('Private key JWT') };
const grants = { [CODE]: N('Authorization code (sign-in pages)'), refresh_token: N('Refresh token (longer sessions)'), [DEVICE]: N('Device code (devices without a browser)'),
    [SERVICE]: N('Client credentials (no person involved)') };

// What an application is decides the defaults of its registration.
const kinds = {
    web: { title: N('Web application'), hint: N('Runs on a server, which keeps a secret. For example, with Next.js, Spring or Django.'), type: 'confidential', grantTypes: [CODE, 'refresh_token'],
        scopes: 'openid profile email', redirect: 'https://app.example.com/callback' },
    spa: { title: N('Single-page app'), hint: N('Runs in the browser. For example, with React, Vue or Angular.'), type: 'public', grantTypes: [CODE, 'refresh_token'], scopes: 'openid profile email',
        redirect: 'http://localhost:3000/callback' },
    mobile: { title: N('Mobile or desktop app'), hint: N('Is installed on the person’s device.'), type: 'public', grantTypes: [CODE, 'refresh_token'], scopes: 'openid profile email offline_access',
        redirect: 'com.example.app:/callback' },
    service: { title: N('Service'), hint: N('Gets tokens in its own name, without a person. For example, a nightly import.'), type: 'confidential', grantTypes: [SERVICE], scopes: '' },
};

const hasSecret = (row) => row.authMethod?.startsWith('client_secret');
const lines = (text) => text.split(/\s+/).filter(Boolean);

// A client is replaced as a whole, so members that the form lacks are sent back unchanged.
function bodyOf(client, form) {
    const { id, etag, lastUpdated, secretCreatedAt, previousSecretUntil, secret, jwks, jwksUri, pkceOptional, ...rest } = client;
    const confidential = form.type === 'confidential', signs = confidential && form.authMethod === 'private_key_jwt';

    return { ...rest, name: form.name, type: form.type, authMethod: confidential ? form.authMethod : 'none', firstParty: form.firstParty,
        grantTypes: form.grantTypes.filter((each) => confidential || each !== SERVICE), redirectUris: lines(form.redirectUris), postLogoutRedirectUris: lines(form.postLogoutRedirectUris),
        scopes: lines(form.scopes), audiences: lines(form.audiences),
        ...(confidential && pkceOptional && { pkceOptional }), ...(signs && (form.jwksUri.trim() ? { jwksUri: form.jwksUri.trim() } : jwks && { jwks })) };
}

const formOf = (client) => ({ name: client.name ?? '', type: client.type ?? 'public', authMethod: methods[client.authMethod] ? client.authMethod : 'client_secret_basic', jwksUri: client.jwksUri ?? '',
    grantTypes: client.grantTypes ?? [], redirectUris: (client.redirectUris ?? []).join('\n'), postLogoutRedirectUris: (client.postLogoutRedirectUris ?? []).join('\n'),
    scopes: (client.scopes ?? []).join(' '), audiences: (client.audiences ?? []).join('\n'), firstParty: client.firstParty ?? false });
const members = { name: [N('Name')], type: [N('Type'), types], authMethod: [N('Client authentication'), methods], jwksUri: [N('JWKS URL')], grantTypes: [N('Grant types'), grants],
    redirectUris: [N('Redirect URIs')], postLogoutRedirectUris: [N('Post-logout redirect URIs')], scopes: [N('Scopes')], audiences: [N('Audiences')],
    firstParty: [N('First-party application'), { true: N('Yes'), false: N('No') }] };

const URIS = { as: 'textarea', class: 'code uris', rows: 3, spellcheck: false };

export function Clients() {
    const list = useLoad(() => get(PATH));

    return html`<${Page} title=${t('Applications')} actions=${html`<${Button} kind="primary" onClick=${() => navigate('/applications/new')}>${t('Register application')}<//>`}>
        <${Loaded} from=${list}>${(data) => html`<${Table} label=${t('Applications')} rows=${data.resources} columns=${[
            { title: t('Name'), cell: (row) => html`<${Link} to=${`/applications/${row.id}`}>${row.name}<//>` },
            { title: t('Client ID'), cell: (row) => html`<code>${row.id}</code>` },
            { title: t('Type'), cell: (row) => html`<${Badge}>${row.type === 'confidential' ? t('Confidential') : t('Public')}<//>` },
            { title: t('Last changed'), kind: 'time', cell: (row) => time(row.lastUpdated) },
        ]} empty=${html`<${Empty} title=${t('No applications yet')}><p>${t('Apps need a client ID to sign people in. Register an application to get one.')}</p><//>`} />`}<//><//>`;
}

/** The address of this screen in earlier releases. */
export function MovedClients() {
    useEffect(() => navigate('/applications', { replace: true }), []);
    return null;
}

function Kinds({ kind, onKind }) {
    const id = useId();

    return html`<fieldset class="plain"><legend><strong>${t('What is it?')}</strong></legend>${Object.entries(kinds).map(([key, { title, hint }]) => html`
        <div class="field check" key=${key}><input type="radio" name=${id} id=${`${id}${key}`} checked=${key === kind} aria-describedby=${`${id}${key}h`} onChange=${() => onKind(key)} />
            <label for=${`${id}${key}`}>${t(title)}</label><p class="hint" id=${`${id}${key}h`}>${t(hint)}</p></div>`)}</fieldset>`;
}

function Fields({ client, form, change, problem, redirect }) {
    const confidential = form.type === 'confidential', signs = confidential && form.authMethod === 'private_key_jwt', person = form.grantTypes.some((each) => each !== SERVICE);

    return html`
        ${form.grantTypes.includes(CODE) && html`<${Field} label=${t('Redirect URIs')} ...${URIS} value=${form.redirectUris} onValue=${change('redirectUris')} error=${problem('redirectUris')} placeholder=${redirect}
            hint=${t('Where people return after they sign in. One per line, exactly as the application sends it.')} />`}
        <${Field} label=${t('Scopes')} class="code" value=${form.scopes} onValue=${change('scopes')} error=${problem('scopes')} spellcheck="false"
            hint=${person ? t('Scopes that the application can request, separated by spaces. For example, openid profile offline_access') : t('Scopes that the service can request, separated by spaces. For example, system/Observation.rs')} />
        ${form.grantTypes.includes(SERVICE) && html`<${Field} label=${t('Audiences')} ...${URIS} value=${form.audiences} onValue=${change('audiences')} error=${problem('audiences')} placeholder="https://fhir.example.com/r4"
            hint=${t('APIs for which the service gets tokens: one URL per line.')} />`}
        ${person && html`<${Check} label=${t('First-party application')} hint=${t('People aren’t asked for consent, and the application can get tokens for the Atrium API.')}
            checked=${form.firstParty} onValue=${change('firstParty')} />`}
        <details open=${Boolean(problem('type') || problem('authMethod') || problem('grantTypes') || problem('jwksUri') || problem('postLogoutRedirectUris')) || undefined}>
            <summary>${t('Grant types and client authentication')}</summary>
            <div class="stack">
                <fieldset class="plain"><legend><strong>${t('Grant types')}</strong></legend>${Object.entries(grants).filter(([key]) => confidential || key !== SERVICE).map(([key, text]) => html`
                    <${Check} key=${key} label=${t(text)} checked=${form.grantTypes.includes(key)}
                        onValue=${(on) => change('grantTypes')(Object.keys(grants).filter((each) => (each === key ? on : form.grantTypes.includes(each))))} />`)}
                    ${problem('grantTypes') && html`<p class="problem" role="alert">${problem('grantTypes')}</p>`}</fieldset>
                <${Field} label=${t('Type')} as="select" value=${form.type} onValue=${change('type')} error=${problem('type')}
                    hint=${t('Public: an app in a browser or on a phone, which can’t keep a secret. Confidential: an app on a server.')}>${Object.entries(types).map(([key, text]) => html`<option value=${key}>${t(text)}</option>`)}<//>
                ${confidential && html`<${Field} label=${t('Client authentication')} as="select" value=${form.authMethod} onValue=${change('authMethod')} error=${problem('authMethod')}>
                    ${Object.entries(methods).map(([key, text]) => html`<option value=${key}>${t(text)}</option>`)}<//>`}
                ${signs && html`<${Field} label=${t('JWKS URL')} type="url" placeholder="https://" value=${form.jwksUri} onValue=${change('jwksUri')} error=${problem('jwksUri')}
                    hint=${client.jwks ? t('Leave empty to keep the keys that were set through the API.') : null} />`}
                ${form.grantTypes.includes(CODE) && html`<${Field} label=${t('Post-logout redirect URIs')} ...${URIS} value=${form.postLogoutRedirectUris} onValue=${change('postLogoutRedirectUris')}
                    error=${problem('postLogoutRedirectUris')} hint=${t('Where people can return after they sign out, one per line.')} />`}
            </div></details>`;
}

// Fields whose problems are shown beside them; those of hidden fields are shown below the form.
const shownFields = ({ type, authMethod, grantTypes }) => ['name', 'type', 'grantTypes', 'scopes', ...grantTypes.includes(CODE) ? ['redirectUris', 'postLogoutRedirectUris'] : [],
    ...grantTypes.includes(SERVICE) ? ['audiences'] : [], ...type === 'confidential' ? ['authMethod'] : [], ...type === 'confidential' && authMethod === 'private_key_jwt' ? ['jwksUri'] : []];

const secretText = ({ previousSecretUntil: until }) => (until
    ? t('The application uses this secret to authenticate. It won’t be shown again. The previous secret works until {time}.', { time: time(until) })
    : t('The application uses this secret to authenticate. It won’t be shown again.'));

const defaults = (kind) => { const { type, grantTypes, scopes } = kinds[kind]; return { type, grantTypes, scopes }; };

function Register() {
    const [kind, setKind] = useState('web'), [form, set] = useState({ ...formOf({}), ...defaults('web') }), [dirty, setDirty] = useState(false), [secret, setSecret] = useState(null);
    const change = (name) => (value) => { set({ ...form, [name]: value }); setDirty(true); };
    const open = (id) => setTimeout(() => { navigate(`/applications/${id}`); toast(t('Application registered.')); });
    const { busy, error, run } = useAct(async () => {
        const made = await post(PATH, bodyOf({}, form));

        setDirty(false);
        const shown = hasSecret(made) && await post(`${PATH}/${made.id}/secret`).catch(() => null); // its screen makes another
        if (shown)
            setSecret(shown);
        else
            open(made.id);
    });
    const problem = (name) => error?.problem?.(name);

    useGuard(dirty);
    return html`<${Page} title=${t('Register application')} back=${['/applications', t('Applications')]}>
        <form class="stack" novalidate onSubmit=${(event) => { event.preventDefault(); if (form.name.trim()) run(); }}><${Section}>
            <${Field} label=${t('Name')} value=${form.name} onValue=${change('name')} error=${problem('name')} hint=${t('People see it when they sign in.')} required />
            <${Kinds} kind=${kind} onKind=${(next) => { setKind(next); set({ ...form, ...defaults(next) }); setDirty(true); }} />
            <${Fields} client=${{}} form=${form} change=${change} problem=${problem} redirect=${kinds[kind].redirect} />
            ${otherError(error, ...shownFields(form)) && html`<${ErrorBox} error=${error} />`}
            <div class="buttons"><${Button} type="submit" kind="primary" busy=${busy} disabled=${!form.name.trim()}>${t('Register')}<//></div><//></form>
        ${secret && html`<${Secret} title=${t('Copy this secret')} secret=${secret.secret} text=${secretText(secret)} onClose=${() => { setSecret(null); open(secret.id); }} />`}
    <//>`;
}

const random = () => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32)))).replace(/[+/=]/g, (each) => ({ '+': '-', '/': '_', '=': '' })[each]);

/**
 * Starts the application's sign-in as the application would. The code goes to the application, and the challenge has no
 * verifier, so the code is useless to everyone.
 */
function TestSignIn({ client, issuer, onClose }) {
    const [redirect, pick] = useState(client.redirectUris[0]), [challenge] = useState(random);
    const address = `${issuer}/authorize?${new URLSearchParams({ client_id: client.id, response_type: 'code', redirect_uri: redirect, scope: client.scopes.join(' '), state: 'test-sign-in',
        nonce: challenge, code_challenge: challenge, code_challenge_method: 'S256' })}`;

    return html`<${Dialog} title=${t('Test sign-in')} submit=${t('Open sign-in in a new tab')} close=${t('Close')} onClose=${onClose} onSubmit=${() => window.open(address, '_blank', 'noopener')}>
        <p>${t('A new tab opens the sign-in of this application. You’re signed in already, so it may return to the application immediately. What you see there is the result:')}</p>
        <ul class="bullets"><li>${t('The application, with “code=” in the URL: sign-in works. The application reports an error, because it didn’t start this sign-in, and nobody can use the code.')}</li>
            <li>${t('The application, with “error=” in the URL: the rest of the URL says what is wrong.')}</li>
            <li>${t('An error page of Atrium: the page says what is wrong.')}</li>
            <li>${t('An error of the browser: Atrium returned to the redirect URI, but the browser couldn’t open it.')}</li></ul>
        <${Field} label=${t('Redirect URI')} as="select" value=${redirect} onValue=${pick}>${client.redirectUris.map((each) => html`<option value=${each}>${each}</option>`)}<//>
        <p class="soft small">${t('To test with another account, copy the link and open it in a private window.')}</p>
        <div><${Button} onClick=${() => copy(address)}>${t('Copy link')}<//></div>
    <//>`;
}

function Connect({ client, issuer, onSecret, secret }) {
    const fitting = libraries.filter((each) => each.fits(client)), [chosen, choose] = useState(fitting[0]?.name);
    const library = fitting.find((each) => each.name === chosen) ?? fitting[0];
    const code = library?.code({ issuer, id: client.id, redirect: client.redirectUris?.[0] ?? '', scopes: client.scopes ?? [], audience: client.audiences?.[0] ?? '' });
    const facts = [[t('Issuer'), issuer], [t('Discovery URL'), `${issuer}/.well-known/openid-configuration`], [t('Client ID'), client.id]];

    return html`<${Section} title=${t('Connect your application')}>
        <div class="values"><${Facts} rows=${[...facts.map(([name, text]) => [name, html`<${Copied} name=${name} text=${text} />`]),
            hasSecret(client) && [t('Client secret'), html`${client.secretCreatedAt ? t('Created {time}', { time: time(client.secretCreatedAt) }) : t('None yet')}
                <${Button} kind="quiet" busy=${secret.busy} onClick=${onSecret}>${t('New secret')}<//>`]]} /></div>
        ${secret.error && html`<${ErrorBox} error=${secret.error} />`}
        ${library ? html`<${Field} label=${t('Library')} as="select" value=${library.name} onValue=${choose}>${fitting.map((each) => html`<option value=${each.name}>${each.name} (${each.language})</option>`)}<//>
            <pre class="snippet" tabindex="0" role="region" aria-label=${library.name}>${code}</pre><div><${Button} onClick=${() => copy(code)}>${t('Copy code')}<//></div>`
            : html`<p class="soft">${t('Configure an OpenID Connect library with these values, and with the key or grant type of this application.')}</p>`}<//>`;
}

function Editor({ opened, issuer }) {
    const [client, base] = useState(opened), [form, set] = useState(formOf(opened)), dirty = JSON.stringify(bodyOf(client, form)) !== JSON.stringify(bodyOf(client, formOf(client)));
    const [gone, setGone] = useState(false), [secret, setSecret] = useState(null), [test, setTest] = useState(false);
    const change = (name) => (value) => set({ ...form, [name]: value });
    const { busy, error, run, conflict, leave } = useSave(async (over) => {
        base(await putState(`${PATH}/${client.id}`, bodyOf(over, form), over.etag));
        toast(t('Saved.'));
    }, () => getState(`${PATH}/${client.id}`));
    const exchange = useAct(async () => {
        setSecret(await post(`${PATH}/${client.id}/secret`));
        base(await getState(`${PATH}/${client.id}`));
    });
    const shown = (values, name) => [values[name]].flat().map((each) => (members[name][1] ? t(members[name][1][each]) : each)).join(', ') || '–';
    const problem = (name) => error?.problem?.(name);
    const signsIn = client.grantTypes?.includes(CODE) && client.redirectUris?.length > 0;

    useGuard(dirty);
    return html`<${Page} title=${client.name} back=${['/applications', t('Applications')]}
        actions=${issuer && signsIn && html`<${Button} kind="primary" onClick=${() => setTest(true)}>${t('Test sign-in')}<//>`}>
        ${issuer && html`<${Connect} client=${client} issuer=${issuer} secret=${exchange} onSecret=${exchange.run} />`}
        <form class="stack" novalidate onSubmit=${(event) => { event.preventDefault(); if (dirty && form.name.trim()) run(client); }}>
            ${conflict && html`<${Conflict} rows=${Object.keys(members).map((name) => [t(members[name][0]), shown(formOf(conflict), name), shown(form, name)]).filter(([, theirs, mine]) => theirs !== mine)}
                onTheirs=${() => { base(conflict); set(formOf(conflict)); leave(); }} onMine=${() => { base(conflict); run(conflict); }} />`}
            <${Section} title=${t('Settings')}>
                <${Field} label=${t('Name')} value=${form.name} onValue=${change('name')} error=${problem('name')} required />
                <${Fields} client=${client} form=${form} change=${change} problem=${problem} />
                ${otherError(error, ...shownFields(form)) && html`<${ErrorBox} error=${error} />`}
                <div class="buttons"><${Button} type="submit" kind="primary" busy=${busy} disabled=${!dirty || !form.name.trim()}>${t('Save')}<//>
                    <${Button} kind="danger" onClick=${() => setGone(true)}>${t('Delete')}<//></div><//></form>
        ${test && html`<${TestSignIn} client=${client} issuer=${issuer} onClose=${() => setTest(false)} />`}
        ${secret && html`<${Secret} title=${t('Copy this secret')} secret=${secret.secret} text=${secretText(secret)} onClose=${() => setSecret(null)} />`}
        ${gone && html`<${ConfirmName} title=${t('Delete application')} name=${client.name} submit=${t('Delete')} act=${() => remove(`${PATH}/${client.id}`)} onClose=${() => setGone(false)}
            onDone=${() => { set(formOf(client)); setTimeout(() => { navigate('/applications'); toast(t('Deleted.')); }); }}><p>${t('People can no longer sign in through this application.')}</p><//>`}
    <//>`;
}

function Existing({ id }) {
    const loaded = useLoad(async () => {
        const [client, { tenantCode }] = await Promise.all([getState(`${PATH}/${id}`), get('/v1/project/readiness')]);

        return { client, issuer: tenantCode && `${location.origin}/t/${encodeURIComponent(tenantCode)}` };
    }, [id]);

    return loaded.data ? html`<${Editor} opened=${loaded.data.client} issuer=${loaded.data.issuer} />`
        : html`<${Page} title=${t('Application')} back=${['/applications', t('Applications')]}><${Loaded} from=${loaded} kind="screen">${() => null}<//><//>`;
}

export const Client = ({ id }) => (id === 'new' ? html`<${Register} />` : html`<${Existing} id=${id} />`);
