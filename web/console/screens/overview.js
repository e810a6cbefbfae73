// overview.js - sign-ins, failures that need someone, the setup checklist, recommended settings and recent changes. Each
// part loads separately, so a daemon that is down affects only its part.
import { call, get, query as queryOf } from '../lib/api.js';
import { html, useState } from '../lib/html.js';
import { hourAt, languageName, N, number, plural, t, time } from '../lib/i18n.js';
import { Link } from '../lib/router.js';
import { Badge, Button, Check, Dialog, Facts, Loaded, Page, Section, toast, useAct, useCursor, useLoad } from '../lib/ui.js';
import { overviewLead } from '../navigation.js';
import { author, Diff, outcomes, settingTitle, templateTitle } from './names.js';
import { nameOf, pathOf } from './people.js';

// Keys as in GET /v1/project/readiness.
const flows = {
    'patient-registration': N('Patients register'), 'patient-sign-in': N('Patients sign in'), 'patient-sign-in-code': N('Patients sign in with an email code'), 'patient-invitation': N('Patients are invited'),
    'patient-password-reset': N('Patients reset their password'), 'patient-email-verification': N('Patients verify their email'), 'patient-email-change': N('Patients change their email'),
    'practitioner-registration': N('Practitioners register'), 'practitioner-sign-in': N('Practitioners sign in'), 'practitioner-sign-in-code': N('Practitioners sign in with an email code'),
    'practitioner-invitation': N('Practitioners are invited'), 'practitioner-password-reset': N('Practitioners reset their password'), 'practitioner-email-verification': N('Practitioners verify their email'),
    'practitioner-email-change': N('Practitioners change their email'), 'business-invitation': N('Business email invitations'), 'organization-code-mail': N('The tenant code is emailed'),
};

// Shows what is missing, and links to the screen that fixes it.
function lack({ kind, name, language }) {
    switch (kind) {
    case 'template':
        return [language ? t('template “{name}” in {language}', { name: templateTitle(name), language: languageName(language) }) : t('template “{name}”', { name: templateTitle(name) }), `/templates/${name}`];
    case 'account-policy':
        return [settingTitle(name), '/account-policy'];
    case 'tenant-code':
        return [t('Tenant code'), null];
    case 'project':
        return [t('the project is suspended'), null];
    case 'language':
        return [language ? languageName(language) : name, '/settings'];
    default:
        return [settingTitle(name), '/settings'];
    }
}

// ---- setup ----

// Flows that a project works without.
const extras = ['patient-email-change', 'practitioner-email-change', 'organization-code-mail'];

/** Returns the flow's state: "ready", "todo", "optional" (works or is enabled, but could do more) or "off". */
function stateOf(flow, all, policy) {
    const off = ({ lacks }) => lacks.some(({ kind }) => kind === 'switch' || kind === 'account-policy');
    const entry = all.find(({ name }) => name === `${flow.name.split('-')[0]}-sign-in`); // of the same people

    if (off(flow) || (entry && off(entry)))
        return 'off';
    if (flow.ready)
        return flow.lacks.length > 0 ? 'optional' : 'ready';
    return extras.includes(flow.name) || (flow.name.endsWith('-email-verification') && !policy?.requireVerifiedEmail) ? 'optional' : 'todo';
}

const setupStates = { ready: [N('Ready'), 'good'], todo: [N('Needs setup'), 'warn'], optional: [N('Optional'), ''], off: [N('Disabled'), ''] };

function Flow({ flow, state }) {
    const [text, kind] = setupStates[state];

    return html`<li><div><strong>${t(flows[flow.name] ?? flow.name)}</strong>${state !== 'off' && flow.lacks.length > 0 && html`<p class="hint">${t('Missing:')} ${flow.lacks.slice(0, 4).map((each, i) => {
        const [what, to] = lack(each);
        return html`${i > 0 ? ', ' : ''}${to ? html`<${Link} to=${to}>${what}<//>` : what}`;
    })}${flow.lacks.length > 4 ? ', …' : ''}</p>`}</div>
        <${Badge} kind=${kind}>${t(text)}<//></li>`;
}

const Flows = ({ list }) => html`<ul class="rows">${list.map(([flow, state]) => html`<${Flow} key=${flow.name} flow=${flow} state=${state} />`)}</ul>`;

