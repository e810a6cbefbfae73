// invitations.js - pending invitations, and the dialog that makes one.
import { get, patch, post, remove } from '../lib/api.js';
import { html, useState } from '../lib/html.js';
import { day, plural, t } from '../lib/i18n.js';
import { Badge, Button, Check, Count, Dialog, Empty, Facts, Field, Loaded, otherError, Table, toast, useAct, useLoad, useRows } from '../lib/ui.js';

const PATH = '/v1/projects/me/members';

/** onDone(pending): false if the person was added without an invitation. */
export function Invite({ role, title, onClose, onDone }) {
    const [value, set] = useState({ email: '', firstName: '', lastName: '', admin: false, accessPolicy: '' });
    const policies = useLoad(() => get('/v1/project/access-policies'));
    const change = (name) => (text) => set({ ...value, [name]: text });
    const { busy, error, run } = useAct(async () => {
        const made = await post(PATH, { ...value, type: role, accessPolicy: value.accessPolicy || undefined });
        toast(made.pending ? t('Invitation sent to {name}.', { name: made.email }) : t('{name} is now a member.', { name: made.email }));
        onDone(made.pending);
    });
    const field = (name, label, rest = {}) => html`<${Field} label=${label} value=${value[name]} onValue=${change(name)}
        error=${error?.problem?.(name)} required ...${rest} />`;

    return html`<${Dialog} title=${title} submit=${t('Send invitation')} busy=${busy} onClose=${onClose} onSubmit=${run}
        error=${otherError(error, 'email', 'firstName', 'lastName', 'accessPolicy')} disabled=${!value.email || !value.firstName || !value.lastName}>
        ${field('email', t('Email address'), { type: 'email', autofocus: true, autocomplete: 'off' })}
        <div class="form">${field('firstName', t('First name'))}${field('lastName', t('Last name'))}</div>
        ${role === 'Practitioner' && html`<${Check} label=${t('Admin')} hint=${t('Can change everything in this console.')}
            checked=${value.admin} onValue=${change('admin')} />`}
        ${!value.admin && html`<${Field} label=${t('Access policy')} as="select" value=${value.accessPolicy} onValue=${change('accessPolicy')} error=${error?.problem?.('accessPolicy')}>
            <option value="">${t('Project default')}</option>
            ${(policies.data?.resources ?? []).map((each) => html`<option value=${`AccessPolicy/${each.id}`}>${each.name}</option>`)}<//>`}
    <//>`;
}

// `sure`: asks before it withdraws the invitation.
function Invitation({ row, onClose, onDone }) {
    const [admin, setAdmin] = useState(row.admin), [sure, setSure] = useState(false);
    const { busy, error, run } = useAct(async (act, text) => {
        await act();
        toast(text);
        onDone();
    });
    const path = `${PATH}/${row.id}`;
    const resend = async () => {
        if (admin !== row.admin)
            await patch(path, { admin });
        await post(`${path}/resend`);
    };

    if (sure)
        return html`<${Dialog} key="sure" title=${t('Withdraw invitation')} submit=${t('Withdraw')} danger busy=${busy} error=${error} onClose=${() => setSure(false)}
            onSubmit=${() => run(() => remove(path), t('Invitation withdrawn.'))}>
            <p>${t('The link in the email to {email} will no longer work.', { email: row.email })}</p><//>`;
    return html`<${Dialog} key="invitation" title=${row.displayName} submit=${t('Resend')} busy=${busy} error=${error} onClose=${onClose}
        onSubmit=${() => run(resend, t('Invitation resent.'))}>
        <${Facts} rows=${[[t('Email address'), row.email], [t('Invited on'), day(row.invitedAt)]]} />
        ${row.profileType === 'Practitioner' && html`<${Check} label=${t('Admin')} hint=${t('Takes effect when you resend the invitation.')} checked=${admin} onValue=${setAdmin} />`}
        <p class="soft">${t('Resending sends a new link. The previous link stops working.')}</p>
        <div><${Button} kind="danger" onClick=${() => setSure(true)}>${t('Withdraw invitation')}<//></div><//>`;
}

export function Invitations({ role, stamp }) {
    const [open, setOpen] = useState(null);
    const list = useRows(PATH, { invited: role }, [role, stamp]);

    return html`<${Loaded} from=${list}>${(data) => html`<div class="stack">${data.total > 0 && html`<${Count} list=${list} text=${(n) => plural(n, '{n} pending invitation', '{n} pending invitations')} />`}
            <${Table} label=${t('Invitations')} rows=${data.resources} more=${list.more} busy=${list.busy} onMore=${list.next} columns=${[
                { title: t('Name'), cell: (row) => html`<${Button} kind="quiet start open" onClick=${() => setOpen(row)}>${row.displayName}<//>` },
                { title: t('Email'), cell: (row) => row.email },
                role === 'Practitioner' && { title: t('Access'), cell: (row) => (row.admin ? html`<${Badge} kind="accent">${t('Admin')}<//>` : t('Practitioner')) },
                { title: t('Invited on'), kind: 'time', cell: (row) => day(row.invitedAt) },
            ].filter(Boolean)}
                empty=${html`<${Empty} title=${t('No pending invitations')}><p>${t('Invitations that nobody has accepted yet appear here.')}</p><//>`} /></div>`}<//>
        ${open && html`<${Invitation} row=${open} onClose=${() => setOpen(null)} onDone=${() => { setOpen(null); list.reload(); }} />`}`;
}
