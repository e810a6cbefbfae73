// policies.js - access policies as a table of things and actions, and as JSON; who has a policy.
import { get, getState, post, putState, query as queryOf, remove } from '../lib/api.js';
import { html, useRef, useState } from '../lib/html.js';
import { currentLanguage, N, number, t } from '../lib/i18n.js';
import { Link, navigate } from '../lib/router.js';
import { Badge, Button, Conflict, ConfirmName, Empty, ErrorBox, Field, Loaded, Page, Section, Table, Tabs, toast, useCursor, useGuard, useLoad, useSave } from '../lib/ui.js';
import { nameOf, pathOf, roleName } from './people.js';

const PATH = '/v1/project/access-policies';
const OWN = 'DocumentReference?author=%profile';

const actions = { search: N('Find'), read: N('Read'), create: N('Create'), update: N('Edit'), delete: N('Delete'), execute: N('Run') };
const verbs = { search: N('find'), read: N('read'), create: N('create'), update: N('edit'), delete: N('delete'), execute: N('run') };

// What a policy is about, with the actions that the server knows for it. A new document always belongs to its author.
const things = [
    { key: 'own', type: 'DocumentReference', title: N('Own documents'), does: N('{actions} their own documents'), can: ['search', 'read', 'create', 'update', 'delete'] },
    { key: 'all', type: 'DocumentReference', title: N('All documents in the project'), does: N('{actions} all documents in the project'), can: ['search', 'read', 'update', 'delete'] },
    { key: 'content', type: 'Content', title: N('Content'), does: N('{actions} content'), can: ['read'] },
    { key: 'languages', type: 'Locale', title: N('Languages'), does: N('see the list of languages'), can: ['read'] },
    { key: 'bots', type: 'Bot', title: N('Bots'), does: N('{actions} bots'), can: ['execute'] },
    { key: 'translation', type: 'Translation', title: N('Translation'), does: N('translate texts'), can: ['execute'] },
];
const known = ['resourceType', 'interaction', 'readonly', 'criteria'];

const readers = ['Content', 'Locale'].map((resourceType) => ({ resourceType, interaction: ['read'] }));
const presets = {
    own: [N('Own documents only'), [{ resourceType: 'DocumentReference', criteria: OWN }, ...readers]],
    read: [N('Read all documents'), [{ resourceType: 'DocumentReference', interaction: ['search', 'read'] }, ...readers]],
    manage: [N('Manage all documents'), [{ resourceType: 'DocumentReference' }, ...readers, { resourceType: 'Translation', interaction: ['execute'] }]],
    everything: [N('Everything'), [{ resourceType: '*' }]],
};

const isShown = (resource) => resource.every((rule) => Object.keys(rule).every((each) => known.includes(each))
    && (rule.resourceType === '*' || things.some(({ type }) => type === rule.resourceType)) && (rule.interaction ?? []).every((each) => actions[each])
    && (rule.criteria === undefined || (rule.criteria === OWN && rule.resourceType === 'DocumentReference')));

const allows = (rule, thing, action) => [thing.type, '*'].includes(rule.resourceType) && (!rule.interaction || rule.interaction.includes(action))
    && (!rule.readonly || action === 'read' || action === 'search') && (thing.key === 'own' || !rule.criteria);

/** Returns the cells that rules allow, as "thing action". */
const cellsOf = (resource) => new Set(things.flatMap((thing) => thing.can.filter((action) => resource.some((rule) => allows(rule, thing, action))).map((action) => `${thing.key} ${action}`)));

/** Returns rules that allow these cells. All actions of a type need no list. */
function rulesOf(cells) {
    const has = ({ key, can }, skip = []) => can.filter((action) => cells.has(`${key} ${action}`) && !skip.includes(action));
    const [own, all, ...rest] = things, ofAll = has(all), ofOwn = has(own, ofAll);
    const documents = ofAll.length === all.can.length && ofOwn.length > 0 ? [{ resourceType: all.type }] : [
        ofAll.length > 0 && { resourceType: all.type, interaction: ofAll },
        ofOwn.length > 0 && { resourceType: own.type, ...(ofOwn.length < own.can.length && { interaction: ofOwn }), criteria: OWN }];

    return [...documents, ...rest.map((thing) => has(thing).length > 0 && { resourceType: thing.type, interaction: has(thing) })].filter(Boolean);
}

