// person.js - one person: profile, support actions, sessions, and why a sign-in fails.
import { call, get, post } from '../lib/api.js';
import { html, useEffect, useState } from '../lib/html.js';
import { bytes, day, N, t, time } from '../lib/i18n.js';
import { Badge, Button, Check, Dialog, ErrorBox, Facts, Field, Loaded, otherError, Page, Section, Table, toast, useAct, useCursor, useLoad } from '../lib/ui.js';
import { nameOf, roleName, State } from './people.js';

// `name`: requires typing the name.
const acts = [
    { key: 'lock', title: N('Lock'), done: N('Person locked.'), text: N('Ends all sessions in this project and blocks new sign-ins until you unlock the person.'), undo: 'unlock', when: (who) => who.state === 'active', danger: true },
    { key: 'unlock', title: N('Unlock'), done: N('Person unlocked.'), text: N('Lets this person sign in again.'), when: (who) => who.lockedBy === 'admin' },
    { key: 'end-sessions', title: N('End sessions'), done: N('Sessions ended.'), text: N('Signs this person out of this project on all devices.'), when: () => true },
    { key: 'send-reset', title: N('Send password link'), done: N('Password link sent.'), text: N('Emails the person a link to set a new password.'), when: (who) => who.state !== 'deleting' },
    { key: 'reset-mfa', title: N('Remove second factors'), done: N('Second factors removed.'), text: N('Removes authenticator apps, recovery codes and passkeys, and ends all sessions. First make sure you’re talking to the right person.'), when: (who) => who.factors.length > 0, danger: true, name: true },
    { key: 'export', title: N('Export data'), done: N('Export started.'), text: N('Creates a file with all data that the project stores about this person, for you to download. The person receives an email if the “Export ready” template is set up.'), when: (who) => who.role === 'Patient' },
    { key: 'schedule-deletion', title: N('Delete account'), done: N('Deletion scheduled.'), text: N('The account will be deleted after this number of days. You can cancel the deletion until then.'), undo: 'cancel-deletion', when: (who) => who.state !== 'deleting', danger: true, name: true },
    { key: 'cancel-deletion', title: N('Cancel deletion'), done: N('Deletion canceled.'), text: N('Cancels the scheduled deletion and keeps the account.'), when: (who) => who.state === 'deleting' },
];

// Sign-in methods. A session contains those it began with, joined by "+".
const proofs = { password: N('Password'), totp: N('Authenticator app'), passkey: N('Passkey'), 'mail-code': N('Email code'), 'recovery-code': N('Recovery code') };
const proofNames = (kinds) => kinds.map((each) => t(proofs[each] ?? each)).join(', ');

const exportStates = { pending: [N('In progress'), 'warn'], ready: [N('Ready'), 'good'], failed: [N('Failed'), 'bad'] };
const POLL_MS = 2000;

// Steps of a sign-in: its question, and a text for each outcome other than passed.
const steps = {
    tenant: [N('Project exists')],
    'not suspended': [N('Project not suspended'), { fail: N('The project is suspended. The operator can reactivate it.') }],
    PATIENT_LOGIN_ENABLED: [N('Patient sign-in enabled'), { fail: N('Sign-in is disabled in the settings.') }],
    PRACTITIONER_LOGIN_ENABLED: [N('Practitioner sign-in enabled'), { fail: N('Sign-in is disabled in the settings.') }],
    throttle: [N('Failed attempts within the limit'), { fail: N('Too many failed attempts in 15 minutes. Only IP addresses with a recent successful sign-in are accepted.') }],
    account: [N('Account exists'), { fail: N('There is no account with this role and email, or its invitation hasn’t been accepted yet.') }],
    'not deleted': [N('Not deleted'), { fail: N('The deletion date has passed.'), pass: N('Deletion is scheduled. Signing in cancels it.') }],
    'not locked': [N('Not locked by the operator'), { fail: N('The operator locked the account and can unlock it.') }],
    password: [N('Password set'), { fail: N('No password is set yet. Send a password link.') }],
    'address verified': [N('Email verified, if required'), { fail: N('The project requires a verified email, and this one isn’t verified. A password link also verifies it.') }],
    membership: [N('Project member'), { fail: N('Not a member, or the invitation hasn’t been accepted yet.') }],
    'member not locked': [N('Not locked in this project'), { fail: N('Locked by an admin. Any admin can unlock this person.') }],
    address: [N('IP address allowed'), { fail: N('The access policy blocks this IP address.'), skipped: N('The access policy restricts IP addresses. Enter one above to check it.') }],
    'second factor': [N('Second factor'), { pass: N('Set up. The person must enter a code after the password.') }],
};

