// overview.js - sign-ins, what each flow lacks, failures, recent changes, and links. Each part loads separately, so a
// daemon that is down affects only its part.
import { get, query as queryOf } from '../lib/api.js';
import { html } from '../lib/html.js';
import { day, hourAt, languageName, N, number, plural, t, time } from '../lib/i18n.js';
import { Link } from '../lib/router.js';
import { Badge, Button, Facts, Loaded, Page, Section, useCursor, useLoad } from '../lib/ui.js';
import { overviewLead } from '../navigation.js';
import { author, Diff, outcomes, settingTitle, templateTitle } from './names.js';

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

function Flow({ flow }) {
    const off = flow.lacks.some((each) => each.kind === 'switch' || each.kind === 'account-policy');
    const kind = flow.ready ? flow.lacks.length > 0 ? 'warn' : 'good' : off ? '' : 'bad';

    return html`<li><div><strong>${t(flows[flow.name] ?? flow.name)}</strong>${!off && flow.lacks.length > 0 && html`<p class="hint">${t('Missing:')} ${flow.lacks.slice(0, 4).map((each, i) => {
        const [text, to] = lack(each);
        return html`${i > 0 ? ', ' : ''}${to ? html`<${Link} to=${to}>${text}<//>` : text}`;
    })}${flow.lacks.length > 4 ? ', …' : ''}</p>`}</div>
        <${Badge} kind=${kind}>${flow.ready ? t('Ready') : off ? t('Disabled') : t('Needs setup')}<//></li>`;
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

function Mails() {
    const list = useCursor((cursor) => get(`/v1/project/mail-failures${queryOf({ _count: FEW, _cursor: cursor })}`), []);

    return html`<${Section} title=${t('Failed emails')}><${Loaded} from=${list} kind="line">${() => (list.rows.length === 0 ? html`<p class="soft">${t('No email failed in the last 30 days.')}</p>` : html`
        <ul class="rows">${list.rows.map((mail) => html`<li key=${mail.id}><div><strong><${Link} to=${`/templates/${mail.template}`}>${templateTitle(mail.template)}<//></strong>
            <p class="hint">${mail.error}</p><p class="hint">${tries(mail)}</p></div>
            <${Badge} kind=${mail.state === 'failed' ? 'bad' : 'warn'}>${mail.state === 'failed' ? t('Failed') : t('Retrying')}<//></li>`)}</ul>
        ${list.more && html`<p><${Button} busy=${list.busy} onClick=${list.next}>${t('Show more')}<//></p>`}`)}<//><//>`;
}

function Bots() {
    const load = useLoad(() => get('/v1/project/bot-failures'));

    return html`<${Section} title=${t('Failed bots')}><${Loaded} from=${load} kind="line">${({ resources }) => (resources.length === 0 ? html`<p class="soft">${t('No bot failed in the last 24 hours.')}</p>` : html`
        <ul class="rows">${resources.map((bot) => html`<li key=${bot.id}><div><strong><${Link} to=${`/bots?bot=${bot.id}`}>${bot.name}<//></strong>
            <p class="hint">${t('Failures in 24 hours: {n}, last {last}', { n: number(bot.failures), last: time(bot.lastFailureAt) })}</p></div>
            <${Badge} kind=${outcomes[bot.lastOutcome][1]}>${t(outcomes[bot.lastOutcome][0])}<//></li>`)}</ul>`)}<//><//>`;
}

// ---- the screen ----

// A number from another daemon; the rest of the screen does not wait for it.
const fact = (load, value) => (load.data ? value(load.data) : load.error ? html`<${Button} kind="quiet" onClick=${load.reload}>${t('Failed to load. Retry')}<//>` : '…');

function Hooks({ hooks }) {
    const bad = hooks.find((each) => each.goneAt) ?? hooks.find((each) => each.enabled && each.failingSince);

    return bad ? html`<${Link} to=${`/webhooks/${bad.id}`}><${Badge} kind="bad">${bad.goneAt ? t('One was disabled by its receiver') : t('One has been failing since {when}', { when: day(bad.failingSince) })}<//><//>` : number(hooks.length);
}

export function Overview() {
    const ready = useLoad(() => get('/v1/project/readiness'));
    const members = useLoad(() => get('/v1/projects/me/members?_count=1'));
    const hooks = useLoad(() => get('/v1/project/webhooks'));
    const changes = useLoad(async () => {
        const [history, policies] = await Promise.all([get('/v1/project/settings/history?_count=6'), get('/v1/project/access-policies')]);
        return { history: history.resources, policies: policies.resources };
    });

    return html`<${Page} title=${t('Overview')} lead=${overviewLead()} wide actions=${html`<${Link} class="button primary" to="/staff?invite=1">${t('Invite someone')}<//><${Link} class="button" to="/people">${t('Find a person')}<//>`}>
        ${ready.data?.suspended && html`<p class="notice bad">${t('This project is suspended. No one can sign in.')}</p>`}
        <${Section}><${Facts} rows=${[[t('Tenant code'), fact(ready, (data) => (data.tenantCode ? html`<code>${data.tenantCode}</code>` : t('None')))],
            [t('Members and invitations'), fact(members, (data) => number(data.total))],
            [t('Languages'), fact(ready, (data) => data.languages.map(languageName).join(', '))],
            [t('Webhooks'), fact(hooks, (data) => html`<${Hooks} hooks=${data.resources} />`)]]} /><//>
        <${SignIns} />
        <div class="grid"><${Mails} /><${Bots} /></div>
        <div class="grid two"><${Section} title=${t('Setup status')}><${Loaded} from=${ready}>${(data) => html`<ul class="rows">${data.flows.map((flow) => html`<${Flow} flow=${flow} />`)}</ul>`}<//><//>
            <${Section} title=${t('Recent changes')}><${Loaded} from=${changes}>${({ history, policies }) => (history.length === 0 ? html`<p class="soft">${t('No changes yet')}</p>` : html`
                <ul class="rows">${history.map((change) => html`<li><div><strong>${settingTitle(change.name)}</strong><p class="hint">${author(change)}, ${time(change.when)}</p></div>
                    <${Diff} change=${change} policies=${policies} /></li>`)}</ul><p><${Link} to="/settings?tab=history">${t('View all changes')}<//></p>`)}<//><//></div>
    <//>`;
}
