// index.js - every screen with its address, in the order in which addresses are looked through.
import { N } from '../lib/i18n.js';
import { AccountPolicy } from './account_policy.js';
import { Audit } from './audit.js';
import { Bots } from './bots.js';
import { Branding } from './branding.js';
import { Clients } from './clients.js';
import { Content } from './content.js';
import { Documents } from './documents.js';
import { Keys } from './keys.js';
import { Members } from './members.js';
import { Overview } from './overview.js';
import { People } from './people.js';
import { Person } from './person.js';
import { Policies, Policy } from './policies.js';
import { Settings } from './settings.js';
import { Template, Templates } from './templates.js';
import { Webhooks, Webhook } from './webhooks.js';

export const screens = [
    { path: '/', title: N('Overview'), screen: Overview },
    { path: '/people', title: N('Find a person'), screen: People },
    { path: '/people/:id', screen: Person },
    { path: '/members', title: N('Members'), screen: Members },
    { path: '/settings', title: N('Settings'), screen: Settings },
    { path: '/account-policy', title: N('Account policy'), screen: AccountPolicy },
    { path: '/branding', title: N('Branding'), screen: Branding },
    { path: '/audit', title: N('Audit trail'), screen: Audit },
    { path: '/policies', title: N('Access policies'), screen: Policies },
    { path: '/policies/:id', screen: Policy },
    { path: '/clients', title: N('Applications'), screen: Clients },
    { path: '/keys', title: N('API keys'), screen: Keys },
    { path: '/templates', title: N('Mail templates'), screen: Templates },
    { path: '/templates/:name', screen: Template },
    { path: '/documents', title: N('Documents'), screen: Documents },
    { path: '/content', title: N('Content'), screen: Content },
    { path: '/bots', title: N('Bots'), screen: Bots },
    { path: '/webhooks', title: N('Webhooks'), screen: Webhooks },
    { path: '/webhooks/:id', screen: Webhook },
];
