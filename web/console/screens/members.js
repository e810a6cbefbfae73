// members.js - members and invitations.
import { get, patch, post, remove } from '../lib/api.js';
import { html, useState } from '../lib/html.js';
import { day, plural, t } from '../lib/i18n.js';
import { Badge, Button, Check, ConfirmName, Count, Dialog, Field, Loaded, otherError, Page, Switch, Table, toast, toastError, useAct, useLoad, useRows } from '../lib/ui.js';
import { roleName } from './people.js';

function Invite({ onClose, onDone }) {
    const [value, set] = useState({ email: '', firstName: '', lastName: '', type: 'Practitioner', admin: false, accessPolicy: '' });
    const policies = useLoad(() => get('/v1/project/access-policies'));
    const change = (name) => (text) => set({ ...value, [name]: text });
    const { busy, error, run } = useAct(async () => {
        const made = await post('/v1/projects/me/members', { ...value, admin: value.type === 'Practitioner' && value.admin,
            accessPolicy: value.accessPolicy || undefined });
        toast(made.pending ? t('{name} is invited.', { name: made.email }) : t('{name} is a member now.', { name: made.email }));
        onDone();
    });
    const field = (name, label, rest = {}) => html`<${Field} label=${label} value=${value[name]} onValue=${change(name)}
        error=${error?.problem?.(name)} required ...${rest} />`;

    return html`<${Dialog} title=${t('Invite someone')} submit=${t('Invite')} busy=${busy} onClose=${onClose} onSubmit=${run}
        error=${otherError(error, 'email', 'firstName', 'lastName', 'accessPolicy')} disabled=${!value.email || !value.firstName || !value.lastName}>
        ${field('email', t('E-mail address'), { type: 'email', autofocus: true, autocomplete: 'off' })}
        <div class="form">${field('firstName', t('Given name'))}${field('lastName', t('Family name'))}
        <${Field} label=${t('Role')} as="select" value=${value.type} onValue=${change('type')}>
            <option value="Practitioner">${t('Practitioner')}</option><option value="Patient">${t('Patient')}</option><//>
        <${Field} label=${t('Access policy')} as="select" value=${value.accessPolicy} onValue=${change('accessPolicy')} error=${error?.problem?.('accessPolicy')}>
            <option value="">${t('The project’s default')}</option>
            ${(policies.data?.resources ?? []).map((each) => html`<option value=${`AccessPolicy/${each.id}`}>${each.name}</option>`)}<//></div>
        ${value.type === 'Practitioner' && html`<${Check} label=${t('Admin')} hint=${t('May change everything in this console.')}
            checked=${value.admin} onValue=${change('admin')} />`}
    <//>`;
}

export function Members({ query, me }) {
    const [invite, setInvite] = useState(query.invite === '1'), [gone, setGone] = useState(null), [busy, setBusy] = useState(null);
    const list = useRows('/v1/projects/me/members', {}, []);
    const during = async (row, work) => {
        setBusy(row.id);
        try {
            await work();
            await list.reload();
        } catch (error) {
            toastError(error);
        }
        setBusy(null);
    };
    const makeAdmin = (row, admin) => during(row, async () => {
        await patch(`/v1/projects/me/members/${row.id}`, { admin });
        toast(admin ? t('{name} is an admin now.', { name: row.displayName }) : t('{name} is no admin any more.', { name: row.displayName }),
            () => during(row, () => patch(`/v1/projects/me/members/${row.id}`, { admin: !admin })));
    });

    return html`<${Page} title=${t('Members')} wide actions=${html`<${Button} kind="primary" onClick=${() => setInvite(true)}>${t('Invite someone')}<//>`}>
        <${Loaded} from=${list}>${(data) => html`<div class="stack"><${Count} list=${list} text=${(n) => plural(n, '{n} member or invitation', '{n} members and invitations')} />
            <${Table} label=${t('Members')} rows=${data.resources} more=${list.more} busy=${list.busy} onMore=${list.next} columns=${[
                    { title: t('Name'), cell: (row) => row.displayName },
                    { title: t('Address'), cell: (row) => row.email },
                    { title: t('Role'), cell: (row) => roleName(row.profileType) },
                    { title: t('State'), cell: (row) => (row.pending
                        ? html`<${Badge} kind="warn">${t('Invited {day}', { day: day(row.invitedAt) })}<//>` : html`<${Badge} kind="good">${t('Member')}<//>`) },
                    { title: t('Admin'), cell: (row) => (row.profileType === 'Practitioner'
                        ? html`<${Switch} label=${t('{name} is an admin', { name: row.displayName })} on=${row.admin} busy=${busy === row.id || row.id === me.membership.id}
                            onSwitch=${(on) => makeAdmin(row, on)} />` : '–') },
                    { kind: 'acts', cell: (row) => html`${row.pending && html`<${Button} kind="quiet" busy=${busy === row.id} onClick=${() => during(row, async () => {
                        await post(`/v1/projects/me/members/${row.id}/resend`);
                        toast(t('The invitation is on its way again.'));
                    })}>${t('Send again')}<//>`}
                    ${row.id !== me.membership.id && html`<${Button} kind="quiet danger" onClick=${() => setGone(row)}>${t('Remove')}<//>`}` },
                ]} /></div>`}<//>
        ${invite && html`<${Invite} onClose=${() => setInvite(false)} onDone=${() => { setInvite(false); list.reload(); }} />`}
        ${gone && html`<${ConfirmName} title=${t('Remove from the project')} name=${gone.displayName} submit=${t('Remove')}
            act=${() => remove(`/v1/projects/me/members/${gone.id}`)} onClose=${() => setGone(null)}
            onDone=${() => { setGone(null); list.reload(); toast(t('Removed.')); }}>
            <p>${gone.pending ? t('The invitation stops working.') : t('Sessions in this project end at once. The account itself stays.')}</p><//>`}
    <//>`;
}