const isEqual = (a, b) => a.size === b.size && [...a].every((each) => b.has(each));
const presetOf = (resource) => Object.keys(presets).find((key) => isEqual(cellsOf(presets[key][1]), cellsOf(resource))) ?? '';

const listed = (texts) => new Intl.ListFormat(currentLanguage(), { type: 'conjunction' }).format(texts);

// Sentences about what rules allow; what is allowed for all documents is not repeated for a person's own.
function sentences(resource) {
    const cells = cellsOf(resource);

    return things.flatMap(({ key, does, can }) => {
        const done = can.filter((action) => cells.has(`${key} ${action}`) && !(key === 'own' && cells.has(`all ${action}`)));
        return done.length > 0 ? [t(does, { actions: listed(done.map((action) => t(verbs[action]))) })] : [];
    });
}

// The things that rules allow something with.
function summary({ resource }) {
    const cells = cellsOf(resource), all = presetOf(resource) === 'everything';

    return !isShown(resource) ? t('Rules in JSON') : all ? t('Everything') : things.filter(({ key, can }) => can.some((action) => cells.has(`${key} ${action}`) && !(key === 'own' && cells.has(`all ${action}`))))
        .map(({ title }) => t(title)).join(', ') || t('Nothing');
}

export function Policies() {
    const list = useLoad(() => get(PATH));

    return html`<${Page} title=${t('Access policies')} actions=${html`<${Button} kind="primary" onClick=${() => navigate('/policies/new')}>${t('New policy')}<//>`}>
        <p class="soft">${t('An access policy defines what members can do. Admins always have full access to their project.')}</p>
        <${Loaded} from=${list}>${(data) => html`<${Table} label=${t('Access policies')} rows=${data.resources} columns=${[
            { title: t('Name'), cell: (row) => html`<${Link} to=${`/policies/${row.id}`}>${row.name}<//>` },
            { title: t('Allows'), cell: summary },
            { title: t('Networks'), cell: (row) => (row.ipAccessRule?.length ? html`<${Badge} kind="accent">${t('Restricted')}<//>` : t('Any')) },
        ]} empty=${html`<${Empty} title=${t('No access policies yet')}><p>${t('To let people register, create an access policy.')}</p><//>`} />`}<//><//>`;
}

function Allowed({ resource, onChange }) {
    const cells = cellsOf(resource), preset = presetOf(resource);
    const toggle = (cell) => (event) => {
        const next = new Set(cells);

        if (event.target.checked)
            next.add(cell);
        else
            next.delete(cell);
        onChange(rulesOf(next));
    };
    const box = (thing, action) => {
        const implied = thing.key === 'own' && cells.has(`all ${action}`);

        return thing.can.includes(action) && html`<label><input type="checkbox" aria-label=${`${t(thing.title)}: ${t(actions[action])}`} disabled=${implied}
            checked=${cells.has(`${thing.key} ${action}`)} onChange=${toggle(`${thing.key} ${action}`)} /></label>`;
    };

    if (!isShown(resource))
        return html`<p class="notice warn">${t('The table can’t show some of this policy’s rules. Edit them as JSON.')}</p>`;
    return html`<${Section} title=${t('What people can do')}>
        <${Field} label=${t('Preset')} as="select" value=${preset} onValue=${(key) => key && onChange(presets[key][1])}>
            ${!preset && html`<option value="">${t('Custom')}</option>`}
            ${Object.entries(presets).map(([key, [text]]) => html`<option value=${key}>${t(text)}</option>`)}<//>
        <${Table} label=${t('What people can do')} rows=${things} columns=${[
            { title: t('Resource'), cell: (thing) => t(thing.title) },
            ...Object.entries(actions).map(([action, title]) => ({ title: t(title), kind: 'tick', cell: (thing) => box(thing, action) })),
        ]} /><//>`;
}

