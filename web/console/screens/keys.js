// keys.js - API keys: created with an expiry, shown once, revoked.
import { get, post, query as queryOf, remove } from '../lib/api.js';
import { html, useState } from '../lib/html.js';
import { t, time } from '../lib/i18n.js';
import { Badge, Button, ConfirmName, Dialog, Empty, Field, Loaded, otherError, Page, Secret, Table, toast, useAct, useCursor, useLoad } from '../lib/ui.js';

const PATH = '/v1/project/api-keys';

function Create({ policies, onClose, onDone }) {
    const [value, set] = useState({ name: '', accessPolicy: '', days: '90', addresses: '' });
    const change = (name) => (next) => set({ ...value, [name]: next });
    const { busy, error, run } = useAct(async () => onDone(await post(PATH, { name: value.name, accessPolicy: value.accessPolicy, days: Number(value.days),
        addresses: value.addresses.split(/[\s,]+/).filter(Boolean) })));
    const problem = (name) => error?.problem?.(name);

    return html`<${Dialog} title=${t('New key')} submit=${t('Create key')} busy=${busy} onClose=${onClose} onSubmit=${run} error=${otherError(error ?? policies.error, 'name', 'accessPolicy', 'days', 'addresses')}
        disabled=${!value.name.trim() || !value.accessPolicy}>
        <${Field} label=${t('Name')} value=${value.name} onValue=${change('name')} error=${problem('name')} autofocus required />
        <${Field} label=${t('Access policy')} as="select" value=${value.accessPolicy} onValue=${change('accessPolicy')} error=${problem('accessPolicy')}
            hint=${policies.data?.length === 0 && t('There are no access policies yet. Create one under “Access policies” first.')}><option value="">${t('Select a policy')}</option>
            ${policies.data?.map((each) => html`<option value=${`AccessPolicy/${each.id}`}>${each.name}</option>`)}<//>
        <${Field} label=${t('Days until expiry')} type="number" min="1" max="365" value=${value.days} onValue=${change('days')} error=${problem('days')} />
        <${Field} label=${t('Allowed networks')} hint=${t('For example, 192.0.2.0/24. Leave empty to allow any network.')} value=${value.addresses} onValue=${change('addresses')} error=${problem('addresses')} />
    <//>`;
}

export function Keys() {
    const list = useCursor((cursor) => get(`${PATH}${queryOf({ _cursor: cursor })}`), []);
    const policies = useLoad(async () => (await get('/v1/project/access-policies')).resources);
    const [create, setCreate] = useState(false), [gone, setGone] = useState(null), [key, setKey] = useState(null);
    const name = (reference) => policies.data?.find(({ id }) => reference === `AccessPolicy/${id}`)?.name ?? reference;

    return html`<${Page} title=${t('API keys')} actions=${html`<${Button} kind="primary" onClick=${() => setCreate(true)}>${t('New key')}<//>`}>
        <p class="soft">${t('An API key lets a program use this project, within the limits of its access policy.')}</p>
        <${Loaded} from=${list}>${() => html`<${Table} label=${t('API keys')} rows=${list.rows} more=${list.more} onMore=${list.next} busy=${list.busy} columns=${[
            { title: t('Name'), cell: (row) => row.name },
            { title: t('Access policy'), cell: (row) => name(row.accessPolicy) },
            { title: t('Networks'), cell: (row) => row.addresses.join(', ') || t('Any') },
            { title: t('Created by'), cell: (row) => row.createdByName ?? t('Former member') },
            { title: t('Last used'), kind: 'time', cell: (row) => time(row.lastUsedAt) },
            { title: t('Expires'), kind: 'time', cell: (row) => (new Date(row.expiresAt) < new Date() ? html`<${Badge} kind="bad">${t('Expired')}<//>` : time(row.expiresAt)) },
            { kind: 'acts', cell: (row) => html`<${Button} kind="quiet danger" onClick=${() => setGone(row)}>${t('Revoke')}<//>` },
        ]} empty=${html`<${Empty} title=${t('No API keys yet')}><p>${t('Create a separate key for each program, so that you can revoke it alone.')}</p><//>`} />`}<//>
        ${create && html`<${Create} policies=${policies} onClose=${() => setCreate(false)} onDone=${(made) => { setCreate(false); setKey(made.key); list.reload(); }} />`}
        ${key && html`<${Secret} title=${t('Copy your API key')} text=${t('Store it in a safe place. It won’t be shown again.')} secret=${key} onClose=${() => setKey(null)} />`}
        ${gone && html`<${ConfirmName} title=${t('Revoke API key')} name=${gone.name} submit=${t('Revoke')} act=${() => remove(`${PATH}/${gone.id}`)} onClose=${() => setGone(null)}
            onDone=${() => { setGone(null); list.reload(); toast(t('Revoked.')); }}><p>${t('Programs that use this key lose access immediately.')}</p><//>`}
    <//>`;
}
