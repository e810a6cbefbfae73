// person.js - one person: whether a sign-in succeeds and why not, profile, support actions, sessions.
import { call, get, patch, post, remove } from '../lib/api.js';
import { html, useEffect, useState } from '../lib/html.js';
import { bytes, day, N, t, time } from '../lib/i18n.js';
import { Link, navigate } from '../lib/router.js';
import { Badge, breakable, Button, Check, ConfirmName, Dialog, ErrorBox, Facts, Field, Loaded, otherError, Page, Section, Table, toast, toastError, useAct, useCursor, useLoad } from '../lib/ui.js';
import { proofNames } from './names.js';
import { listOf, nameOf, roleName, State } from './people.js';

// `name`: requires typing the name.
const acts = [
    { key: 'lock', title: N('Lock'), done: N('Person locked.'), text: N('Ends all sessions in this project and blocks new sign-ins until you unlock the person.'), undo: 'unlock', when: (who) => who.state === 'active', danger: true },
    { key: 'unlock', title: N('Unlock'), done: N('Person unlocked.'), text: N('Lets this person sign in again.'), when: (who) => who.lockedBy === 'admin' },
    { key: 'end-sessions', title: N('End all sessions'), done: N('Sessions ended.'), text: N('Signs this person out of this project on all devices.'), when: () => true },
    { key: 'send-reset', title: N('Send password link'), done: N('Password link sent.'), text: N('Emails the person a link to set a new password.'), when: (who) => who.state !== 'deleting' },
    { key: 'reset-mfa', title: N('Remove second factors'), done: N('Second factors removed.'), text: N('Removes authenticator apps, recovery codes and passkeys, and ends all sessions. First make sure you’re talking to the right person.'), when: (who) => who.factors.length > 0, danger: true, name: true },
    { key: 'export', title: N('Export data'), done: N('Export started.'), text: N('Creates a file with all data that the project stores about this person, for you to download. The person receives an email if the “Export ready” template is set up.'), when: (who) => who.role === 'Patient' },
    { key: 'schedule-deletion', title: N('Delete account'), done: N('Deletion scheduled.'), text: N('The account will be deleted after this number of days. You can cancel the deletion until then.'), undo: 'cancel-deletion', when: (who) => who.state !== 'deleting', danger: true, name: true },
    { key: 'cancel-deletion', title: N('Cancel deletion'), done: N('Deletion canceled.'), text: N('Cancels the scheduled deletion and keeps the account.'), when: (who) => who.state === 'deleting' },
];

const exportStates = { pending: [N('In progress'), 'warn'], ready: [N('Ready'), 'good'], failed: [N('Failed'), 'bad'] };
const POLL_MS = 2000;

