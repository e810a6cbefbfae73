// audit.js - the project's audit log: who did what and when, the proof that an event is in the log, and its export.
import { get, query as queryOf } from '../lib/api.js';
import { html, useEffect, useMemo, useRef, useState } from '../lib/html.js';
import { exactTime, N, number, plural, t, zone } from '../lib/i18n.js';
import { actionOf, canVerify, isRecordOf, verify } from '../lib/proof.js';
import { Link, navigate } from '../lib/router.js';
import { Badge, Button, Dialog, Empty, ErrorBox, errorTitle, Field, Loaded, Page, Table, toast, useCursor, useGuard, useId, useLoad, useSettled } from '../lib/ui.js';
import { actionGroups, isDone, noteOf, objectOf, sentenceOf } from './actions.js';
import { nameOf } from './people.js';

const PATH = '/v1/project/audit';
const DAY_MS = 86_400_000, EXPORT_PAGE = 100, CHOICES = 8;
const periods = { '': N('Any time'), today: N('Today'), '7d': N('Last 7 days'), '30d': N('Last 30 days'), custom: N('Custom') };
const none = { period: '', since: '', until: '', person: '', own: '', action: '' };
const results = { 4: ['warn', N('Failed')], 8: ['bad', N('Suspicious')] }; // a code that was used twice, or stolen
const services = { gateway: N('Not signed in'), ctl: N('Operator') };

function Result({ of }) {
    const [kind, text] = isDone(of) ? ['good', N('Success')] : results[of.outcome] ?? results[4];

    return html`<${Badge} kind=${kind}>${t(text)}<//>`;
}

const isoOf = (local) => (local && !Number.isNaN(Date.parse(local)) ? new Date(local).toISOString() : undefined);
const detailOf = (event, type) => event.entity?.[0]?.detail?.find((each) => each.type === type)?.valueString;

/** Returns the filter's query, with times that stay the same for all pages of a list. */
function wanted({ period, since, until, person, own, action }) {
    const today = new Date(new Date().setHours(0, 0, 0, 0)).toISOString(), ago = (days) => new Date(Date.now() - days * DAY_MS).toISOString();
    const from = { today, '7d': ago(7), '30d': ago(30), custom: isoOf(since) }[period];

    return { people: true, since: from, until: period === 'custom' ? isoOf(until) : undefined, action, ...(person && { [own ? 'actor' : 'target']: `Account/${person}` }) };
}

// ---- people ----

const isDevice = (event) => event.agent?.[0]?.who?.display?.startsWith('Device/') ?? false;

/** People by account and by profile, as pages of the log name them, and the names of API keys. */
class Directory extends Map {
    apiKeys = new Map();

    learn(page) {
        for (const each of page.people ?? []) {
            this.set(`Account/${each.account}`, each);
            this.set(each.profile, each);
        }
        return page;
    }

    actor(event) {
        return this.get(event.agent?.[0]?.who?.reference ?? event.agent?.[0]?.who?.display);
    }

    actorName(event) {
        const actor = this.actor(event), { reference, display = '' } = event.agent?.[0]?.who ?? {};

        if (actor)
            return nameOf(actor);
        if (isDevice(event))
            return this.apiKeys.has(display) ? t('API key “{name}”', { name: this.apiKeys.get(display) }) : t('API key or application');
        return reference || display.startsWith('Account/') ? t('Former member') : t(services[display] ?? N('System'));
    }

    /** The person whom the event is about. */
    subject(event) {
        return this.get(`Account/${detailOf(event, 'account')}`) ?? this.get(event.entity?.[0]?.what?.display);
    }
}

const shownName = (person) => html`<strong>${nameOf(person)}</strong>${nameOf(person) !== person.email && html`<span class="hint">${person.email}</span>`}`;