function Summary({ value: { resource, ipAccessRule = [] } }) {
    const can = sentences(resource);
    const networks = (action) => listed(ipAccessRule.filter((each) => each.action === action && each.ip).map(({ ip }) => ip));

    return html`<${Section} title=${t('Summary')}><div class="stack" aria-live="polite">
        ${can.length > 0 ? html`<p>${t('People with this policy can:')}</p><ul class="dots">${can.map((each) => html`<li>${each}</li>`)}</ul>` : html`<p>${t('People with this policy can sign in, but nothing else.')}</p>`}
        <p>${networks('allow') && networks('block') ? t('The first matching network decides: {allowed} allowed, {blocked} blocked.', { allowed: networks('allow'), blocked: networks('block') }) : networks('allow') ? t('They can sign in only from {networks}.', { networks: networks('allow') }) : networks('block') ? t('They can sign in from anywhere except {networks}.', { networks: networks('block') }) : t('They can sign in from anywhere.')}</p></div><//>`;
}

function Holders({ id }) {
    const list = useCursor((cursor) => get(`/v1/project/accounts${queryOf({ accessPolicy: `AccessPolicy/${id}`, _cursor: cursor })}`), [id]);

    return html`<${Section} title=${t('People with this policy')}>
        <${Loaded} from=${list}>${() => html`<${Table} label=${t('People with this policy')} rows=${list.rows} more=${list.more} onMore=${list.next} busy=${list.busy}
            empty=${html`<p class="soft">${t('No one has this policy.')}</p>`} columns=${[
                { title: t('Name'), cell: (row) => html`<${Link} class="open" to=${pathOf(row)}>${nameOf(row)}<//>` },
                { title: t('Email'), cell: (row) => row.email },
                { title: t('Role'), cell: (row) => roleName(row.role) },
            ]} />`}<//><//>`;
}

const body = ({ name, resource, ipAccessRule }) => ({ name, resource, ...(ipAccessRule?.length && { ipAccessRule }) });

// Returns the rules for the form; throws when the form cannot show them.
function read(json) {
    const policy = JSON.parse(json), rules = [policy.resource, policy.ipAccessRule ?? []];
    const isRule = (each) => each !== null && typeof each === 'object' && (each.interaction === undefined || Array.isArray(each.interaction));

    if (!rules.every((each) => Array.isArray(each) && each.every(isRule)))
        throw new SyntaxError();
    return policy;
}

function isRead(json) {
    try {
        return Boolean(read(json));
    } catch {
        return false;
    }
}

const shown = (part) => (typeof part === 'string' ? part : part ? JSON.stringify(part) : '–');

