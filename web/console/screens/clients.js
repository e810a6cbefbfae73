// clients.js - applications (OAuth clients), and how each gets tokens.
import { get, getState, post, putState, remove } from '../lib/api.js';
import { html, useState } from '../lib/html.js';
import { N, t, time } from '../lib/i18n.js';
import { Badge, Button, Check, Conflict, ConfirmName, Dialog, Empty, ErrorBox, Field, otherError, Loaded, Page, Secret, Table, toast, toasting, useAct, useLoad, useSave } from '../lib/ui.js';

const PATH = '/v1/project/clients';
const types = { public: N('Public'), confidential: N('Confidential') };
const methods = { client_secret_basic: N('A secret, in a header'), client_secret_post: N('A secret, in the form'), private_key_jwt: N('A key of its own (JWT)') };
const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';
const grants = { authorization_code: N('People sign in on the pages (code)'), refresh_token: N('Tokens are renewed'), [DEVICE]: N('Devices without a browser'),
    client_credentials: N('Tokens in its own name') };

const hasSecret = (row) => row.authMethod?.startsWith('client_secret');
const lines = (text) => text.split(/\s+/).filter(Boolean);

// A client is replaced as a whole, so members that the form lacks are sent back unchanged.
function bodyOf(client, form) {
    const { id, etag, lastUpdated, secretCreatedAt, previousSecretUntil, secret, jwks, jwksUri, pkceOptional, ...rest } = client;
    const confidential = form.type === 'confidential', signs = confidential && form.authMethod === 'private_key_jwt';

    return { ...rest, name: form.name, type: form.type, authMethod: confidential ? form.authMethod : 'none', firstParty: form.firstParty,
        grantTypes: form.grantTypes.filter((each) => confidential || each !== 'client_credentials'), redirectUris: lines(form.redirectUris), scopes: lines(form.scopes),
        ...(confidential && pkceOptional && { pkceOptional }), ...(signs && (form.jwksUri.trim() ? { jwksUri: form.jwksUri.trim() } : jwks && { jwks })) };
}

const formOf = (client) => ({ name: client.name ?? '', type: client.type ?? 'public', authMethod: methods[client.authMethod] ? client.authMethod : 'client_secret_basic', jwksUri: client.jwksUri ?? '',
    grantTypes: client.grantTypes ?? [], redirectUris: (client.redirectUris ?? []).join('\n'), scopes: (client.scopes ?? []).join(' '), firstParty: client.firstParty ?? false });
const members = { name: [N('Name')], type: [N('Type'), types], authMethod: [N('Authenticates by'), methods], jwksUri: [N('Address of its keys')], grantTypes: [N('How it gets tokens'), grants],
    redirectUris: [N('Addresses to come back to')], scopes: [N('Scopes')], firstParty: [N('It is the project’s own'), { true: N('Yes'), false: N('No') }] };

function Edit({ client: opened, onClose, onDone }) {
    const [client, base] = useState(opened), [form, set] = useState(formOf(opened));
    const change = (name) => (value) => set({ ...form, [name]: value });
    const { busy, error, run, conflict, leave } = useSave(async (over) => onDone(await (over.id ? putState(`${PATH}/${over.id}`, bodyOf(over, form), over.etag) : post(PATH, bodyOf(over, form)))),
        () => getState(`${PATH}/${client.id}`));
    const shown = (values, name) => [values[name]].flat().map((each) => (members[name][1] ? t(members[name][1][each]) : each)).join(', ') || '–';
    const problem = (name) => error?.problem?.(name);
    const confidential = form.type === 'confidential', signs = confidential && form.authMethod === 'private_key_jwt';

    return html`<${Dialog} title=${client.id ? t('Edit the application') : t('Register an application')} submit=${client.id ? t('Save') : t('Register')} busy=${busy} disabled=${!form.name.trim()}
        onClose=${onClose} onSubmit=${() => run(client)} error=${otherError(error, 'name', 'type', 'grantTypes', 'redirectUris', 'scopes', ...confidential ? ['authMethod'] : [], ...signs ? ['jwksUri'] : [])}>
        ${conflict && html`<${Conflict} rows=${Object.keys(members).map((name) => [t(members[name][0]), shown(formOf(conflict), name), shown(form, name)]).filter(([, theirs, mine]) => theirs !== mine)}
            onTheirs=${() => { base(conflict); set(formOf(conflict)); leave(); }} onMine=${() => { base(conflict); run(conflict); }} />`}
        <${Field} label=${t('Name')} value=${form.name} onValue=${change('name')} error=${problem('name')} autofocus required />
        <${Field} label=${t('Type')} as="select" value=${form.type} onValue=${change('type')} error=${problem('type')}
            hint=${t('A public one keeps no secret: an app in a browser or on a phone. A confidential one is a server.')}>${Object.entries(types).map(([key, text]) => html`<option value=${key}>${t(text)}</option>`)}<//>
        ${confidential && html`<${Field} label=${t('Authenticates by')} as="select" value=${form.authMethod} onValue=${change('authMethod')} error=${problem('authMethod')}>
            ${Object.entries(methods).map(([key, text]) => html`<option value=${key}>${t(text)}</option>`)}<//>`}
        ${signs && html`<${Field} label=${t('Address of its keys')} type="url" placeholder="https://" value=${form.jwksUri} onValue=${change('jwksUri')} error=${problem('jwksUri')}
            hint=${client.jwks ? t('Empty: the keys that were written through the API stay.') : null} />`}
        <fieldset class="plain"><legend><strong>${t('How it gets tokens')}</strong></legend>${Object.entries(grants).filter(([key]) => confidential || key !== 'client_credentials').map(([key, text]) => html`
            <${Check} key=${key} label=${t(text)} checked=${form.grantTypes.includes(key)} onValue=${(on) => change('grantTypes')(Object.keys(grants).filter((each) => (each === key ? on : form.grantTypes.includes(each))))} />`)}
            ${problem('grantTypes') && html`<p class="problem" role="alert">${problem('grantTypes')}</p>`}</fieldset>
        <${Field} label=${t('Addresses to come back to')} as="textarea" class="code" rows="3" spellcheck="false" value=${form.redirectUris} onValue=${change('redirectUris')} error=${problem('redirectUris')}
            hint=${t('One in each line, exactly as the application asks for it.')} />
        <${Field} label=${t('Scopes')} value=${form.scopes} onValue=${change('scopes')} error=${problem('scopes')} hint=${t('For example: openid profile offline_access')} />
        <${Check} label=${t('It is the project’s own')} hint=${t('People are not asked for their consent, and its tokens may be for the API.')} checked=${form.firstParty} onValue=${change('firstParty')} />
    <//>`;
}

