// actions.js - each action of the audit log as a sentence without its subject. check_texts.pl compares the list with the
// daemons' sources.
import { N, t } from '../lib/i18n.js';
import { actionOf } from '../lib/proof.js';
import { outcomes, settingTitle, templateTitle } from './names.js';

// Sentences of a success and, if attempts are recorded, of a failure.
const sentences = {
    'session.create': [N('Signed in'), N('Failed to sign in')],
    'session.begin': [N('Started to sign in on the account pages'), N('Failed to sign in on the account pages')],
    'session.refresh': [N('Extended a session'), N('Failed to extend a session')],
    'session.step-up': [N('Confirmed their identity'), N('Failed to confirm their identity')],
    'session.end': [N('Ended a session')],
    'account.register': [N('Registered'), N('Failed to register')],
    'account.import': [N('Imported an account')],
    'account.read': [N('Viewed an account')],
    'account.end-sessions': [N('Ended all sessions of a person')],
    'account.lock': [N('Locked an account')],
    'account.unlock': [N('Unlocked an account')],
    'account.delete': [N('Deleted an account')],
    'account.receipt': [N('Signed a receipt for an erased account')],
    'deletion.schedule': [N('Scheduled the deletion of an account')],
    'deletion.abort': [N('Canceled the deletion of an account')],
    'membership.create': [N('Added a member')],
    'membership.update': [N('Changed a member’s role')],
    'membership.delete': [N('Removed a member')],
    'membership.lock': [N('Locked a member')],
    'membership.unlock': [N('Unlocked a member')],
    'membership.end-schedule': [N('Scheduled to leave the project')],
    'invitation.create': [N('Invited someone')],
    'invitation.renew': [N('Resent an invitation')],
    'invitation.update': [N('Changed an invitation')],
    'invitation.accept': [N('Accepted an invitation')],
    'invitation.withdraw': [N('Withdrew an invitation')],
    'admin.create': [N('Created an admin')],
    'admin.grant': [N('Made someone an admin')],
    'password.change': [N('Changed a password'), N('Failed to change a password')],
    'password.link': [N('Requested a password link')],
    'password.set': [N('Set a password')],
    'mfa.prepare': [N('Started to set up a second factor')],
    'mfa.enroll': [N('Set up a second factor'), N('Failed to set up a second factor')],
    'mfa.disable': [N('Disabled a second factor'), N('Failed to disable a second factor')],
    'mfa.recover': [N('Used a recovery code')],
    'mfa.reset': [N('Removed the second factors of a person')],
    'mfa.admit': [N('Allowed a person to set up a new second factor')],
    'identity.link': [N('Linked an account with an identity provider')],
    'identity.unlink': [N('Removed a link with an identity provider')],
    'passkey.add': [N('Added a passkey'), N('Failed to add a passkey')],
    'passkey.rename': [N('Renamed a passkey')],
    'passkey.remove': [N('Removed a passkey')],
    'passkey.reset': [N('Removed all passkeys of a person')],
    'passkey.counter': [N('Used a passkey that may have been copied')],
    'email.link': [N('Requested a verification link')],
    'email.verify': [N('Verified an email address')],
    'email.change': [N('Changed an email address'), N('Failed to change an email address')],
    'email.undo': [N('Undid an email address change')],
    'mail-code.send': [N('Requested a sign-in code')],
    'export.create': [N('Requested an export of a person’s data')],
    'export.execute': [N('Created an export of a person’s data'), N('Failed to create an export of a person’s data')],
    'export.read': [N('Downloaded an export of a person’s data')],
    'export.delete': [N('Deleted an export of a person’s data')],
    'setting.write': [N('Changed a setting')],
    'account-policy.write': [N('Changed the account policy')],
    'locales.write': [N('Changed the languages')],
    'history.erase': [N('Erased a person’s name from the settings history')],
    'branding.write': [N('Changed the branding')],
    'branding.logo': [N('Changed the logo')],
    'branding.logo-delete': [N('Deleted the logo')],
    'policy.create': [N('Created an access policy')],
    'policy.replace': [N('Changed an access policy')],
    'policy.delete': [N('Deleted an access policy')],
    'code.mail': [N('Emailed the tenant code')],
    'client.create': [N('Registered an application')],
    'client.replace': [N('Changed an application')],
    'client.secret': [N('Created a new secret for an application')],
    'client.delete': [N('Deleted an application')],
    'client.token': [N('Issued an access token to an application')],
    'consent.give': [N('Allowed an application to access their data')],
    'consent.withdraw': [N('Withdrew an application’s access')],
    'consent.reset': [N('Withdrew the access of all applications')],
    'device.approve': [N('Approved the sign-in of a device')],
    'device.deny': [N('Denied the sign-in of a device')],
    'api-key.create': [N('Created an API key')],
    'api-key.delete': [N('Deleted an API key')],
    'domain.add': [N('Added an email domain')],
    'domain.verify': [N('Verified an email domain')],
    'domain.lose': [N('Lost an email domain')],
    'domain.delete': [N('Deleted an email domain')],
    'provider.write': [N('Changed an identity provider')],
    'provider.test': [N('Tested an identity provider')],
    'provider.delete': [N('Deleted an identity provider')],
    'scim.token-create': [N('Created a directory token')],
    'scim.token-delete': [N('Deleted a directory token')],
    'scim.mapping-write': [N('Changed the access policies of directory groups')],
    'scim.group-create': [N('Created a directory group')],
    'scim.group-update': [N('Changed a directory group')],
    'scim.group-delete': [N('Deleted a directory group')],
    'fhir-server.create': [N('Added a FHIR server')],
    'fhir-server.replace': [N('Changed a FHIR server')],
    'fhir-server.delete': [N('Deleted a FHIR server')],
    'launch.create': [N('Started an application for a patient')],
    'webhook.create': [N('Created a webhook')],
    'webhook.replace': [N('Changed a webhook')],
    'webhook.exchange': [N('Created a new secret for a webhook')],
    'webhook.redeliver': [N('Resent events to a webhook')],
    'webhook.test': [N('Sent a test event')],
    'webhook.gone': [N('Disabled a webhook at its receiver’s request')],
    'webhook.delete': [N('Deleted a webhook')],
    'template.write': [N('Changed a mail template')],
    'template.delete': [N('Deleted a mail template')],
    'mail.send': [N('Sent an email'), N('Failed to send an email')],
    'mail.retry': [N('Retried emails')],
    'mail.drop': [N('Discarded an email')],
    'job.erase': [N('Deleted the scheduled emails of an erased account')],
    'document.create': [N('Created a document')],
    'document.upload': [N('Uploaded a document'), N('Failed to upload a document')],
    'document.update': [N('Changed a document’s name or access')],
    'document.replace': [N('Replaced a document’s file')],
    'document.delete': [N('Deleted a document')],
    'document.missing': [N('Found that a document’s file is missing')],
    'document.found': [N('Found a document’s file again')],
    'object.orphan': [N('Found a stored file without a document')],
    'content.write': [N('Changed a content entry')],
    'content.delete': [N('Deleted a content entry')],
    'bot.create': [N('Created a bot')],
    'bot.update': [N('Changed a bot')],
    'bot.delete': [N('Deleted a bot')],
    'bot.execute': [N('Ran a bot'), N('Ran a bot, which failed')],
    'execution.erase': [N('Erased a person’s name from bot executions')],
    'translation.execute': [N('Requested a translation'), N('Failed to translate')],
    'project.create': [N('Created the project')],
    'project.suspend': [N('Suspended the project')],
    'project.read-only': [N('Made the project read-only')],
    'project.resume': [N('Reactivated the project')],
    'project.delete': [N('Deleted the project')],
    'project.purge': [N('Deleted data of the deleted project')],
    'project.export': [N('Copied data for another installation')],
    'project.import': [N('Received data from another installation')],
    'key.create': [N('Created a signing key')],
};