/** The checklist: what is missing, and behind it the rest. Without anything missing, it is one line. */
function Setup({ flows: all, policy }) {
    const list = all.map((flow) => [flow, stateOf(flow, all, policy)]);
    const [todo, rest] = [list.filter(([, state]) => state === 'todo'), list.filter(([, state]) => state !== 'todo')];
    const done = rest.filter(([, state]) => state === 'ready').length;

    return html`${todo.length > 0 ? html`<p>${t('{done} of {all} required steps done', { done: number(done), all: number(done + todo.length) })}</p>
            <progress max=${done + todo.length} value=${done} aria-label=${t('Setup status')} /><${Flows} list=${todo} />`
        : html`<p><${Badge} kind="good">${t('Complete')}<//> ${t('Everything that this project uses is set up.')}</p>`}
        <details><summary>${todo.length > 0 ? t('Ready and optional') : t('Show all')}</summary><${Flows} list=${rest} /></details>`;
}

// ---- recommended settings ----

// The account policy of `atriumctl project create --strict`, and what its members change for people.
const recommended = {
    passwordMinLength: [15, N('Applies when someone sets a password.')],
    passwordMinLengthWithMfa: [8, N('Applies when someone sets a password.')],
    refuseCommonPasswords: [true, N('Applies when someone sets a password.')],
    onSignIn: ['mail', N('People who sign in with a common password receive an email.')],
    requireVerifiedEmail: [true, N('People who haven’t verified their email must do so before they can sign in.')],
    requireMfa: ['admins', N('Admins without a second factor, including you, must set one up before they can continue.')],
};
const choices = { onSignIn: { ignore: N('Do nothing'), mail: N('Email the person'), 'require-change': N('Require a new password') },
    requireMfa: { none: N('No one'), admins: N('Admins'), practitioners: N('Practitioners'), everyone: N('Everyone') } }; // the weakest first

const isWeaker = (name, value, wanted) => (choices[name] ? Object.keys(choices[name]).indexOf(value) < Object.keys(choices[name]).indexOf(wanted) : Number(value) < Number(wanted));
const valueText = (name, value) => (choices[name] ? t(choices[name][value] ?? '') : value === true ? t('Enabled') : value === false ? t('Disabled') : number(value));
const weaker = (policy) => Object.entries(recommended).filter(([name, [value]]) => isWeaker(name, policy[name], value));

const POLICY = '/v1/project/account-policy';
const loadPolicy = async () => {
    const { data, etag } = await call('GET', POLICY);
    return { policy: data, etag };
};

function Recommend({ state, onClose, onDone }) {
    const [without, leave] = useState([]), found = weaker(state.policy), chosen = found.filter(([name]) => !without.includes(name));
    const { busy, error, run } = useAct(async () => {
        const { data, etag } = await call('PUT', POLICY, { etag: state.etag, body: Object.fromEntries(chosen.map(([name, [value]]) => [name, value])) });

        onDone({ policy: data, etag });
        toast(t('Saved.'));
    });

    return html`<${Dialog} title=${t('Recommended settings')} submit=${t('Apply')} busy=${busy} error=${error} disabled=${chosen.length === 0} onClose=${onClose} onSubmit=${run}>
        <p>${t('These settings of the account policy will change. Stricter settings stay as they are.')}</p>
        ${found.map(([name, [value, effect]]) => html`<${Check} key=${name} checked=${!without.includes(name)} onValue=${(on) => leave(on ? without.filter((each) => each !== name) : [...without, name])}
            label=${html`${settingTitle(name)}: <span class="diff"><del>${valueText(name, state.policy[name])}</del> → <ins>${valueText(name, value)}</ins></span>`} hint=${t(effect)} />`)}
    <//>`;
}

function Recommended({ load }) {
    const [open, setOpen] = useState(false);

    return html`<${Section} title=${t('Recommended settings')}><${Loaded} from=${load} kind="line">${({ policy }) => {
        const { length } = weaker(policy);

        return length === 0 ? html`<p><${Badge} kind="good">${t('Complete')}<//> ${t('The account policy is at least as strict as recommended.')}</p>`
            : html`<p>${plural(length, '{n} setting of the account policy is weaker than recommended.', '{n} settings of the account policy are weaker than recommended.')}</p>
                <div><${Button} onClick=${() => setOpen(true)}>${t('Review changes')}<//></div>`;
    }}<//>
        ${open && html`<${Recommend} state=${load.data} onClose=${() => setOpen(false)} onDone=${(next) => { load.set(next); setOpen(false); }} />`}<//>`;
}

// ---- sign-ins ----

const signedIn = (n) => plural(n, '{n} successful', '{n} successful'), refused = (n) => plural(n, '{n} failed', '{n} failed');
const LABELS = 6; // hours between two labels below the bars

