// account_policy.js - the project's requirements for accounts.
import { call } from '../lib/api.js';
import { html, useState } from '../lib/html.js';
import { bytes, N, number, t } from '../lib/i18n.js';
import { Button, Check, Conflict, ErrorBox, Field, Loaded, otherError, Page, Section, toast, useGuard, useLoad, useSave } from '../lib/ui.js';
import { settingTitle } from './names.js';

const PATH = '/v1/project/account-policy';

const groups = [
    [N('Passwords'), [
        { name: 'passwordMinLength', type: 'number' },
        { name: 'passwordMinLengthWithMfa', type: 'number' },
        { name: 'onSignIn', choices: { ignore: N('Nothing happens'), mail: N('Mail the owner'), 'require-change': N('Require another one') } },
        { name: 'refuseCommonPasswords', type: 'check', hint: N('Where one is set.') },
    ]],
    [N('Signing in'), [
        { name: 'requireMfa', choices: { none: N('No one'), admins: N('Admins'), practitioners: N('Practitioners'), everyone: N('Everyone') } },
        { name: 'requireVerifiedEmail', type: 'check' },
        { name: 'mailCode', type: 'check' },
    ]],
    [N('Space for documents'), [
        { name: 'documentsPerAccount', type: 'quota' },
        { name: 'bytesPerAccount', type: 'quota', size: true },
        { name: 'bytesPerProject', type: 'quota', size: true },
    ]],
];
const members = groups.flatMap(([, list]) => list);
const numbers = members.filter(({ type }) => type === 'number' || type === 'quota').map(({ name }) => name); // their errors are shown

const load = async () => {
    const { data, etag } = await call('GET', PATH);
    return { policy: data, etag };
};

const shown = (each, value) => (each.choices ? t(each.choices[value] ?? '') : value === true ? t('On') : value === false ? t('Off')
    : value === null ? t('No limit') : each.size ? bytes(value) : number(value));

export function AccountPolicy() {
    const state = useLoad(load);
    const [typed, type] = useState({});
    const changed = state.data ? members.filter(({ name }) => name in typed && typed[name] !== state.data.policy[name]) : [];
    const { busy, error, run, conflict, leave } = useSave(async (etag) => {
        const sent = typed;
        const { data, etag: next } = await call('PUT', PATH, { etag, body: Object.fromEntries(changed.map(({ name }) => [name, typed[name]])) });
        state.set({ policy: data, etag: next });
        type((now) => Object.fromEntries(Object.entries(now).filter(([name, value]) => value !== sent[name])));
        toast(t('Saved.'));
    }, load);
    const input = (each, value) => {
        const set = (next) => type({ ...typed, [each.name]: next });

        if (each.type === 'check')
            return html`<${Check} label=${settingTitle(each.name)} hint=${each.hint && t(each.hint)} checked=${value} onValue=${set} />`;
        if (each.choices)
            return html`<${Field} label=${settingTitle(each.name)} as="select" value=${value} onValue=${set}>${Object.entries(each.choices).map(([key, text]) => html`
                <option value=${key}>${t(text)}</option>`)}<//>`;
        if (each.type === 'quota')
            return html`<${Field} label=${settingTitle(each.name)} type="number" min="0" value=${value ?? ''} error=${error?.problem?.(each.name)}
                hint=${value === null ? t('Empty: no limit.') : each.size ? bytes(value) : null} onValue=${(text) => set(text === '' ? null : Number(text))} />`;
        return html`<${Field} label=${settingTitle(each.name)} type="number" min="1" max="64" value=${value} error=${error?.problem?.(each.name)} onValue=${(text) => set(Number(text))} />`;
    };

    useGuard(changed.length > 0);
    return html`<${Page} title=${t('Account policy')}><${Loaded} from=${state}>${(data) => html`
        <form class="stack" novalidate onSubmit=${(event) => { event.preventDefault(); run(data.etag); }}>
            ${conflict && html`<${Conflict} rows=${changed.map((each) => [settingTitle(each.name), shown(each, conflict.policy[each.name]), shown(each, typed[each.name])])}
                onTheirs=${() => { state.set(conflict); type({}); leave(); }}
                onMine=${() => { state.set(conflict); run(conflict.etag); }} />`}
            ${groups.map(([title, list]) => html`<${Section} title=${t(title)}><div class="form">${list.map((each) => input(each,
                each.name in typed ? typed[each.name] : data.policy[each.name] ?? null))}</div><//>`)}
            ${otherError(error, ...numbers) && html`<${ErrorBox} error=${error} />`}
            <div class="buttons"><${Button} type="submit" kind="primary" busy=${busy} disabled=${changed.length === 0}>${t('Save')}<//>
                ${changed.length > 0 && html`<${Button} onClick=${() => type({})}>${t('Discard')}<//>`}</div>
        </form>`}<//><//>`;
}
