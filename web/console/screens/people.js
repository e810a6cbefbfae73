// people.js - lists of a project's staff and patients: search, filters, order, and a tab with pending invitations.
import { get, query as queryOf } from '../lib/api.js';
import { html, useEffect, useState } from '../lib/html.js';
import { N, t, time } from '../lib/i18n.js';
import { Link, navigate } from '../lib/router.js';
import { Badge, breakable, Button, Empty, Field, Loaded, Page, Table, Tabs, useCursor, useLoad, useSettled } from '../lib/ui.js';
import { Invitations, Invite } from './invitations.js';
import { proofNames } from './names.js';

const PAGES_MAX = 10; // without a match, to read before asking whether to go on

const lists = {
    Practitioner: { path: '/staff', title: N('Staff'), invite: N('Invite staff'), none: N('No staff yet'), hint: N('Invite your colleagues to work in this project.') },
    Patient: { path: '/patients', title: N('Patients'), invite: N('Invite patient'), none: N('No patients yet'), hint: N('Invite a patient, or enable patient registration in the settings.') },
};
const states = { active: [N('Active'), 'good'], locked: [N('Locked'), 'bad'], deleting: [N('Pending deletion'), 'warn'] };
const orders = { name: N('Name'), newest: N('Newest first') };

export const roleName = (role) => (role === 'Patient' ? t('Patient') : t('Practitioner'));

export function State({ of }) {
    return html`<${Badge} kind=${states[of][1]}>${t(states[of][0])}<//>`;
}

export const nameOf = (person) => `${person.firstName} ${person.lastName}`.trim() || person.email;

/** Returns the list with people of a role: { path, title, ... }. */
export const listOf = (role) => lists[role];

export const pathOf = (person) => `${lists[person.role].path}/${person.id}`;

const choices = (texts) => html`<option value="">${t('All')}</option>${Object.entries(texts).map(([key, text]) => html`<option value=${key}>${t(text)}</option>`)}`;

// A page can be empty although others follow it.
async function pageWithRows(load, cursor) {
    let page = await load(cursor);

    for (let i = 1; i < PAGES_MAX && page.next && page.resources.length === 0; i++)
        page = await load(page.next);
    return page;
}

// A search has its own order, and so has what the server finds by the state alone among many patients.
const orderOf = (role, { search, state, sort }) => (search || (role === 'Patient' && state && state !== 'active') ? undefined : sort);