function Editor({ policy, reload }) {
    const [value, set] = useState(policy), [dirty, setDirty] = useState(false), [tab, setTab] = useState('form'), [json, setJson] = useState(null), [gone, setGone] = useState(false), [etag, setEtag] = useState(policy.etag);
    const typed = useRef(0); // number of edits, to detect edits during a save
    const touch = () => { typed.current++; setDirty(true); };
    const change = (part) => { set({ ...value, ...part }); touch(); };
    const parsed = () => { const { resource, ipAccessRule } = read(json); return { ...value, resource, ipAccessRule }; };
    const { busy, error, run, conflict, leave } = useSave(async (state) => {
        const next = body(json === null ? value : parsed()), before = typed.current;
        const made = await (policy.id ? putState(`${PATH}/${policy.id}`, next, state) : post(PATH, next));

        setDirty(typed.current !== before);
        setEtag(made.etag);
        toast(t('Saved.'));
        if (!policy.id)
            setTimeout(() => navigate(`/policies/${made.id}`));
        else
            reload();
    }, () => getState(`${PATH}/${policy.id}`));
    const theirs = () => { set(conflict); setEtag(conflict.etag); setJson(null); setTab('form'); setDirty(false); leave(); reload(); };
    const compared = () => {
        const mine = json === null ? body(value) : isRead(json) ? body(parsed()) : { name: value.name, resource: json };

        return [['name', t('Name')], ['resource', t('Rules')], ['ipAccessRule', t('Networks')]].map(([name, title]) => [title, ...[body(conflict), mine].map((each) => shown(each[name]))])
            .filter(([, now, own]) => now !== own);
    };
    const pick = (key) => {
        if (key === 'json') {
            const { name, ...rest } = body(value);
            setJson(JSON.stringify(rest, null, 2));
        } else if (json !== null) {
            if (!isRead(json))
                return toast(t('Enter valid JSON with a list of rules in “resource”.'));
            set(parsed());
            setJson(null);
        }
        return setTab(key);
    };
    const bad = json !== null && !isRead(json) && t('Enter valid JSON with a list of rules in “resource”.');

    useGuard(dirty);
    return html`<form class="stack" onSubmit=${(event) => { event.preventDefault(); run(etag); }}>
        ${conflict && html`<${Conflict} rows=${compared()} onTheirs=${theirs} onMine=${() => run(conflict.etag)} />`}
        <${Section}><${Field} label=${t('Name')} value=${value.name} onValue=${(name) => change({ name })} error=${error?.problem?.('name')} required /><//>
        <${Tabs} label=${t('Editor')} tabs=${[['form', t('Table')], ['json', 'JSON']]} current=${tab} onTab=${pick}>${tab === 'json' ? html`<${Field} label=${t('Rules and networks')} as="textarea" class="code" value=${json} spellcheck="false"
            error=${bad} onValue=${(text) => { setJson(text); touch(); }} />`
            : html`<${Allowed} resource=${value.resource} onChange=${(resource) => change({ resource })} />
                <${Section} title=${t('Networks')}><p class="soft small">${t('The first matching network decides whether sign-in is allowed. If you add none, people can sign in from anywhere.')}</p>
                    ${(value.ipAccessRule ?? []).map((rule, i) => {
                        const all = value.ipAccessRule;
                        const edit = (part) => change({ ipAccessRule: all.map((each, j) => (i === j ? { ...each, ...part } : each)) });
                        return html`<div class="form" key=${i}>
                            <${Field} label=${t('Network {n}', { n: number(i + 1) })} value=${rule.ip} onValue=${(ip) => edit({ ip })} placeholder="192.0.2.0/24" />
                            <${Field} label=${t('Sign-ins from this network')} as="select" value=${rule.action} onValue=${(action) => edit({ action })}>
                                <option value="allow">${t('Allowed')}</option><option value="block">${t('Blocked')}</option><//>
                            <div class="buttons"><${Button} kind="quiet danger" onClick=${() => change({ ipAccessRule: all.filter((each, j) => i !== j) })}>${t('Remove network {n}', { n: number(i + 1) })}<//></div></div>`;
                    })}
                    <div><${Button} onClick=${() => change({ ipAccessRule: [...value.ipAccessRule ?? [], { ip: '', action: 'allow' }] })}>${t('Add network')}<//></div><//>`}<//>
        ${tab === 'form' && isShown(value.resource) && html`<${Summary} value=${value} />`}
        ${error && html`<${ErrorBox} error=${error} />`}
        <div class="buttons"><${Button} type="submit" kind="primary" busy=${busy} disabled=${!dirty || !value.name.trim() || bad}>${t('Save')}<//>
            ${policy.id && html`<${Button} kind="danger" onClick=${() => setGone(true)}>${t('Delete')}<//>`}</div>
        ${gone && html`<${ConfirmName} title=${t('Delete policy')} name=${policy.name} submit=${t('Delete')} act=${() => remove(`${PATH}/${policy.id}`)}
            onClose=${() => setGone(false)} onDone=${() => { setDirty(false); setTimeout(() => { navigate('/policies'); toast(t('Deleted.')); }); }}>
            <p>${t('You can’t delete a policy that a member or a setting uses.')}</p><//>`}
    </form>`;
}

export function Policy({ id }) {
    const made = { name: '', resource: presets.own[1] };
    const policy = useLoad(async () => (id === 'new' ? made : getState(`${PATH}/${id}`)), [id]);

    return html`<${Page} title=${policy.data?.name || t('New policy')} back=${['/policies', t('Access policies')]}>
        <${Loaded} from=${policy}>${(data) => html`<${Editor} key=${id} policy=${data} reload=${policy.reload} />
            ${id !== 'new' && html`<${Holders} id=${id} />`}`}<//><//>`;
}
