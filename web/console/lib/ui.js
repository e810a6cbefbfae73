// ui.js - the components of screens.
import { ApiError, rows } from './api.js';
import { saysAll, titleOfCode } from './errors.js';
import { pathNow } from './first.js';
import { breakable, html, pause, useCallback, useEffect, useLayoutEffect, useRef, useState } from './html.js';
import { number, t } from './i18n.js';
import { LoadError } from './load.js';
import { guard, Link, mayLeave, useRoute } from './router.js';

let ids = 0;

export const useId = () => useRef(`i${++ids}`).current;

// ---- errors ----

export const errorTitle = (error) => (error instanceof ApiError && titleOfCode(error))
    || (error instanceof LoadError ? t('This screen failed to load. Try again, or reload the page.') : t('Something went wrong.'));

/** What the title leaves open: the problems, or the service's own words, which are English. */
const errorDetail = (error) => (error instanceof ApiError && !error.problems.length && saysAll(error) ? '' : error.message);

/** Returns the error, unless all its problems are at these fields, which show them. */
export const otherError = (error, ...fields) => (error?.problems?.length
    && error.problems.every(({ path }) => fields.some((each) => path === each || path.startsWith(`${each}.`))) ? null : error);

export function ErrorBox({ error, retry }) {
    return html`<div class="notice bad" role="alert">
        <p><strong>${errorTitle(error)}</strong></p>
        ${errorDetail(error) && html`<p class="detail">${errorDetail(error)}</p>`}
        ${error.requestId && error.status >= 500
            && html`<p class="detail">${t('Request ID for support: {id}', { id: error.requestId })}</p>`}
        ${retry && html`<p><${Button} onClick=${retry}>${t('Retry')}<//></p>`}
    </div>`;
}

// ---- loading ----

/**
 * Returns {data, error, loading, reload, set}. Loads again when `on` changes. set() discards loads that started before
 * it.
 */
export function useLoad(load, on = []) {
    const [state, set] = useState({ loading: true });
    const turn = useRef(0);
    const reload = useCallback(async () => {
        const mine = ++turn.current;

        set((was) => (was.loading ? was : { ...was, loading: true }));
        await pause(); // several on a screen load one by one
        if (mine !== turn.current)
            return;
        try {
            const data = await load();
            if (mine === turn.current)
                set({ data, loading: false });
        } catch (error) {
            if (mine === turn.current)
                set((was) => ({ ...was, error, loading: false }));
        }
    }, on);

    useEffect(() => {
        reload();
        return () => { turn.current++; };
    }, [reload]);
    return { ...state, reload, set: (data) => { turn.current++; set({ data, loading: false }); } };
}

/** kind: a placeholder for a "screen", a "chart" or a "line"; none: rows. */
export const Loading = ({ kind }) => html`<div class=${kind ? `skeleton ${kind}` : 'skeleton'} role="status" aria-busy="true">
    <span class="hidden">${t('Loading')}</span><i /><i /><i /></div>`;

/** Draws `children(data)` when there is data, otherwise the loading state or error; kind as in Loading. */
export function Loaded({ from, kind, children }) {
    if (from.error)
        return html`${from.data !== undefined && children(from.data)}
            <${ErrorBox} error=${from.error} retry=${from.reload} />`;
    if (from.data === undefined)
        return html`<${Loading} kind=${kind} />`;
    return children(from.data);
}

export const Empty = ({ title, children }) => html`<div class="empty"><h2>${title}</h2>${children}</div>`;

// ---- controls ----

/** A button that becomes busy or disabled keeps the focus, which `disabled` would remove, but does nothing. */
export function Button({ kind = '', busy, disabled, children, ...rest }) {
    const button = useRef(), off = busy || (disabled && button.current !== null && button.current === document.activeElement);

    return html`<button type="button" class=${kind ? `button ${kind}` : 'button'} ref=${button} disabled=${disabled && !off} ...${rest}
        ...${off && { 'aria-disabled': 'true', onClick: (event) => event.preventDefault() }}
        ...${busy && { 'aria-busy': 'true' }}>${breakable(children)}</button>`;
}

/** A label, a control, a hint and its error. `as`: input, textarea or select. */
export function Field({ label, hint, error, as = 'input', children, onValue, inputRef, wide, ...rest }) {
    const id = useId();
    const described = [hint && `${id}h`, error && `${id}e`].filter(Boolean).join(' ') || undefined;
    const attributes = { id, ref: inputRef, 'aria-describedby': described,
        'aria-invalid': error ? 'true' : undefined,
        onInput: onValue && ((event) => onValue(event.target.value)), ...rest };

    return html`<div class=${wide ? 'field wide' : 'field'}>
        <label for=${id}>${label}</label>
        <div>${as === 'textarea' ? html`<textarea ...${attributes} />`
            : as === 'select' ? html`<select ...${attributes}>${children}</select>`
                : html`<input type="text" ...${attributes} />`}
        ${hint && html`<p class="hint" id=${`${id}h`}>${hint}</p>`}
        ${error && html`<p class="problem" id=${`${id}e`}>${error}</p>`}</div>
    </div>`;
}

export function Check({ label, hint, onValue, ...rest }) {
    const id = useId();

    return html`<div class="field check">
        <input type="checkbox" id=${id} aria-describedby=${hint ? `${id}h` : undefined} ...${rest}
            onChange=${(event) => onValue(event.target.checked)} />
        <label for=${id}>${label}</label>
        ${hint && html`<p class="hint" id=${`${id}h`}>${hint}</p>`}
    </div>`;
}

export function Switch({ label, on, busy, onSwitch, ...rest }) {
    return html`<button type="button" role="switch" class="switch" aria-checked=${on ? 'true' : 'false'}
        aria-label=${label} aria-disabled=${busy ? 'true' : undefined} ...${rest}
        onClick=${() => !busy && onSwitch(!on)}><i /></button>`;
}

export const Badge = ({ kind = '', children }) => html`<span class=${`badge ${kind}`}>${children}</span>`;

export function Facts({ rows }) {
    return html`<dl class="facts">${rows.filter(Boolean).map(([name, value]) => html`
        <div><dt>${name}</dt><dd>${breakable(value)}</dd></div>`)}</dl>`;
}

/**
 * columns: [{ title, cell(row), kind }]; the first column's cell is the row's header. kind: "number" and "time" are at the
 * right, "acts" are a row's buttons.
 */
export function Table({ label, columns, rows, empty, more, onMore, busy }) {
    if (rows.length === 0)
        return empty ?? html`<${Empty} title=${t('Nothing here yet')} />`;
    return html`<div class="table" tabindex="0" role="region" aria-label=${label}><table>
        <caption class="hidden">${label}</caption>
        <thead><tr>${columns.map((each) => html`<th scope="col" class=${each.kind}>${each.title
            || html`<span class="hidden">${t('Actions')}</span>`}</th>`)}</tr></thead>
        <tbody>${rows.map((row) => html`<tr key=${row.id ?? row.key}>${columns.map((each, i) => (i === 0
            ? html`<th scope="row" class=${each.kind}>${breakable(each.cell(row))}</th>`
            : html`<td class=${each.kind} data-title=${each.title}>${breakable(each.cell(row))}</td>`))}</tr>`)}</tbody>
    </table></div>
    ${more && html`<p class="more"><${Button} busy=${busy} onClick=${onMore}>${t('Show more')}<//></p>`}`;
}

/**
 * Tabs above their panel (WAI-ARIA: arrows, Home and End). `leaves`: changing the tab unmounts its forms, so it asks
 * about unsaved input.
 */
export function Tabs({ label, tabs, current, onTab, leaves, children }) {
    const id = useId(), now = tabs.findIndex(([key]) => key === current);
    const turn = (key) => {
        const free = key !== current && (!leaves || mayLeave());

        if (free)
            onTab(key);
        return free;
    };
    const move = (event) => {
        const at = { ArrowRight: (now + 1) % tabs.length, ArrowLeft: (now + tabs.length - 1) % tabs.length, Home: 0, End: tabs.length - 1 }[event.key];

        if (at === undefined)
            return;
        event.preventDefault();
        const buttons = event.currentTarget.children;
        if (turn(tabs[at][0]))
            buttons[at].focus();
    };

    return html`<div class="tabs" role="tablist" aria-label=${label} onKeyDown=${move}>
        ${tabs.map(([key, text], i) => html`<button type="button" role="tab" id=${`${id}-${i}`} aria-controls=${id}
            aria-selected=${i === now ? 'true' : 'false'} tabindex=${i === now ? 0 : -1} onClick=${() => turn(key)}>${text}</button>`)}</div>
        <div class="panel" role="tabpanel" id=${id} aria-labelledby=${`${id}-${now}`}>${children}</div>`;
}

/** A screen's title; `lead` describes it. */
export const Heading = ({ title, lead, headingRef }) => html`<div><h1 tabindex="-1" ref=${headingRef}>${title}</h1>
    ${lead && html`<p class="soft">${lead}</p>`}</div>`;

/** A screen. Its heading gets the focus after a navigation; its main button is the first of `actions`. */
export function Page({ title, lead, back, actions, children }) {
    const heading = useRef();

    useEffect(() => {
        document.title = `${title} – Atrium`;
        if (document.activeElement === document.body)
            heading.current?.focus({ preventScroll: true });
    }, [title]);
    return html`<div class="page">
        ${back && html`<p class="back"><${Link} to=${back[0]}>← ${back[1]}<//></p>`}
        <div class="head"><${Heading} title=${title} lead=${lead} headingRef=${heading} />
            ${actions && html`<div class="actions">${actions}</div>`}</div>
        ${children}</div>`;
}

export const Section = ({ title, actions, children }) => html`<section class="card">
    ${title && html`<div class="head"><h2>${title}</h2>${actions && html`<div class="actions">${actions}</div>`}</div>`}
    ${children}</section>`;

// ---- dialogs ----

/** A modal dialog; Escape and the Cancel button call onClose. Its title and buttons stay in view; the rest scrolls. */
export function Dialog({ title, onClose, onSubmit, submit, danger, busy, disabled, error, children, close }) {
    const dialog = useRef(), body = useRef(), id = useId(), [dirty, setDirty] = useState(false);

    useGuard(dirty && Boolean(onSubmit) && !danger);
    useEffect(() => {
        const before = document.activeElement, shown = dialog.current;

        shown.showModal();
        return () => { // closed first: until then everything below it is inert
            shown.close();
            if (before?.isConnected)
                before.focus();
        };
    }, []);
    useEffect(() => { // what was wrong can be above or below the visible part
        if (!busy)
            body.current.querySelector('.problem, [role=alert]')?.scrollIntoView({ block: 'nearest' });
    }, [busy]);
    return html`<dialog ref=${dialog} aria-labelledby=${id}
        onCancel=${(event) => { event.preventDefault(); onClose(); }}>
        <form novalidate onInput=${() => setDirty(true)} onSubmit=${(event) => { event.preventDefault(); if (!busy && !disabled) onSubmit?.(); }}>
            <h2 id=${id} tabindex="-1">${title}</h2>
            <div class="body" ref=${body}>${children}
                ${error && html`<${ErrorBox} error=${error} />`}</div>
            <div class="buttons">
                <${Button} onClick=${onClose}>${close ?? t('Cancel')}<//>
                ${onSubmit && html`<${Button} type="submit" kind=${danger ? 'danger' : 'primary'} busy=${busy}
                    disabled=${disabled}>${submit}<//>`}
            </div>
        </form>
    </dialog>`;
}

/** Runs a dialog's or form's action, once at a time: {busy, error, run}. */
export function useAct(act) {
    const [state, set] = useState({}), running = useRef(false);
    const run = async (...given) => {
        if (running.current)
            return undefined;
        running.current = true;
        set({ busy: true });
        try {
            const result = await act(...given);
            set({});
            return result;
        } catch (error) {
            set({ error });
            return undefined;
        } finally {
            running.current = false;
        }
    };

    return { ...state, run, clear: () => set({}) };
}

/** Returns the input after `sent` was saved: null, or what was typed meanwhile. */
export const saved = (sent) => (now) => (now === sent ? null : now);

/**
 * Saves over the state that was read: save(etag). After another change, `conflict` is what load() then reads; if it
 * reads nothing, as for new objects, or what was read before, the 409 has another reason.
 */
export function useSave(save, load) {
    const [conflict, set] = useState(null);
    const act = useAct(async (etag) => {
        set(null);
        try {
            await save(etag);
        } catch (failure) {
            if (failure.status !== 409)
                throw failure;
            let now;
            try {
                now = await load();
            } catch {
                throw failure;
            }
            if (etag && now?.etag === etag)
                throw failure;
            set(now);
        }
    });

    return { ...act, conflict, leave: () => set(null) };
}

/** Runs an action without a dialog; a toast shows its error. */
export const toasting = (work) => async (...given) => {
    try {
        await work(...given);
    } catch (error) {
        toastError(error);
    }
};

export const toastError = (error) => toast(`${errorTitle(error)} ${errorDetail(error) ?? ''}`);

/** Confirms a destructive action by typing a name. */
export function ConfirmName({ title, name, submit, act, onClose, onDone, children }) {
    const [typed, type] = useState('');
    const { busy, error, run } = useAct(async () => { await act(); onDone(); });

    return html`<${Dialog} title=${title} submit=${submit} danger busy=${busy} error=${error}
        disabled=${typed.trim() !== name.trim()} onClose=${onClose} onSubmit=${run}>
        ${children}
        <${Field} label=${t('Type “{name}” to confirm', { name })} value=${typed} onValue=${type}
            autocomplete="off" autofocus />
    <//>`;
}

