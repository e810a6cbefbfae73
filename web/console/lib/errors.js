// errors.js - what an error says, in the reader's language: by its code and params (docs/errors.md), or else by its
// message or status. Only what has no text here is said in the words of the service, which are English.
import { N, number, plural, t } from './i18n.js';

const byCode = {
    ACCOUNT_SHARED: N('This person also belongs to another organization, so you can’t do this here.'),
    ACCOUNT_MANAGED: N('The organization’s identity provider manages this account.'),
    ACCOUNT_LOCKED: N('The account is locked.'),
    STEP_UP_REQUIRED: N('Please confirm it’s you, then try again.'),
    MFA_ENROLLMENT_REQUIRED: N('This project requires a second factor. Set one up on your account page first.'),
    QUOTA_EXCEEDED: N('There isn’t enough storage for this file.'),
    EntityTooLarge: N('This file is too large.'),
    PROJECT_READ_ONLY: N('This project is read-only while it’s being moved. Try again in a few minutes.'),
};
const byStatus = {
    0: N('No response. Check your connection.'),
    401: N('You’re signed out. Please sign in again.'),
    403: N('You don’t have permission to do this.'),
    404: N('This no longer exists.'),
    409: N('This change isn’t possible.'),
    422: N('Some of the input isn’t valid.'),
    429: N('Too many attempts. Wait a moment and try again.'),
    503: N('The service isn’t available right now.'),
    504: N('The service didn’t respond in time.'),
};
// Conflicts of the code CONFLICT, by the service's words.
const byMessage = {
    'A provider can be enforced only within 24 hours of a successful test.': N('Test the provider first. The test must have succeeded in the last 24 hours.'),
    'Activate the provider before you enforce it.': N('Activate the provider before you require sign-in with it.'),
    'Enforcing a provider needs an admin with local sign-in, a password and a second factor.': N('First allow local sign-in for an admin: open the person under “Staff”. The admin needs a password and a second factor.'),
    'Stop enforcing the provider before you delete it.': N('Stop requiring sign-in with this provider before you delete it.'),
    'While an identity provider is enforced, the project needs an admin with local sign-in, and this is the last one.': N('This is the last admin with local sign-in. The project needs one while it requires sign-in with a provider.'),
    'Only admins can have local sign-in, and at most 5 of a project.': N('At most 5 admins of a project can have local sign-in.'),
    'The project needs at least one admin, and this is the last one.': N('The project needs at least one admin, and this is the last one.'),
};
const SAYS_ALL = [0, 401, 429, 503, 504]; // statuses whose text says what the service's does

/** Returns the text of an error, or undefined. */
export const titleOfCode = ({ code, message, status }) => {
    const text = byCode[code] ?? byMessage[message] ?? byStatus[status];

    return text && t(text);
};
export const saysAll = ({ code, message, status }) => code in byCode || message in byMessage || SAYS_ALL.includes(status);

const formats = {
    email: N('Enter a valid email address.'), url: N('Enter a full URL, such as https://www.example.com.'), 'https-url': N('Enter a full URL that begins with https://.'),
    'redirect-uri': N('Enter URLs that begin with https://, or custom schemes such as com.example.app:/callback.'), uri: N('Enter a full URI, such as https://www.example.com.'),
    'language-tag': N('Enter language tags such as en or pt-BR.'), 'ip-network': N('Enter IP networks such as 192.0.2.0/24.'), 'ip-address': N('Enter an IP address such as 192.0.2.1.'),
    color: N('Enter a color such as #0b5cad.'), slug: N('Use only lowercase letters, digits and hyphens.'), digits: N('Use only digits.'), 'date-time': N('Enter a valid date and time.'),
    ascii: N('Use only plain letters, digits and signs, without spaces or quotation marks.'), 'plain-text': N('Remove the invisible characters from this text.'), json: N('Enter valid JSON.'),
    'file-name': N('Use only letters, digits, dots, hyphens and underscores.'),
};
const plain = {
    REQUIRED: N('This field is required.'), DUPLICATE: N('Each value can appear only once.'), NOT_ALLOWED: N('This doesn’t fit your other choices.'),
    INVALID_IMAGE: N('Choose an undamaged JPEG, PNG, WebP, GIF, HEIF or AVIF image.'), LOW_CONTRAST: N('This color is too hard to read. Choose one with more contrast.'),
    UNCLOSED_VARIABLE: N('Close each {{ with }}.'), SECRET_IN_SUBJECT: N('Remove the link from the subject. It contains a secret.'),
};
const counts = {
    TOO_SHORT: ({ min, unit }) => (unit === 'byte' ? plural(min, 'Enter at least {n} byte.', 'Enter at least {n} bytes.') : plural(min, 'Enter at least {n} character.', 'Enter at least {n} characters.')),
    TOO_LONG: ({ max, unit }) => (unit === 'byte' ? plural(max, 'Enter at most {n} byte. Letters with accents count as two or more.', 'Enter at most {n} bytes. Letters with accents count as two or more.')
        : plural(max, 'Enter at most {n} character.', 'Enter at most {n} characters.')),
    TOO_SMALL: ({ min }) => t('Enter {min} or more.', { min: number(min) }), TOO_LARGE: ({ max }) => t('Enter {max} or less.', { max: number(max) }),
    TOO_FEW: ({ min = 1 }) => plural(min, 'Add at least {n} entry.', 'Add at least {n} entries.'), TOO_MANY: ({ max }) => plural(max, 'Remove some: {n} entry is allowed.', 'Remove some: {n} entries are allowed.'),
    UNKNOWN_VALUE: ({ allowed }) => (allowed ? t('Choose one of these: {allowed}.', { allowed: allowed.join(', ') }) : t('This doesn’t exist in your project. Choose something else.')),
    WRONG_TYPE: ({ type }) => type === 'integer' && t('Enter a whole number.'),
    IMAGE_TOO_LARGE: ({ max }) => t('Choose an image of at most {max} megapixels.', { max: number(max) }),
    UNKNOWN_VARIABLE: ({ variable }) => t('This template doesn’t have the variable {variable}.', { variable }),
    INVALID_FORMAT: ({ format }) => formats[format] && t(formats[format]),
};

/** Returns the text of a problem of a 422: {message, code, params}. */
export const problemText = ({ message, code, params = {} }) => counts[code]?.(params) || (plain[code] ? t(plain[code]) : message);
