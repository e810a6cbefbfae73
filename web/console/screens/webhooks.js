// webhooks.js - webhooks and their deliveries.
import { findState, get, getState, post, putState, query as queryOf, remove } from '../lib/api.js';
import { html, useEffect, useRef, useState } from '../lib/html.js';
import { exactTime, N, number, plural, t, time } from '../lib/i18n.js';
import { Link, navigate } from '../lib/router.js';
import { Badge, Button, Check, Conflict, ConfirmName, copy, Dialog, Empty, ErrorBox, Facts, Field, Loaded, otherError, Page, Secret, Section, Switch, Table, toast, toasting, useAct, useCursor, useLoad, useSave } from '../lib/ui.js';

const PATH = '/v1/project/webhooks';
const events = ['account.created', 'account.deleted', 'session.created', 'session.revoked', 'member.added', 'settings.changed', 'document.created'];
const formats = { standard: N('Events (Standard Webhooks)'), caep: N('Session revocations (CAEP)') };
const states = { waiting: [N('Pending'), 'warn'], delivered: [N('Delivered'), 'good'], failed: [N('Failed'), 'bad'] };
const reasons = { DEADLINE: N('Timed out'), UNAVAILABLE: N('Connection failed'), FORBIDDEN: N('Network not allowed'), TOO_LARGE: N('Response too large') };
const LOOK_MS = 1000, LOOK_MAX_MS = 15_000; // how often the screen of a waiting delivery looks for its outcome

const response = ({ status, error }) => (status ? `HTTP ${status} ${error ?? ''}` : error ? t(reasons[error] ?? error) : '–');
const took = ({ duration }) => (duration === undefined ? '–' : t('{n} ms', { n: number(duration) }));
const retries = (row) => row.state === 'waiting' && row.attempts > 0;

// While a receiver accepts nothing, a delivery can wait longer than its own pause.
const retryText = (row) => (new Date(row.nextAt) > new Date() ? t('Attempt {n} failed, next at {time}', { n: number(row.attempts), time: time(row.nextAt) })
    : t('Attempt {n} failed, next within minutes', { n: number(row.attempts) }));

// What a delivery waits for, or how it ended.
function State({ hook, row }) {
    if (row.waitsFor)
        return html`<span><${Badge}>${t('Waiting')}<//> <${Link} to=${`/webhooks/${hook}/${row.waitsFor}`}>${t('for the previous delivery')}<//></span>`;
    return retries(row) ? html`<span><${Badge} kind="warn">${t('Retrying')}<//> <span class="small">${retryText(row)}</span></span>`
        : html`<${Badge} kind=${row.state === 'waiting' ? '' : states[row.state][1]}>${t(states[row.state][0])}<//>`;
}

// Posts an ended delivery again, or tries one that waits for its retry.
const Again = ({ row, act, kind }) => (row.waitsFor || (row.state === 'waiting' && row.attempts === 0) ? null
    : html`<${Button} kind=${kind} busy=${act.busy} onClick=${() => act.run({ delivery: row.id })}>${retries(row) ? t('Retry now') : t('Resend')}<//>`);

const useAgain = (id, done) => useAct(async (body) => {
    const { count } = await post(`${PATH}/${id}/redeliver`, body);

    toast(plural(count, '{n} delivery will be resent.', '{n} deliveries will be resent.'));
    done();
});

const words = () => ({ title: t('Copy this secret'), text: t('Your receiver uses this secret to verify signatures. It won’t be shown again.') });