/** A secret that is shown once. */
export const Secret = ({ title, text, secret, onClose }) => html`<${Dialog} title=${title} close=${t('Close')} onClose=${onClose}>
    <p>${text}</p><pre>${secret}</pre>
    <div><${Button} onClick=${() => copy(secret)}>${t('Copy')}<//></div><//>`;

/** A text with a button that copies it. */
export const Copied = ({ name, text }) => html`<code>${text}</code> <${Button} kind="quiet" aria-label=${`${t('Copy')}: ${name}`} onClick=${() => copy(text)}>${t('Copy')}<//>`;

export const copy = toasting(async (text) => {
    await navigator.clipboard.writeText(text);
    toast(t('Copied.'));
});

// ---- messages ----

let show = () => {};

/** Shows a message on this screen; `undo` adds a button. */
export const toast = (text, undo) => show({ text, undo, path: pathNow() });

const TOAST_MS = 6000, UNDO_MS = 12000, UNDO_KEY = 'F8';

/** The latest message. It stays while it has the focus or the pointer, and leaves with its screen. */
export function Toasts() {
    const [latest, set] = useState(null), { path } = useRoute();
    const box = useRef(), before = useRef(), timer = useRef(), message = latest?.path === path ? latest : null;
    const hold = () => clearTimeout(timer.current);
    const release = () => {
        hold();
        timer.current = setTimeout(() => set(null), latest?.undo ? UNDO_MS : TOAST_MS);
    };
    const within = (element) => box.current.contains(element);
    const back = () => within(document.activeElement) && before.current?.focus();
    const undo = () => {
        back();
        set(null);
        toasting(message.undo)();
    };
    const key = (event) => {
        if (event.key !== 'Escape')
            return;
        back();
        set(null);
    };

    useEffect(() => { show = set; }, []);
    useEffect(() => {
        if (latest && !message)
            set(null);
        else if (message && !box.current.matches(':hover, :focus-within'))
            release();
        return hold;
    }, [latest, path]);
    useEffect(() => {
        const jump = (event) => {
            if (event.key !== UNDO_KEY || !message?.undo)
                return;
            event.preventDefault();
            (within(document.activeElement) ? before.current : box.current.querySelector('button'))?.focus();
        };

        document.addEventListener('keydown', jump);
        return () => document.removeEventListener('keydown', jump);
    }, [message]);
    return html`<div class="toasts" role="status" ref=${box} onKeyDown=${key} onMouseEnter=${hold}
        onMouseLeave=${() => within(document.activeElement) || release()}
        onFocusIn=${({ relatedTarget }) => { hold(); before.current = within(relatedTarget) ? before.current : relatedTarget; }}
        onFocusOut=${({ relatedTarget }) => within(relatedTarget) || release()}>${message && html`<div class="toast">
        <span>${message.text}</span>
        ${message.undo && html`<${Button} onClick=${undo} aria-keyshortcuts=${UNDO_KEY}>${t('Undo')}<kbd aria-hidden="true">${UNDO_KEY}</kbd><//>`}
    </div>`}</div>`;
}

