// settings.js - settings: switches, addresses, default policies, languages, and the history of changes.
import { call, get, getState, patchState } from '../lib/api.js';
import { html, useState } from '../lib/html.js';
import { languageName, N, t, time } from '../lib/i18n.js';
import { Badge, Button, Conflict, Empty, ErrorBox, Field, Loaded, otherError, Page, saved, Section, Switch, Table, Tabs, toast, toastError, useAct, useGuard, useLoad, useSave } from '../lib/ui.js';
import { author, Diff, settingTitle } from './names.js';

const BASE = '/v1/project/settings';
const HISTORY = 100;

const switches = [
    { name: 'PATIENT_REGISTRATION_ENABLED', hint: N('Requires a default patient access policy.') },
    { name: 'PATIENT_LOGIN_ENABLED', hint: N('If disabled, no one can start a new session. Existing sessions continue.') },
    { name: 'PATIENT_INVITATION_ENABLED' },
    { name: 'PRACTITIONER_LOGIN_ENABLED', hint: N('Includes admins: if you disable this and sign out, you can’t sign in again.') },
    { name: 'PRACTITIONER_INVITATION_ENABLED' },
    { name: 'PRACTITIONER_REGISTRATION_ENABLED', hint: N('Requires a default practitioner access policy.') },
    { name: 'CLINICIAN_INVITE_ON_BUSINESS_EMAIL', hint: N('Patients who register with a business email are invited as practitioners instead.') },
    { name: 'inheritProviders', hint: N('Identity providers of the organization above also work here.') },
];
const POLICY_OF_PATIENTS = 'defaultPatientAccessPolicy'; // a setting with a route of its own
const values = [
    { name: 'PATIENT_APP_URL' },
    { name: 'PRACTITIONER_APP_URL' },
    { name: 'DEFAULT_PRACTITIONER_ACCESS_POLICY', policy: true },
    { name: POLICY_OF_PATIENTS, policy: true },
];

const read = (record, name) => (name === POLICY_OF_PATIENTS ? record[name] : record.settings[name]) ?? '';

/** Returns the settings with their ETag, and each switch's effective value and whether it is set. */
async function loadSettings() {
    const [{ data, etag }, ready, history] = await Promise.all([call('GET', BASE), get('/v1/project/readiness'), get(`${BASE}/history?_count=${HISTORY}`)]);
    const written = {}, force = {};

    for (const each of ready.switches)
        [written[each.name], force[each.name]] = [each.written, each.enabled];
    return { record: data, etag, history, written, force };
}

const effective = ({ record, written, force }, each) => (written[each.name] ? record.settings[each.name] : force[each.name]);

function Switches({ state, onSaved }) {
    const [busy, setBusy] = useState(null);
    const [conflict, setConflict] = useState(null);
    const write = async (each, enabled, etag) => {
        const before = effective(state, each);

        setBusy(each.name);
        setConflict(null);
        try {
            const { data, etag: next } = await call('PUT', `${BASE}/${each.name}`, { body: { enabled }, etag });
            onSaved(data, next, each.name);
            toast(enabled ? t('“{what}” enabled.', { what: settingTitle(each.name) }) : t('“{what}” disabled.', { what: settingTitle(each.name) }),
                () => write(each, before, next));
        } catch (error) {
            if (error.status === 409)
                setConflict({ each, enabled, fresh: await loadSettings() });
            else
                toastError(error);
        }
        setBusy(null);
    };
    const word = (on) => (on ? t('Enabled') : t('Disabled'));

    return html`<${Section} title=${t('Registration and sign-in')}>
        ${conflict && html`<${Conflict} rows=${[[settingTitle(conflict.each.name), word(effective(conflict.fresh, conflict.each)), word(conflict.enabled)]]}
            onTheirs=${() => { setConflict(null); onSaved(conflict.fresh); }}
            onMine=${() => { onSaved(conflict.fresh); write(conflict.each, conflict.enabled, conflict.fresh.etag); }} />`}
        <ul class="rows">${switches.map((each) => html`<li key=${each.name}><div>
            <strong>${settingTitle(each.name)}</strong> ${!state.written[each.name] && html`<${Badge}>${t('Default')}<//>`}
            ${each.hint && html`<p class="hint">${t(each.hint)}</p>`}</div>
            <${Switch} label=${settingTitle(each.name)} on=${effective(state, each)} busy=${busy !== null}
                onSwitch=${(on) => write(each, on, state.etag)} /></li>`)}</ul>
    <//>`;
}

