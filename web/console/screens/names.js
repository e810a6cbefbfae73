// names.js - titles of settings, emails, sign-in methods and outcomes that several screens use.
import { breakable, html } from '../lib/html.js';
import { languageName, N, t } from '../lib/i18n.js';

const settings = {
    PATIENT_REGISTRATION_ENABLED: N('Patient registration'), PATIENT_LOGIN_ENABLED: N('Patient sign-in'), PATIENT_INVITATION_ENABLED: N('Patient invitations'),
    PRACTITIONER_LOGIN_ENABLED: N('Practitioner sign-in'), PRACTITIONER_INVITATION_ENABLED: N('Practitioner invitations'),
    PRACTITIONER_REGISTRATION_ENABLED: N('Practitioner registration'), CLINICIAN_INVITE_ON_BUSINESS_EMAIL: N('Business email invitations'),
    inheritProviders: N('Inherited single sign-on'),
    PATIENT_APP_URL: N('Patient app URL'), PRACTITIONER_APP_URL: N('Practitioner app URL'),
    DEFAULT_PRACTITIONER_ACCESS_POLICY: N('Default practitioner access policy'), defaultPatientAccessPolicy: N('Default patient access policy'),
    languages: N('Languages'), defaultLanguage: N('Default language'),
    passwordMinLength: N('Minimum password length'), passwordMinLengthWithMfa: N('Minimum password length with a second factor'), onSignIn: N('At sign-in with a common password'),
    refuseCommonPasswords: N('Reject common passwords'), requireMfa: N('Second factor required for'), requireVerifiedEmail: N('Require a verified email'),
    mailCode: N('Allow sign-in with an email code'), documentsPerAccount: N('Documents per patient'), bytesPerAccount: N('Storage per patient (bytes)'),
    bytesPerProject: N('Total storage (bytes)'),
};

/** Titles of the branding's members. */
export const brandTitles = {
    name: N('Name'), colorLight: N('Light mode color'), colorDark: N('Dark mode color'), imprintUrl: N('Legal notice'), privacyUrl: N('Privacy policy'), texts: N('Texts'), logo: N('Logo'),
};

const BRANDING = 'branding.', POLICY = 'accountPolicy.'; // prefixes of members in the history

/** Returns the title of a setting, or of a member of the account policy or branding. */
export function settingTitle(name) {
    const member = name.startsWith(BRANDING) && brandTitles[name.slice(BRANDING.length)];

    return member ? `${t('Branding')}: ${t(member)}` : t(settings[name.startsWith(POLICY) ? name.slice(POLICY.length) : name] ?? name);
}

const templates = {
    PATIENT_WELCOME: N('Welcome email'), CLINICIAN_SIGNUP_INVITE: N('Business email invitation'), INVITE_TO_PROJECT: N('Practitioner invitation'),
    PATIENT_INVITE: N('Patient invitation'), PASSWORD_RESET: N('Password reset'), EMAIL_VERIFICATION: N('Email verification'), EMAIL_CHANGE: N('Email change confirmation'),
    EMAIL_CHANGED: N('Email changed'), SIGN_IN_CODE: N('Sign-in code'), NEW_SIGN_IN: N('Sign-in on a new device'), CREDENTIAL_CHANGED: N('Sign-in details changed'),
    PASSKEY_COUNTER: N('Passkey possibly copied'), COMMON_PASSWORD: N('Common password warning'), ACCOUNT_DELETION_SCHEDULED: N('Deletion scheduled'), ACCOUNT_DELETION_REMINDER: N('Deletion reminder'),
    EXPORT_MADE: N('Export ready'), ORGANIZATION_CODE: N('Tenant code'),
};

export const templateTitle = (name) => t(templates[name] ?? name);

// Sign-in methods. A session contains those it began with, joined by "+".
const proofs = { password: N('Password'), totp: N('Authenticator app'), passkey: N('Passkey'), 'mail-code': N('Email code'), 'recovery-code': N('Recovery code'), federated: N('Identity provider'), mfa: N('Second factor of the provider') };

export const proofNames = (kinds) => kinds.map((each) => t(proofs[each] ?? each)).join(', ');

/** Outcomes of executions: [text, kind of badge]. */
export const outcomes = { success: [N('Success'), 'good'], failure: [N('Failed'), 'bad'], timeout: [N('Timed out'), 'bad'], refused: [N('Rejected'), 'warn'] };

// A branding text is shown as its language.
const item = (value) => (value?.language ? languageName(value.language) : value);

const plain = (value) => (value === null || value === undefined || value === '' ? t('Not set') : value === true ? t('Enabled') : value === false ? t('Disabled')
    : typeof value === 'string' ? value : Array.isArray(value) ? value.map(item).join(', ') : JSON.stringify(value));

/** A change as old → new; an access policy by its name, if `policies` contains it. */
export function Diff({ change, policies = [] }) {
    const isLogo = change.name === `${BRANDING}logo`; // shown by its hash
    const word = (value) => (isLogo && value ? t('an image') : policies.find(({ id }) => value === `AccessPolicy/${id}`)?.name ?? plain(value));

    return html`<span class="diff"><del>${breakable(word(change.old))}</del> → <ins>${breakable(word(change.new))}</ins></span>`;
}

// A person whose account was erased has no name.
export const author = ({ who }) => (who ? who.display || who.reference : t('Operator'));