// ---- focus ----

/**
 * Keeps the focus on the screen: if the focused element is removed, browsers move the focus to <body>, and this moves it
 * to the table or dialog around that element, or to the screen's heading.
 */
export function keepFocus() {
    let around = []; // the element that had the focus last, and its ancestors

    document.addEventListener('focusin', ({ target }) => {
        around = [];
        for (let each = target; each; each = each.parentElement)
            around.push(each);
    });
    new MutationObserver(() => {
        if (!around.length || around[0].isConnected || document.activeElement !== document.body)
            return;
        const place = around.find((each) => each.isConnected && each.matches('.table, dialog'));

        (place?.querySelector(':scope > form > h2') ?? place ?? document.querySelector('h1'))?.focus({ preventScroll: true });
    }).observe(document.body, { subtree: true, childList: true });
}

/** Asks before unsaved input is lost, or asks `question`. */
export function useGuard(dirty, question) {
    useLayoutEffect(() => (dirty ? guard(question) : undefined), [dirty]);
}

/** Returns the value once it has not changed for a moment. */
export function useSettled(value, ms = 250) {
    const [settled, set] = useState(value);

    useEffect(() => {
        const timer = setTimeout(() => set(value), ms);
        return () => clearTimeout(timer);
    }, [value]);
    return settled;
}