function List({ role, query, onInvite }) {
    const [filter, set] = useState({ search: query.search ?? '', state: states[query.state] ? query.state : '', admin: query.admin ?? '', secondFactor: query.secondFactor ?? '', sort: orders[query.sort] ? query.sort : 'name' });
    const isStaff = role === 'Practitioner', search = useSettled(filter.search.trim());
    const wanted = { search, state: filter.state, admin: filter.admin, secondFactor: filter.secondFactor }, sort = orderOf(role, { ...filter, search });
    const list = useCursor((cursor) => pageWithRows((from) => get(`/v1/project/accounts${queryOf({ ...wanted, role, sort, _cursor: from })}`), cursor),
        [search, filter.state, filter.admin, filter.secondFactor, sort]);
    const policies = useLoad(async () => (isStaff ? (await get('/v1/project/access-policies')).resources : []));
    const change = (name) => (value) => set({ ...filter, [name]: value });
    const policyOf = (row) => policies.data?.find(({ id }) => row.accessPolicy === `AccessPolicy/${id}`)?.name ?? '–';
    const filtered = Object.values(wanted).some(Boolean), more = html`<${Button} busy=${list.busy} onClick=${list.next}>${t('Continue')}<//>`;

    useEffect(() => navigate(`${lists[role].path}${queryOf({ ...wanted, sort: filter.sort === 'name' ? '' : filter.sort })}`, { replace: true }),
        [search, filter.state, filter.admin, filter.secondFactor, filter.sort]);
    return html`<form class=${isStaff ? 'filters people staff' : 'filters people'} role="search" onSubmit=${(event) => event.preventDefault()}>
            <${Field} label=${t('Search')} type="search" value=${filter.search} onValue=${change('search')} placeholder=${t('Name or email')} autocomplete="off" />
            ${isStaff && html`<${Field} label=${t('Access')} as="select" value=${filter.admin} onValue=${change('admin')}>
                ${choices({ true: N('Admins'), false: N('Not admins') })}<//>`}
            <${Field} label=${t('Status')} as="select" value=${filter.state} onValue=${change('state')}>
                ${choices(Object.fromEntries(Object.entries(states).map(([key, [text]]) => [key, text])))}<//>
            <${Field} label=${t('Second factor')} as="select" value=${filter.secondFactor} onValue=${change('secondFactor')}>
                ${choices({ true: N('Set up'), false: N('Not set up') })}<//>
            <${Field} label=${t('Sort by')} as="select" value=${sort ?? ''} onValue=${change('sort')} disabled=${!sort}>
                ${sort ? Object.entries(orders).map(([key, text]) => html`<option value=${key}>${t(text)}</option>`)
                    : html`<option value="">${search ? t('Best match') : t('Oldest first')}</option>`}<//>
        </form>
        <${Loaded} from=${list}>${() => html`<div class="stack" aria-live="polite"><${Table} label=${t(lists[role].title)} rows=${list.rows}
            more=${list.more} onMore=${list.next} busy=${list.busy} columns=${[
                { title: t('Name'), cell: (row) => html`<${Link} class="open" to=${pathOf(row)}>${nameOf(row)}<//><p class="hint">${breakable(row.email)}</p>` },
                isStaff && { title: t('Access'), cell: (row) => (row.admin ? html`<${Badge} kind="accent">${t('Admin')}<//>` : policyOf(row)) },
                { title: t('Status'), kind: 'tag', cell: (row) => html`<${State} of=${row.state} />` },
                { title: t('Second factor'), cell: (row) => proofNames(row.factors) || t('None') },
                { title: t('Last sign-in'), kind: 'time', cell: (row) => time(row.lastSignInAt) },
            ].filter(Boolean)}
            empty=${list.more ? html`<${Empty} title=${t('No matches so far')}><p>${t('There are more people to check.')}</p>${more}<//>`
                : filtered ? html`<${Empty} title=${t('No matches')}><p>${t('Check the spelling, or change the filters. The search finds the beginning of any word of a name or email address.')}</p><//>`
                    : html`<${Empty} title=${t(lists[role].none)}><p>${t(lists[role].hint)}</p><${Button} onClick=${onInvite}>${t(lists[role].invite)}<//><//>`} /></div>`}<//>`;
}

function People({ role, query }) {
    const [invite, setInvite] = useState(query.invite === '1'), [tab, setTab] = useState(query.tab === 'invitations' ? 'invitations' : 'people'), [stamp, setStamp] = useState(0);
    const { path, title, invite: action } = lists[role];
    const pick = (key) => {
        setTab(key);
        navigate(key === 'invitations' ? `${path}?tab=invitations` : path, { replace: true });
    };
    const invited = (pending) => {
        setInvite(false);
        setStamp((n) => n + 1);
        if (pending)
            pick('invitations');
    };

    return html`<${Page} title=${t(title)} actions=${html`<${Button} kind="primary" onClick=${() => setInvite(true)}>${t(action)}<//>`}>
        <${Tabs} label=${t(title)} tabs=${[['people', t(title)], ['invitations', t('Invitations')]]} current=${tab} onTab=${pick}>
            ${tab === 'people' ? html`<${List} key=${stamp} role=${role} query=${query} onInvite=${() => setInvite(true)} />`
                : html`<${Invitations} role=${role} stamp=${stamp} />`}<//>
        ${invite && html`<${Invite} role=${role} title=${t(action)} onClose=${() => setInvite(false)} onDone=${invited} />`}
    <//>`;
}

export const Staff = (rest) => html`<${People} role="Practitioner" ...${rest} />`;
export const Patients = (rest) => html`<${People} role="Patient" ...${rest} />`;

/** The addresses of releases before 0.4, /members and /people, lead to the lists that replace them. */
export function Moved({ query: { role, invite, search, state } }) {
    useEffect(() => navigate(`${lists[role === 'Patient' || (!role && search) ? 'Patient' : 'Practitioner'].path}${queryOf({ invite, search, state })}`, { replace: true }), []);
    return null;
}
