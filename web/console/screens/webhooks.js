// webhooks.js - webhooks and their deliveries.
import { findState, get, getState, post, putState, query as queryOf, remove } from '../lib/api.js';
import { html, useState } from '../lib/html.js';
import { N, number, plural, t, time } from '../lib/i18n.js';
import { Link, navigate } from '../lib/router.js';
import { Badge, Button, Check, Conflict, ConfirmName, Dialog, Empty, ErrorBox, Facts, Field, Loaded, otherError, Page, Secret, Section, Switch, Table, toast, toasting, useAct, useCursor, useLoad, useSave } from '../lib/ui.js';

const PATH = '/v1/project/webhooks';
const events = ['account.created', 'account.deleted', 'session.created', 'session.revoked', 'member.added', 'settings.changed', 'document.created'];
const formats = { standard: N('Events, signed with a secret'), caep: N('Ends of sessions, signed by the issuer (CAEP)') };
const states = { waiting: [N('Waiting'), 'warn'], delivered: [N('Delivered'), 'good'], failed: [N('Given up'), 'bad'] };
const reasons = { DEADLINE: N('no answer in time'), UNAVAILABLE: N('no connection') };

const words = () => ({ title: t('Keep this secret now'), text: t('Your receiver verifies signatures with it. It is not shown again.') });

function Edit({ hook: opened, onClose, onDone }) {
    const [hook, base] = useState(opened);
    const [url, setUrl] = useState(hook?.url ?? 'https://'), [chosen, setChosen] = useState(hook?.events ?? []);
    const [format, setFormat] = useState(hook?.format ?? 'standard'), [audience, setAudience] = useState(hook?.audience ?? '');
    const caep = format === 'caep';
    const body = { url, events: caep ? ['session.revoked'] : chosen, ...(caep && { audience }) };
    const { busy, error, run, conflict, leave } = useSave(async (over) => onDone(await (over
        ? putState(`${PATH}/${over.id}`, { ...body, enabled: over.enabled }, over.etag) : post(PATH, { ...body, format }))), () => getState(`${PATH}/${hook.id}`));
    const compared = () => [[t('Address'), conflict.url, url], [t('Events'), conflict.events.join(', '), body.events.join(', ')], [t('Audience'), conflict.audience ?? '', audience],
        [t('State'), conflict.enabled ? t('On') : t('Off'), hook.enabled ? t('On') : t('Off')]].filter(([, theirs, mine]) => theirs !== mine);
    const theirs = () => { base(conflict); setUrl(conflict.url); setChosen(conflict.events); setAudience(conflict.audience ?? ''); leave(); };

    return html`<${Dialog} title=${hook ? t('Edit the webhook') : t('New webhook')} submit=${t('Save')} busy=${busy} onClose=${onClose} onSubmit=${() => run(hook)}
        error=${otherError(error, 'url', ...caep ? ['audience'] : [])} disabled=${caep ? !audience : chosen.length === 0}>
        ${conflict && html`<${Conflict} rows=${compared()} onTheirs=${theirs} onMine=${() => { base(conflict); run(conflict); }} />`}
        <${Field} label=${t('Address')} type="url" value=${url} onValue=${setUrl} error=${error?.problem?.('url')} autofocus required />
        ${!hook && html`<${Field} label=${t('Format')} as="select" value=${format} onValue=${setFormat}>${Object.entries(formats).map(([key, text]) =>
            html`<option value=${key}>${t(text)}</option>`)}<//>`}
        ${caep ? html`<${Field} label=${t('Audience')} value=${audience} onValue=${setAudience} error=${error?.problem?.('audience')} required />`
            : html`<fieldset class="plain"><legend><strong>${t('Events')}</strong></legend>${events.map((each) => html`<${Check} key=${each} label=${html`<code>${each}</code>`} checked=${chosen.includes(each)}
            onValue=${(on) => setChosen(events.filter((other) => (other === each ? on : chosen.includes(other))))} />`)}</fieldset>`}
    <//>`;
}

export function Webhooks() {
    const list = useCursor((cursor) => get(`${PATH}${queryOf({ _cursor: cursor })}`), []);
    const [edit, setEdit] = useState(false), [secret, setSecret] = useState(null);
    const turn = useAct(toasting(async (row, enabled) => {
        const { url, events: posted, etag } = await getState(`${PATH}/${row.id}`);

        await putState(`${PATH}/${row.id}`, { url, events: posted, enabled }, etag);
        toast(enabled ? t('Events are posted again.') : t('Events are not posted any more.'));
        list.reload();
    }));

    return html`<${Page} title=${t('Webhooks')} wide actions=${html`<${Button} kind="primary" onClick=${() => setEdit(true)}>${t('New webhook')}<//>`}>
        <${Loaded} from=${list}>${() => html`<${Table} label=${t('Webhooks')} rows=${list.rows} more=${list.more} onMore=${list.next} busy=${list.busy} columns=${[
            { title: t('Address'), cell: (row) => html`<${Link} to=${`/webhooks/${row.id}`}>${row.url}<//>` },
            { title: t('Events'), cell: (row) => row.events.join(', ') },
            { title: t('State'), cell: (row) => html`<div class="actions"><${Switch} label=${t('Post events to {url}', { url: row.url })} on=${row.enabled} busy=${turn.busy} onSwitch=${(on) => turn.run(row, on)} />
                ${row.goneAt ? html`<${Badge} kind="bad">${t('switched off by its receiver')}<//>` : row.enabled && row.failingSince && html`<${Badge} kind="bad">${t('Failed')}<//>`}</div>` },
            { title: t('Made'), kind: 'time', cell: (row) => time(row.createdAt) },
        ]} empty=${html`<${Empty} title=${t('No webhook yet')}><p>${t('A webhook tells a server of yours what happens in the project.')}</p><//>`} />`}<//>
        ${edit && html`<${Edit} onClose=${() => setEdit(false)} onDone=${(made) => { setEdit(false); setSecret(made.secret ?? null); list.reload(); }} />`}
        ${secret && html`<${Secret} ...${words()} secret=${secret} onClose=${() => setSecret(null)} />`}
    <//>`;
}

