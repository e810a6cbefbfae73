// overview.js - what each flow lacks to work, what changed last, and where to go.
import { get } from '../lib/api.js';
import { html } from '../lib/html.js';
import { N, number, t, time } from '../lib/i18n.js';
import { Link } from '../lib/router.js';
import { Badge, Facts, Loaded, Page, Section, useLoad } from '../lib/ui.js';
import { Diff, effective, loadSettings, settingTitle, switches } from './settings.js';

// What a flow needs: `missing` names what is not there, each with the screen that mends it.
function flows({ state, templates }) {
    const { settings, defaultPatientAccessPolicy: patientPolicy } = state.record;
    const on = (name) => effective(state, switches.find((each) => each.name === name));
    const mail = (name) => templates.some((each) => each.name === name) || [N('a mail template'), `/templates/${name}`];
    const policy = patientPolicy !== null || [N('an access policy for patients'), '/settings'];
    const staff = settings.DEFAULT_PRACTITIONER_ACCESS_POLICY !== null || [N('an access policy for practitioners'), '/settings'];
    const patientApp = settings.PATIENT_APP_URL !== null || [N('the address of the patient app'), '/settings'];
    const staffApp = settings.PRACTITIONER_APP_URL !== null || [N('the address of the practitioner app'), '/settings'];
    const flow = (title, name, needs) => ({ title, on: on(name), missing: needs.filter((each) => each !== true) });

    return [
        flow(N('Patients register'), 'PATIENT_REGISTRATION_ENABLED', [policy]),
        flow(N('Patients sign in'), 'PATIENT_LOGIN_ENABLED', []),
        flow(N('Patients are invited'), 'PATIENT_INVITATION_ENABLED', [mail('PATIENT_INVITE'), policy, patientApp]),
        flow(N('Practitioners sign in'), 'PRACTITIONER_LOGIN_ENABLED', []),
        flow(N('Practitioners are invited'), 'PRACTITIONER_INVITATION_ENABLED', [mail('INVITE_TO_PROJECT'), staff, staffApp]),
        flow(N('Practitioners register'), 'PRACTITIONER_REGISTRATION_ENABLED', [staff]),
        flow(N('Business addresses become practitioners'), 'CLINICIAN_INVITE_ON_BUSINESS_EMAIL', [mail('CLINICIAN_SIGNUP_INVITE'), staff, staffApp, patientApp]),
    ];
}

function Flow({ flow }) {
    const kind = !flow.on ? '' : flow.missing.length ? 'bad' : 'good';

    return html`<li><div><strong>${t(flow.title)}</strong>${flow.on && flow.missing.length > 0 && html`<p class="hint">${t('Missing:')} ${flow.missing.map(([what, to], i) => html`
        ${i > 0 ? ', ' : ''}<${Link} to=${to}>${t(what)}<//>`)}</p>`}</div>
        <${Badge} kind=${kind}>${!flow.on ? t('Off') : flow.missing.length ? t('Lacks something') : t('Ready')}<//></li>`;
}

export function Overview({ me }) {
    const all = useLoad(async () => {
        const [state, templates, members, code, policies] = await Promise.all([loadSettings(), get('/v1/project/email-templates'), get('/v1/projects/me/members?_count=1'),
            get('/organizations/code').catch(() => null), get('/v1/project/access-policies')]);
        return { state, templates: templates.resources, total: members.total, code: code?.code, policies: policies.resources };
    });
    const hooks = useLoad(() => get('/v1/project/webhooks'));

    return html`<${Page} title=${me.project.name} wide actions=${html`<${Link} class="button primary" to="/members?invite=1">${t('Invite someone')}<//><${Link} class="button" to="/people">${t('Find a person')}<//>`}>
        <${Loaded} from=${all}>${(data) => html`
            <${Section}><${Facts} rows=${[[t('Project code'), data.code ? html`<code>${data.code}</code>` : t('None')], [t('Members and invitations'), number(data.total)],
                [t('Mail templates'), number(new Set(data.templates.map((each) => each.name)).size)],
                hooks.data && [t('Webhooks'), hooks.data.resources.some((each) => each.goneAt) ? html`<${Badge} kind="bad">${t('one is switched off by its receiver')}<//>` : number(hooks.data.resources.length)]]} /><//>
            <div class="grid two"><${Section} title=${t('What works')}><ul class="rows">${flows(data).map((flow) => html`<${Flow} flow=${flow} />`)}</ul><//>
            <${Section} title=${t('Last changes')}>${data.state.history.resources.length === 0 ? html`<p class="soft">${t('Nothing was changed yet')}</p>` : html`
                <ul class="rows">${data.state.history.resources.slice(0, 6).map((change) => html`<li><div><strong>${settingTitle(change.name)}</strong><p class="hint">${change.who?.display ?? t('The operator')}, ${time(change.when)}</p></div>
                    <${Diff} change=${change} policies=${data.policies} /></li>`)}</ul><p><${Link} to="/settings?tab=history">${t('All changes')}<//></p>`}<//></div>`}<//>
    <//>`;
}