function Edit({ hook: opened, onClose, onDone }) {
    const [hook, base] = useState(opened);
    const [url, setUrl] = useState(hook?.url ?? 'https://'), [chosen, setChosen] = useState(hook?.events ?? []);
    const [format, setFormat] = useState(hook?.format ?? 'standard'), [audience, setAudience] = useState(hook?.audience ?? '');
    const caep = format === 'caep';
    const body = { url, events: caep ? ['session.revoked'] : chosen, ...(caep && { audience }) };
    const { busy, error, run, conflict, leave } = useSave(async (over) => onDone(await (over
        ? putState(`${PATH}/${over.id}`, { ...body, enabled: over.enabled }, over.etag) : post(PATH, { ...body, format }))), () => getState(`${PATH}/${hook.id}`));
    const compared = () => [[t('URL'), conflict.url, url], [t('Events'), conflict.events.join(', '), body.events.join(', ')], [t('Audience'), conflict.audience ?? '', audience],
        [t('Status'), conflict.enabled ? t('Enabled') : t('Disabled'), hook.enabled ? t('Enabled') : t('Disabled')]].filter(([, theirs, mine]) => theirs !== mine);
    const theirs = () => { base(conflict); setUrl(conflict.url); setChosen(conflict.events); setAudience(conflict.audience ?? ''); leave(); };

    return html`<${Dialog} title=${hook ? t('Edit webhook') : t('New webhook')} submit=${t('Save')} busy=${busy} onClose=${onClose} onSubmit=${() => run(hook)}
        error=${otherError(error, 'url', ...caep ? ['audience'] : [])} disabled=${caep ? !audience : chosen.length === 0}>
        ${conflict && html`<${Conflict} rows=${compared()} onTheirs=${theirs} onMine=${() => { base(conflict); run(conflict); }} />`}
        <${Field} label=${t('URL')} type="url" value=${url} onValue=${setUrl} error=${error?.problem?.('url')} autofocus required />
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
        toast(enabled ? t('Webhook enabled.') : t('Webhook disabled.'));
        list.reload();
    }));

    return html`<${Page} title=${t('Webhooks')} actions=${html`<${Button} kind="primary" onClick=${() => setEdit(true)}>${t('New webhook')}<//>`}>
        <${Loaded} from=${list}>${() => html`<${Table} label=${t('Webhooks')} rows=${list.rows} more=${list.more} onMore=${list.next} busy=${list.busy} columns=${[
            { title: t('URL'), cell: (row) => html`<${Link} to=${`/webhooks/${row.id}`}>${row.url}<//>` },
            { title: t('Events'), cell: (row) => row.events.join(', ') },
            { title: t('Status'), cell: (row) => html`<div class="actions"><${Switch} label=${t('Send events to {url}', { url: row.url })} on=${row.enabled} busy=${turn.busy} onSwitch=${(on) => turn.run(row, on)} />
                ${row.goneAt ? html`<${Badge} kind="bad">${t('Disabled by receiver')}<//>` : row.enabled && row.failingSince && html`<${Badge} kind="bad">${t('Failed')}<//>`}</div>` },
            { title: t('Created'), kind: 'time', cell: (row) => time(row.createdAt) },
        ]} empty=${html`<${Empty} title=${t('No webhooks yet')}><p>${t('A webhook notifies your server about events in this project.')}</p><//>`} />`}<//>
        ${edit && html`<${Edit} onClose=${() => setEdit(false)} onDone=${(made) => { setEdit(false); setSecret(made.secret ?? null); list.reload(); }} />`}
        ${secret && html`<${Secret} ...${words()} secret=${secret} onClose=${() => setSecret(null)} />`}
    <//>`;
}

