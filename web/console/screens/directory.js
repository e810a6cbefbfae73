// directory.js - directory sync (SCIM): the directory's tokens, the access policies of its groups, and its latest requests.
import { get, post, put, remove } from '../lib/api.js';
import { html, useState } from '../lib/html.js';
import { N, number, plural, t, time } from '../lib/i18n.js';
import { Link } from '../lib/router.js';
import { Badge, Button, ConfirmName, Copied, Dialog, Empty, ErrorBox, Facts, Field, Loaded, otherError, Page, Section, Table, toast, useAct, useGuard, useLoad } from '../lib/ui.js';

const TOKENS = '/v1/project/scim-tokens', MAPPINGS = '/v1/project/scim-mappings';
const NAMES = { POST: { Users: N('Create person'), Groups: N('Create group') }, PUT: { Users: N('Change person'), Groups: N('Change group') },
    PATCH: { Users: N('Change person'), Groups: N('Change group') }, DELETE: { Users: N('Remove person'), Groups: N('Delete group') },
    GET: { Users: N('Read people'), Groups: N('Read groups') } };

// ---- tokens ----

function Create({ onClose, onDone }) {
    const [value, set] = useState({ name: '', days: '180', addresses: '' });
    const change = (name) => (next) => set({ ...value, [name]: next });
    const { busy, error, run } = useAct(async () => onDone(await post(TOKENS, { name: value.name, days: Number(value.days), addresses: value.addresses.split(/[\s,]+/).filter(Boolean) })));
    const field = (name, label, rest) => html`<${Field} label=${label} value=${value[name]} onValue=${change(name)} error=${error?.problem?.(name)} ...${rest} />`;

    return html`<${Dialog} title=${t('New token')} submit=${t('Create token')} busy=${busy} onClose=${onClose} onSubmit=${run} error=${otherError(error, 'name', 'days', 'addresses')} disabled=${!value.name.trim()}>
        ${field('name', t('Name'), { hint: t('For example, the name of your directory.'), autofocus: true, required: true })}
        ${field('days', t('Days until expiry'), { type: 'number', min: '1', max: '365' })}
        ${field('addresses', t('Allowed networks'), { hint: t('For example, 192.0.2.0/24. Leave empty to allow any network.') })}
    <//>`;
}

const Made = ({ token, address, onClose }) => html`<${Dialog} title=${t('Copy your token')} close=${t('Close')} onClose=${onClose}>
    <p>${t('Enter both in your directory. The token won’t be shown again.')}</p>
    <${Facts} rows=${[address && [t('Base URL'), html`<${Copied} name=${t('Base URL')} text=${address} />`], [t('Token'), html`<${Copied} name=${t('Token')} text=${token} />`]]} /><//>`;

function Tokens({ address }) {
    const list = useLoad(() => get(TOKENS)), [create, setCreate] = useState(false), [made, setMade] = useState(null), [gone, setGone] = useState(null);

    return html`<${Section} title=${t('Connection')} actions=${html`<${Button} kind="primary" onClick=${() => setCreate(true)}>${t('New token')}<//>`}>
        <p class="soft">${t('Your directory sends its people to this address, with a token. Two tokens can be valid at a time, so that you can replace one without a pause.')}</p>
        <${Loaded} from=${address} kind="line">${(text) => (text ? html`<${Facts} rows=${[[t('Base URL'), html`<${Copied} name=${t('Base URL')} text=${text} />`]]} />`
            : html`<p class="notice warn">${t('The project needs a tenant code first.')}</p>`)}<//>
        <${Loaded} from=${list}>${({ resources }) => html`<${Table} label=${t('Tokens')} rows=${resources} columns=${[
            { title: t('Name'), cell: (row) => row.name },
            { title: t('Networks'), cell: (row) => row.addresses.join(', ') || t('Any') },
            { title: t('Last used'), kind: 'time', cell: (row) => (row.lastUsedAt ? time(row.lastUsedAt) : t('Never')) },
            { title: t('Expires'), kind: 'time', cell: (row) => (new Date(row.expiresAt) < new Date() ? html`<${Badge} kind="bad">${t('Expired')}<//>` : time(row.expiresAt)) },
            { kind: 'acts', cell: (row) => html`<${Button} kind="quiet danger" onClick=${() => setGone(row)}>${t('Delete')}<//>` },
        ]} empty=${html`<${Empty} title=${t('No tokens yet')}><p>${t('Create one, and enter it in your directory.')}</p><//>`} />`}<//>
        ${create && html`<${Create} onClose=${() => setCreate(false)} onDone=${({ token }) => { setCreate(false); setMade(token); list.reload(); }} />`}
        ${made && html`<${Made} token=${made} address=${address.data} onClose=${() => setMade(null)} />`}
        ${gone && html`<${ConfirmName} title=${t('Delete token')} name=${gone.name} submit=${t('Delete')} act=${() => remove(`${TOKENS}/${gone.id}`)} onClose=${() => setGone(null)}
            onDone=${() => { setGone(null); list.reload(); toast(t('Deleted.')); }}><p>${t('A directory that uses this token can’t change anything any more.')}</p><//>`}
    <//>`;
}

