// overview.js - what each flow lacks to work, what changed last, and where to go.
import { get } from '../lib/api.js';
import { html } from '../lib/html.js';
import { languageName, N, number, t, time } from '../lib/i18n.js';
import { Link } from '../lib/router.js';
import { Badge, Facts, Loaded, Page, Section, useLoad } from '../lib/ui.js';
import { Diff, author, settingTitle } from './settings.js';
import { templateTitle } from './templates.js';

// By the names of GET /v1/project/readiness.
const flows = {
    'patient-registration': N('Patients register'), 'patient-sign-in': N('Patients sign in'), 'patient-sign-in-code': N('Patients sign in by a mailed code'), 'patient-invitation': N('Patients are invited'),
    'patient-password-reset': N('Patients set a new password'), 'patient-email-verification': N('Patients prove their address'), 'patient-email-change': N('Patients change their address'),
    'practitioner-registration': N('Practitioners register'), 'practitioner-sign-in': N('Practitioners sign in'), 'practitioner-sign-in-code': N('Practitioners sign in by a mailed code'),
    'practitioner-invitation': N('Practitioners are invited'), 'practitioner-password-reset': N('Practitioners set a new password'), 'practitioner-email-verification': N('Practitioners prove their address'),
    'practitioner-email-change': N('Practitioners change their address'), 'business-invitation': N('Business addresses become practitioners'), 'organization-code-mail': N('The project code is mailed'),
};

// What is missing, and the screen that mends it.
function lack({ kind, name, language }) {
    switch (kind) {
    case 'template':
        return [language ? t('mail “{name}” in {language}', { name: templateTitle(name), language: languageName(language) }) : t('mail “{name}”', { name: templateTitle(name) }), `/templates/${name}`];
    case 'account-policy':
        return [settingTitle(name), '/account-policy'];
    case 'tenant-code':
        return [t('Project code'), null];
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
        <${Badge} kind=${kind}>${flow.ready ? t('Ready') : off ? t('Off') : t('Lacks something')}<//></li>`;
}

export function Overview({ me }) {
    const ready = useLoad(() => get('/v1/project/readiness'));
    const rest = useLoad(async () => {
        const [history, members, policies, hooks] = await Promise.all([get('/v1/project/settings/history?_count=6'), get('/v1/projects/me/members?_count=1'),
            get('/v1/project/access-policies'), get('/v1/project/webhooks')]);
        return { history: history.resources, total: members.total, policies: policies.resources, hooks: hooks.resources };
    });

    return html`<${Page} title=${me.project.name} wide actions=${html`<${Link} class="button primary" to="/members?invite=1">${t('Invite someone')}<//><${Link} class="button" to="/people">${t('Find a person')}<//>`}>
        <${Loaded} from=${ready}>${(data) => html`
            ${data.suspended && html`<p class="notice bad">${t('This project is suspended: nobody can sign in.')}</p>`}
            <${Section}><${Facts} rows=${[[t('Project code'), data.tenantCode ? html`<code>${data.tenantCode}</code>` : t('None')],
                [t('Members and invitations'), rest.data ? number(rest.data.total) : '…'],
                [t('Languages'), data.languages.map(languageName).join(', ')],
                [t('Webhooks'), !rest.data ? '…' : rest.data.hooks.some((each) => each.goneAt) ? html`<${Badge} kind="bad">${t('one is switched off by its receiver')}<//>` : number(rest.data.hooks.length)]]} /><//>
            <div class="grid two"><${Section} title=${t('What works')}><ul class="rows">${data.flows.map((flow) => html`<${Flow} flow=${flow} />`)}</ul><//>
            <${Section} title=${t('Last changes')}><${Loaded} from=${rest}>${({ history, policies }) => (history.length === 0 ? html`<p class="soft">${t('Nothing was changed yet')}</p>` : html`
                <ul class="rows">${history.map((change) => html`<li><div><strong>${settingTitle(change.name)}</strong><p class="hint">${author(change)}, ${time(change.when)}</p></div>
                    <${Diff} change=${change} policies=${policies} /></li>`)}</ul><p><${Link} to="/settings?tab=history">${t('All changes')}<//></p>`)}<//><//></div>`}<//>
    <//>`;
}