export function Webhook({ id }) {
    const hook = useLoad(() => findState(`${PATH}/${id}`), [id]);
    const [state, setState] = useState(''), [edit, setEdit] = useState(false), [gone, setGone] = useState(false), [secret, setSecret] = useState(null);
    const list = useCursor((cursor) => get(`${PATH}/${id}/deliveries${queryOf({ state, _cursor: cursor })}`), [id, state]);
    const again = useAgain(id, list.reload);
    const test = useAct(async () => navigate(`/webhooks/${id}/${(await post(`${PATH}/${id}/test`)).delivery}`));
    const exchange = useAct(async () => { setSecret((await post(`${PATH}/${id}/secret`, {})).secret); hook.reload(); });
    const failure = again.error ?? exchange.error ?? test.error;

    return html`<${Page} title=${t('Webhook')} back=${['/webhooks', t('Webhooks')]}>
        <${Loaded} from=${hook}>${(data) => (data ? html`<${Section}>
            <${Facts} rows=${[[t('URL'), data.url], [t('Events'), data.events.join(', ')], [t('Format'), t(formats[data.format])], data.audience && [t('Audience'), data.audience], [t('Created'), time(data.createdAt)],
                [t('Status'), data.enabled ? t('Enabled') : t('Disabled')], data.previousSecretUntil && [t('Previous secret valid until'), time(data.previousSecretUntil)],
                data.goneAt && [t('Disabled by receiver'), time(data.goneAt)]]} />
            ${data.enabled && data.failingSince && html`<div class="notice warn"><p><strong>${t('Your server has accepted no event since {time}.', { time: time(data.failingSince) })}</strong></p>
                <p>${t('Until it accepts one, Atrium tries one delivery at a time, at least every five minutes.')}</p></div>`}
            <div class="actions">${data.format !== 'caep' && data.enabled && html`<${Button} kind="primary" busy=${test.busy} onClick=${test.run}>${t('Send test event')}<//>`}
                <${Button} onClick=${() => setEdit(true)}>${t('Edit')}<//>${data.format !== 'caep' && html`<${Button} busy=${exchange.busy} onClick=${exchange.run}>${t('New secret')}<//>`}
                <${Button} kind="danger" onClick=${() => setGone(true)}>${t('Delete')}<//></div>
            ${failure && html`<${ErrorBox} error=${failure} />`}<//>
            ${edit && html`<${Edit} hook=${data} onClose=${() => setEdit(false)} onDone=${() => { setEdit(false); hook.reload(); toast(t('Saved.')); }} />`}
            ${gone && html`<${ConfirmName} title=${t('Delete webhook')} name=${data.url} submit=${t('Delete')} act=${() => remove(`${PATH}/${id}`)} onClose=${() => setGone(false)}
                onDone=${() => { navigate('/webhooks'); toast(t('Deleted.')); }}><p>${t('Pending deliveries will be discarded.')}</p><//>`}
            ${secret && html`<${Secret} ...${words()} secret=${secret} onClose=${() => setSecret(null)} />`}`
            : html`<${Empty} title=${t('This webhook no longer exists')} />`)}<//>
        <${Section} title=${t('Deliveries')} actions=${html`<${Button} busy=${again.busy} onClick=${() => again.run({})}>${t('Retry failed deliveries')}<//>`}>
            <p class="soft">${t('Events about the same person arrive in order: an event waits until the one before it was delivered or has failed. Atrium retries for three days, at first after 2 seconds, later once an hour. Then the delivery has failed.')}</p>
            <div class="filters few"><${Field} label=${t('Status')} as="select" value=${state} onValue=${setState}><option value="">${t('All')}</option>
                ${Object.entries(states).map(([key, [text]]) => html`<option value=${key}>${t(text)}</option>`)}<//></div>
            <${Loaded} from=${list}>${() => html`<${Table} label=${t('Deliveries')} rows=${list.rows} more=${list.more} onMore=${list.next} busy=${list.busy} columns=${[
                { title: t('Event'), cell: (row) => html`<${Link} to=${`/webhooks/${id}/${row.id}`}><code>${row.type}</code><//>` },
                { title: t('Time'), kind: 'time', cell: (row) => time(row.happenedAt) },
                { title: t('Status'), cell: (row) => html`<${State} hook=${id} row=${row} />` },
                { title: t('Response'), cell: response },
                { kind: 'acts', cell: (row) => html`<${Again} row=${row} act=${again} kind="quiet" />` },
            ]} empty=${html`<${Empty} title=${state ? t('No deliveries in this state') : t('No deliveries yet')}>${!state && html`<p>${t('Send a test event to see whether your receiver works.')}</p>`}<//>`} />`}<//><//>
    <//>`;
}

export function Delivery({ id, delivery }) {
    const shown = useLoad(() => get(`${PATH}/${id}/deliveries/${delivery}`), [id, delivery]);
    const again = useAgain(id, shown.reload), wait = useRef(LOOK_MS), { data } = shown;

    useEffect(() => {
        if (data?.state !== 'waiting' || shown.loading)
            return undefined;
        const timer = setTimeout(shown.reload, wait.current);
        wait.current = Math.min(2 * wait.current, LOOK_MAX_MS);
        return () => clearTimeout(timer);
    }, [data, shown.loading]);
    return html`<${Page} title=${data?.type ?? t('Delivery')} back=${[`/webhooks/${id}`, t('Webhook')]}>
        <${Loaded} from=${shown}>${() => html`<${Section}>
            <div role="status"><${Facts} rows=${[[t('Status'), html`<${State} hook=${id} row=${data} />`], [t('Time'), time(data.happenedAt)], [t('Attempts'), number(data.attempts)],
                data.state === 'waiting' && [t('Retried until'), time(data.expiresAt)], [t('Event ID'), html`<code>msg_${data.event}</code>`]]} /></div>
            <div class="actions"><${Again} row=${data} act=${again} kind=${data.state === 'delivered' ? '' : 'primary'} /></div>
            ${again.error && html`<${ErrorBox} error=${again.error} />`}<//>
        <${Section} title=${t('Attempts')}>
            <${Table} label=${t('Attempts')} rows=${data.history.map((row) => ({ ...row, key: row.at }))} columns=${[
                { title: t('Time'), kind: 'time', cell: (row) => exactTime(row.at) },
                { title: t('Response'), cell: response },
                { title: t('Duration'), kind: 'number', cell: took },
            ]} empty=${html`<p class="soft">${t('No attempts yet')}</p>`} />
            <p class="soft small">${t('Atrium keeps the last 20 attempts, but not what your server answered.')}</p><//>
        <${Section} title=${t('Payload')} actions=${html`<${Button} onClick=${() => copy(data.payload)}>${t('Copy')}<//>`}>
            <p class="soft">${t('The event has identifiers, but no names or addresses. Your server can get more data from the API.')}</p>
            <pre>${JSON.stringify(JSON.parse(data.payload), null, 2)}</pre><//>`}<//>
    <//>`;
}
