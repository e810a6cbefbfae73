// clients.js - applications that sign people in to the project.
import { get, post, remove } from '../lib/api.js';
import { html, useState } from '../lib/html.js';
import { t, time } from '../lib/i18n.js';
import { Button, ConfirmName, Dialog, Empty, Field, Loaded, Page, Table, toast, useAct, useLoad } from '../lib/ui.js';

const PATH = '/v1/project/clients';

function Create({ onClose, onDone }) {
    const [name, setName] = useState('');
    const { busy, error, run } = useAct(async () => { await post(PATH, { name }); toast(t('Registered.')); onDone(); });

    return html`<${Dialog} title=${t('Register an application')} submit=${t('Register')} busy=${busy} disabled=${!name.trim()} onClose=${onClose} onSubmit=${run}
        error=${error?.problem?.('name') ? null : error}><${Field} label=${t('Name')} value=${name} onValue=${setName} error=${error?.problem?.('name')} autofocus required /><//>`;
}

export function Clients() {
    const list = useLoad(() => get(PATH));
    const [create, setCreate] = useState(false), [gone, setGone] = useState(null);

    return html`<${Page} title=${t('Applications')} actions=${html`<${Button} kind="primary" onClick=${() => setCreate(true)}>${t('Register an application')}<//>`}>
        <${Loaded} from=${list}>${(data) => html`<${Table} label=${t('Applications')} rows=${data.resources} columns=${[
            { title: t('Name'), cell: (row) => row.name },
            { title: t('Client id'), cell: (row) => html`<code>${row.id}</code>` },
            { title: t('Made'), kind: 'time', cell: (row) => time(row.lastUpdated) },
            { kind: 'acts', cell: (row) => html`<${Button} kind="quiet danger" onClick=${() => setGone(row)}>${t('Delete')}<//>` },
        ]} empty=${html`<${Empty} title=${t('No application yet')}><p>${t('An app needs a client id to sign people in by one request.')}</p><//>`} />`}<//>
        ${create && html`<${Create} onClose=${() => setCreate(false)} onDone=${() => { setCreate(false); list.reload(); }} />`}
        ${gone && html`<${ConfirmName} title=${t('Delete the application')} name=${gone.name} submit=${t('Delete')} act=${() => remove(`${PATH}/${gone.id}`)}
            onClose=${() => setGone(null)} onDone=${() => { setGone(null); list.reload(); toast(t('Deleted.')); }}>
            <p>${t('People cannot sign in through it any more.')}</p><//>`}
    <//>`;
}
