// sign_on.js - single sign-on: the email domains that the project has verified, and its identity providers.
import { get, getState, post, putState, remove } from '../lib/api.js';
import { html, useState } from '../lib/html.js';
import { N, t, time } from '../lib/i18n.js';
import { Badge, Button, Check, Conflict, ConfirmName, Copied, Dialog, Empty, Facts, Field, Loaded, otherError, Page, Secret, Section, Table, toast, toasting, useAct, useLoad, useSave } from '../lib/ui.js';

const DOMAINS = '/v1/project/domains', PROVIDERS = '/v1/project/identity-providers';
const domainStates = { pending: [N('Waiting for the record'), 'warn'], expired: [N('Record expired'), 'bad'], verified: [N('Verified'), 'good'],
    missing: [N('Record is missing'), 'warn'], lost: [N('No longer verified'), 'bad'] };
const presets = { oidc: N('OpenID Connect'), entra: N('Microsoft Entra ID'), google: N('Google Workspace') };
const states = { draft: [N('Draft'), ''], active: [N('Active'), 'good'], disabled: [N('Disabled'), 'bad'] };
const people = { practitioners: N('Practitioners'), patients: N('Patients') };
const provisionings = { none: N('No one'), practitioners: N('Practitioners'), patients: N('Patients'), both: N('Practitioners and patients') };
const authMethods = { client_secret_basic: N('In a header (Basic)'), client_secret_post: N('In the body (POST)') };
const GOOGLE = 'google';

// ---- domains ----

function AddDomain({ onClose, onDone }) {
    const [domain, set] = useState('');
    const { busy, error, run } = useAct(async () => onDone(await post(DOMAINS, { domain })));

    return html`<${Dialog} title=${t('Add domain')} submit=${t('Add domain')} busy=${busy} onClose=${onClose} onSubmit=${run} error=${otherError(error, 'domain')} disabled=${!domain.trim()}>
        <${Field} label=${t('Domain')} hint=${t('The part after the @ of your email addresses, such as clinic.example.')} value=${domain} onValue=${set}
            error=${error?.problem?.('domain')} autocapitalize="none" spellcheck="false" autofocus required />
    <//>`;
}

/** The record of a domain, and the button that looks it up. */
function Record({ domain, onClose, onDone }) {
    const { busy, error, run } = useAct(async () => { await post(`${DOMAINS}/${domain.domain}/verify`); onDone(); });

    return html`<${Dialog} title=${t('Verify {domain}', { domain: domain.domain })} submit=${t('Verify')} busy=${busy} error=${error} onClose=${onClose} onSubmit=${run} close=${t('Later')}>
        <p>${t('Add this TXT record to the domain’s DNS, then verify it. It can take some minutes until the record can be found.')}</p>
        <${Facts} rows=${[[t('Record name'), html`<${Copied} name=${t('Record name')} text=${domain.recordName} />`],
            [t('Record value'), html`<${Copied} name=${t('Record value')} text=${domain.recordValue} />`],
            domain.expiresAt && [t('Valid until'), time(domain.expiresAt)]]} />
        <p class="soft">${t('Leave the record in place. Atrium looks it up every day.')}</p>
    <//>`;
}

