// index.js - every screen with its address, in the order in which addresses are looked through. Titles: navigation.js.
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
    { path: '/', screen: Overview },
    { path: '/people', screen: People },
    { path: '/people/:id', screen: Person },
    { path: '/members', screen: Members },
    { path: '/settings', screen: Settings },
    { path: '/account-policy', screen: AccountPolicy },
    { path: '/branding', screen: Branding },
    { path: '/audit', screen: Audit },
    { path: '/policies', screen: Policies },
    { path: '/policies/:id', screen: Policy },
    { path: '/clients', screen: Clients },
    { path: '/keys', screen: Keys },
    { path: '/templates', screen: Templates },
    { path: '/templates/:name', screen: Template },
    { path: '/documents', screen: Documents },
    { path: '/content', screen: Content },
    { path: '/bots', screen: Bots },
    { path: '/webhooks', screen: Webhooks },
    { path: '/webhooks/:id', screen: Webhook },
];