export function Clients() {
    const list = useLoad(() => get(PATH));
    const [edit, setEdit] = useState(null), [gone, setGone] = useState(null), [secret, setSecret] = useState(null);
    const open = toasting(async (row) => setEdit(await getState(`${PATH}/${row.id}`)));
    const exchange = useAct(async (row) => setSecret(await post(`${PATH}/${row.id}/secret`)));
    const saved = (made) => {
        toast(edit.id ? t('Saved.') : t('Registered.'));
        setEdit(null);
        list.reload();
        if (hasSecret(made) && !made.secretCreatedAt)
            exchange.run(made);
    };

    return html`<${Page} title=${t('Applications')} wide actions=${html`<${Button} kind="primary" onClick=${() => setEdit({})}>${t('Register an application')}<//>`}>
        <${Loaded} from=${list}>${(data) => html`<${Table} label=${t('Applications')} rows=${data.resources} columns=${[
            { title: t('Name'), cell: (row) => row.name },
            { title: t('Client id'), cell: (row) => html`<code>${row.id}</code>` },
            { title: t('Type'), cell: (row) => html`<${Badge}>${row.type === 'confidential' ? t('confidential') : t('public')}<//>` },
            { title: t('Changed'), kind: 'time', cell: (row) => time(row.lastUpdated) },
            { kind: 'acts', cell: (row) => html`<${Button} kind="quiet" onClick=${() => open(row)}>${t('Edit')}<//>
                ${hasSecret(row) && html`<${Button} kind="quiet" busy=${exchange.busy} onClick=${() => exchange.run(row)}>${t('New secret')}<//>`}<${Button} kind="quiet danger" onClick=${() => setGone(row)}>${t('Delete')}<//>` },
        ]} empty=${html`<${Empty} title=${t('No application yet')}><p>${t('An app needs a client id to sign people in by one request.')}</p><//>`} />`}<//>
        ${exchange.error && html`<${ErrorBox} error=${exchange.error} />`}
        ${edit && html`<${Edit} client=${edit} onClose=${() => setEdit(null)} onDone=${saved} />`}
        ${secret && html`<${Secret} title=${t('Keep this secret now')} secret=${secret.secret} onClose=${() => setSecret(null)} text=${secret.previousSecretUntil
            ? t('The application authenticates by it. It is not shown again. The one before works until {time}.', { time: time(secret.previousSecretUntil) })
            : t('The application authenticates by it. It is not shown again.')} />`}
        ${gone && html`<${ConfirmName} title=${t('Delete the application')} name=${gone.name} submit=${t('Delete')} act=${() => remove(`${PATH}/${gone.id}`)}
            onClose=${() => setGone(null)} onDone=${() => { setGone(null); list.reload(); toast(t('Deleted.')); }}>
            <p>${t('People cannot sign in through it any more.')}</p><//>`}
    <//>`;
}