function Domains({ list }) {
    const [add, setAdd] = useState(false), [record, setRecord] = useState(null), [gone, setGone] = useState(null);
    const again = useAct(toasting(async (row) => { setRecord(await post(DOMAINS, { domain: row.domain })); list.reload(); }));
    const act = (row) => (row.state === 'pending' ? html`<${Button} kind="quiet" onClick=${() => setRecord(row)}>${t('Verify')}<//>`
        : ['expired', 'lost'].includes(row.state) && html`<${Button} kind="quiet" busy=${again.busy} onClick=${() => again.run(row)}>${t('New record')}<//>`);

    return html`<${Section} title=${t('Verified domains')} actions=${html`<${Button} onClick=${() => setAdd(true)}>${t('Add domain')}<//>`}>
        <p class="soft">${t('A provider can only vouch for email addresses of domains that this project has verified.')}</p>
        <${Loaded} from=${list}>${({ resources }) => html`<${Table} label=${t('Verified domains')} rows=${resources.map((row) => ({ ...row, key: row.domain }))} columns=${[
            { title: t('Domain'), cell: (row) => row.domain },
            { title: t('Status'), cell: (row) => html`<${Badge} kind=${domainStates[row.state][1]}>${t(domainStates[row.state][0])}<//>` },
            { title: t('Verified'), kind: 'time', cell: (row) => time(row.verifiedAt) },
            { kind: 'acts', cell: (row) => html`${act(row)}<${Button} kind="quiet danger" onClick=${() => setGone(row)}>${t('Delete')}<//>` },
        ]} empty=${html`<${Empty} title=${t('No domains yet')} />`} />`}<//>
        ${add && html`<${AddDomain} onClose=${() => setAdd(false)} onDone=${(made) => { setAdd(false); setRecord(made); list.reload(); }} />`}
        ${record && html`<${Record} domain=${record} onClose=${() => setRecord(null)} onDone=${() => { setRecord(null); list.reload(); toast(t('Verified.')); }} />`}
        ${gone && html`<${ConfirmName} title=${t('Delete domain')} name=${gone.domain} submit=${t('Delete')} act=${() => remove(`${DOMAINS}/${gone.domain}`)} onClose=${() => setGone(null)}
            onDone=${() => { setGone(null); list.reload(); toast(t('Deleted.')); }}><p>${t('Providers can no longer vouch for its addresses.')}</p><//>`}
    <//>`;
}

// ---- providers ----

const fresh = { preset: 'entra', name: '', issuer: '', clientId: '', authMethod: 'client_secret_basic', scopes: 'openid email profile', requiredAcr: '',
    trustedForMfa: false, roles: ['practitioners'], domains: [], provisioning: 'none', enforced: [], state: 'draft' };
const FIELDS = ['name', 'preset', 'issuer', 'clientId', 'clientSecret', 'roles', 'domains', 'provisioning', 'enforced', 'authMethod', 'scopes', 'requiredAcr', 'state'];
const ADVANCED = ['authMethod', 'scopes', 'requiredAcr'];

const bodyOf = ({ name, preset, issuer, clientId, clientSecret, authMethod, scopes, requiredAcr, trustedForMfa, roles, domains, provisioning, enforced, state }) => ({
    name, preset, clientId: clientId.trim(), authMethod, scopes, requiredAcr: requiredAcr || null, trustedForMfa, roles, domains, provisioning, state,
    enforced: enforced.filter((each) => roles.includes(each)), ...(preset !== GOOGLE && { issuer: issuer.trim() }), ...(clientSecret && { clientSecret }) });

const toggled = (all, chosen, each, on) => all.filter((other) => (other === each ? on : chosen.includes(other)));

const compared = (theirs, mine) => [[t('Button text'), 'name'], [t('Provider'), 'preset'], [t('Issuer'), 'issuer'], [t('Client ID'), 'clientId'], [t('For'), 'roles'], [t('Domains'), 'domains'],
    [t('New members at first sign-in'), 'provisioning'], [t('Require sign-in with this provider'), 'enforced'], [t('Status'), 'state']]
    .map(([title, key]) => [title, String(theirs[key]), String(mine[key] ?? '')]).filter(([, a, b]) => a !== b);