// Titles of the actions that begin with these words; the API finds them all by the word.
const titles = {
    session: N('Sign-ins and sessions'),
    account: N('Accounts'),
    deletion: N('Account deletion'),
    membership: N('Members'),
    invitation: N('Invitations'),
    admin: N('Admins'),
    password: N('Passwords'),
    mfa: N('Second factors'),
    passkey: N('Passkeys'),
    email: N('Email addresses'),
    export: N('Exports of a person’s data'),
    branding: N('Branding'),
    policy: N('Access policies'),
    client: N('Applications'),
    consent: N('Consents'),
    device: N('Device sign-ins'),
    'api-key': N('API keys'),
    domain: N('Email domains'),
    provider: N('Identity providers'),
    scim: N('Directory'),
    'fhir-server': N('FHIR servers'),
    webhook: N('Webhooks'),
    template: N('Mail templates'),
    mail: N('Emails'),
    document: N('Documents'),
    content: N('Content'),
    bot: N('Bots'),
    project: N('Project'),
};

const proofs = { password: N('Password'), totp: N('Authenticator app'), passkey: N('Passkey'), 'mail-code': N('Email code'), recovery: N('Recovery code'), federated: N('Identity provider'), mfa: N('Second factor of the provider') };

const causes = {
    password: N('Wrong password'), code: N('Wrong code'), 'second-factor': N('Second factor required'), locked: N('Locked'), 'not-enabled': N('Sign-in disabled'),
    'common-password': N('Common password'), 'not-verified': N('Email not verified'), address: N('IP address not allowed'), replay: N('Code used twice'), verifier: N('Wrong code verifier'),
    federated: N('Answer of the identity provider not accepted'), 'not-linked': N('Account not linked'), unknown: N('Unknown person'), domain: N('Email domain not verified'), 'no-address': N('No email address'),
    'no-policy': N('No default access policy'), 'not-a-member': N('Not a member'),
};