// ---- groups ----

/** What these mappings would change, before they are saved. */
function Preview({ rows, preview, names, onClose, onDone }) {
    const changed = preview.resources.reduce((sum, each) => sum + each.changed, 0);
    const { busy, error, run } = useAct(async () => onDone((await put(MAPPINGS, { resources: rows })).resources));

    return html`<${Dialog} title=${t('Preview')} submit=${t('Save')} busy=${busy} error=${error} onClose=${onClose} onSubmit=${run}>
        <p><strong>${changed === 0 ? t('No one gets another access policy.') : plural(changed, '1 person gets another access policy.', '{n} people get another access policy.')}</strong>
            ${' '}${t('Admins keep their access.')}</p>
        ${preview.resources.length > 0 && html`<${Table} label=${t('Preview')} rows=${preview.resources.map((row) => ({ ...row, key: row.accessPolicy }))} columns=${[
            { title: t('Access policy'), cell: (row) => (row.accessPolicy ? names(row.accessPolicy) : t('None')) },
            { title: t('People now'), kind: 'number', cell: (row) => number(row.before) },
            { title: t('People afterwards'), kind: 'number', cell: (row) => number(row.after) },
        ]} />`}<//>`;
}

function Mapping({ row, place, last, groups, policies, onChange, onMove, onRemove }) {
    const chosen = groups.find(({ id, externalId }) => row.group && (row.group === id || row.group === externalId));
    const name = t('Mapping {n}', { n: number(place + 1) });

    return html`<li><fieldset><legend class="hidden">${name}</legend>
        <${Field} label=${t('Group')} as="select" title=${chosen?.displayName} value=${row.group} onValue=${(group) => onChange({ ...row, group })}><option value="">${t('Select a group')}</option>
            ${groups.map((each) => html`<option value=${row.group === each.externalId ? each.externalId : each.id}>${each.displayName} (${number(each.members)})</option>`)}
            ${row.group && !chosen && html`<option value=${row.group}>${row.group}</option>`}<//>
        <${Field} label=${t('Access policy')} as="select" value=${row.accessPolicy} onValue=${(accessPolicy) => onChange({ ...row, accessPolicy })}><option value="">${t('Select a policy')}</option>
            ${policies.map((each) => html`<option value=${`AccessPolicy/${each.id}`}>${each.name}</option>`)}<//>
        <div class="buttons"><${Button} kind="quiet" disabled=${place === 0} onClick=${() => onMove(-1)}>${t('Move up')}<//>
            <${Button} kind="quiet" disabled=${last} onClick=${() => onMove(1)}>${t('Move down')}<//>
            <${Button} kind="quiet danger" onClick=${onRemove}>${t('Remove')}<//></div></fieldset></li>`;
}

const moved = (rows, from, by) => rows.map((row, i) => (i === from ? rows[from + by] : i === from + by ? rows[from] : row));