function Edit({ provider, domains, onClose, onDone }) {
    const [base, setBase] = useState(provider), [value, set] = useState({ ...provider ?? fresh, clientSecret: '' });
    const change = (name) => (next) => set({ ...value, [name]: next });
    const { busy, error, run, conflict, leave } = useSave(async (etag) => onDone(await (base ? putState(`${PROVIDERS}/${base.id}`, bodyOf(value), etag) : post(PROVIDERS, bodyOf(value)))),
        () => getState(`${PROVIDERS}/${base.id}`));
    const problem = (name) => error?.problem?.(name);
    const field = (name, label, rest) => html`<${Field} label=${label} value=${value[name] ?? ''} onValue=${change(name)} error=${problem(name)} ...${rest} />`;
    const select = (name, label, choices, hint) => field(name, label, { as: 'select', hint, children: Object.entries(choices).map(([key, text]) => html`<option value=${key}>${t([text].flat()[0])}</option>`) });
    const checks = (name, label, all, text, none, lead) => html`<fieldset class="plain"><legend><strong>${label}</strong></legend>${lead}${all.map((each) => html`<${Check} key=${each} label=${text(each)}
        checked=${value[name].includes(each)} onValue=${(on) => change(name)(toggled(all, value[name], each, on))} />`)}
        ${all.length === 0 && html`<p class="hint">${none}</p>`}${problem(name) && html`<p class="problem">${problem(name)}</p>`}</fieldset>`;
    const theirs = () => { setBase(conflict); set({ ...conflict, clientSecret: '' }); leave(); };
    const known = [...new Set([...domains, ...value.domains])];

    return html`<${Dialog} title=${base ? t('Edit provider') : t('New provider')} submit=${t('Save')} busy=${busy} onClose=${onClose} onSubmit=${() => run(base?.etag)}
        error=${otherError(error, ...FIELDS)} disabled=${!value.name.trim() || !value.clientId.trim() || value.roles.length === 0}>
        ${conflict && html`<${Conflict} rows=${compared(conflict, value)} onTheirs=${theirs} onMine=${() => { setBase(conflict); run(conflict.etag); }} />`}
        ${select('preset', t('Provider'), presets)}
        ${field('name', t('Button text'), { hint: t('People see it on the sign-in page, for example “Lakeside staff”.'), autofocus: true, required: true })}
        ${value.preset !== GOOGLE && field('issuer', t('Issuer'), { type: 'url', required: true, hint: value.preset === 'entra'
            ? html`${t('With your directory’s ID:')} <code>https://login.microsoftonline.com/<wbr />…/v2.0</code>` : t('Exactly as your provider states it, such as https://login.clinic.example.') })}
        ${field('clientId', t('Client ID'), { required: true, spellcheck: 'false' })}
        ${field('clientSecret', t('Client secret'), { type: 'password', autocomplete: 'off', hint: base?.hasSecret ? t('Leave empty to keep the stored secret.') : t('It won’t be shown again.') })}
        ${checks('roles', t('For'), Object.keys(people), (each) => t(people[each]))}
        ${checks('domains', t('Domains'), known, (each) => each, t('Verify a domain first.'))}
        ${select('provisioning', t('New members at first sign-in'), provisionings)}
        <${Check} label=${t('Trust its second factor')} hint=${t('People who used two factors there aren’t asked for another one.')} checked=${value.trustedForMfa} onValue=${change('trustedForMfa')} />
        ${select('state', t('Status'), states)}
        ${base && checks('enforced', t('Require sign-in with this provider'), Object.keys(people).filter((each) => value.roles.includes(each)), (each) => t(people[each]), null, html`
            <p class="hint">${t('People with an address in its domains, with a link or from the directory can then sign in only with it: not with passwords, passkeys or emailed codes. Sessions that began in another way end when you save.')}</p>
            <p class="hint">${t('This needs a successful test in the last 24 hours, and an admin with local sign-in who has a password and a second factor.')}</p>`)}
        <details open=${ADVANCED.some(problem) || undefined}><summary>${t('Advanced')}</summary><div class="stack">
            ${select('authMethod', t('How the secret is sent'), authMethods)}
            ${field('scopes', t('Scopes'), { spellcheck: 'false' })}
            ${field('requiredAcr', t('Required ACR'), { hint: t('Sign-ins with another authentication context are refused.'), spellcheck: 'false' })}</div></details>
    <//>`;
}

/** The test is a link, because browsers open a window only by a click, and the start needs a fresh proof first. */
function Test({ provider, onClose }) {
    const [url, setUrl] = useState(null);
    const { busy, error, run } = useAct(async () => setUrl((await post(`${PROVIDERS}/${provider.id}/test`)).authorizeUrl));

    return html`<${Dialog} title=${t('Test {provider}', { provider: provider.name })} submit=${t('Start test')} busy=${busy} error=${error} onClose=${onClose} onSubmit=${url ? undefined : run} close=${t('Close')}>
        <p>${t('Sign in at the provider in a new tab. Atrium then shows there which rules passed, and what the provider said. No one is signed in or linked.')}</p>
        ${provider.testedAt && html`<p class="soft">${t('Last successful test: {time}', { time: time(provider.testedAt) })}</p>`}
        ${url && html`<p><a class="button primary" href=${url} target="_blank" rel="noopener noreferrer">${t('Sign in at the provider')}</a></p>`}
    <//>`;
}

