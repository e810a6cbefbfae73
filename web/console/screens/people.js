// people.js - the project's people, found by the beginning of a name or email address.
import { get, query as queryOf } from '../lib/api.js';
import { html, useEffect, useState } from '../lib/html.js';
import { N, t, time } from '../lib/i18n.js';
import { Link, navigate } from '../lib/router.js';
import { Badge, Empty, Field, Loaded, Page, Table, useCursor, useSettled } from '../lib/ui.js';

const states = { active: [N('Active'), 'good'], locked: [N('Locked'), 'bad'], deleting: [N('To be deleted'), 'warn'] };

export const roleName = (role) => (role === 'Patient' ? t('Patient') : t('Practitioner'));

export function State({ of }) {
    return html`<${Badge} kind=${states[of][1]}>${t(states[of][0])}<//>`;
}

export const nameOf = (person) => `${person.firstName} ${person.lastName}`.trim() || person.email;

export function People({ query }) {
    const [filter, set] = useState({ search: query.search ?? '', role: query.role ?? '', state: query.state ?? '' });
    const search = useSettled(filter.search.trim());
    const wanted = { search, role: filter.role, state: filter.state };
    const list = useCursor((cursor) => get(`/v1/project/accounts${queryOf({ ...wanted, _cursor: cursor })}`),
        [search, filter.role, filter.state]);
    const change = (name) => (value) => set({ ...filter, [name]: value });

    useEffect(() => navigate(`/people${queryOf(wanted)}`, { replace: true }), [search, filter.role, filter.state]);
    return html`<${Page} title=${t('Find a person')} wide>
        <form class="filters" role="search" onSubmit=${(event) => event.preventDefault()}>
            <${Field} label=${t('Name or address begins with')} type="search" value=${filter.search} onValue=${change('search')}
                autocomplete="off" />
            <${Field} label=${t('Role')} as="select" value=${filter.role} onValue=${change('role')}>
                <option value="">${t('All')}</option><option value="Practitioner">${t('Practitioner')}</option>
                <option value="Patient">${t('Patient')}</option><//>
            <${Field} label=${t('State')} as="select" value=${filter.state} onValue=${change('state')}>
                <option value="">${t('All')}</option>${Object.entries(states).map(([key, [text]]) => html`
                    <option value=${key}>${t(text)}</option>`)}<//>
        </form>
        <${Loaded} from=${list}>${() => html`<div class="stack" aria-live="polite"><${Table} label=${t('People')} rows=${list.rows}
            more=${list.more} onMore=${list.next} busy=${list.busy} columns=${[
                { title: t('Name'), cell: (row) => html`<${Link} to=${`/people/${row.id}`}>${nameOf(row)}<//>` },
                { title: t('Address'), cell: (row) => row.email },
                { title: t('Role'), cell: (row) => html`${roleName(row.role)}${row.admin ? html` <${Badge} kind="accent">${t('Admin')}<//>` : ''}` },
                { title: t('State'), cell: (row) => html`<${State} of=${row.state} />` },
                { title: t('Last sign-in'), kind: 'time', cell: (row) => time(row.lastSignInAt) },
            ]}
            empty=${html`<${Empty} title=${t('No one found')}><p>${t('Check the spelling: names and addresses are searched from their beginning.')}</p><//>`} /></div>`}<//>
    <//>`;
}