const checks = { pass: [N('Passed'), 'good'], fail: [N('Failed'), 'bad'], skipped: [N('Not checked'), ''] };

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
        <${Field} label=${t('Reason')} hint=${t('Stored in the audit log. Example: a ticket number.')} value=${reason} onValue=${setReason}
            error=${error?.problem?.('reason')} maxlength="500" required autofocus />
        ${act.key === 'schedule-deletion' && html`<${Field} label=${t('Days until deletion')} type="number" min="1" max="90" value=${days} onValue=${setDays} error=${error?.problem?.('days')} />
            <${Check} label=${t('Also erase everything the account owns')} hint=${t('For example, documents.')} checked=${wipe} onValue=${setWipe} />`}
        ${act.name && html`<${Field} label=${t('Type “{name}” to confirm', { name: nameOf(who) })} value=${typed} onValue=${type} autocomplete="off" />`}
    <//>`;
}

function Sessions({ id, stamp }) {
    const list = useCursor((cursor) => get(`/v1/project/accounts/${id}/sessions${cursor ? `?_cursor=${encodeURIComponent(cursor)}` : ''}`), [id, stamp]);

    return html`<${Section} title=${t('Sessions in this project')}>
        <${Loaded} from=${list}>${() => html`<${Table} label=${t('Sessions in this project')} rows=${list.rows} more=${list.more} onMore=${list.next}
            busy=${list.busy} empty=${html`<p class="soft">${t('No active sessions.')}</p>`} columns=${[
                { title: t('Device'), cell: (row) => [row.browser, row.os].filter((each) => each !== 'unknown').join(', ') || t('Unknown') },
                { title: t('Application'), cell: (row) => row.client?.name ?? '–' },
                { title: t('IP address'), cell: (row) => row.remoteAddress },
                { title: t('Sign-in method'), cell: (row) => proofNames(row.authMethod.split('+')) },
                { title: t('Last active'), kind: 'time', cell: (row) => time(row.lastUpdated) },
            ]} />`}<//><//>`;
}

function Explain({ id }) {
    const [address, setAddress] = useState('');
    const { busy, error, run, ...rest } = useAct(async () => setAnswer(await get(`/v1/project/accounts/${id}/explain${address ? `?address=${encodeURIComponent(address)}` : ''}`)));
    const [answer, setAnswer] = useState(null);

    return html`<${Section} title=${t('Troubleshoot sign-in')}>
        <form class="form" onSubmit=${(event) => { event.preventDefault(); run(); }}>
            <${Field} label=${t('IP address')} hint=${t('Optional')} value=${address} onValue=${setAddress}
                error=${error?.problem?.('address')} />
            <div class="buttons"><${Button} type="submit" busy=${busy}>${t('Run check')}<//></div>
        </form>
        <div aria-live="polite" class="stack">${error && !error.problem?.('address') && html`<${ErrorBox} error=${error} />`}
        ${answer && html`<p><strong>${answer.wouldSucceed ? t('Sign-in would succeed with the right password.') : t('Sign-in would fail.')}</strong>
            ${answer.secondFactor ? ` ${t('A second factor is also required.')}` : ''}</p>
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
    return list.data?.length > 0 && html`<${Section} title=${t('Exports you requested')}>
        <${Table} label=${t('Exports you requested')} rows=${list.data} columns=${[
            { title: t('Requested'), kind: 'time', cell: (row) => time(row.createdAt) },
            { title: t('Status'), cell: (row) => html`<${Badge} kind=${exportStates[row.state][1]}>${t(exportStates[row.state][0])}<//>` },
            { title: t('Size'), kind: 'number', cell: (row) => bytes(row.size) },
            { title: t('Available until'), kind: 'time', cell: (row) => time(row.expiresAt) },
            { kind: 'acts', cell: (row) => row.state === 'ready' && html`<${Button} kind="quiet" busy=${fetched.busy} onClick=${() => fetched.run(row)}>${t('Download')}<//>` },
        ]} />${fetched.error && html`<${ErrorBox} error=${fetched.error} />`}<//>`;
}

export function Person({ id, me }) {
    const who = useLoad(() => get(`/v1/project/accounts/${id}`), [id]);
    const [act, setAct] = useState(null), [stamp, setStamp] = useState(0);
    const own = who.data?.email && me.profile.telecom.some((each) => each.value === who.data.email);

    return html`<${Page} title=${who.data ? nameOf(who.data) : t('Person')} back=${['/people', t('People')]}>
        <${Loaded} from=${who}>${(data) => html`
            <${Section}>
                <${Facts} rows=${[
                    [t('Status'), html`<${State} of=${data.state} />`],
                    [t('Email address'), html`${data.email} ${data.emailVerified ? html`<${Badge} kind="good">${t('Verified')}<//>` : html`<${Badge} kind="warn">${t('Not verified')}<//>`}`],
                    [t('Role'), html`${roleName(data.role)}${data.admin ? `, ${t('Admin')}` : ''}`],
                    [t('Second factors'), proofNames(data.factors) || t('None')],
                    [t('Last sign-in'), time(data.lastSignInAt)],
                    [t('Member since'), day(data.memberSince)],
                    data.lockedAt && [t('Locked since'), time(data.lockedAt)],
                    data.deletionAt && [t('Deletion date'), time(data.deletionAt)],
                ]} />
                ${own ? html`<p class="soft">${t('This is your own account. Ask another admin to make changes to it.')}</p>`
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