/** Chooses a person by typing a part of the name or address (WAI-ARIA: combobox with a list). */
function PersonField({ label, chosen, onPerson }) {
    const [text, type] = useState(null), [at, move] = useState(-1);
    const sought = useSettled(text?.trim() ?? '');
    const found = useLoad(async () => (sought ? (await get(`/v1/project/accounts${queryOf({ search: sought, _count: CHOICES })}`)).resources : []), [sought]);
    const id = useId(), rows = text?.trim() ? found.data ?? [] : [], open = rows.length > 0;
    const isFound = sought === text?.trim() && !found.loading; // not the rows of an earlier text
    const pick = (person) => {
        type(null);
        move(-1);
        onPerson(person);
    };
    const key = (event) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];

        if (step && open) {
            event.preventDefault();
            move((at + step + rows.length) % rows.length);
        } else if (event.key === 'Enter' && open) {
            event.preventDefault();
            if (isFound || at >= 0)
                pick(rows[Math.max(at, 0)]);
        } else if (event.key === 'Escape' && text !== null) {
            event.preventDefault();
            type(null);
        }
    };
    const input = (value) => {
        type(value);
        move(-1);
        if (value === '' && chosen)
            pick(null);
    };

    return html`<div class="combo"><${Field} label=${label} type="search" value=${text ?? (chosen ? nameOf(chosen) : '')} onValue=${input} onKeyDown=${key} onBlur=${() => type(null)} error=${found.error && errorTitle(found.error)}
            placeholder=${t('Anyone')} autocomplete="off" role="combobox" aria-autocomplete="list" aria-expanded=${open ? 'true' : 'false'} aria-controls=${id}
            aria-activedescendant=${at >= 0 && open ? `${id}-${at}` : undefined} />
        <ul id=${id} role="listbox" aria-label=${t('People')} hidden=${!open}>${rows.map((person, i) => html`<li role="option" id=${`${id}-${i}`} key=${person.id} aria-selected=${i === at ? 'true' : 'false'}
            onPointerDown=${(event) => event.preventDefault()} onClick=${() => pick(person)}>${shownName(person)}</li>`)}</ul>
        <p class="hidden" role="status">${open ? plural(rows.length, '{n} person found', '{n} people found') : isFound && found.data && t('No people found')}</p></div>`;
}

// ---- one event ----

/** Returns [kind of badge, verdict, explanation]. */
function verdictOf({ proof, included, signed, other, index, size }) {
    const place = { index: number(index + 1), size: number(size) };

    if (included === null)
        return ['warn', t('No longer stored'), t('The event was removed after its retention period. Row {index} of {size} still has its hash.', place)];
    if (other)
        return ['bad', t('Verified, but a different row'), t('The server answered with the proof of another event.')];
    if (!included || signed === false)
        return ['bad', t('Not verified'), signed === false ? t('The log’s signature is invalid.') : t('The event isn’t in the log as it is shown here.')];
    return signed === null ? ['warn', t('Verified, except the signature'), t('This browser doesn’t support Ed25519')]
        : ['good', t('Verified'), t('The event is unchanged in the signed log: row {index} of {size}.', place)];
}

function Proof({ event }) {
    const state = useLoad(async () => {
        const proof = await get(`${PATH}/${event.id}/proof`), found = await verify(proof);
        return { proof, ...found, other: found.included && !isRecordOf(proof.record, event) };
    }, [event.id]);

    if (!canVerify())
        return html`<p class="hint">${t('To verify rows, open the console over HTTPS.')}</p>`;
    return html`<${Loaded} from=${state} kind="line">${(found) => {
        const [kind, verdict, why] = verdictOf(found);

        return html`<p><${Badge} kind=${kind}>${verdict}<//> ${why}</p>
            <details><summary>${t('How this works')}</summary><div class="stack">
                <p>${t('The log is a hash tree: its root hash depends on every event. Your browser computed the root hash from this event and compared it with the one that the server signed. If anyone changed or removed an earlier event, the two would differ.')}</p>
                <pre>${found.proof.record ?? '–'}</pre><pre>${found.proof.checkpoint}</pre><pre>${found.proof.verifierKey}</pre></div></details>`;
    }}<//>`;
}

const hiddenAddress = { sealed: N('Hidden'), erased: N('Erased with the account') };

function Details({ event, people, onPerson, onClose }) {
    const actor = people.actor(event), subject = people.subject(event), object = objectOf(event), note = noteOf(event);
    const person = (who) => html`<${Link} to=${`/people/${who.account}`}>${nameOf(who)}<//> <span class="soft">${who.email}</span>`;
    const id = (text) => text && html`<code>${text}</code>`;
    const { who, network } = event.agent?.[0] ?? {}, what = event.entity?.[0]?.what?.display;
    const rows = [
        [t('Time'), exactTime(event.recorded)],
        [t('Actor'), html`${actor ? person(actor) : people.actorName(event)} ${(who?.reference || who?.display?.includes('/')) && id(who.display)}`],
        [t('Action'), html`${sentenceOf(event)} ${id(actionOf(event))}`],
        [t('Result'), html`<${Result} of=${event} />`],
        note && [t('Details'), note],
        subject && subject !== actor && [t('About'), person(subject)],
        object && [t('Object'), html`${object[1] ? html`<${Link} to=${object[1]}>${object[0]}<//>` : object[0]} ${id(what?.split('/').slice(1).join('/'))}`],
        [t('IP address'), network?.address ?? t(hiddenAddress[detailOf(event, 'address')] ?? '–')],
        [t('Reason'), detailOf(event, 'reason') ?? '–'],
        [t('Request ID'), id(detailOf(event, 'trace')) ?? '–'],
        [t('Event ID'), id(event.id)],
    ].filter(Boolean);
    const shown = subject ?? actor;

    return html`<${Dialog} title=${sentenceOf(event)} close=${t('Close')} onClose=${onClose}>
        <table class="details"><caption class="hidden">${t('Details')}</caption><tbody>${rows.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`)}</tbody></table>
        <${Proof} event=${event} />
        ${shown && html`<p><${Button} onClick=${() => onPerson(shown)}>${t('Show all events of {name}', { name: nameOf(shown) })}<//></p>`}
    <//>`;
}

