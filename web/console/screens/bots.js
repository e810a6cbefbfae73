// bots.js - bots, a form to run one, and their recent executions.
import { get, getState, post, putState, query as queryOf, remove } from '../lib/api.js';
import { breakable, html, useState } from '../lib/html.js';
import { N, number, t, time } from '../lib/i18n.js';
import { Badge, Button, Check, Conflict, ConfirmName, Dialog, Empty, ErrorBox, Field, Loaded, otherError, Page, Secret, Section, Table, toast, toasting, useAct, useLoad, useSave } from '../lib/ui.js';
import { outcomes } from './names.js';

const PATH = '/v1/project/bots';
const nameOf = (bot) => bot.identifier.map((each) => (each.system ? `${each.system}|${each.value}` : each.value))[0] ?? '';

const kinds = { http: N('HTTPS URL'), program: N('Program on the server') };
const members = { name: N('Name'), system: N('Identifier system'), value: N('Identifier value'), kind: N('Type'), timeoutMs: N('Timeout (ms)'), url: N('URL'), program: N('Program'),
    warm: N('Keep running between calls') };

function formOf(bot) {
    const first = bot?.identifier[0];

    return { name: bot?.name ?? '', kind: bot?.kind ?? 'http', url: bot?.url ?? '', program: bot?.program ?? '', system: first?.system ?? '', value: first?.value ?? '',
        timeoutMs: String(bot?.timeoutMs ?? 10000), warm: bot?.warm ?? false };
}

const shown = (value, name) => (name === 'kind' ? t(kinds[value.kind]) : name === 'warm' ? (value.warm ? t('Yes') : t('No')) : value[name] || '–');

function Edit({ bot: opened, onClose, onDone }) {
    const [bot, base] = useState(opened), [value, set] = useState(formOf(opened));
    const change = (name) => (next) => set({ ...value, [name]: next });
    const { busy, error, run, conflict, leave } = useSave(async (over) => {
        const identifier = [{ ...(value.system && { system: value.system }), value: value.value }, ...over?.identifier.slice(1) ?? []];
        const body = { name: value.name, kind: value.kind, identifier, timeoutMs: Number(value.timeoutMs),
            ...(value.kind === 'http' ? { url: value.url } : { program: value.program, warm: value.warm }) };

        onDone(await (over ? putState(`${PATH}/${over.id}`, body, over.etag) : post(PATH, body)));
        toast(t('Saved.'));
    }, () => getState(`${PATH}/${bot.id}`));
    const problem = (name) => error?.problem?.(name);

    return html`<${Dialog} title=${bot ? bot.name : t('New bot')} submit=${t('Save')} busy=${busy} onClose=${onClose} onSubmit=${() => run(bot)} error=${otherError(error, 'name', 'identifier', 'timeoutMs', value.kind === 'http' ? 'url' : 'program')}
        disabled=${!value.name.trim() || !value.value.trim()}>
        ${conflict && html`<${Conflict} rows=${Object.keys(members).map((name) => [t(members[name]), shown(formOf(conflict), name), shown(value, name)]).filter(([, theirs, mine]) => theirs !== mine)}
            onTheirs=${() => { base(conflict); set(formOf(conflict)); leave(); }} onMine=${() => { base(conflict); run(conflict); }} />`}
        <${Field} label=${t('Name')} value=${value.name} onValue=${change('name')} error=${problem('name')} autofocus required />
        <div class="form"><${Field} label=${t('Identifier system')} hint=${t('Optional')} value=${value.system} onValue=${change('system')} />
            <${Field} label=${t('Identifier value')} value=${value.value} onValue=${change('value')} error=${problem('identifier')} required />
            <${Field} label=${t('Type')} as="select" value=${value.kind} onValue=${change('kind')}>${Object.entries(kinds).map(([key, text]) => html`<option value=${key}>${t(text)}</option>`)}<//>
            <${Field} label=${t('Timeout (ms)')} type="number" value=${value.timeoutMs} onValue=${change('timeoutMs')} error=${problem('timeoutMs')} /></div>
        ${value.kind === 'http' ? html`<${Field} label=${t('URL')} type="url" value=${value.url} onValue=${change('url')} error=${problem('url')} />`
            : html`<${Field} label=${t('Program')} value=${value.program} onValue=${change('program')} error=${problem('program')} />
                <${Check} label=${t('Keep running between calls')} checked=${value.warm} onValue=${change('warm')} />`}
    <//>`;
}