const notes = {
    logout: N('Signed out'), revoked: N('Revoked'), credential: N('After a change of the sign-in details'), theft: N('The refresh token was copied'), 'login-replay': N('Code used twice'),
    removed: N('Removed from the project'), limit: N('Too many sessions'), application: N('The application was deleted or restricted'), claimed: N('When the email address was first verified'),
    oauth: N('For an application'), device: N('For a device'), wipe: N('With everything the account owns'), admin: N('As an admin'), 'sign-up': N('By signing up'), declined: N('Declined'),
    link: N('With a link'), invitation: N('With an invitation'), import: N('During an import'), verified: N('With a verified email'), sessions: N('Sessions'), identities: N('Identity providers'), explain: N('Sign-in check'),
    begin: N('Closed, not deleted yet'), project: N('With the project'), 'not uploaded': N('It was never uploaded'), 'given up': N('The upload was not finished'),
};

// Titles of the objects of events, and their screens.
const objects = {
    Session: [N('Session')], ProjectMembership: [N('Membership')], Invitation: [N('Invitation'), () => '/members'], Project: [N('Project')], Message: [N('Email')], Content: [N('Content'), () => '/content'],
    Bot: [N('Bot'), (id) => `/bots?bot=${id}`], Webhook: [N('Webhook'), (id) => `/webhooks/${id}`], ClientApplication: [N('Application'), () => '/clients'], ApiKey: [N('API key'), () => '/keys'],
    AccessPolicy: [N('Access policy'), (id) => `/policies/${id}`], DocumentReference: [N('Document'), () => '/documents'], Passkey: [N('Passkey')], FhirServer: [N('FHIR server'), () => '/clients'],
};

const people = ['Account', 'Patient', 'Practitioner'];

/** Returns whether the event is a success. */
export const isDone = (event) => event.outcome === '0';

/** Returns the event as a sentence without its subject. */
export function sentenceOf(event) {
    const [done, failed] = sentences[actionOf(event)] ?? [actionOf(event)];

    return t(isDone(event) ? done : failed ?? done);
}

const proofNames = (note) => note.split('+').map((each) => t(proofs[each] ?? each)).join(', ');

/** Returns what the event says besides its action: a cause, a sign-in method, a setting; '' if nothing. */
export function noteOf(event) {
    const action = actionOf(event), note = event.entity?.[0]?.name ?? '';

    if (action === 'setting.write')
        return settingTitle(note);
    if (note && (action === 'mail.send' || action.startsWith('template.')))
        return templateTitle(note);
    if (action === 'bot.execute')
        return note === 'success' || note === 'failure' ? '' : t(outcomes[note]?.[0] ?? note);
    if (action === 'session.create' && note.includes(' ')) {
        const [why, ...provider] = note.split(' ');

        return `${isDone(event) ? proofNames(why) : t(causes[why] ?? why)} (${provider.join(' ')})`;
    }
    if (!isDone(event) && causes[note])
        return t(causes[note]);
    if (note.split('+').every((each) => proofs[each]))
        return proofNames(note);
    return notes[note] ? t(notes[note]) : /[0-9a-f]{8}-/.test(note) ? '' : note;
}

/** Returns the object's [title, path of its screen]; null: none, or a person. */
export function objectOf(event) {
    const [type, id] = (event.entity?.[0]?.what?.display ?? '').split('/');
    const [title, path] = objects[type] ?? [type];

    return !type || people.includes(type) ? null : [t(title), path?.(id)];
}

/** The choices of a filter: [title, [[value, text], ...]]. */
export function actionGroups() {
    const all = Object.entries(sentences).map(([action, [text]]) => [action, t(text)]);
    const groups = Object.entries(titles).map(([word, title]) => [t(title), [[word, t('All: {title}', { title: t(title) })], ...all.filter(([action]) => action.startsWith(`${word}.`))]]);

    return [...groups, [t('Other'), all.filter(([action]) => !titles[action.split('.')[0]])]];
}