// ---- export ----

// A text that a spreadsheet would take for a formula begins with an apostrophe.
const cell = (value) => `"${String(value ?? '').replace(/^[=+\-@\t\r\n＝＋－＠]/, '\'$&').replaceAll('"', '""')}"`;
const line = (cells) => `${cells.map(cell).join(',')}\r\n`;

const headings = () => [t('Time'), t('Event'), t('Details'), t('Action'), t('Result'), t('Actor'), t('Actor email'), t('Actor ID'), t('About'), t('About: email'), t('About: ID'),
    t('Object'), t('IP address'), t('Reason'), t('Request ID'), t('Event ID')];

function record(event, people) {
    const actor = people.actor(event), subject = people.subject(event), { who, network } = event.agent?.[0] ?? {};

    return [event.recorded, sentenceOf(event), noteOf(event), actionOf(event), isDone(event) ? t('Success') : t((results[event.outcome] ?? results[4])[1]),
        people.actorName(event), actor?.email, who?.reference ?? who?.display, subject && nameOf(subject), subject?.email, detailOf(event, 'account'),
        event.entity?.[0]?.what?.display, network?.address ?? detailOf(event, 'address'), detailOf(event, 'reason'), detailOf(event, 'trace'), event.id];
}

function save(parts) {
    const url = URL.createObjectURL(new Blob(['\ufeff', ...parts], { type: 'text/csv' })); // the mark tells spreadsheets that it is UTF-8

    Object.assign(document.createElement('a'), { href: url, download: `audit-${new Date().toISOString().slice(0, 10)}.csv` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Reads the filtered events page by page, with progress; closing it cancels. */
function Export({ filter, keys, onClose }) {
    const [state, set] = useState({ count: 0, busy: true });
    const work = useRef({ parts: [], people: Object.assign(new Directory(), { apiKeys: keys }), count: 0, cursor: undefined, stop: new AbortController() }).current;
    const run = async () => {
        set({ count: work.count, busy: true });
        try {
            do {
                const page = work.people.learn(await get(`${PATH}${queryOf({ ...filter, _count: EXPORT_PAGE, _cursor: work.cursor })}`, { signal: work.stop.signal }));

                work.parts.push(page.resources.map((event) => line(record(event, work.people))).join(''));
                work.count += page.resources.length;
                work.cursor = page.next;
                set({ count: work.count, busy: true });
            } while (work.cursor);
            save([line(headings()), ...work.parts]);
            onClose();
            toast(plural(work.count, '{n} event exported.', '{n} events exported.'));
        } catch (error) {
            if (!work.stop.signal.aborted)
                set({ count: work.count, error });
        }
    };

    useGuard(Boolean(state.busy), t('Leave this screen? The export in progress will be canceled.'));
    useEffect(() => {
        run();
        return () => work.stop.abort();
    }, []);
    return html`<${Dialog} title=${t('Export events')} onClose=${onClose}>
        <p role="status">${plural(state.count, '{n} event so far', '{n} events so far')}</p>
        ${state.busy && html`<progress aria-label=${t('Export events')} />`}
        ${state.error && html`<${ErrorBox} error=${state.error} retry=${run} />`}
    <//>`;
}

// ---- the screen ----

export function Audit({ query }) {
    const [wish, set] = useState({ ...none, ...Object.fromEntries(Object.keys(none).filter((key) => query[key]).map((key) => [key, query[key]])) });
    const [opened, open] = useState(null), [exporting, setExporting] = useState(false);
    const settled = useSettled(wish, 400), filter = useMemo(() => wanted(settled), [settled]);
    const people = useRef(new Directory()).current;
    const list = useCursor(async (cursor) => people.learn(await get(`${PATH}${queryOf({ ...filter, _cursor: cursor })}`)), [filter]);
    const devices = list.rows.some(isDevice);
    const keys = useLoad(async () => new Map(devices ? (await get('/v1/project/api-keys')).resources.map(({ id, name }) => [`Device/${id}`, name]) : []), [devices]);
    const change = (name) => (value) => set({ ...wish, [name]: value });
    const choose = (person) => {
        if (person)
            people.learn({ people: [{ ...person, account: person.account ?? person.id, profile: person.profile ?? `${person.role}/${person.profileId}` }] });
        set({ ...wish, person: person ? person.account ?? person.id : '', own: person ? wish.own : '' });
    };
    people.apiKeys = keys.data ?? people.apiKeys;
    const clear = () => {
        set(none);
        document.querySelector('h1').focus(); // the button disappears
    };
    const filtered = Object.values(wish).some(Boolean);
    const empty = html`<${Empty} title=${list.more ? t('No results so far') : t('No matching events')}>
        ${list.more ? html`<${Button} busy=${list.busy} onClick=${list.next}>${t('Continue search')}<//>` : filtered && html`<${Button} onClick=${clear}>${t('Clear filters')}<//>`}<//>`;

    useEffect(() => navigate(`/audit${queryOf(settled)}`, { replace: true }), [settled]);
    return html`<${Page} title=${t('Audit log')} lead=${t('Events in this project, newest first. Times are in the zone {zone}.', { zone: zone() })} actions=${html`${filtered && html`<${Button} onClick=${clear}>${t('Clear filters')}<//>`}
            <${Button} onClick=${() => setExporting(true)}>${t('Export CSV')}<//>`}>
        <form class="filters few" role="search" onSubmit=${(event) => event.preventDefault()}>
            <${PersonField} label=${t('Person')} chosen=${wish.person ? people.get(`Account/${wish.person}`) ?? { firstName: list.data ? t('Former member') : '…', lastName: '' } : null} onPerson=${choose} />
            ${wish.person && html`<${Field} label=${t('Show')} as="select" value=${wish.own} onValue=${change('own')}>
                <option value="">${t('By or about this person')}</option><option value="1">${t('By this person')}</option><//>`}
            <${Field} label=${t('Action')} as="select" value=${wish.action} onValue=${change('action')}><option value="">${t('Any action')}</option>
                ${actionGroups().map(([title, choices]) => html`<optgroup label=${title}>${choices.map(([value, text]) => html`<option value=${value}>${text}</option>`)}</optgroup>`)}<//>
            <${Field} label=${t('Period')} as="select" value=${wish.period} onValue=${(period) => set({ ...wish, period, since: '', until: '' })}>${Object.entries(periods).map(([value, text]) => html`
                <option value=${value}>${t(text)}</option>`)}<//>
            ${wish.period === 'custom' && html`<${Field} label=${t('From')} type="datetime-local" value=${wish.since} onValue=${change('since')} />
                <${Field} label=${t('To')} type="datetime-local" value=${wish.until} onValue=${change('until')} />`}
        </form>
        <${Loaded} from=${list}>${() => html`<${Table} label=${t('Audit log')} rows=${list.rows} more=${list.more} onMore=${list.next} busy=${list.busy} empty=${empty} columns=${[
            { title: t('Event'), cell: (row) => {
                const subject = people.subject(row), about = [subject && subject !== people.actor(row) && nameOf(subject), noteOf(row)].filter(Boolean).join(' · ');

                return html`<button type="button" class="button quiet start" onClick=${() => open(row)}>${sentenceOf(row)}</button>
                    ${!isDone(row) && html` <${Result} of=${row} />`}${about && html`<p class="hint">${about}</p>`}`;
            } },
            { title: t('Actor'), cell: (row) => { const actor = people.actor(row); return actor ? html`<div class="who-cell">${shownName(actor)}</div>` : html`<span class="soft">${people.actorName(row)}</span>`; } },
            { title: t('Time'), kind: 'time', cell: (row) => exactTime(row.recorded) },
        ]} />`}<//>
        ${opened && html`<${Details} event=${opened} people=${people} onClose=${() => open(null)} onPerson=${(person) => { open(null); choose(person); }} />`}
        ${exporting && html`<${Export} filter=${filter} keys=${people.apiKeys} onClose=${() => setExporting(false)} />`}
    <//>`;
}