/** A bar for each hour: sign-ins, and above them refused ones; as a table for screen readers. */
function Hours({ hours }) {
    const [good, bad] = ['succeeded', 'failed'].map((key) => hours.reduce((sum, each) => sum + each[key], 0));
    const most = Math.max(...hours.map((each) => each.succeeded + each.failed));
    const share = (count) => ({ height: `${100 * count / most}%` });

    if (most === 0)
        return html`<p class="soft">${t('No sign-ins in the last 24 hours.')}</p>`;
    return html`<figure class="chart"><ul class="legend small"><li><i class="good" />${signedIn(good)}</li><li><i class="bad" />${refused(bad)}</li></ul>
        <div class="bars" aria-hidden="true"><span class="most">${number(most)}</span>${hours.map(({ hour, succeeded, failed }) => html`
            <span class="bar" title=${`${time(hour)}: ${signedIn(succeeded)}, ${refused(failed)}`}>
                ${failed > 0 && html`<i class="bad" style=${share(failed)} />`}${succeeded > 0 && html`<i class="good" style=${share(succeeded)} />`}</span>`)}</div>
        <div class="hours small" aria-hidden="true">${hours.filter((each, i) => i % LABELS === 0).map(({ hour }) => html`<span>${hourAt(hour)}</span>`)}</div>
        <div class="hidden"><table><caption>${t('Sign-ins in the last 24 hours')}</caption><thead><tr><th scope="col">${t('Hour')}</th><th scope="col">${t('Successful')}</th><th scope="col">${t('Failed')}</th></tr></thead>
            <tbody>${hours.map(({ hour, succeeded, failed }) => html`<tr><th scope="row">${time(hour)}</th><td>${number(succeeded)}</td><td>${number(failed)}</td></tr>`)}</tbody></table></div></figure>`;
}

function SignIns() {
    const load = useLoad(() => get('/v1/project/sign-ins'));

    return html`<${Section} title=${t('Sign-ins in the last 24 hours')}><${Loaded} from=${load} kind="chart">${({ resources }) => html`<${Hours} hours=${resources} />`}<//><//>`;
}

// ---- failures ----

const FEW = 5;

const tries = ({ attempts, createdAt, triedAt }) => (attempts < 2 ? t('Last attempt: {when}', { when: time(triedAt ?? createdAt) })
    : t('{n} attempts: first {first}, last {last}', { first: time(createdAt), last: time(triedAt), n: number(attempts) }));

/** A part of the failures, with its title unless it is empty. */
function Part({ title, from, count, none, children }) {
    const empty = from.data !== undefined && !from.error && count(from.data) === 0;

    return html`<section class="stack" aria-label=${title}>${!empty && html`<h3>${title}</h3>`}
        <${Loaded} from=${from} kind="line">${(data) => (count(data) === 0 ? html`<p class="soft">${none}</p>` : children(data))}<//></section>`;
}

function Mails() {
    const list = useCursor((cursor) => get(`/v1/project/mail-failures${queryOf({ _count: FEW, _cursor: cursor })}`), []);

    return html`<${Part} title=${t('Failed emails')} from=${list} count=${() => list.rows.length} none=${t('No email failed in the last 30 days.')}>${() => html`
        <ul class="rows">${list.rows.map((mail) => html`<li key=${mail.id}><div><strong><${Link} to=${`/templates/${mail.template}`}>${templateTitle(mail.template)}<//></strong>
            <p class="hint">${mail.error}</p><p class="hint">${tries(mail)}</p></div>
            <${Badge} kind=${mail.state === 'failed' ? 'bad' : 'warn'}>${mail.state === 'failed' ? t('Failed') : t('Retrying')}<//></li>`)}</ul>
        ${list.more && html`<p><${Button} busy=${list.busy} onClick=${list.next}>${t('Show more')}<//></p>`}`}<//>`;
}

function Bots() {
    const load = useLoad(() => get('/v1/project/bot-failures'));

    return html`<${Part} title=${t('Failed bots')} from=${load} count=${({ resources }) => resources.length} none=${t('No bot failed in the last 24 hours.')}>${({ resources }) => html`
        <ul class="rows">${resources.map((bot) => html`<li key=${bot.id}><div><strong><${Link} to=${`/bots?bot=${bot.id}`}>${bot.name}<//></strong>
            <p class="hint">${t('Failures in 24 hours: {n}, last {last}', { n: number(bot.failures), last: time(bot.lastFailureAt) })}</p></div>
            <${Badge} kind=${outcomes[bot.lastOutcome][1]}>${t(outcomes[bot.lastOutcome][0])}<//></li>`)}</ul>`}<//>`;
}