function Run({ bot }) {
    const [input, setInput] = useState('{}'), [answer, setAnswer] = useState(null), [bad, setBad] = useState(null);
    const executions = useLoad(() => get(`${PATH}/${bot.id}/executions?_count=20`), [bot.id]);
    const { busy, error, run } = useAct(async (body) => {
        try {
            setAnswer(JSON.stringify(await post(`/bots${queryOf({ identifier: nameOf(bot) })}`, body), null, 2));
        } finally {
            executions.reload();
        }
    });
    const start = (event) => {
        event.preventDefault();
        setAnswer(null);
        try {
            const body = JSON.parse(input);
            setBad(null);
            run(body);
        } catch {
            setBad(t('Enter valid JSON.'));
        }
    };

    return html`<${Section} title=${t('Run “{name}”', { name: bot.name })}>
        <form class="stack" onSubmit=${start}><${Field} label=${t('Input (JSON object)')} as="textarea" class="code" rows="4" value=${input} onValue=${setInput} error=${bad} spellcheck="false" />
            <div><${Button} type="submit" kind="primary" busy=${busy}>${t('Run')}<//></div></form>
        <div aria-live="polite" class="stack">${error && html`<${ErrorBox} error=${error} />`}${answer !== null && html`<pre>${answer}</pre>`}</div>
        <h3>${t('Recent executions')}</h3>
        <${Loaded} from=${executions}>${(data) => html`<${Table} label=${t('Recent executions')} rows=${data.resources.map((row, i) => ({ ...row, key: i }))} columns=${[
            { title: t('Time'), kind: 'time', cell: (row) => time(row.started) },
            { title: t('Result'), cell: (row) => html`<${Badge} kind=${outcomes[row.outcome][1]}>${t(outcomes[row.outcome][0])}<//>` },
            { title: t('Duration (ms)'), kind: 'number', cell: (row) => number(row.durationMs) },
        ]} empty=${html`<p class="soft">${t('No executions yet')}</p>`} />`}<//><//>`;
}

export function Bots({ query }) {
    const list = useLoad(() => get(PATH));
    const [edit, setEdit] = useState(null), [gone, setGone] = useState(null), [chosen, setOpen] = useState(undefined), [secret, setSecret] = useState(null);
    const open = chosen === undefined ? list.data?.resources.find((each) => each.id === query.bot) : chosen;
    const change = toasting(async (row) => setEdit({ bot: await getState(`${PATH}/${row.id}`) }));

    return html`<${Page} title=${t('Bots')} actions=${html`<${Button} kind="primary" onClick=${() => setEdit({})}>${t('New bot')}<//>`}>
        <${Loaded} from=${list}>${(data) => html`<${Table} label=${t('Bots')} rows=${data.resources} columns=${[
            { title: t('Name'), cell: (row) => row.name },
            { title: t('Identifier'), cell: (row) => html`<code>${breakable(nameOf(row))}</code>` },
            { title: t('URL or program'), cell: (row) => row.url ?? row.program },
            { title: t('Last changed'), kind: 'time', cell: (row) => time(row.lastUpdated) },
            { kind: 'acts', cell: (row) => html`<${Button} kind="quiet" onClick=${() => setOpen(row)} aria-label=${t('Run “{name}”', { name: row.name })}>${t('Run')}<//>
                <${Button} kind="quiet" onClick=${() => change(row)}>${t('Edit')}<//><${Button} kind="quiet danger" onClick=${() => setGone(row)}>${t('Delete')}<//>` },
        ]} empty=${html`<${Empty} title=${t('No bots yet')}><p>${t('Add a bot to let apps call a URL of yours, or a program that the operator installed.')}</p><//>`} />`}<//>
        ${open && html`<${Run} key=${open.id} bot=${open} />`}
        ${edit && html`<${Edit} bot=${edit.bot} onClose=${() => setEdit(null)} onDone=${(made) => { setEdit(null); setSecret(made.signingSecret ?? null); list.reload(); }} />`}
        ${secret && html`<${Secret} title=${t('Copy this secret')} text=${t('Use this secret to verify that calls come from Atrium. It won’t be shown again.')} secret=${secret} onClose=${() => setSecret(null)} />`}
        ${gone && html`<${ConfirmName} title=${t('Delete bot')} name=${gone.name} submit=${t('Delete')} act=${() => remove(`${PATH}/${gone.id}`)}
            onClose=${() => setGone(null)} onDone=${() => { setGone(null); setOpen(null); list.reload(); toast(t('Deleted.')); }}><p>${t('Apps that call this bot will get an error.')}</p><//>`}
    <//>`;
}