// Steps of a sign-in: its question, a text for each outcome other than passed, and the action that helps.
const steps = {
    tenant: [N('Project exists')],
    'not suspended': [N('Project not suspended'), { fail: N('The project is suspended. The operator can reactivate it.') }],
    PATIENT_LOGIN_ENABLED: [N('Patient sign-in enabled'), { fail: N('Patient sign-in is disabled in the settings.') }],
    PRACTITIONER_LOGIN_ENABLED: [N('Practitioner sign-in enabled'), { fail: N('Practitioner sign-in is disabled in the settings.') }],
    throttle: [N('Failed attempts within the limit'), { fail: N('There were too many failed attempts in 15 minutes. For now, only IP addresses with a recent successful sign-in are accepted.') }],
    account: [N('Account exists'), { fail: N('There is no account with this role and email, or its invitation hasn’t been accepted yet.') }],
    'not deleted': [N('Not deleted'), { fail: N('The deletion date has passed.'), pass: N('Deletion is scheduled. Signing in cancels it.') }],
    'not locked': [N('Not locked by the operator'), { fail: N('The operator locked the account and can unlock it.') }],
    password: [N('Password set'), { fail: N('No password is set yet. Send a password link.') }, 'send-reset'],
    'address verified': [N('Email verified, if required'), { fail: N('The project requires a verified email, and this one isn’t verified. A password link also verifies it.') }, 'send-reset'],
    membership: [N('Project member'), { fail: N('This person isn’t a member of the project, or hasn’t accepted the invitation yet.') }],
    'member not locked': [N('Not locked in this project'), { fail: N('An admin locked this person. Any admin can unlock them.') }, 'unlock'],
    address: [N('IP address allowed'), { fail: N('The access policy blocks this IP address.'), skipped: N('The access policy restricts IP addresses. To check one, enter it below.') }],
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

function Sessions({ id, stamp, onEnd }) {
    const list = useCursor((cursor) => get(`/v1/project/accounts/${id}/sessions${cursor ? `?_cursor=${encodeURIComponent(cursor)}` : ''}`), [id, stamp]);
    const device = (row) => [row.browser, row.os].filter((each) => each !== 'unknown').join(', ') || t('Unknown');

    return html`<${Section} title=${t('Sessions in this project')}>
        <${Loaded} from=${list}>${() => html`<${Table} label=${t('Sessions in this project')} rows=${list.rows} more=${list.more} onMore=${list.next}
            busy=${list.busy} empty=${html`<p class="soft">${t('No active sessions.')}</p>`} columns=${[
                { title: t('Device'), cell: device },
                { title: t('Application'), cell: (row) => row.client?.name ?? '–' },
                { title: t('IP address'), cell: (row) => row.remoteAddress },
                { title: t('Sign-in method'), cell: (row) => proofNames(row.authMethod.split('+')) },
                { title: t('Last active'), kind: 'time', cell: (row) => time(row.lastUpdated) },
                onEnd && { kind: 'acts', cell: (row) => html`<${Button} kind="quiet danger" onClick=${() => onEnd(row)}
                    aria-label=${t('End session: {device}', { device: device(row) })}>${t('End')}<//>` },
            ].filter(Boolean)} />`}<//><//>`;
}

const endSession = (row) => ({ key: `sessions/${row.id}/end`, title: N('End session'), done: N('Session ended.'), text: N('Signs this person out on this device.'), danger: true });

const unlink = (row) => ({ key: `identities/${row.id}/unlink`, title: N('Remove link'), done: N('Link removed.'),
    text: N('Ends the sessions that this provider made, and emails the person. The next sign-in with the provider can link the account again; lock the person to prevent it.'), danger: true });

/** The identity providers that sign the person in. */
function Identities({ id, stamp, onEnd }) {
    const list = useLoad(() => get(`/v1/project/accounts/${id}/identities`), [id, stamp]);

    return (list.error || list.data?.identities.length > 0) && html`<${Section} title=${t('Linked identity providers')}>
        <${Loaded} from=${list}>${({ identities }) => html`<${Table} label=${t('Linked identity providers')} rows=${identities} columns=${[
            { title: t('Provider'), cell: (row) => row.provider },
            { title: t('Linked since'), kind: 'time', cell: (row) => time(row.createdAt) },
            { title: t('Last used'), kind: 'time', cell: (row) => time(row.lastUsedAt) },
            onEnd && { kind: 'acts', cell: (row) => html`<${Button} kind="quiet danger" onClick=${() => onEnd(row)}>${t('Remove link')}<//>` },
        ].filter(Boolean)} />`}<//><//>`;
}

// A step's remark in the reader's language, or as the server sent it.
const remark = (step) => t(steps[step.check]?.[1]?.[step.outcome] ?? step.hint ?? '');

/** One sentence says if a sign-in succeeds, and if not, why. The checks are folded. */
function SignIn({ who, own, stamp, onAct }) {
    const [address, setAddress] = useState(''), [open, setOpen] = useState(false), [asked, ask] = useState('');
    const list = useLoad(() => get(`/v1/project/accounts/${who.id}/explain${asked ? `?address=${encodeURIComponent(asked)}` : ''}`), [who.id, asked, stamp]);
    const problem = list.error?.problem?.('address');
    const sentence = ({ wouldSucceed, secondFactor, steps: all }) => {
        const failed = all.find(({ outcome }) => outcome === 'fail'), notes = all.filter((step) => step.hint && step.check !== 'second factor' && step !== failed);
        const help = !own && acts.find(({ key, when }) => key === steps[failed?.check]?.[2] && when(who));

        return html`<div class=${wouldSucceed ? 'notice' : 'notice bad'} role="status"><p><strong>${wouldSucceed
            ? secondFactor ? t('{name} can sign in with the right password and a second factor.', { name: nameOf(who) }) : t('{name} can sign in with the right password.', { name: nameOf(who) })
            : t('{name} can’t sign in.', { name: nameOf(who) })}</strong>${failed && ` ${remark(failed)}`}${wouldSucceed && notes.map((step) => ` ${remark(step)}`)}</p>
            ${help && html`<div><${Button} onClick=${() => onAct(help)}>${t(help.title)}<//></div>`}</div>`;
    };

    return html`<${Section} title=${t('Can this person sign in?')}>
        ${list.data && sentence(list.data)}${!list.data && !list.error && html`<${Loaded} kind="line" from=${list} />`}
        ${list.error && !problem && html`<${ErrorBox} error=${list.error} retry=${list.reload} />`}
        <details open=${open} onToggle=${(event) => setOpen(event.target.open)}><summary>${t('Show all checks')}</summary><div class="stack">
            <ul class="rows">${list.data?.steps.map((step) => html`<li><div>${steps[step.check] ? t(steps[step.check][0]) : step.check}${step.hint && html`<p class="hint">${remark(step)}</p>`}</div>
                <${Badge} kind=${checks[step.outcome]?.[1]}>${checks[step.outcome] ? t(checks[step.outcome][0]) : step.outcome}<//></li>`)}</ul>
            <form class="form" onSubmit=${(event) => { event.preventDefault(); if (address.trim() === asked) list.reload(); else ask(address.trim()); }}>
                <${Field} label=${t('Check from this IP address')} hint=${t('Optional')} value=${address} onValue=${setAddress} error=${problem} />
                <div class="buttons"><${Button} type="submit" busy=${list.loading}>${t('Check again')}<//></div>
            </form></div></details>
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

function Remove({ who, onClose }) {
    const { path } = listOf(who.role);

    return html`<${ConfirmName} title=${t('Remove from project')} name=${nameOf(who)} submit=${t('Remove')} onClose=${onClose}
        act=${() => remove(`/v1/projects/me/members/${who.membership}`)} onDone=${() => { onClose(); setTimeout(() => { navigate(path); toast(t('Removed.')); }); }}>
        <p>${who.role === 'Patient' ? t('Deletes the patient’s account and ends all of its sessions immediately. This can’t be undone.')
            : t('Ends all of the person’s sessions in this project immediately. The account isn’t deleted.')}</p><//>`;
}

/** Allows or forbids that an admin signs in without the project's identity provider. */
function LocalSignIn({ who, onClose, onDone }) {
    const title = who.localSignIn ? t('Remove local sign-in') : t('Allow local sign-in');
    const { busy, error, run } = useAct(async () => {
        await patch(`/v1/projects/me/members/${who.membership}`, { admin: true, localSignIn: !who.localSignIn });
        onDone();
        toast(t('Saved.'));
    });

    return html`<${Dialog} title=${title} submit=${title} danger=${who.localSignIn} busy=${busy} error=${error} onClose=${onClose} onSubmit=${run}>
        <p>${who.localSignIn ? t('This admin can then sign in only with the identity provider, if the project requires it.')
            : t('This admin can sign in with a password even if the project requires sign-in with an identity provider, and can repair the provider if it fails.')}</p>
        ${!who.localSignIn && html`<p>${t('Before you require a provider, one such admin needs a password and a second factor. Keep the recovery codes in a safe place.')}</p>`}<//>`;
}

function Profile({ who, own, policy, providers, onAct, onRemove, onLocal, onDone }) {
    const { busy, run } = useAct(async (admin) => {
        try {
            await patch(`/v1/projects/me/members/${who.membership}`, { admin });
            toast(admin ? t('{name} is now an admin.', { name: nameOf(who) }) : t('{name} is no longer an admin.', { name: nameOf(who) }), () => run(!admin));
            onDone();
        } catch (error) {
            toastError(error);
        }
    });

    const some = (danger) => acts.filter((each) => each.when(who) && Boolean(each.danger) === danger).map((each) => html`
        <${Button} key=${each.key} kind=${danger ? 'danger' : ''} onClick=${() => onAct(each)}>${t(each.title)}<//>`);

    const local = who.admin && (providers || who.localSignIn) && html`<${Button} key="local" onClick=${onLocal}>${who.localSignIn ? t('Remove local sign-in') : t('Allow local sign-in')}<//>`;

    return html`<${Section} title=${t('Profile')}>
        <${Facts} rows=${[
            [t('Status'), html`<${State} of=${who.state} />`],
            [t('Email address'), html`${breakable(who.email)} ${who.emailVerified ? html`<${Badge} kind="good">${t('Verified')}<//>` : html`<${Badge} kind="warn">${t('Not verified')}<//>`}`],
            [t('Role'), roleName(who.role)],
            [t('Access'), who.admin ? html`<${Badge} kind="accent">${t('Admin')}<//>` : policy ? html`<${Link} to=${`/policies/${policy.id}`}>${policy.name}<//>` : t('None')],
            who.localSignIn && [t('Local sign-in'), t('Allowed')],
            [t('Second factors'), proofNames(who.factors) || t('None')],
            [t('Last sign-in'), time(who.lastSignInAt)],
            [t('Member since'), day(who.memberSince)],
            who.lockedAt && [t('Locked since'), time(who.lockedAt)],
            who.deletionAt && [t('Deletion date'), time(who.deletionAt)],
        ]} />
        ${own ? html`<p class="soft">${t('This is your own account. Ask another admin to make changes to it.')}</p>${local && html`<div class="actions">${local}</div>`}`
            : html`<div class="actions">${some(false)}
                ${who.role === 'Practitioner' && html`<${Button} key="admin" busy=${busy} onClick=${() => run(!who.admin)}>${who.admin ? t('Remove admin access') : t('Make admin')}<//>`}${local}
                ${some(true)}<${Button} key="remove" kind="danger" onClick=${onRemove}>${t('Remove from project')}<//></div>`}
    <//>`;
}

export function Person({ id, me }) {
    const who = useLoad(() => get(`/v1/project/accounts/${id}`), [id]);
    const policies = useLoad(async () => (await get('/v1/project/access-policies')).resources, []);
    const providers = useLoad(async () => (await get('/v1/project/identity-providers')).resources.length > 0);
    const [act, setAct] = useState(null), [gone, setGone] = useState(false), [local, setLocal] = useState(false), [stamp, setStamp] = useState(0);
    const own = who.data?.membership === me.membership.id, list = who.data && listOf(who.data.role);
    const again = () => { who.reload(); setStamp((n) => n + 1); };

    return html`<${Page} title=${who.data ? nameOf(who.data) : t('Person')} back=${list && [list.path, t(list.title)]}
        actions=${html`<${Link} class="button" to=${`/audit?person=${id}`}>${t('What happened to this account')}<//>`}>
        <${Loaded} from=${who}>${(data) => html`
            <${SignIn} who=${data} own=${own} stamp=${stamp} onAct=${setAct} />
            <${Profile} who=${data} own=${own} policy=${policies.data?.find((each) => data.accessPolicy === `AccessPolicy/${each.id}`)} providers=${providers.data} onAct=${setAct}
                onRemove=${() => setGone(true)} onLocal=${() => setLocal(true)} onDone=${again} />
            <${Sessions} id=${id} stamp=${stamp} onEnd=${own ? undefined : (row) => setAct(endSession(row))} />
            <${Identities} id=${id} stamp=${stamp} onEnd=${own ? undefined : (row) => setAct(unlink(row))} />
            ${data.role === 'Patient' && html`<${Exports} id=${id} stamp=${stamp} />`}
            ${act && html`<${Act} act=${act} who=${data} onClose=${() => setAct(null)} onDone=${() => { setAct(null); again(); }} />`}
            ${local && html`<${LocalSignIn} who=${data} onClose=${() => setLocal(false)} onDone=${() => { setLocal(false); again(); }} />`}
            ${gone && html`<${Remove} who=${data} onClose=${() => setGone(false)} />`}`}<//>
    <//>`;
}
