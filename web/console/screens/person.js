// person.js - one person: profile, support actions, sessions, and why a sign-in fails.
import { call, get, post } from '../lib/api.js';
import { html, useEffect, useState } from '../lib/html.js';
import { bytes, day, N, t, time } from '../lib/i18n.js';
import { Badge, Button, Check, Dialog, ErrorBox, Facts, Field, Loaded, otherError, Page, Section, Table, toast, useAct, useCursor, useLoad } from '../lib/ui.js';
import { nameOf, roleName, State } from './people.js';

// `name`: requires typing the name.
const acts = [
    { key: 'lock', title: N('Lock out'), done: N('Locked out.'), text: N('Ends all sessions in this project and refuses further sign-ins until you unlock.'), undo: 'unlock', when: (who) => who.state === 'active', danger: true },
    { key: 'unlock', title: N('Unlock'), done: N('Unlocked.'), text: N('Lets this person sign in again.'), when: (who) => who.lockedBy === 'admin' },
    { key: 'end-sessions', title: N('End sessions'), done: N('Sessions ended.'), text: N('Signs this person out on every device, in this project.'), when: () => true },
    { key: 'send-reset', title: N('Send a password link'), done: N('The link is on its way.'), text: N('Mails a link to set a new password.'), when: (who) => who.state !== 'deleting' },
    { key: 'reset-mfa', title: N('Remove second factors'), done: N('Second factors removed.'), text: N('Removes authenticators, recovery codes and passkeys, and ends all sessions. Be sure that you speak to the right person.'), when: (who) => who.factors.length > 0, danger: true, name: true },
    { key: 'export', title: N('Export the data'), done: N('The export is being made.'), text: N('Makes a file of all that the project keeps of this person, for you to fetch. The person is mailed where that mail is written.'), when: (who) => who.role === 'Patient' },
    { key: 'schedule-deletion', title: N('Delete the account'), done: N('The deletion is scheduled.'), text: N('The account is deleted after the days you choose. Until then it can be taken back.'), undo: 'cancel-deletion', when: (who) => who.state !== 'deleting', danger: true, name: true },
    { key: 'cancel-deletion', title: N('Keep the account'), done: N('The deletion is taken back.'), text: N('Takes the scheduled deletion back.'), when: (who) => who.state === 'deleting' },
];

// Sign-in methods. A session contains those it began with, joined by "+".
const proofs = { password: N('Password'), totp: N('Authenticator'), passkey: N('Passkey'), 'mail-code': N('Mailed code'), 'recovery-code': N('Recovery code') };
const proofNames = (kinds) => kinds.map((each) => t(proofs[each] ?? each)).join(', ');

const exportStates = { pending: [N('being made'), 'warn'], ready: [N('ready'), 'good'], failed: [N('failed'), 'bad'] };
const POLL_MS = 2000;

// Steps of a sign-in: its question, and a text for each outcome other than passed.
const steps = {
    tenant: [N('The project is there')],
    'not suspended': [N('The project is not suspended'), { fail: N('It is suspended. Its operator can open it again.') }],
    PATIENT_LOGIN_ENABLED: [N('Patients may sign in'), { fail: N('The switch is off in the settings.') }],
    PRACTITIONER_LOGIN_ENABLED: [N('Practitioners may sign in'), { fail: N('The switch is off in the settings.') }],
    throttle: [N('Not too many failures'), { fail: N('Too many in 15 minutes: only addresses with a good sign-in are let through.') }],
    account: [N('The account is there'), { fail: N('There is none of this role with this address, or its invitation is not accepted yet.') }],
    'not deleted': [N('Not deleted'), { fail: N('The day of its deletion has come.'), pass: N('Its deletion is scheduled. A sign-in takes that back.') }],
    'not locked': [N('Not locked by the operator'), { fail: N('The operator has locked the account, and can unlock it.') }],
    password: [N('A password is set'), { fail: N('None was set yet. Send a password link.') }],
    'address verified': [N('The address is proven, where it must be'), { fail: N('The project wants it proven and it is not. A password link proves it too.') }],
    membership: [N('Member of the project'), { fail: N('No member, or the invitation is not accepted yet.') }],
    'member not locked': [N('Not locked out here'), { fail: N('An admin has locked this person out, and can unlock.') }],
    address: [N('The network address is let in'), { fail: N('The access policy does not let this address in.'), skipped: N('The access policy limits addresses: write one above.') }],
    'second factor': [N('Second factor'), { pass: N('It is on: a code is asked for after the password.') }],
};