function Mappings({ saved, groups, policies, onSaved }) {
    const [rows, set] = useState(saved), [preview, setPreview] = useState(null);
    const dirty = JSON.stringify(rows) !== JSON.stringify(saved);
    const look = useAct(async () => setPreview(await post(`${MAPPINGS}/preview`, { resources: rows })));
    const names = (reference) => policies.find(({ id }) => reference === `AccessPolicy/${id}`)?.name ?? reference;

    useGuard(dirty);
    return html`<ol class="mappings">${rows.map((row, i) => html`<${Mapping} row=${row} place=${i} last=${i === rows.length - 1} groups=${groups} policies=${policies}
            onChange=${(next) => set(rows.map((each, k) => (k === i ? next : each)))} onMove=${(by) => set(moved(rows, i, by))} onRemove=${() => set(rows.filter((each, k) => k !== i))} />`)}</ol>
        ${look.error && html`<${ErrorBox} error=${look.error} />`}
        <div class="actions"><${Button} onClick=${() => set([...rows, { group: '', accessPolicy: '' }])}>${t('Add mapping')}<//>
            ${(dirty || rows.length > 0) && html`<${Button} kind="primary" busy=${look.busy} disabled=${rows.some((row) => !row.group || !row.accessPolicy)} onClick=${look.run}>${t('Preview and save')}<//>`}
            ${dirty && html`<${Button} onClick=${() => set(saved)}>${t('Discard')}<//>`}</div>
        ${preview && html`<${Preview} rows=${rows} preview=${preview} names=${names} onClose=${() => setPreview(null)}
            onDone=${(next) => { setPreview(null); onSaved(next); set(next); toast(t('Saved.')); }} />`}`;
}

function Groups() {
    const all = useLoad(async () => {
        const [groups, mappings, policies] = await Promise.all([get('/v1/project/scim-groups'), get(MAPPINGS), get('/v1/project/access-policies')]);

        return { groups: groups.resources, mappings: mappings.resources, policies: policies.resources };
    });

    return html`<${Section} title=${t('Access by group')}>
        <p class="soft">${t('People get the access policy of the first mapping with one of their groups. Members of other groups get the default policy. No group makes anyone an admin.')}</p>
        <${Loaded} from=${all}>${({ groups, mappings, policies }) => (groups.length === 0 && mappings.length === 0
            ? html`<${Empty} title=${t('No groups yet')}><p>${t('They appear here when your directory has sent them.')}</p><//>`
            : html`<${Mappings} saved=${mappings} groups=${groups} policies=${policies} onSaved=${(next) => all.set({ ...all.data, mappings: next })} />`)}<//>
    <//>`;
}

// ---- requests ----

function Requests() {
    const list = useLoad(() => get('/v1/project/scim-requests'));

    return html`<${Section} title=${t('Latest requests')} actions=${html`<${Button} busy=${list.loading} onClick=${list.reload}>${t('Refresh')}<//>`}>
        <p class="soft">${t('The last 50 that changed something or failed.')}</p>
        <${Loaded} from=${list}>${({ resources }) => html`<${Table} label=${t('Latest requests')} rows=${resources.map((row, key) => ({ ...row, key }))} columns=${[
            { title: t('Request'), cell: (row) => (NAMES[row.method]?.[row.resource] ? t(NAMES[row.method][row.resource]) : `${row.method} ${row.resource}`) },
            { title: t('Result'), cell: (row) => (row.status ? html`<span><${Badge} kind="bad">${t('Failed')}<//> <span class="small">${row.detail} (${row.status})</span></span>` : html`<${Badge} kind="good">${t('Done')}<//>`) },
            { title: t('Person'), cell: (row) => (row.accountId ? html`<${Link} to=${`/people/${row.accountId}`}>${t('Open')}<//>` : '–') },
            { title: t('Time'), kind: 'time', cell: (row) => time(row.requestedAt) },
        ]} empty=${html`<${Empty} title=${t('No requests yet')} />`} />`}<//>
    <//>`;
}

export function Directory() {
    const address = useLoad(async () => {
        const { tenantCode } = await get('/v1/project/readiness');

        return tenantCode ? `${location.origin}/t/${encodeURIComponent(tenantCode)}/scim/v2` : '';
    });

    return html`<${Page} title=${t('Directory sync')} lead=${t('Let Microsoft Entra, Okta or another directory create, change and lock your staff’s accounts (SCIM 2.0).')}>
        <${Tokens} address=${address} /><${Groups} /><${Requests} />
    <//>`;
}