function Providers({ list, domains }) {
    const [edit, setEdit] = useState(null), [gone, setGone] = useState(null), [address, setAddress] = useState(null), [test, setTest] = useState(null);
    const open = useAct(toasting(async (row) => setEdit(await getState(`${PROVIDERS}/${row.id}`))));
    const done = (made) => {
        if (!edit.id && made.redirectUri)
            setAddress(made.redirectUri);
        setEdit(null);
        list.reload();
        toast(t('Saved.'));
    };

    return html`<${Section} title=${t('Identity providers')} actions=${html`<${Button} kind="primary" onClick=${() => setEdit({})}>${t('New provider')}<//>`}>
        <${Loaded} from=${list}>${({ resources, inherited }) => html`<${Table} label=${t('Identity providers')} rows=${resources} columns=${[
            { title: t('Button text'), cell: (row) => row.name },
            { title: t('Provider'), cell: (row) => t(presets[row.preset]) },
            { title: t('For'), cell: (row) => row.roles.map((each) => (row.enforced.includes(each) ? t('{people} (required)', { people: t(people[each]) }) : t(people[each]))).join(', ') },
            { title: t('Status'), cell: (row) => html`<${Badge} kind=${states[row.state][1]}>${t(states[row.state][0])}<//>` },
            { kind: 'acts', cell: (row) => html`${row.redirectUri && html`<${Button} kind="quiet" onClick=${() => setAddress(row.redirectUri)}>${t('Redirect URI')}<//>`}
                <${Button} kind="quiet" onClick=${() => setTest(row)}>${t('Test')}<//>
                <${Button} kind="quiet" busy=${open.busy} onClick=${() => open.run(row)}>${t('Edit')}<//><${Button} kind="quiet danger" onClick=${() => setGone(row)}>${t('Delete')}<//>` },
        ]} empty=${html`<${Empty} title=${t('No identity providers yet')}><p>${t('Add your organization’s directory, such as Microsoft Entra ID or Google Workspace.')}</p><//>`} />
            ${inherited.length > 0 && html`<h3>${t('Inherited')}</h3><p class="soft">${t('From the organization above. You can turn them off in the settings.')}</p>
            <${Table} label=${t('Inherited')} rows=${inherited} columns=${[{ title: t('Button text'), cell: (row) => row.name }, { title: t('Issuer'), cell: (row) => row.issuer }]} />`}`}<//>
        ${edit && html`<${Edit} provider=${edit.id ? edit : null} domains=${domains} onClose=${() => setEdit(null)} onDone=${done} />`}
        ${address && html`<${Secret} title=${t('Redirect URI')} text=${t('Register this address at your provider.')} secret=${address} onClose=${() => setAddress(null)} />`}
        ${test && html`<${Test} provider=${test} onClose=${() => { setTest(null); list.reload(); }} />`}
        ${gone && html`<${ConfirmName} title=${t('Delete provider')} name=${gone.name} submit=${t('Delete')} act=${() => remove(`${PROVIDERS}/${gone.id}`)} onClose=${() => setGone(null)}
            onDone=${() => { setGone(null); list.reload(); toast(t('Deleted.')); }}><p>${t('People can no longer sign in with it.')}</p><//>`}
    <//>`;
}

export function SignOn() {
    const domains = useLoad(() => get(DOMAINS)), providers = useLoad(() => get(PROVIDERS));
    const verified = domains.data?.resources.filter(({ verifiedAt }) => verifiedAt).map(({ domain }) => domain) ?? [];

    return html`<${Page} title=${t('Single sign-on')} lead=${t('Let people sign in with your organization’s own directory.')}>
        <${Domains} list=${domains} /><${Providers} list=${providers} domains=${verified} />
    <//>`;
}