const checks = { pass: [N('Passed'), 'good'], fail: [N('Fails'), 'bad'], skipped: [N('Not looked at'), ''] };

function Act({ act, who, onClose, onDone }) {
    const [reason, setReason] = useState(''), [days, setDays] = useState('30'), [wipe, setWipe] = useState(false), [typed, type] = useState('');
    const path = `/v1/project/accounts/${who.id}/`;
    const { busy, error, run } = useAct(async () => {
        await post(path + act.key, act.key === 'schedule-deletion' ? { reason, days: Number(days), wipe } : { reason });
        onDone();
        toast(t(act.done), act.undo && (async () => {
            try {
                await post(path + act.undo, { reason: t('Undone: {reason}', { reason }) });
            } finally {
                onDone();
            }
        }));
    });

    return html`<${Dialog} title=${t(act.title)} submit=${t(act.title)} danger=${act.danger} busy=${busy} onClose=${onClose}
        onSubmit=${run} error=${otherError(error, 'reason', ...act.key === 'schedule-deletion' ? ['days'] : [])}
        disabled=${!reason.trim() || (act.name && typed.trim() !== nameOf(who))}>
        <p>${t(act.text)}</p>
        <${Field} label=${t('Reason')} hint=${t('Kept in the audit trail, for example a ticket.')} value=${reason} onValue=${setReason}
            error=${error?.problem?.('reason')} maxlength="500" required autofocus />
        ${act.key === 'schedule-deletion' && html`<${Field} label=${t('Days from now')} type="number" min="1" max="90" value=${days} onValue=${setDays} error=${error?.problem?.('days')} />
            <${Check} label=${t('Erase what it owns, too')} hint=${t('Documents, for example.')} checked=${wipe} onValue=${setWipe} />`}
        ${act.name && html`<${Field} label=${t('Type “{name}” to confirm', { name: nameOf(who) })} value=${typed} onValue=${type} autocomplete="off" />`}
    <//>`;
}

function Sessions({ id, stamp }) {
    const list = useCursor((cursor) => get(`/v1/project/accounts/${id}/sessions${cursor ? `?_cursor=${encodeURIComponent(cursor)}` : ''}`), [id, stamp]);

    return html`<${Section} title=${t('Sessions in this project')}>
        <${Loaded} from=${list}>${() => html`<${Table} label=${t('Sessions in this project')} rows=${list.rows} more=${list.more} onMore=${list.next}
            busy=${list.busy} empty=${html`<p class="soft">${t('Not signed in anywhere.')}</p>`} columns=${[
                { title: t('Device'), cell: (row) => [row.browser, row.os].filter((each) => each !== 'unknown').join(', ') || t('Unknown') },
                { title: t('Application'), cell: (row) => row.client?.name ?? '–' },
                { title: t('Network address'), cell: (row) => row.remoteAddress },
                { title: t('Signed in by'), cell: (row) => proofNames(row.authMethod.split('+')) },
                { title: t('Last renewed'), kind: 'time', cell: (row) => time(row.lastUpdated) },
            ]} />`}<//><//>`;
}

function Explain({ id }) {
    const [address, setAddress] = useState('');
    const { busy, error, run, ...rest } = useAct(async () => setAnswer(await get(`/v1/project/accounts/${id}/explain${address ? `?address=${encodeURIComponent(address)}` : ''}`)));
    const [answer, setAnswer] = useState(null);

    return html`<${Section} title=${t('Why can this person not sign in?')}>
        <form class="form" onSubmit=${(event) => { event.preventDefault(); run(); }}>
            <${Field} label=${t('From network address')} hint=${t('May be left empty.')} value=${address} onValue=${setAddress}
                error=${error?.problem?.('address')} />
            <div class="buttons"><${Button} type="submit" busy=${busy}>${t('Find out')}<//></div>
        </form>
        <div aria-live="polite" class="stack">${error && !error.problem?.('address') && html`<${ErrorBox} error=${error} />`}
        ${answer && html`<p><strong>${answer.wouldSucceed ? t('With the right password, a sign-in would succeed.') : t('A sign-in would fail.')}</strong>
            ${answer.secondFactor ? ` ${t('A second factor is needed too.')}` : ''}</p>
            <ul class="rows">${answer.steps.map((step) => html`<li><div>${steps[step.check] ? t(steps[step.check][0]) : step.check}${step.hint && html`<p class="hint">${t(steps[step.check]?.[1]?.[step.outcome] ?? step.hint)}</p>`}</div>
                <${Badge} kind=${checks[step.outcome]?.[1]}>${checks[step.outcome] ? t(checks[step.outcome][0]) : step.outcome}<//></li>`)}</ul>`}</div>
    <//>`;
}