/** A 409: the stored values beside the typed ones, and a button for each. */
export function Conflict({ rows, onMine, onTheirs }) {
    const notice = useRef();

    useEffect(() => notice.current.focus(), []); // it may be outside the visible part of a long form
    return html`<div ref=${notice} class="notice warn" role="alert" tabindex="-1">
        <p><strong>${t('Someone else changed this while you were editing.')}</strong>
            ${' '}${t('Your changes aren’t lost. Compare both versions and choose one.')}</p>
        <div class="table"><table><thead><tr><th scope="col">${t('Field')}</th><th scope="col">${t('Saved version')}</th>
            <th scope="col">${t('Your version')}</th></tr></thead>
            <tbody>${rows.map(([name, theirs, mine]) => html`<tr><th scope="row">${name}</th>
                <td data-title=${t('Saved version')}>${theirs}</td><td data-title=${t('Your version')}>${mine}</td></tr>`)}</tbody></table></div>
        <p class="buttons"><${Button} onClick=${onTheirs}>${t('Use the saved version')}<//>
            <${Button} kind="primary" onClick=${onMine}>${t('Save my version')}<//></p>
    </div>`;
}

const PAGE = 50;
const SHOWN_MAX = 500; // rows: each change reloads and redraws as many

/**
 * A list with a total: {data, more, busy, error, reload, next, start, jump}. data.resources are the rows from `start`,
 * at most SHOWN_MAX; after that, next() shows the following ones. jump(start) shows others. path: null while unknown.
 */
