// audit.js - the project's audit log, and the proof that an event is in it.
import { get, query as queryOf } from '../lib/api.js';
import { html, useState } from '../lib/html.js';
import { N, number, t, time, zone } from '../lib/i18n.js';
import { actionOf, canVerify, isRecordOf, verify } from '../lib/proof.js';
import { Badge, Button, Dialog, Empty, Facts, Field, Loaded, Page, Table, useCursor, useLoad, useSettled } from '../lib/ui.js';

const PATH = '/v1/project/audit';
const outcomes = { 0: ['good', N('Done')], 4: ['warn', N('Refused')], 8: ['bad', N('Failed')] };

const who = (event) => event.agent?.[0]?.who?.display ?? event.agent?.[0]?.who?.reference ?? event.agent?.[0]?.name ?? t('the installation');
const what = (event) => event.entity?.[0]?.what?.display ?? event.entity?.[0]?.name ?? '–';
const referenceOf = (event) => event.agent?.[0]?.who?.reference;
const instant = (local) => (local ? new Date(local).toISOString() : undefined);

function Result({ is, yes, no, none }) {
    return html`<${Badge} kind=${is === null ? 'warn' : is ? 'good' : 'bad'}>${is === null ? none : is ? yes : no}<//>`;
}

function Proof({ event, onClose }) {
    const state = useLoad(async () => {
        const proof = await get(`${PATH}/${event.id}/proof`), found = await verify(proof);
        return { proof, ...found, other: found.included && !isRecordOf(proof.record, event) };
    }, [event.id]);

    return html`<${Dialog} title=${t('Prove this row')} close=${t('Close')} onClose=${onClose}>
        <p class="soft">${t('Your browser checks this itself: the hashes of the row lead to the signed head of the trail, or they do not.')}</p>
        <${Loaded} from=${state}>${(found) => html`
            <${Facts} rows=${[
                [t('In the trail'), html`<${Result} is=${found.included && !found.other} yes=${t('proven')} no=${found.other ? t('proven, but another row') : t('not proven')} none=${t('the row is not kept any more')} />`],
                [t('Signature of the head'), html`<${Result} is=${found.signed} yes=${t('good')} no=${t('wrong')} none=${t('this browser has no Ed25519')} />`],
                [t('Place'), t('row {index} of {size}', { index: number(found.index + 1), size: number(found.size) })],
            ]} />
            <details><summary>${t('What was checked')}</summary><pre>${found.proof.record ?? '–'}</pre><pre>${found.proof.checkpoint}</pre><pre>${found.proof.verifierKey}</pre></details>`}<//>
    <//>`;
}

export function Audit() {
    const [wish, set] = useState({ since: '', until: '', actor: '', action: '', target: '' }), [proving, prove] = useState(null);
    const change = (name) => (value) => set({ ...wish, [name]: value });
    const settled = useSettled(wish, 400);
    const list = useCursor((cursor) => get(`${PATH}${queryOf({ since: instant(settled.since), until: instant(settled.until),
        actor: settled.actor.trim() || undefined, action: settled.action.trim() || undefined, target: settled.target.trim() || undefined, _cursor: cursor })}`), [settled]);
    const filtered = Object.values(wish).some(Boolean);
    const none = html`<${Empty} title=${list.more ? t('Nothing found so far') : t('Nothing happened that fits')}>
        ${list.more && html`<${Button} busy=${list.busy} onClick=${list.next}>${t('Search on')}<//>`}<//>`;

    return html`<${Page} title=${t('Audit trail')} wide actions=${filtered && html`<${Button} onClick=${() => set({ since: '', until: '', actor: '', action: '', target: '' })}>${t('Clear the filter')}<//>`}>
        <form class="form dense" role="search" onSubmit=${(event) => event.preventDefault()}>
            <${Field} label=${t('From')} hint=${t('Time zone: {zone}', { zone: zone() })} type="datetime-local" value=${wish.since} onValue=${change('since')} />
            <${Field} label=${t('Until')} hint=${t('Time zone: {zone}', { zone: zone() })} type="datetime-local" value=${wish.until} onValue=${change('until')} />
            <${Field} label=${t('Action')} hint=${t('For example session or session.end.')} value=${wish.action} onValue=${change('action')} />
            <${Field} label=${t('Who')} hint=${t('A reference such as Practitioner/ID.')} value=${wish.actor} onValue=${change('actor')} />
            <${Field} label=${t('About')} hint=${t('A reference such as Session/ID.')} value=${wish.target} onValue=${change('target')} />
        </form>
        ${!canVerify() && html`<p class="notice warn">${t('Rows can be proven over https alone.')}</p>`}
        <${Loaded} from=${list}>${() => html`<${Table} label=${t('Audit trail')} rows=${list.rows} more=${list.more} onMore=${list.next} busy=${list.busy} empty=${none} columns=${[
            { title: t('When'), kind: 'time', cell: (row) => time(row.recorded) },
            { title: t('Action'), kind: 'time', cell: (row) => html`<code>${actionOf(row)}</code>` },
            { title: t('Outcome'), cell: (row) => { const [kind, text] = outcomes[row.outcome] ?? outcomes[8]; return html`<${Badge} kind=${kind}>${t(text)}<//>`; } },
            { title: t('Who'), cell: (row) => (referenceOf(row) ? html`<button type="button" class="button quiet start" title=${t('Show only this')} onClick=${() => set({ ...wish, actor: referenceOf(row) })}>${who(row)}</button>` : who(row)) },
            { title: t('About'), cell: what },
            { kind: 'acts', cell: (row) => html`<${Button} kind="quiet" disabled=${!canVerify()} onClick=${() => prove(row)}>${t('Prove this row')}<//>` },
        ]} />`}<//>
        ${proving && html`<${Proof} event=${proving} onClose=${() => prove(null)} />`}
    <//>`;
}