export function Webhook({ id }) {
    const hook = useLoad(() => findState(`${PATH}/${id}`), [id]);
    const [state, setState] = useState(''), [edit, setEdit] = useState(false), [gone, setGone] = useState(false), [secret, setSecret] = useState(null);
    const list = useCursor((cursor) => get(`${PATH}/${id}/deliveries${queryOf({ state, _cursor: cursor })}`), [id, state]);
    const again = useAct(async (body) => {
        const { count } = await post(`${PATH}/${id}/redeliver`, body);
        toast(plural(count, '{n} delivery is posted again.', '{n} deliveries are posted again.'));
        list.reload();
    });
    const exchange = useAct(async () => { setSecret((await post(`${PATH}/${id}/secret`, {})).secret); hook.reload(); });

    return html`<${Page} title=${t('Webhook')} wide back=${['/webhooks', t('Webhooks')]}>
        <${Loaded} from=${hook}>${(data) => (data ? html`<${Section}>
            <${Facts} rows=${[[t('Address'), data.url], [t('Events'), data.events.join(', ')], [t('Format'), t(formats[data.format])], data.audience && [t('Audience'), data.audience], [t('Made'), time(data.createdAt)],
                data.previousSecretUntil && [t('The secret before works until'), time(data.previousSecretUntil)], data.goneAt && [t('Switched off by its receiver'), time(data.goneAt)],
                data.failingSince && [t('Failing since'), time(data.failingSince)]]} />
            <div class="actions"><${Button} onClick=${() => setEdit(true)}>${t('Edit')}<//>${data.format !== 'caep' && html`<${Button} busy=${exchange.busy} onClick=${exchange.run}>${t('New secret')}<//>`}
                <${Button} busy=${again.busy} onClick=${() => again.run({})}>${t('Post again what was given up')}<//><${Button} kind="danger" onClick=${() => setGone(true)}>${t('Delete')}<//></div>
            ${(again.error || exchange.error) && html`<${ErrorBox} error=${again.error ?? exchange.error} />`}<//>
            ${edit && html`<${Edit} hook=${data} onClose=${() => setEdit(false)} onDone=${() => { setEdit(false); hook.reload(); toast(t('Saved.')); }} />`}
            ${gone && html`<${ConfirmName} title=${t('Delete the webhook')} name=${data.url} submit=${t('Delete')} act=${() => remove(`${PATH}/${id}`)} onClose=${() => setGone(false)}
                onDone=${() => { navigate('/webhooks'); toast(t('Deleted.')); }}><p>${t('Events that wait for it are dropped.')}</p><//>`}
            ${secret && html`<${Secret} ...${words()} secret=${secret} onClose=${() => setSecret(null)} />`}`
            : html`<${Empty} title=${t('This webhook is not there any more')} />`)}<//>
        <div class="filters few"><${Field} label=${t('Deliveries')} as="select" value=${state} onValue=${setState}><option value="">${t('All')}</option>
            ${Object.entries(states).map(([key, [text]]) => html`<option value=${key}>${t(text)}</option>`)}<//></div>
        <${Loaded} from=${list}>${() => html`<${Table} label=${t('Deliveries')} rows=${list.rows} more=${list.more} onMore=${list.next} busy=${list.busy} columns=${[
            { title: t('Event'), cell: (row) => html`<code>${row.type}</code>` },
            { title: t('Happened'), kind: 'time', cell: (row) => time(row.happenedAt) },
            { title: t('State'), cell: (row) => html`<${Badge} kind=${states[row.state][1]}>${t(states[row.state][0])}<//>` },
            { title: t('Answer'), cell: (row) => (row.status ? `HTTP ${row.status} ${row.error ?? ''}` : row.error ? t(reasons[row.error] ?? row.error) : '–') },
            { title: t('Attempts'), kind: 'number', cell: (row) => number(row.attempts) },
            { title: t('Next attempt'), kind: 'time', cell: (row) => time(row.nextAt) },
            { kind: 'acts', cell: (row) => row.state !== 'waiting' && html`<${Button} kind="quiet" busy=${again.busy} onClick=${() => again.run({ delivery: row.id })}>${t('Post again')}<//>` },
        ]} empty=${html`<${Empty} title=${t('Nothing was posted yet')} />`} />`}<//>
    <//>`;
}