export function useRows(path, values, on) {
    const key = JSON.stringify(on), now = useRef({ key, start: 0, size: PAGE });

    if (now.current.key !== key)
        now.current = { key, start: 0, size: PAGE };
    const list = useLoad(async () => {
        const { start, size } = now.current;

        const found = path && await rows(path, values, size, start);

        if (found && start > 0 && found.resources.length === 0) { // the rows were deleted
            now.current = { key, start: 0, size: PAGE };
            return { ...await rows(path, values, PAGE), start: 0 };
        }
        return path && { ...found, start };
    }, on);
    const jump = async (start) => {
        now.current = { key, start, size: PAGE };
        await list.reload();
        await pause(); // until the rows are drawn
        document.querySelector('.count')?.scrollIntoView();
        document.querySelector('.count + .table')?.focus({ preventScroll: true });
    };
    const more = useAct(async () => {
        const { current: asked } = now, { data } = list;

        if (asked.size >= SHOWN_MAX) {
            await jump(asked.start + data.resources.length);
            return;
        }
        try {
            const page = await rows(path, values, PAGE, asked.start + data.resources.length);
            if (now.current !== asked || asked.data !== data)
                return; // another list is visible by now
            asked.size += PAGE;
            list.set({ ...page, start: asked.start, resources: [...data.resources, ...page.resources] });
        } catch (error) {
            toastError(error);
        }
    });

    now.current.data = list.data;
    return { ...list, more: list.data?.total > list.data?.start + list.data?.resources.length, busy: more.busy || list.loading, next: more.run, jump };
}