// The person's exports that this admin requested, and so can download.
function Exports({ id, stamp }) {
    const list = useLoad(async () => (await get('/auth/export')).resources.filter((each) => each.account === id), [id, stamp]);
    const pending = list.data?.some((each) => each.state === 'pending');
    const fetched = useAct(async (row) => {
        const url = URL.createObjectURL((await call('GET', `/auth/export/${row.id}`, { raw: true })).data);

        Object.assign(document.createElement('a'), { href: url, download: `export-${row.createdAt.slice(0, 10)}.zip` }).click();
        setTimeout(() => URL.revokeObjectURL(url), POLL_MS);
    });

    useEffect(() => {
        const timer = pending && setTimeout(list.reload, POLL_MS);
        return () => clearTimeout(timer);
    }, [list.data]);
    if (list.error && list.error.status !== 403) // 403: a second factor is missing; requesting an export explains that
        return html`<${ErrorBox} error=${list.error} retry=${list.reload} />`;
    return list.data?.length > 0 && html`<${Section} title=${t('Exports you asked for')}>
        <${Table} label=${t('Exports you asked for')} rows=${list.data} columns=${[
            { title: t('Asked for'), kind: 'time', cell: (row) => time(row.createdAt) },
            { title: t('State'), cell: (row) => html`<${Badge} kind=${exportStates[row.state][1]}>${t(exportStates[row.state][0])}<//>` },
            { title: t('Size'), kind: 'number', cell: (row) => bytes(row.size) },
            { title: t('Kept until'), kind: 'time', cell: (row) => time(row.expiresAt) },
            { kind: 'acts', cell: (row) => row.state === 'ready' && html`<${Button} kind="quiet" busy=${fetched.busy} onClick=${() => fetched.run(row)}>${t('Fetch the file')}<//>` },
        ]} />${fetched.error && html`<${ErrorBox} error=${fetched.error} />`}<//>`;
}

export function Person({ id, me }) {
    const who = useLoad(() => get(`/v1/project/accounts/${id}`), [id]);
    const [act, setAct] = useState(null), [stamp, setStamp] = useState(0);
    const own = who.data?.email && me.profile.telecom.some((each) => each.value === who.data.email);

    return html`<${Page} title=${who.data ? nameOf(who.data) : t('Person')} back=${['/people', t('Find a person')]}>
        <${Loaded} from=${who}>${(data) => html`
            <${Section}>
                <${Facts} rows=${[
                    [t('State'), html`<${State} of=${data.state} />`],
                    [t('Address'), html`${data.email} ${data.emailVerified ? html`<${Badge} kind="good">${t('proven')}<//>` : html`<${Badge} kind="warn">${t('not proven')}<//>`}`],
                    [t('Role'), html`${roleName(data.role)}${data.admin ? `, ${t('Admin')}` : ''}`],
                    [t('Second factors'), proofNames(data.factors) || t('None')],
                    [t('Last sign-in'), time(data.lastSignInAt)],
                    [t('In the project since'), day(data.memberSince)],
                    data.lockedAt && [t('Locked since'), time(data.lockedAt)],
                    data.deletionAt && [t('Deleted on'), time(data.deletionAt)],
                ]} />
                ${own ? html`<p class="soft">${t('This is you. Others act on your account, not you.')}</p>`
                    : html`<div class="actions">${acts.filter((each) => each.when(data)).map((each) => html`
                        <${Button} kind=${each.danger ? 'danger' : ''} onClick=${() => setAct(each)}>${t(each.title)}<//>`)}</div>`}
            <//>
            ${data.role === 'Patient' && html`<${Exports} id=${id} stamp=${stamp} />`}
            <${Sessions} id=${id} stamp=${stamp} />
            <${Explain} id=${id} />
            ${act && html`<${Act} act=${act} who=${data} onClose=${() => setAct(null)}
                onDone=${() => { setAct(null); who.reload(); setStamp((n) => n + 1); }} />`}`}<//>
    <//>`;
}
