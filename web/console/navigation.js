// navigation.js - the screens in the navigation, in groups, with path and title. shell.pl parses it too: one line for
// each group, one line for each screen.
import { N, t } from './lib/i18n.js';

export const groups = [
    { title: '', screens: [
        { path: '/', title: N('Overview') },
    ] },
    { title: N('Directory'), screens: [
        { path: '/staff', title: N('Staff') },
        { path: '/patients', title: N('Patients') },
    ] },
    { title: N('Project'), screens: [
        { path: '/settings', title: N('Settings') },
        { path: '/branding', title: N('Branding') },
        { path: '/account-policy', title: N('Account policy') },
        { path: '/sign-on', title: N('Single sign-on') },
        { path: '/directory', title: N('Directory sync') },
        { path: '/policies', title: N('Access policies') },
        { path: '/applications', title: N('Applications') },
        { path: '/keys', title: N('API keys') },
        { path: '/audit', title: N('Audit log') },
    ] },
    { title: N('Content'), screens: [
        { path: '/templates', title: N('Mail templates') },
        { path: '/documents', title: N('Documents') },
        { path: '/content', title: N('Content') },
    ] },
    { title: N('Automation'), screens: [
        { path: '/bots', title: N('Bots') },
        { path: '/webhooks', title: N('Webhooks') },
    ] },
];

export const overviewLead = () => t('Sign-ins, failures, setup status and recent changes at a glance.');

/** Returns the title of the screen at a path; undefined: it has its own title, or does not exist. */
export const titleOf = (path) => groups.flatMap(({ screens }) => screens).find((each) => each.path === path)?.title;