/** A list's number of rows; if more than it shows, also which ones, and links to others. */
export function Count({ list, text }) {
    const { total, start, resources } = list.data, [row, type] = useState('');
    const id = useId(), to = Number(row), known = Number.isInteger(to) && to >= 1 && to <= total;
    const go = (event) => {
        event.preventDefault();
        if (known && !list.busy)
            list.jump(to - 1);
    };

    return html`<div class="count"><p class="soft" role="status">${text(total)}${resources.length < total
            && html`<br />${t('Rows {from} to {to}', { from: number(start + 1), to: number(start + resources.length) })}`}</p>
        ${total > PAGE && html`<form class="actions" novalidate onSubmit=${go}><label for=${id}>${t('Go to row')}</label>
            <input id=${id} type="number" inputmode="numeric" min="1" max=${total} value=${row} onInput=${(event) => type(event.target.value)} />
            <${Button} type="submit" disabled=${!known}>${t('Go')}<//>
            ${start > 0 && html`<${Button} onClick=${() => list.jump(0)}>${t('Back to first row')}<//>`}</form>`}</div>`;
}

/** A list with a cursor: {rows, more, busy, error, reload, next}. */
export function useCursor(load, on) {
    const none = { rows: [] }, [tail, set] = useState(none), turn = useRef(0);
    const first = useLoad(() => { turn.current++; set(none); return load(null); }, on);
    const next = 'next' in tail ? tail.next : first.data?.next;
    const more = useAct(async () => {
        const mine = turn.current;

        try {
            const page = await load(next);
            if (mine === turn.current) // otherwise the list is no longer visible
                set((was) => ({ rows: [...was.rows, ...page.resources], next: page.next }));
        } catch (error) {
            toastError(error);
        }
    });

    return { ...first, more: Boolean(next), busy: more.busy || first.loading, rows: [...first.data?.resources ?? [], ...tail.rows], next: more.run };
}
