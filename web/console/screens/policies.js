// policies.js - access policies, as a form and as JSON.
import { get, getState, post, putState, remove } from '../lib/api.js';
import { html, useRef, useState } from '../lib/html.js';
import { N, number, t } from '../lib/i18n.js';
import { Link, navigate } from '../lib/router.js';
import { Badge, Button, Check, Conflict, ConfirmName, Empty, ErrorBox, Field, Loaded, Page, Section, Table, Tabs, toast, useGuard, useLoad, useSave } from '../lib/ui.js';

const PATH = '/v1/project/access-policies';
const types = { DocumentReference: N('Documents'), Content: N('Content'), Bot: N('Bots'), Translation: N('Translation'), Locale: N('Languages'), '*': N('Everything') };
const interactions = { read: N('read'), search: N('search'), create: N('create'), update: N('update'), delete: N('delete'), execute: N('execute') };
const OWN = 'DocumentReference?author=%profile';

const summary = (policy) => policy.resource.map((rule) => t(types[rule.resourceType] ?? rule.resourceType)).join(', ');

export function Policies() {
    const list = useLoad(() => get(PATH));

    return html`<${Page} title=${t('Access policies')} actions=${html`<${Button} kind="primary" onClick=${() => navigate('/policies/new')}>${t('New policy')}<//>`}>
        <p class="soft">${t('An access policy defines what members can do. Admins always have full access to their project.')}</p>
        <${Loaded} from=${list}>${(data) => html`<${Table} label=${t('Access policies')} rows=${data.resources} columns=${[
            { title: t('Name'), cell: (row) => html`<${Link} to=${`/policies/${row.id}`}>${row.name}<//>` },
            { title: t('Resources'), cell: summary },
            { title: t('Networks'), cell: (row) => (row.ipAccessRule?.length ? html`<${Badge} kind="accent">${t('Restricted')}<//>` : t('Any')) },
        ]} empty=${html`<${Empty} title=${t('No access policies yet')}><p>${t('To let people register, create an access policy.')}</p><//>`} />`}<//><//>`;
}

function Rule({ rule, at, onChange, onRemove }) {
    const all = !rule.interaction;
    const toggle = (name) => (on) => {
        const next = Object.keys(interactions).filter((each) => (each === name ? on : (rule.interaction ?? []).includes(each)));
        onChange({ ...rule, interaction: next });
    };
    const whole = ({ interaction, ...rest }) => rest;

    return html`<fieldset class="card"><legend class="hidden">${t('Rule {n}', { n: number(at + 1) })}</legend>
        <div class="form">
            <${Field} label=${t('Resource type')} as="select" value=${rule.resourceType} onValue=${(value) => {
                const { criteria, ...rest } = rule;
                onChange({ ...rest, resourceType: value });
            }}>${Object.entries(types).map(([key, text]) => html`<option value=${key}>${t(text)}</option>`)}<//>
            <div class="buttons"><${Button} kind="quiet danger" onClick=${onRemove}>${t('Remove rule {n}', { n: number(at + 1) })}<//></div>
            <${Check} label=${t('All actions')} checked=${all} onValue=${(on) => onChange(on ? whole(rule) : { ...rule, interaction: ['read', 'search'] })} />
            ${!all && html`<div class="wide checks">${Object.entries(interactions).map(([name, text]) => html`<${Check} label=${t(text)} checked=${rule.interaction.includes(name)} onValue=${toggle(name)} />`)}</div>`}
            ${rule.resourceType === 'DocumentReference' && html`<${Check} label=${t('Only the person’s own documents')} checked=${rule.criteria === OWN}
                onValue=${(on) => { const { criteria, ...rest } = rule; onChange(on ? { ...rest, criteria: OWN } : rest); }} />`}
        </div></fieldset>`;
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
        <${Tabs} label=${t('Editor')} tabs=${[['form', t('Form')], ['json', 'JSON']]} current=${tab} onTab=${pick}>${tab === 'json' ? html`<${Field} label=${t('Rules and networks')} as="textarea" class="code" value=${json} spellcheck="false"
            error=${bad} onValue=${(text) => { setJson(text); touch(); }} />`
            : html`${value.resource.map((rule, i) => html`<${Rule} key=${i} rule=${rule} at=${i}
                onChange=${(next) => change({ resource: value.resource.map((each, j) => (i === j ? next : each)) })}
                onRemove=${() => change({ resource: value.resource.filter((each, j) => i !== j) })} />`)}
                <div><${Button} onClick=${() => change({ resource: [...value.resource, { resourceType: 'DocumentReference', interaction: ['read', 'search'] }] })}>${t('Add rule')}<//></div>
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
        ${error && html`<${ErrorBox} error=${error} />`}
        <div class="buttons"><${Button} type="submit" kind="primary" busy=${busy} disabled=${!dirty || !value.name.trim() || bad}>${t('Save')}<//>
            ${policy.id && html`<${Button} kind="danger" onClick=${() => setGone(true)}>${t('Delete')}<//>`}</div>
        ${gone && html`<${ConfirmName} title=${t('Delete policy')} name=${policy.name} submit=${t('Delete')} act=${() => remove(`${PATH}/${policy.id}`)}
            onClose=${() => setGone(false)} onDone=${() => { setDirty(false); setTimeout(() => { navigate('/policies'); toast(t('Deleted.')); }); }}>
            <p>${t('You can’t delete a policy that a member or a setting uses.')}</p><//>`}
    </form>`;
}

export function Policy({ id }) {
    const made = { name: '', resource: [{ resourceType: 'DocumentReference', criteria: OWN }] };
    const policy = useLoad(async () => (id === 'new' ? made : getState(`${PATH}/${id}`)), [id]);

    return html`<${Page} title=${policy.data?.name || t('New policy')} back=${['/policies', t('Access policies')]}>
        <${Loaded} from=${policy}>${(data) => html`<${Editor} key=${id} policy=${data} reload=${policy.reload} />`}<//><//>`;
}
