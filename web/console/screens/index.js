// index.js - all screens: path, module, and name of the export. build.sh parses the modules. For titles, see
// navigation.js.
const screens = [
    { at: '/', module: 'overview', name: 'Overview' },
    { at: '/staff', module: 'people', name: 'Staff' },
    { at: '/staff/:id', module: 'person', name: 'Person' },
    { at: '/patients', module: 'people', name: 'Patients' },
    { at: '/patients/:id', module: 'person', name: 'Person' },
    { at: '/people/:id', module: 'person', name: 'Person' },
    { at: '/people', module: 'people', name: 'Moved' },
    { at: '/members', module: 'people', name: 'Moved' },
    { at: '/settings', module: 'settings', name: 'Settings' },
    { at: '/account-policy', module: 'account_policy', name: 'AccountPolicy' },
    { at: '/branding', module: 'branding', name: 'Branding' },
    { at: '/audit', module: 'audit', name: 'Audit' },
    { at: '/sign-on', module: 'sign_on', name: 'SignOn' },
    { at: '/directory', module: 'directory', name: 'Directory' },
    { at: '/policies', module: 'policies', name: 'Policies' },
    { at: '/policies/:id', module: 'policies', name: 'Policy' },
    { at: '/applications', module: 'clients', name: 'Clients' },
    { at: '/applications/:id', module: 'clients', name: 'Client' },
    { at: '/clients', module: 'clients', name: 'MovedClients' },
    { at: '/keys', module: 'keys', name: 'Keys' },
    { at: '/templates', module: 'templates', name: 'Templates' },
    { at: '/templates/:name', module: 'templates', name: 'Template' },
    { at: '/documents', module: 'documents', name: 'Documents' },
    { at: '/content', module: 'content', name: 'Content' },
    { at: '/bots', module: 'bots', name: 'Bots' },
    { at: '/webhooks', module: 'webhooks', name: 'Webhooks' },
    { at: '/webhooks/:id', module: 'webhooks', name: 'Webhook' },
    { at: '/webhooks/:id/:delivery', module: 'webhooks', name: 'Delivery' },
];

// A part of the address becomes part of a request's address, so it must not lead elsewhere ("..", "\\").
const VALUE = /^[\w-]+$/;

/** Returns {module, name, values} of the screen at a path, with values by their names in `at`; undefined: none. */
export function screenAt(path) {
    const parts = path.split('/');

    for (const { at, module, name } of screens) {
        const names = at.split('/');

        if (names.length === parts.length && names.every((each, i) => (each[0] === ':' ? VALUE.test(parts[i]) : each === parts[i])))
            return { module, name, values: Object.fromEntries(names.flatMap((each, i) => (each[0] === ':' ? [[each.slice(1), parts[i]]] : []))) };
    }
    return undefined;
}