function Hooks() {
    const load = useLoad(async () => (await get('/v1/project/webhooks')).resources.filter((each) => each.goneAt || (each.enabled && each.failingSince)));

    return html`<${Part} title=${t('Failed webhooks')} from=${load} count=${(list) => list.length} none=${t('No webhook is failing.')}>${(list) => html`
        <ul class="rows">${list.map((hook) => html`<li key=${hook.id}><div><strong><${Link} to=${`/webhooks/${hook.id}`}>${hook.url}<//></strong>
            <p class="hint">${hook.goneAt ? t('Disabled by its receiver on {when}', { when: time(hook.goneAt) }) : t('Failing since {when}', { when: time(hook.failingSince) })}</p></div>
            <${Badge} kind=${hook.goneAt ? 'bad' : 'warn'}>${hook.goneAt ? t('Disabled') : t('Retrying')}<//></li>`)}</ul>`}<//>`;
}

// ---- the screen ----

// A number from another daemon; the rest of the screen does not wait for it.
const fact = (load, value) => (load.data ? value(load.data) : load.error ? html`<${Button} kind="quiet" onClick=${load.reload}>${t('Failed to load. Retry')}<//>` : '…');

// The admins who can repair an identity provider that the project requires, or null if it requires none.
async function loadLocalAdmins() {
    const { resources } = await get('/v1/project/identity-providers'), found = [];
    let page = {};

    if (!resources.some(({ enforced }) => enforced.length > 0))
        return null;
    do {
        page = await get(`/v1/project/accounts${queryOf({ role: 'Practitioner', admin: true, _count: 100, _cursor: page.next })}`);
        found.push(...page.resources.filter(({ localSignIn }) => localSignIn));
    } while (page.next);
    return found;
}

const hasCodes = ({ factors, state }) => state === 'active' && factors.includes('totp');

const localAdmins = (list) => (list.length === 0 ? t('None') : list.map((who, i) => html`${i > 0 ? ', ' : ''}<${Link} to=${pathOf(who)}>${nameOf(who)}<//>
    ${!hasCodes(who) && html` <${Badge} kind="warn">${who.state === 'active' ? t('No second factor') : t('Locked')}<//>`}`));

export function Overview() {
    const ready = useLoad(() => get('/v1/project/readiness'));
    const local = useLoad(loadLocalAdmins);
    const members = useLoad(() => get('/v1/projects/me/members?_count=1'));
    const policy = useLoad(loadPolicy);
    const changes = useLoad(async () => {
        const [history, policies] = await Promise.all([get('/v1/project/settings/history?_count=6'), get('/v1/project/access-policies')]);
        return { history: history.resources, policies: policies.resources };
    });

    return html`<${Page} title=${t('Overview')} lead=${overviewLead()} actions=${html`<${Link} class="button primary" to="/staff?invite=1">${t('Invite someone')}<//><${Link} class="button" to="/people">${t('Find a person')}<//>`}>
        ${ready.data?.suspended && html`<p class="notice bad">${t('This project is suspended. No one can sign in.')}</p>`}
        ${local.data && !local.data.some(hasCodes) && html`<p class="notice bad">${t('No admin with local sign-in has a second factor. If the identity provider fails, no one may be able to repair it.')}</p>`}
        <${Section}><${Facts} rows=${[[t('Tenant code'), fact(ready, (data) => (data.tenantCode ? html`<code>${data.tenantCode}</code>` : t('None')))],
            [t('Members and invitations'), fact(members, (data) => number(data.total))],
            [t('Languages'), fact(ready, (data) => data.languages.map(languageName).join(', '))],
            local.data && [t('Admins with local sign-in'), localAdmins(local.data)]]} /><//>
        <${SignIns} />
        <div class="grid two"><div class="grid two"><${Section} title=${t('Needs attention')}><${Mails} /><${Bots} /><${Hooks} /><//>
                <${Section} title=${t('Setup status')}><${Loaded} from=${ready} kind="line">${(data) => html`<${Setup} flows=${data.flows} policy=${policy.data?.policy} />`}<//><//>
                <${Recommended} load=${policy} /></div>
            <${Section} title=${t('Recent changes')}><${Loaded} from=${changes}>${({ history, policies }) => (history.length === 0 ? html`<p class="soft">${t('No changes yet')}</p>` : html`
                <ul class="rows">${history.map((change) => html`<li><div><strong>${settingTitle(change.name)}</strong><p><${Diff} change=${change} policies=${policies} /></p>
                    <p class="hint">${author(change)}, ${time(change.when)}</p></div></li>`)}</ul><p><${Link} to="/settings?tab=history">${t('View all changes')}<//></p>`)}<//><//></div>
    <//>`;
}
