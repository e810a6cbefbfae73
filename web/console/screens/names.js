// names.js - titles of settings, emails and outcomes that several screens use.
import { html } from '../lib/html.js';
import { languageName, N, t } from '../lib/i18n.js';

const settings = {
    PATIENT_REGISTRATION_ENABLED: N('Patients may register'), PATIENT_LOGIN_ENABLED: N('Patients may sign in'), PATIENT_INVITATION_ENABLED: N('Patients may be invited'),
    PRACTITIONER_LOGIN_ENABLED: N('Practitioners may sign in'), PRACTITIONER_INVITATION_ENABLED: N('Practitioners may be invited'),
    PRACTITIONER_REGISTRATION_ENABLED: N('Practitioners may register'), CLINICIAN_INVITE_ON_BUSINESS_EMAIL: N('Business addresses become practitioners'),
    PATIENT_APP_URL: N('Address of the patient app'), PRACTITIONER_APP_URL: N('Address of the practitioner app'),
    DEFAULT_PRACTITIONER_ACCESS_POLICY: N('Access policy of new practitioners'), defaultPatientAccessPolicy: N('Access policy of new patients'),
    languages: N('Languages'), defaultLanguage: N('Default language'),
    passwordMinLength: N('Fewest characters'), passwordMinLengthWithMfa: N('Fewest characters with a second factor'), onSignIn: N('Sign-in with a common password'),
    refuseCommonPasswords: N('Refuse common passwords'), requireMfa: N('Who needs a second factor'), requireVerifiedEmail: N('Require a proven address'),
    mailCode: N('Allow signing in by a mailed code'), documentsPerAccount: N('Documents of one patient'), bytesPerAccount: N('Bytes of one patient'),
    bytesPerProject: N('Bytes of the whole project'),
};

/** Titles of the branding's members. */
export const brandTitles = {
    name: N('Name'), colorLight: N('Colour by day'), colorDark: N('Colour in the dark'), imprintUrl: N('Imprint'), privacyUrl: N('Privacy'), texts: N('Texts'), logo: N('Logo'),
};

const BRANDING = 'branding.'; // prefix of a member in the history

/** Returns the title of a setting, or of a member of the account policy or branding. */
export function settingTitle(name) {
    const member = name.startsWith(BRANDING) && brandTitles[name.slice(BRANDING.length)];

    return member ? `${t('Branding')}: ${t(member)}` : t(settings[name] ?? name);
}

const templates = {
    PATIENT_WELCOME: N('Welcome after registering'), CLINICIAN_SIGNUP_INVITE: N('Invitation of a business address'), INVITE_TO_PROJECT: N('Invitation of a practitioner'),
    PATIENT_INVITE: N('Invitation of a patient'), PASSWORD_RESET: N('Link to set a password'), EMAIL_VERIFICATION: N('Link to prove an address'), EMAIL_CHANGE: N('Link to change an address'),
    EMAIL_CHANGED: N('The address was changed'), SIGN_IN_CODE: N('Code to sign in'), NEW_SIGN_IN: N('Sign-in on a new device'), CREDENTIAL_CHANGED: N('A credential was changed'),
    PASSKEY_COUNTER: N('A passkey may be copied'), COMMON_PASSWORD: N('Common password'), ACCOUNT_DELETION_SCHEDULED: N('A deletion is scheduled'), ACCOUNT_DELETION_REMINDER: N('A deletion is near'),
    EXPORT_MADE: N('An export is ready'), ORGANIZATION_CODE: N('Project code'),
};

export const templateTitle = (name) => t(templates[name] ?? name);

/** Outcomes of executions: [text, kind of badge]. */
export const outcomes = { success: [N('Done'), 'good'], failure: [N('Failed'), 'bad'], timeout: [N('Too slow'), 'bad'], refused: [N('Refused'), 'warn'] };

// A branding text is shown as its language.
const item = (value) => (value?.language ? languageName(value.language) : value);

const plain = (value) => (value === null || value === undefined || value === '' ? t('Not set') : value === true ? t('On') : value === false ? t('Off')
    : typeof value === 'string' ? value : Array.isArray(value) ? value.map(item).join(', ') : JSON.stringify(value));

/** A change as old → new; an access policy by its name, if `policies` contains it. */
export function Diff({ change, policies = [] }) {
    const isLogo = change.name === `${BRANDING}logo`; // shown by its hash
    const word = (value) => (isLogo && value ? t('an image') : policies.find(({ id }) => value === `AccessPolicy/${id}`)?.name ?? plain(value));

    return html`<span class="diff"><del>${word(change.old)}</del> → <ins>${word(change.new)}</ins></span>`;
}

// A person whose account was erased has no name.
export const author = ({ who }) => (who ? who.display || who.reference : t('The operator'));