function Values({ state, policies, onSaved }) {
    const now = Object.fromEntries(values.map(({ name }) => [name, read(state.record, name)]));
    const [typed, type] = useState({});
    const changed = values.filter(({ name }) => typed[name] !== undefined && typed[name] !== now[name]);
    const [conflict, setConflict] = useState(null);
    const { busy, error, run } = useAct(async (etag) => {
        let version = etag;

        setConflict(null);
        for (const { name } of changed) {
            try {
                const { data, etag: next } = await call('PUT', name === POLICY_OF_PATIENTS ? '/v1/project/default-patient-access-policy'
                    : `${BASE}/values/${name}`, { body: { value: typed[name].trim() }, etag: version });
                version = next;
                type((now) => (now[name] === typed[name] ? { ...now, [name]: undefined } : now));
                onSaved(data, next, name);
            } catch (failure) {
                if (failure.status !== 409)
                    throw failure.status === 422 ? Object.assign(failure, { setting: name }) : failure;
                setConflict(await loadSettings());
                return;
            }
        }
        toast(t('Saved.'));
    });
    const shown = (each, value) => (each.policy ? policies.find(({ id }) => value === `AccessPolicy/${id}`)?.name : value) || t('Not set');

    useGuard(changed.length > 0);
    return html`<${Section} title=${t('URLs and defaults')}>
        ${conflict && html`<${Conflict} rows=${changed.map((each) => [settingTitle(each.name), shown(each, read(conflict.record, each.name)), shown(each, typed[each.name])])}
            onTheirs=${() => { setConflict(null); type({}); onSaved(conflict); }}
            onMine=${() => { onSaved(conflict); run(conflict.etag); }} />`}
        <form class="form" onSubmit=${(event) => { event.preventDefault(); run(state.etag); }}>
            ${values.map((each) => html`<${Field} key=${each.name} label=${settingTitle(each.name)} as=${each.policy ? 'select' : 'input'} type=${each.policy ? undefined : 'url'}
                value=${typed[each.name] ?? now[each.name]} onValue=${(text) => type({ ...typed, [each.name]: text })}
                error=${error?.setting === each.name ? error.problem('value') ?? error.message : null}>
                ${each.policy && html`<option value="">${t('Not set')}</option>${policies.map((policy) => html`
                    <option value=${`AccessPolicy/${policy.id}`}>${policy.name}</option>`)}`}<//>`)}
            ${error && !error.setting && html`<${ErrorBox} error=${error} />`}
            <div class="buttons"><${Button} type="submit" kind="primary" busy=${busy} disabled=${changed.length === 0}>${t('Save')}<//>
                ${changed.length > 0 && html`<${Button} onClick=${() => type({})}>${t('Discard')}<//>`}</div>
        </form><//>`;
}

function Languages() {
    const locales = useLoad(() => getState('/locales'));
    const [typed, type] = useState(null);
    const shown = (state) => ({ languages: state.languages.join(', '), defaultLanguage: state.defaultLanguage });
    const value = typed ?? (locales.data && shown(locales.data));
    const { busy, error, run, conflict, leave } = useSave(async (etag) => {
        locales.set(await patchState('/locales', { languages: value.languages.split(/[\s,]+/).filter(Boolean), defaultLanguage: value.defaultLanguage.trim() }, etag));
        type(saved(typed));
        toast(t('Saved.'));
    }, () => getState('/locales'));
    const compared = () => [[t('Language tags'), 'languages'], [t('Default language'), 'defaultLanguage']]
        .map(([title, name]) => [title, shown(conflict)[name], value[name]]).filter(([, theirs, mine]) => theirs !== mine);

    useGuard(typed !== null);
    return html`<${Section} title=${t('Languages')}><${Loaded} from=${locales}>${(data) => html`
        <p>${data.languages.map((tag) => html`<${Badge} kind=${tag === data.defaultLanguage ? 'accent' : ''}>${languageName(tag)}<//> `)}</p>
        ${conflict && html`<${Conflict} rows=${compared()} onTheirs=${() => { locales.set(conflict); type(null); leave(); }}
            onMine=${() => run(conflict.etag)} />`}
        <form class="form" onSubmit=${(event) => { event.preventDefault(); run(data.etag); }}>
            <${Field} label=${t('Language tags')} hint=${t('For example, en, de, pt-BR')} value=${value.languages} error=${error?.problem?.('languages')}
                onValue=${(text) => type({ ...value, languages: text })} />
            <${Field} label=${t('Default language')} value=${value.defaultLanguage} error=${error?.problem?.('defaultLanguage')}
                onValue=${(text) => type({ ...value, defaultLanguage: text })} />
            ${otherError(error, 'languages', 'defaultLanguage') && html`<${ErrorBox} error=${error} />`}
            <div class="buttons"><${Button} type="submit" kind="primary" busy=${busy} disabled=${typed === null}>${t('Save')}<//></div>
        </form>`}<//><//>`;
}

function History({ history, policies }) {
    return html`<${Table} label=${t('History')} rows=${history.resources.map((row, i) => ({ ...row, key: i }))} columns=${[
        { title: t('Setting'), cell: (row) => settingTitle(row.name) },
        { title: t('Change'), cell: (row) => html`<${Diff} change=${row} policies=${policies} />` },
        { title: t('Changed by'), cell: (row) => author(row) },
        { title: t('Time'), kind: 'time', cell: (row) => time(row.when) },
    ]} empty=${html`<${Empty} title=${t('No changes yet')}><p>${t('When someone changes a setting, you see it here.')}</p><//>`} />`;
}

export function Settings({ query }) {
    const state = useLoad(loadSettings);
    const policies = useLoad(() => get('/v1/project/access-policies'));
    const [tab, setTab] = useState(query.tab === 'history' ? 'history' : 'now');
    const saved = (record, etag, name) => {
        if (record.record)
            state.set(record);
        else
            state.set({ ...state.data, record, etag, written: { ...state.data.written, [name]: true } });
    };

    return html`<${Page} title=${t('Settings')}>
        <${Tabs} label=${t('Settings')} leaves tabs=${[['now', t('Settings')], ['history', t('History')]]} current=${tab}
            onTab=${(key) => { setTab(key); if (key === 'history') state.reload(); }}>
        <${Loaded} from=${state}>${(data) => (tab === 'history' ? html`<${History} history=${data.history} policies=${policies.data?.resources} />` : html`
            <${Switches} state=${data} onSaved=${saved} />
            <${Loaded} from=${policies}>${(list) => html`<${Values} state=${data} policies=${list.resources} onSaved=${saved} />`}<//>
            <${Languages} />`)}<//><//>
    <//>`;
}
