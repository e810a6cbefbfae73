// openapi.ts - the types of /openapi.json, by openapi-typescript. Written by `make client-types`; do not edit.
export interface paths {
    "/auth/tenant/Patient/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register a patient
         * @description Creates a patient account in the tenant and signs it in at once. Registration must be on and the project must have a default patient access policy; both refusals are a 403. A business address may instead get an invitation as a practitioner, if the project asks for that: the answer is then `{nextStep: "clinician-invite"}` without tokens, and no account exists yet. PATIENT_WELCOME is mailed when the project maps it.
         *
         *     Every error takes at least one second. Five registrations of one client in 60 seconds are the limit.
         *
         *     No token needed.
         */
        post: operations["patient_register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/tenant/Patient/login/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a patient's password and get a challenge
         * @description The first step of the tenant sign-in (PKCE, RFC 7636, S256). Send the challenge of a verifier that stays in the client. The answer is a session code for `/auth/tenant/Patient/login/token` or, when the account has a second factor, a `loginId` for `/auth/tenant/Patient/login/mfa`. A passkey is one where `requireMfa` of the account policy covers the person. An unknown account and a wrong password are the same answer in the same time.
         *
         *     No token needed.
         */
        post: operations["patient_login_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/tenant/Patient/login/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a challenge for a patient session
         * @description The last step: the session code and the verifier whose challenge started the sign-in. A code is good once and for five minutes.
         *
         *     No token needed.
         */
        post: operations["patient_login_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/tenant/Practitioner/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register a practitioner
         * @description Creates a practitioner account in the tenant and signs it in at once. PRACTITIONER_REGISTRATION_ENABLED must be on. Every error takes at least one second.
         *
         *     No token needed.
         */
        post: operations["practitioner_register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/tenant/Practitioner/login/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a practitioner's password and get a challenge
         * @description As for patients. The tenant code may be left out: the answer lists the tenants to choose from, and the token step names one. Whether practitioners may sign in is checked at the token step.
         *
         *     No token needed.
         */
        post: operations["practitioner_login_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/tenant/Patient/login/mfa": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer a patient's second factor
         * @description The second step for an account with a second factor: a code of the authenticator, a recovery code, or a passkey (see `login/mfa/start`). The answer is a session code. A sign-in waits five minutes and takes five codes.
         *
         *     No token needed.
         */
        post: operations["patient_login_mfa"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/tenant/Practitioner/login/mfa": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer a practitioner's second factor
         * @description The second step for an account with a second factor: a code of the authenticator, a recovery code, or a passkey.
         *
         *     No token needed.
         */
        post: operations["practitioner_login_mfa"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/tenant/Patient/login/mfa/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a challenge for a patient's passkey as second factor
         * @description For `login/mfa` by a passkey: options for `navigator.credentials.get()` that list those of the account. An account without one is a 400: show a code.
         *
         *     No token needed.
         */
        post: operations["patient_login_mfa_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/tenant/Practitioner/login/mfa/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a challenge for a practitioner's passkey as second factor
         * @description For `login/mfa` by a passkey, as for patients.
         *
         *     No token needed.
         */
        post: operations["practitioner_login_mfa_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/tenant/Practitioner/login/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a challenge for a practitioner session
         * @description The last step. `tenantCode` is needed when the practitioner belongs to several tenants and named none at the start.
         *
         *     No token needed.
         */
        post: operations["practitioner_login_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/tenant/Patient/passkey/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a challenge to sign a patient in by a passkey
         * @description Options for `navigator.credentials.get()`, also for `mediation: "conditional"`. The answer is the same for every address, known or not. A passkey counts as two factors.
         *
         *     No token needed.
         */
        post: operations["patient_passkey_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/tenant/Patient/passkey/finish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show a patient's passkey and get a challenge
         * @description What the browser has given, once, within five minutes. The answer is a session code for `/auth/tenant/Patient/login/token`.
         *
         *     No token needed.
         */
        post: operations["patient_passkey_finish"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/tenant/Practitioner/passkey/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a challenge to sign a practitioner in by a passkey
         * @description As for patients. With a tenant code: a passkey of that tenant's application, otherwise one of the installation's own pages.
         *
         *     No token needed.
         */
        post: operations["practitioner_passkey_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/tenant/Practitioner/passkey/finish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show a practitioner's passkey and get a challenge
         * @description The answer is a session code for `/auth/tenant/Practitioner/login/token` and lists the tenants to choose from. A passkey opens the project in whose session it was made and those below it; one made on the installation's account page opens all.
         *
         *     No token needed.
         */
        post: operations["practitioner_passkey_finish"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/tenant/Patient/code/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mail a patient a code to sign in by
         * @description Begins a sign-in without a password, where the account policy has `mailCode`: mails six digits to the account of this address (template SIGN_IN_CODE, or the installation's own). The answer is the same, after the same time, for every address. An account is mailed five codes an hour; after ten wrong ones it is mailed none, and none is taken, for a day.
         *
         *     No token needed.
         */
        post: operations["patient_code_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/tenant/Patient/login/code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enter a patient's mailed code and get a challenge
         * @description The code from the mail: good for ten minutes, five tries and one use. The answer is a session code for `/auth/tenant/Patient/login/token` or, when the account has a second factor, a `loginId` for `/auth/tenant/Patient/login/mfa`. A right code proves the address: of an account whose address was not proven before, password, passkeys, second factor and sessions end.
         *
         *     No token needed.
         */
        post: operations["patient_login_code"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/tenant/Practitioner/code/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mail a practitioner a code to sign in by
         * @description As for patients. The code signs in to the tenant that is named, and to no other.
         *
         *     No token needed.
         */
        post: operations["practitioner_code_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/tenant/Practitioner/login/code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enter a practitioner's mailed code and get a challenge
         * @description As for patients, with the tenant as in the answer of `login/start`. Whether practitioners may sign in is checked at the token step.
         *
         *     No token needed.
         */
        post: operations["practitioner_login_code"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in through a client application
         * @description Signs in with one request, to the project of a client application. An account with a second factor is answered 401 with the code MFA_REQUIRED; when the request carried a `codeChallenge`, also with the `loginId` to go on with at the tenant sign-in's `login/mfa`.
         *
         *     No token needed.
         */
        post: operations["client_login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register through a client application
         * @description Creates an account in the project of a client application, in one step. `type` chooses the role.
         *
         *     No token needed.
         */
        post: operations["client_register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/b2b/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a business account
         * @description Signs a practitioner in to a project, or to the only child project that they belong to. A second factor is asked for as at `/v2/auth/login`.
         *
         *     No token needed.
         */
        post: operations["b2b_login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/b2b/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register a business and its first administrator
         * @description Creates a practitioner account in a project that is named together with one of its client applications.
         *
         *     No token needed.
         */
        post: operations["b2b_register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/refresh-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Renew an access token
         * @description Exchanges a refresh token for a new pair. Each refresh token is replaced by its use. When the answer was lost, the same request may be repeated for two minutes: until the new token is used, it gets the same pair. An older token ends the session, because two parties hold it. Member names are those of OAuth 2.0.
         *
         *     No token needed.
         */
        post: operations["refresh_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/change-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change your password
         * @description Changes the password of your account. Your other sessions end.
         *
         *     For any signed-in user.
         */
        post: operations["change_password"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/reset-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a password reset mail
         * @description Mails a link to set a new password, good for an hour, when there is such an account. The answer is the same in the same time when there is none.
         *
         *     No token needed.
         */
        post: operations["reset_password"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/set-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a password with the secret of a mailed link
         * @description Spends a mailed link: sets a new password, or the first one when an invitation is accepted. Opening the link spends nothing, this request does.
         *
         *     No token needed.
         */
        post: operations["set_password"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/invitation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read what an invitation is and how to accept it
         * @description What an invitation is for, and how to accept it. `accept` is `set-password` when there is no account with the invited address, or one that belongs to the inviting project alone and is verified for no one else; otherwise `sign-in`. Spends nothing. An expired, withdrawn or replaced link is a 400.
         *
         *     No token needed.
         */
        post: operations["invitation_show"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/invitation/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation with the account you are signed in with
         * @description Accepts an invitation with the account that the token is of, which stays as it is. Only the account with the invited address can: for another one the link is a 400. Where `accept` is `set-password` the answer is 409 ACCEPT_BY_PASSWORD: send the link with a new password to `/auth/set-password`. An address that is not verified for all is 403 EMAIL_NOT_VERIFIED; `details.url` is the page on which a new password verifies it.
         *
         *     For any signed-in user.
         */
        post: operations["invitation_accept"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/verify-email/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mail a link that proves an e-mail address
         * @description Mails a link that proves the e-mail address: with a token to its owner, without one to each account of the tenant that has the address. The answer is the same, in the same time, whether or not there is such an account. The link leads to `<the role's application>/verify-email?id=&secret=` and lives for 24 hours; a newer one replaces it. EMAIL_VERIFICATION is mailed when the project maps it, or asks for proven addresses.
         *
         *     No token needed; one that is presented must be live and says who calls.
         */
        post: operations["email_verify_send"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/verify-email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Prove an e-mail address by a mailed link
         * @description Spends such a link. It needs a token of the account, or its password in the body: without either the answer is 401 with the code SIGN_IN_REQUIRED and the link stays good, because opening a mail must not confirm an account that another person has registered. A wrong password counts in the limits of sign-in.
         *
         *     No token needed; one that is presented must be live and says who calls.
         */
        post: operations["email_verify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/change-email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for another e-mail address
         * @description Mails a link to the new address (EMAIL_CHANGE, good for 24 hours), which `/auth/verify-email` spends: only then the account has it. The answer is the same, in the same time, when another account has the address. Accounts are never merged. With the change all other sessions and links end, and the old address gets a link to take it back.
         *
         *     For any signed-in user.
         */
        post: operations["email_change"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/undo-email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take a change of the e-mail address back
         * @description Spends the link in EMAIL_CHANGED, good for 7 days in which the old address stays reserved: the account has it again. All sessions end, and so do a second factor and a scheduled deletion that came after the change. The password is good no more: go on with `/auth/reset-password`.
         *
         *     No token needed.
         */
        post: operations["email_undo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/mfa/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the state of your second factor
         * @description Whether a second factor is on. While it is off, the answer has a secret to enrol with, as a URL and as a QR code; not in a session of a project that does not own the account.
         *
         *     For any signed-in user.
         */
        get: operations["mfa_status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/mfa/enroll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Turn on a second factor
         * @description Turns the second factor on by the first code of the authenticator. The answer has ten recovery codes, which are shown this once. Your other sessions end.
         *
         *     For any signed-in user.
         */
        post: operations["mfa_enroll"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/mfa/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Turn off the second factor
         * @description Turns the second factor off, by one of its codes or a recovery code.
         *
         *     For any signed-in user.
         */
        post: operations["mfa_disable"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/step-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Prove again who you are
         * @description Proves again that the session belongs to its owner, who may then do for 15 minutes what a token alone may not: the operations whose 401 has the code STEP_UP_REQUIRED. With a second factor on, the password alone is a 400: send a code. A refresh is no proof.
         *
         *     For any signed-in user.
         */
        post: operations["step_up"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/step-up/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a challenge to prove again who you are by a passkey
         * @description For `/auth/step-up` by a passkey: options for `navigator.credentials.get()`, which lists the caller's passkeys of this application. An account without one is a 400.
         *
         *     For any signed-in user.
         */
        post: operations["step_up_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/passkey/enroll/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a challenge to add a passkey
         * @description Options for `navigator.credentials.create()`. The passkey belongs to the host name of the project's application for the role, or where it has none to the installation's own pages. An account has at most 20: beyond, and for a credential that is known already, 409. Of several starts of a session the latest counts.
         *
         *     For any signed-in user.
         */
        post: operations["passkey_enroll_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/passkey/enroll/finish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a passkey
         * @description Adds the passkey. Your other sessions end, and you get a mail, as with every change of a credential. Attestation is not asked for; ES256, EdDSA and RS256 are accepted, user verification is required.
         *
         *     For any signed-in user.
         */
        post: operations["passkey_enroll_finish"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your passkeys
         * @description Those of your account that open this project, also with other host names. In a session of a project that owns the account: all.
         *
         *     For any signed-in user.
         */
        get: operations["passkeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/passkey/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a passkey
         * @description Removes it. Your other sessions end, and you get a mail.
         *
         *     For any signed-in user.
         */
        delete: operations["passkey_delete"];
        options?: never;
        head?: never;
        /**
         * Rename a passkey
         * @description The name is for you alone.
         *
         *     For any signed-in user.
         */
        patch: operations["passkey_rename"];
        trace?: never;
    };
    "/.well-known/webauthn": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the origins that share the installation's passkeys
         * @description The list that browsers read before they let a page of another domain use the installation's passkeys (Web Authentication Level 3, related origins).
         *
         *     No token needed.
         */
        get: operations["passkey_origins"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Schedule the deletion of your account
         * @description Deletes your account after `days`. A sign-in before that date calls it off. The last administrator of a project cannot leave (409). In a session of a project that does not own the account, your memberships in this project and below end instead, with their data when `wipe` is set; the account stays.
         *
         *     For any signed-in user.
         */
        delete: operations["deletion_schedule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read your account, project and rights
         * @description Who holds the token: project, membership, profile, access policy, second factor and sessions, the newest 20 at most, the current one always among them.
         *
         *     For any signed-in user.
         */
        get: operations["me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the session of this token
         * @description Ends the session of the presented token: its access tokens and its refresh token are refused from now on. Repeating it with the same token is 204 again.
         *
         *     For any signed-in user; repeating it with the same token is fine.
         */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the session of this token
         * @deprecated
         * @description Ends the session of the presented token: its access tokens and its refresh token are refused from now on. Repeating it with the same token is 204 again.
         *
         *     For any signed-in user; repeating it with the same token is fine.
         */
        post: operations["logout_v1_auth_logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your sessions
         * @description The live sessions of your account in this project, the newest first, the current one marked.
         *
         *     For any signed-in user.
         */
        get: operations["sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/session/{option}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End one or several of your sessions
         * @description Ends the current session, all others, all, or the one whose id is given, and answers those that are left, the newest 200 at most.
         *
         *     For any signed-in user.
         */
        delete: operations["sessions_revoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/consent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what you let applications do
         * @description What the account lets clients of other makers do (see docs/openid.md), by their names; 200 at most. Clients of the tenant itself are not asked for and do not appear.
         *
         *     For any signed-in user.
         */
        get: operations["consents"];
        put?: never;
        post?: never;
        /**
         * Withdraw what you let an application do
         * @description The client is asked for again when it next wants access. Its grants end: when this answers, no token of them is accepted.
         *
         *     For any signed-in user.
         */
        delete: operations["consent_withdraw"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/me/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the members of the project
         * @description Members and pending invitations, in the order in which they came.
         *
         *     For practitioners who administer the project.
         */
        get: operations["members"];
        put?: never;
        /**
         * Add a member or invite one
         * @description Invites an address to your project. The invitation is mailed by INVITE_TO_PROJECT or PATIENT_INVITE, which the project must map (400). The answer does not tell whether the address has an account. Only a practitioner who has proven the address and is a member of another project in the same organisation is added at once.
         *
         *     For practitioners who administer the project.
         */
        post: operations["member_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/me/members/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member
         * @description Removes a member, whose sessions in this project end, or withdraws an invitation. A patient's account is deleted, with the exports of its data. Yourself and the last administrator: 409.
         *
         *     For practitioners who administer the project.
         */
        delete: operations["member_delete"];
        options?: never;
        head?: never;
        /**
         * Change a member's rights
         * @description Makes a member an administrator, or an ordinary member again, from the next request on. Look at `emailVerified` first: anyone can have registered with an address that is not proven.
         *
         *     For practitioners who administer the project.
         */
        patch: operations["member_patch"];
        trace?: never;
    };
    "/v1/projects/me/members/{id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an invitation again
         * @description Mails a new invitation; the link of the one before is dead.
         *
         *     For practitioners who administer the project.
         */
        post: operations["member_resend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/me/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import accounts
         * @description Makes patients of your project out of accounts of another system, whose passwords go on to work. Their addresses are not proven, and second factors are refused. An account that has the address stays as it is. Practitioners are invited, at most 20 by one request, and set a password of their own. The answer says of each line that made no account why.
         *
         *     For practitioners who administer the project.
         */
        post: operations["account_import"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the accounts of the project
         * @description The people of your project, without those who are only invited. `search` finds the beginning of an address, or of the names from any word on, the given names behind the family name too; accents do not matter. Go on with `_cursor` while there is `next`: a page that is short, or empty, is not the last one. A `_cursor` of another list, or one that is over a day old, is a 422.
         *
         *     For practitioners who administer the project.
         */
        get: operations["project_accounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/accounts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an account of the project
         * @description One person of your project. Sign-ins and factors are this project's alone. That you have read it is in the audit trail.
         *
         *     For practitioners who administer the project.
         */
        get: operations["project_account_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/accounts/{id}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sessions of an account
         * @description The live sessions that a person has in your project. That you have read them is in the audit trail.
         *
         *     For practitioners who administer the project.
         */
        get: operations["project_account_sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/accounts/{id}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find out why an account cannot sign in
         * @description Goes through the checks of a sign-in to your project in their order, and says which one fails first. That you have asked is in the audit trail.
         *
         *     For practitioners who administer the project.
         */
        get: operations["project_account_explain"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/accounts/{id}/lock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Lock an account out of the project
         * @description The account cannot sign in to your project, and its sessions there end. What it is in other projects stays. Yourself and the last administrator: 409.
         *
         *     For practitioners who administer the project.
         */
        post: operations["project_account_lock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/accounts/{id}/unlock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unlock an account
         * @description It can sign in to your project again. What an operator has locked stays locked (409).
         *
         *     For practitioners who administer the project.
         */
        post: operations["project_account_unlock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/accounts/{id}/end-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the sessions of an account
         * @description Those in your project.
         *
         *     For practitioners who administer the project.
         */
        post: operations["project_account_end_sessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/accounts/{id}/reset-mfa": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take the second factors of an account away
         * @description For a person who has lost the device: authenticator, recovery codes and passkeys go, all sessions end, and the owner gets a mail. Of an account that is a member of other projects, too, 403 with the code ACCOUNT_SHARED.
         *
         *     For practitioners who administer the project.
         */
        post: operations["project_account_reset_mfa"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/accounts/{id}/send-reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mail an account a link to set its password
         * @description Mails PASSWORD_RESET, which the project must map (400). Not to an account that is locked (409), nor to one that is a member of other projects, too (403, ACCOUNT_SHARED).
         *
         *     For practitioners who administer the project.
         */
        post: operations["project_account_send_reset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/accounts/{id}/schedule-deletion": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Schedule the deletion of an account
         * @description As the owner would; a sign-in before that date calls it off. Yourself and the last administrator of a project: 409. Of an account that is a member of other projects, too, 403 with the code ACCOUNT_SHARED.
         *
         *     For practitioners who administer the project.
         */
        post: operations["project_account_schedule_deletion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/accounts/{id}/cancel-deletion": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take the scheduled deletion of an account back
         * @description 409 when no deletion is scheduled. An account whose date has come is gone: 404.
         *
         *     For practitioners who administer the project.
         */
        post: operations["project_account_cancel_deletion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the API keys of the project
         * @description The keys of your project, the oldest first; not the keys themselves.
         *
         *     For practitioners who administer the project.
         */
        get: operations["api_keys"];
        put?: never;
        /**
         * Make an API key
         * @description Makes a key for a machine. It is the project's: it works until it expires or is revoked, also when you have left. It opens documents, content, languages, bots and translation as far as its access policy lets it, and nothing else (403). The key is in this answer alone: send it as `Authorization: Bearer atk_...`. At most 50 for a project (409).
         *
         *     For practitioners who administer the project.
         */
        post: operations["api_key_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description Every gateway refuses the key before this answers, forms for uploads too.
         *
         *     For practitioners who administer the project.
         */
        delete: operations["api_key_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/resources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the FHIR servers of the project
         * @description The servers that take tokens of your issuer, the oldest first.
         *
         *     For practitioners who administer the project.
         */
        get: operations["fhir_servers"];
        put?: never;
        /**
         * Register a FHIR server
         * @description Applications then get tokens for it by SMART App Launch 2.2: those whose `audiences` name `base`, with scopes that both it and the application list for the role of the person. At most 20 for a project, each `base` once (409).
         *
         *     For practitioners who administer the project.
         */
        post: operations["fhir_server_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/resources/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace what is registered of a FHIR server
         * @description Counts from the next request for a code on. Grants and tokens for the server end that hold scopes which it loses, and all when its base changes.
         *
         *     For practitioners who administer the project.
         */
        put: operations["fhir_server_replace"];
        post?: never;
        /**
         * Remove a FHIR server
         * @description Its configuration is no longer there, no code is given for it, and grants and tokens for it end.
         *
         *     For practitioners who administer the project.
         */
        delete: operations["fhir_server_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/launch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Launch an application for a patient
         * @description For a health record that opens an application in the name of its practitioner (SMART App Launch 2.2, EHR launch). The launch is good once, for five minutes, for you and that application. 404: the project has no such patient, or 100 of your launches wait.
         *
         *     For practitioners.
         */
        post: operations["launch_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what happened in the project
         * @description FHIR R4 AuditEvents of what happened in your project, over the trails of all daemons, the newest first; an event is there a second after it happened. A page may hold fewer than asked for, or none, although there are further pages.
         *
         *     For practitioners who administer the project.
         */
        get: operations["project_audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/audit/checkpoint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the signed head of the project's audit trail
         * @description The head of the project's Merkle tree (RFC 6962) as a signed note (C2SP tlog-checkpoint). Keep it: with `from`, the size of an older one, a later answer proves that nothing of the older tree has changed. An empty tree has size 0.
         *
         *     For practitioners who administer the project.
         */
        get: operations["project_audit_checkpoint"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/audit/{id}/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prove that an audit event is in the trail
         * @description The event as it is in the tree (`record`, null when it was dropped since), and the hashes that lead from it to the root of the checkpoint. The leaf is SHA-256(0x00, record).
         *
         *     For practitioners who administer the project.
         */
        get: operations["project_audit_proof"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/sign-ins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the sign-ins of the last day by hour
         * @description How many people signed in to your project in each of the last 24 full hours and in the current one, and how often that was refused, as the audit trail has it: events `session.create`. A sign-in is counted a second after it happened; one that named no project is in none. The session that an application gets by OpenID Connect is not counted beside the sign-in on the pages.
         *
         *     For practitioners who administer the project.
         */
        get: operations["project_sign_ins"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what you did and what was done to your account
         * @description Events of this project that you caused, or that are about your account, the newest first, each with its proof. Of what others did the event has neither their address nor their reason, and no `record`.
         *
         *     For any signed-in user.
         */
        get: operations["activity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/organizations/code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the organization's code
         * @description The code by which people name your project when they sign in. A project may have none (400).
         *
         *     For practitioners.
         */
        get: operations["organization_code"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/organizations/code/email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mail the organization's code to an address
         * @description Mails the tenant code to an address by the template ORGANIZATION_CODE; nothing is mailed when the project does not map it.
         *
         *     For practitioners.
         */
        post: operations["organization_code_email"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/locales": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the languages of the project
         * @description The languages of your project and the one that is used when none is known. Their ETag is of them alone: another setting that is written leaves it as it is.
         *
         *     For any signed-in user, and for API keys.
         */
        get: operations["locales_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the languages of the project
         * @description Changes what is sent. The default language must be among the languages.
         *
         *     For practitioners who administer the project.
         */
        patch: operations["locales_patch"];
        trace?: never;
    };
    "/v1/project/readiness": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what the flows of the project lack
         * @description What each flow of your project needs to work, and what of that it lacks. `blocks` says that the flow fails without it; what does not block costs a mail, a language or the way by tenant code. Switches have their effective values here, also those that were never written. An address that is not set is no lack where mails lead to hosted pages instead. To a practitioner who is a member of projects elsewhere too, the installation's own mails go, whatever the project maps.
         *
         *     For practitioners who administer the project.
         */
        get: operations["project_readiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the settings of the project
         * @description Every setting of your project: switches are false and texts null until they are written. The ETag names this state; send it as If-Match with a write that relies on it.
         *
         *     For practitioners.
         */
        get: operations["settings_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/settings/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the changes of the settings
         * @description Who changed what and when, the latest first.
         *
         *     For practitioners who administer the project.
         */
        get: operations["settings_history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/settings/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Turn a setting on or off
         * @description Writes one switch, effective from the next request on. A write that races another change of the project is a 409: read the settings again and decide again.
         *
         *     For practitioners who administer the project.
         */
        put: operations["setting_switch"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/settings/values/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set the value of a setting
         * @description Writes one text setting; an empty text clears it. A policy must be one of this project, an address an absolute http or https URL.
         *
         *     For practitioners who administer the project.
         */
        put: operations["setting_value"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/slim/project/child": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a child project
         * @description Creates a project below yours, of which you become an administrator. Registration is off in it.
         *
         *     For practitioners who administer the project.
         */
        post: operations["project_child"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/default-patient-access-policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Choose the access policy of new patients
         * @description Chooses the access policy that patients get when they register. Without one, patients cannot register.
         *
         *     For practitioners who administer the project.
         */
        put: operations["default_policy"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/account-policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what the project asks of its accounts
         * @description What your project asks of the accounts that belong to it: passwords, verified addresses, second factors and how much they may keep. Everything is off until it is written.
         *
         *     For practitioners.
         */
        get: operations["account_policy_get"];
        /**
         * Change what the project asks of its accounts
         * @description Changes the members that are sent, from the next request on. If-Match and 409 are as for the settings.
         *
         *     For practitioners who administer the project.
         */
        put: operations["account_policy_put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/branding": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how the project's pages look
         * @description How the hosted pages of your project look: a name, a colour for each colour scheme, a logo, addresses and texts. What is null is as the installation's. The pages always name the host and the tenant's code besides.
         *
         *     For practitioners who administer the project.
         */
        get: operations["branding_get"];
        /**
         * Replace how the project's pages look
         * @description Replaces all of it but the logo, from the next page on. A colour needs a contrast of 4.5:1 on the pages' grounds; addresses are https; texts are plain, one row for each language that the project has. If-Match and 409 are as for the settings.
         *
         *     For practitioners who administer the project.
         */
        put: operations["branding_put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/branding/logo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Upload the project's logo
         * @description Takes a picture of at most 512 KiB, decodes it where no other project's pictures are, and keeps a PNG of at most 320 x 96 pixels without metadata. What is no picture is a 422, whatever it calls itself.
         *
         *     For practitioners who administer the project.
         */
        put: operations["brand_logo_put"];
        post?: never;
        /**
         * Remove the project's logo
         * @description Removes the logo; without one nothing changes.
         *
         *     For practitioners who administer the project.
         */
        delete: operations["brand_logo_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/access-policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the access policies
         * @description The policies of your project, by name.
         *
         *     For practitioners who administer the project.
         */
        get: operations["access_policies"];
        put?: never;
        /**
         * Create an access policy
         * @description Creates a policy. A policy is a list of rules; what one of them allows is allowed. Administrators are not bound by policies in their project. A project has at most 1,000 policies, of 3 MiB together: else 409.
         *
         *     For practitioners who administer the project.
         */
        post: operations["access_policy_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/access-policies/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an access policy
         * @description One policy of your project.
         *
         *     For practitioners who administer the project.
         */
        get: operations["access_policy_get"];
        /**
         * Replace an access policy
         * @description Replaces a policy. It decides from the next request of its members on. One that makes the project's policies larger than 3 MiB together is a 409.
         *
         *     For practitioners who administer the project.
         */
        put: operations["access_policy_replace"];
        post?: never;
        /**
         * Delete an access policy
         * @description Deletes a policy that no member and no setting uses (else 409).
         *
         *     For practitioners who administer the project.
         */
        delete: operations["access_policy_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the client applications
         * @description The applications that may sign people in to your project in one step.
         *
         *     For practitioners who administer the project.
         */
        get: operations["clients"];
        put?: never;
        /**
         * Register a client application
         * @description Registers an application. Its id is what `/v2/auth/login` and the like want as `clientId`, and the `client_id` of OAuth; it is no secret. With a name alone it is public and has no grants. One with private_key_jwt or firstParty needs a fresh proof of who you are. A project has at most 1,000 applications: else 409.
         *
         *     For practitioners who administer the project.
         */
        post: operations["client_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/clients/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a client application
         * @description One application of your project; no secret is in it.
         *
         *     For practitioners who administer the project.
         */
        get: operations["client_get"];
        /**
         * Replace a client application
         * @description Replaces what an application is; what is left out has its default. It counts from the next request on. Grants and tokens of it end that hold a grant type, scope, resource or firstParty which it loses; other keys or redirect URIs end none. One with private_key_jwt, and one with firstParty whose registration changes by more than its name, needs a fresh proof of who you are.
         *
         *     For practitioners who administer the project.
         */
        put: operations["client_replace"];
        post?: never;
        /**
         * Delete a client application
         * @description Deletes an application: its id is unknown from now on, its grants, tokens and consents end.
         *
         *     For practitioners who administer the project.
         */
        delete: operations["client_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/clients/{id}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange the secret of a client application
         * @description Gives an application another `client_secret`, which is shown once and kept as a hash. The one that it had counts for `previousHours` more. Needs a fresh proof of who you are; 409 when the application does not authenticate with a secret.
         *
         *     For practitioners who administer the project.
         */
        post: operations["client_secret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/email-templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the mapped mail templates
         * @description The templates that your project maps, by name and language.
         *
         *     For practitioners who administer the project.
         */
        get: operations["email_templates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/email-templates/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a mail template
         * @description One template as it is mapped: that of the language that is named, or the one without a language. No other language takes its place.
         *
         *     For practitioners who administer the project.
         */
        get: operations["email_template_get"];
        /**
         * Map a mail template
         * @description Maps a template of that name, for one language or for all that have none of their own. `{{variable}}` stands for a value and is escaped in HTML; a variable that the template does not have is a 422. A mail whose template is not mapped is not sent. With `If-None-Match: *` it is mapped only where there is none: else 409, and the template stays as it is. A project has at most 1,000 templates, of 3 MiB together: else 409.
         *
         *     For practitioners who administer the project.
         */
        put: operations["email_template_put"];
        post?: never;
        /**
         * Unmap a mail template
         * @description Unmaps a template: all its languages, or the one that is named.
         *
         *     For practitioners who administer the project.
         */
        delete: operations["email_template_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/email-templates/{name}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a mail template
         * @description The template as it would be mailed, with sample values.
         *
         *     For practitioners who administer the project.
         */
        post: operations["email_template_preview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/mail-failures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the mails that failed
         * @description The mails of your project that were given up within the last 30 days, and those that have failed and are tried again, the newest first. Mails by the installation's own templates are not among them. To whom a mail goes and what is in it is not shown.
         *
         *     For practitioners who administer the project.
         */
        get: operations["mail_failures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the webhooks
         * @description The webhooks of your project. Secrets are not shown.
         *
         *     For practitioners who administer the project.
         */
        get: operations["webhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Adds a webhook; a project has 20 at most (409 beyond). The answer has the secret that its receiver verifies signatures with (Standard Webhooks); it is not shown again. Events that happen from then on are posted, at least once and in order for each account, and tried for three days. Needs a fresh proof of who you are. With the `format` `caep` the ends of sessions are posted as Security Event Tokens of the issuer (CAEP 1.0, RFC 8935), without a secret. See docs/webhooks.md.
         *
         *     For practitioners who administer the project.
         */
        post: operations["webhook_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook
         * @description One webhook of your project. Its secret is not shown.
         *
         *     For practitioners who administer the project.
         */
        get: operations["webhook_get"];
        /**
         * Replace a webhook
         * @description Replaces a webhook; its secret and its format stay. `enabled` true switches on one that its receiver switched off by answering 410. Needs a fresh proof of who you are.
         *
         *     For practitioners who administer the project.
         */
        put: operations["webhook_replace"];
        post?: never;
        /**
         * Delete a webhook
         * @description Deletes a webhook, and what waits for its receiver. Needs a fresh proof of who you are.
         *
         *     For practitioners who administer the project.
         */
        delete: operations["webhook_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/webhooks/{id}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange the secret of a webhook
         * @description Gives a webhook another secret, which only this answer shows. For `previousHours` every request has the signatures of both, so that the receiver may change over at any time of it. Needs a fresh proof of who you are.
         *
         *     For practitioners who administer the project.
         */
        post: operations["webhook_exchange"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a webhook
         * @description What was posted to a webhook in the last seven days, and what waits, with the status and the time of the last attempt. What the receiver answered beyond its status is not kept.
         *
         *     For practitioners who administer the project.
         */
        get: operations["webhook_deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/webhooks/{id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver events of a webhook again
         * @description Posts a delivery again that has ended, or all that were given up, 10,000 at most. Each is tried for three days from now on. The receiver knows an event again by its `webhook-id`. Needs a fresh proof of who you are.
         *
         *     For practitioners who administer the project.
         */
        post: operations["webhook_redeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/document": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search documents
         * @description Documents that you may see, those without bytes (`size` null) among them.
         *
         *     For any signed-in user, and for API keys.
         */
        get: operations["document_search"];
        put?: never;
        /**
         * Create a document and get an upload form
         * @description Creates a document without bytes, and answers a form for them: post every entry of `uploadOptions.fields` and, last, a field `file` to `uploadOptions.url` as multipart/form-data. The form is good for an hour. A document without bytes is removed after a day.
         *
         *     For any signed-in user, and for API keys.
         */
        post: operations["document_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/document/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a document's bytes
         * @description The file, or an image in another size when `width` or `height` is given: that one is in sRGB and has no metadata such as EXIF. Answers have an ETag, which changes with the bytes, the name and the type; send it as If-None-Match (or ETag) to get a 304 while nothing changed. Ranges are served.
         *
         *     For any signed-in user, and for API keys.
         */
        get: operations["document_content"];
        put?: never;
        /**
         * Get an upload form for a document's new bytes
         * @description Answers a form for new bytes. The old ones are served until the upload is complete; the id stays. Of a document the latest 20 forms count.
         *
         *     For any signed-in user, and for API keys.
         */
        post: operations["document_replace"];
        /**
         * Delete a document
         * @description Deletes a document, its bytes and its sizes for good.
         *
         *     For any signed-in user, and for API keys.
         */
        delete: operations["document_delete"];
        options?: never;
        head?: never;
        /**
         * Change the metadata of a document
         * @description Renames a document, or gives it a public token or ends that.
         *
         *     For any signed-in user, and for API keys.
         */
        patch: operations["document_update"];
        trace?: never;
    };
    "/document/public/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a public document's bytes
         * @description The file of a public document, for any client that has the token, with the query and the headers of `GET /document/{id}`.
         *
         *     No token needed.
         */
        get: operations["document_public"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/storage/{bucket}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload the bytes of a document
         * @description Takes an upload: the fields of `uploadOptions.fields` as they are, then the field `file`. Fields behind the file are ignored. An altered or expired form is a 403, a file beyond the limit of the form a 400 with the code EntityTooLarge. With a store of S3 the form goes to its bucket instead.
         *
         *     No token needed.
         */
        post: operations["storage_post"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cms/{type}/map/{language}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read all content of a type
         * @description The content of a type, each entry in the project's default language and in the one asked for. `search` finds misspelt words too; the best come first.
         *
         *     For any signed-in user, and for API keys.
         */
        get: operations["cms_map"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cms/{type}/{key}/{language}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one content entry
         * @description One entry in one language.
         *
         *     For any signed-in user, and for API keys.
         */
        get: operations["cms_get"];
        /**
         * Write one content entry
         * @description Writes one entry in one language, or replaces it. With `If-None-Match: *` it is written only where there is none: else 409, and the entry stays as it is. A project has at most 500,000 entries, each in one language, of 4 GiB together: else 409.
         *
         *     For practitioners who administer the project.
         */
        put: operations["cms_put"];
        post?: never;
        /**
         * Delete one content entry
         * @description Deletes one entry in one language.
         *
         *     For practitioners who administer the project.
         */
        delete: operations["cms_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the exports that you asked for
         * @description The exports that you asked for, the newest first: `pending` until the file is there, `ready` until `expiresAt`, or `failed`.
         *
         *     For any signed-in user.
         */
        get: operations["export_list"];
        put?: never;
        /**
         * Ask for an export of your data
         * @description Has a ZIP made of what is kept of you in this project: a FHIR R4 Bundle of your account, memberships, sessions, consents and own audit events, and your documents as files. No password, secret or key is in it. Answers the export that is under way, if one is; at most three a day. Needs a fresh proof. You are mailed when it is there; the file is kept for 7 days.
         *
         *     For any signed-in user.
         */
        post: operations["export_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/export/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch an export
         * @description The ZIP of an export that you asked for. Ranges are served. Needs a fresh proof; each time leaves a row in the audit trail.
         *
         *     For any signed-in user.
         */
        get: operations["export_content"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/accounts/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for an export of a patient's data
         * @description Has the same ZIP made of the data of a patient of the project, with a reason that the audit trail keeps. The patient is mailed, and you fetch it by `GET /auth/export/{id}`. Needs a fresh proof.
         *
         *     For practitioners who administer the project.
         */
        post: operations["project_account_export"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/bots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the bots of the project
         * @description The bots of your project, by name.
         *
         *     For practitioners who administer the project.
         */
        get: operations["bots"];
        put?: never;
        /**
         * Create a bot
         * @description Creates a bot: an HTTPS address of yours that is called, or a program of the operator's that is run in a sandbox. The answer alone shows the secret that calls to an http bot are signed with. A project has at most 1,000 bots, of 3 MiB together, and each identifier once: else 409.
         *
         *     For practitioners who administer the project.
         */
        post: operations["bot_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/bots/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a bot
         * @description One bot of your project, its secrets by name only.
         *
         *     For practitioners who administer the project.
         */
        get: operations["bot_get"];
        /**
         * Replace a bot
         * @description Replaces a bot. Secrets that are not sent stay as they are, unless the bot is pointed elsewhere. One that makes the project's bots larger than 3 MiB together, or has an identifier of another bot, is a 409.
         *
         *     For practitioners who administer the project.
         */
        put: operations["bot_replace"];
        post?: never;
        /**
         * Delete a bot
         * @description Deletes a bot and its executions.
         *
         *     For practitioners who administer the project.
         */
        delete: operations["bot_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/bots/{id}/executions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the last executions of a bot
         * @description The last executions of a bot, the latest first.
         *
         *     For practitioners who administer the project.
         */
        get: operations["bot_executions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/project/bot-failures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the bots that failed within a day
         * @description The bots of your project of which an execution within the last 24 hours failed, took too long or was refused because the bot was busy, 100 at most, the latest failure first. Counted are the executions that are remembered, the last 1,000 of a bot.
         *
         *     For practitioners who administer the project.
         */
        get: operations["bot_failures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Execute a bot
         * @description Executes the bot with that identifier, in the token search of FHIR: `system|value`, `|value`, `system|` or `value`. The body is any JSON object; the answer is the bot's own. Numbers reach the bot, and come back, as they are written; a bot that answers nothing is answered `{}`. None has the identifier: 404; several: 400; the bot fails: 400 with its message.
         *
         *     For any signed-in user, and for API keys.
         */
        post: operations["bot_execute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ai/translation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Translate texts
         * @description Translates plain text, HTML or Markdown. Tags, code, addresses, elements with `translate="no"` and placeholders (`{{name}}`, `{% if %}`, `${name}`, `%{name}`, `{name}`, `{n, plural, ...}`, `%s`) stay as they are; a text whose translation lost or damaged one of them comes back as it was, with the status `failed`. An empty text is `unchanged`. The answer may take up to 60 seconds.
         *
         *     For any signed-in user, and for API keys.
         */
        post: operations["translate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/partner/health-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the service runs
         * @description Answers 200 without a body while the gateway runs, whatever else is down.
         *
         *     No token needed.
         */
        get: operations["health_check"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/partner/health-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the service runs
         * @description Answers 200 without a body while the gateway runs, whatever else is down.
         *
         *     No token needed.
         */
        get: operations["health_check_v1_partner_health_check"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v2/partner/health-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the service runs
         * @description Answers 200 without a body while the gateway runs, whatever else is down.
         *
         *     No token needed.
         */
        get: operations["health_check_v2_partner_health_check"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v3/partner/health-check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the service runs
         * @description Answers 200 without a body while the gateway runs, whatever else is down.
         *
         *     No token needed.
         */
        get: operations["health_check_v3_partner_health_check"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/jwks.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the public keys of access tokens
         * @description The public keys that access tokens are signed with, as a JWK Set (RFC 7517), for services that verify tokens themselves. Keys change: fetch the set again when a token names a `kid` that is not in it.
         *
         *     No token needed.
         */
        get: operations["jwks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read this page
         * @description The whole interface in OpenAPI 3.1, of the version that answers.
         *
         *     No token needed.
         */
        get: operations["openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        error: {
            /** @description The HTTP status. */
            statusCode: number;
            /** @description For people. */
            message: string;
            /** @description The name of the status. */
            error: string;
            /**
             * @description Tells cases apart that share a status.
             * @enum {string}
             */
            code?: "EntityTooLarge" | "MFA_REQUIRED" | "SIGN_IN_REQUIRED" | "STEP_UP_REQUIRED" | "ACCOUNT_LOCKED" | "ACCOUNT_SHARED" | "PASSWORD_CHANGE_REQUIRED" | "EMAIL_NOT_VERIFIED" | "MFA_ENROLLMENT_REQUIRED" | "ACCEPT_SIGNED_IN" | "ACCEPT_BY_PASSWORD" | "QUOTA_EXCEEDED" | "INVALID_SETTING_VALUE" | "PASSWORD_REFUSED" | "PROJECT_READ_ONLY";
            /** @description More about some codes. */
            details?: {
                /**
                 * Format: uri
                 * @description With `ACCOUNT_SHARED`: the page on which the owner does this.
                 */
                url?: string;
            };
        };
        validation_error: {
            /** @description The HTTP status. */
            statusCode: number;
            /** @description Everything that is wrong. */
            message: {
                /** @description Dotted path of the member. */
                path: string;
                /** @description For people. */
                message: string;
            }[];
            /** @description The name of the status. */
            error: string;
            /**
             * @description Tells cases apart that share a status.
             * @enum {string}
             */
            code?: "EntityTooLarge" | "MFA_REQUIRED" | "SIGN_IN_REQUIRED" | "STEP_UP_REQUIRED" | "ACCOUNT_LOCKED" | "ACCOUNT_SHARED" | "PASSWORD_CHANGE_REQUIRED" | "EMAIL_NOT_VERIFIED" | "MFA_ENROLLMENT_REQUIRED" | "ACCEPT_SIGNED_IN" | "ACCEPT_BY_PASSWORD" | "QUOTA_EXCEEDED" | "INVALID_SETTING_VALUE" | "PASSWORD_REFUSED" | "PROJECT_READ_ONLY";
            /** @description More about some codes. */
            details?: {
                /**
                 * Format: uri
                 * @description With `ACCOUNT_SHARED`: the page on which the owner does this.
                 */
                url?: string;
            };
        };
        mfa_required: {
            /** @description The HTTP status. */
            statusCode: number;
            /** @description For people. */
            message: string;
            /** @description The name of the status. */
            error: string;
            /**
             * @description Tells cases apart that share a status.
             * @enum {string}
             */
            code: "MFA_REQUIRED";
            /** @description More about some codes. */
            details?: {
                /**
                 * Format: uri
                 * @description With `ACCOUNT_SHARED`: the page on which the owner does this.
                 */
                url?: string;
            };
            /**
             * Format: uuid
             * @description The sign-in that waits for the factor; there when the request had a codeChallenge.
             */
            loginId?: string;
        };
        patient_register_in: {
            /**
             * Format: email
             * @description Address to sign in with; kept in lower case. At most 254 bytes of UTF-8.
             * @example ana@example.org
             */
            email: string;
            /**
             * @description Any text that is not empty. At most 4096 bytes of UTF-8.
             * @example correct horse battery staple
             */
            password: string;
            /**
             * @description Given name.
             * @example Ana
             */
            name: string;
            /**
             * @description Family name.
             * @example Lima
             */
            surname: string;
            /**
             * @description Tenant to join. At most 64 bytes of UTF-8.
             * @example demo
             */
            tenantCode: string;
            /** @description From the link by which an invited clinician goes on as a patient. At most 4096 bytes of UTF-8. */
            continueAsPatientToken?: string | null;
        };
        token_or_step: components["schemas"]["token_response"] | components["schemas"]["register_step"];
        token_response: {
            /**
             * @description For the Authorization header: Bearer and this.
             * @example eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJQYXRpZW50In0.c2lnbmF0dXJl
             */
            accessToken: string;
            /**
             * @description Renews the session; replaced at each use.
             * @example p2XmC3u7Yw0bT9s4KfVqLh8dRzJ1oNeA
             */
            refreshToken: string;
            /**
             * Format: int64
             * @description Life of the access token in seconds.
             * @example 3600
             */
            expiresIn: number;
            /** @description The tenant. */
            project: components["schemas"]["reference"];
            /** @description The user's profile in it. */
            profile: components["schemas"]["reference"];
        };
        reference: {
            /**
             * @description Type and identifier of what is meant.
             * @example Patient/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            reference: string;
            /**
             * @description Its name for people.
             * @example Ana Lima
             */
            display: string;
        };
        register_step: {
            /**
             * @description What was mailed instead of signing in: clinician-invite, an invitation as a practitioner; verify-email, the link that proves the address.
             * @example clinician-invite
             * @enum {string}
             */
            nextStep: "clinician-invite" | "verify-email";
        };
        patient_login_start_in: {
            /**
             * Format: email
             * @description Address of the account. At most 254 bytes of UTF-8.
             * @example ana@example.org
             */
            email: string;
            /**
             * @description Its password. At most 1048576 bytes of UTF-8.
             * @example correct horse battery staple
             */
            password: string;
            /**
             * @description Tenant to sign in to. At most 64 bytes of UTF-8.
             * @example demo
             */
            tenantCode: string;
            /**
             * @description base64url of the SHA-256 of a verifier that the client keeps to itself.
             * @example E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
             */
            codeChallenge: string;
        };
        login_step: components["schemas"]["login_challenge"] | components["schemas"]["login_mfa_challenge"];
        login_challenge: {
            /**
             * @description The session code is exchanged for tokens next.
             * @example token
             * @enum {string}
             */
            nextStep: "token";
            /**
             * @description What to exchange, within five minutes.
             * @example p2XmC3u7Yw0bT9s4KfVqLh8dRzJ1oNeA
             */
            sessionCode: string;
            /** @description For practitioners: the tenants that they may choose. */
            tenants?: components["schemas"]["login_tenant"][];
        };
        login_tenant: {
            /**
             * @description Code to name at the token step; empty for a project without one.
             * @example demo
             */
            tenantCode: string;
            /** @description The tenant. */
            project: components["schemas"]["reference"];
            /** @description The practitioner's profile in it. */
            profile: components["schemas"]["reference"];
        };
        login_mfa_challenge: {
            /**
             * @description A second factor is shown next.
             * @example mfa
             * @enum {string}
             */
            nextStep: "mfa";
            /**
             * Format: uuid
             * @description The sign-in that waits for the factor.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            loginId: string;
        };
        patient_login_token_in: {
            /**
             * @description Code from the step before; good once. At most 512 bytes of UTF-8.
             * @example p2XmC3u7Yw0bT9s4KfVqLh8dRzJ1oNeA
             */
            sessionCode: string;
            /**
             * @description The verifier whose hash started the sign-in.
             * @example dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk
             */
            codeVerifier: string;
        };
        practitioner_register_in: {
            /**
             * Format: email
             * @description Address to sign in with; kept in lower case. At most 254 bytes of UTF-8.
             * @example rui@lakeside.example
             */
            email: string;
            /**
             * @description Any text that is not empty. At most 4096 bytes of UTF-8.
             * @example correct horse battery staple
             */
            password: string;
            /**
             * @description Given name.
             * @example Rui
             */
            name: string;
            /**
             * @description Family name.
             * @example Costa
             */
            surname: string;
            /**
             * @description Tenant to join. At most 64 bytes of UTF-8.
             * @example demo
             */
            tenantCode: string;
        };
        practitioner_login_start_in: {
            /**
             * Format: email
             * @description Address of the account. At most 254 bytes of UTF-8.
             * @example rui@lakeside.example
             */
            email: string;
            /**
             * @description Its password. At most 1048576 bytes of UTF-8.
             * @example correct horse battery staple
             */
            password: string;
            /**
             * @description Tenant to sign in to; absent: the answer lists those to choose from. At most 64 bytes of UTF-8.
             * @example demo
             */
            tenantCode?: string | null;
            /**
             * @description base64url of the SHA-256 of a verifier that the client keeps to itself.
             * @example E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
             */
            codeChallenge: string;
        };
        login_mfa_in: {
            /**
             * Format: uuid
             * @description The sign-in that waits for the factor; good for five minutes and five codes.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            loginId: string;
            /**
             * @description The six digits that the authenticator shows, or a recovery code; each good once. Needed unless a credential is sent.
             * @example 123456
             */
            mfaToken?: string;
            /** @description A passkey, for the challenge that login/mfa/start has given. */
            credential?: components["schemas"]["passkey_credential"];
        };
        passkey_credential: {
            /**
             * @description Always public-key.
             * @example public-key
             * @enum {string}
             */
            type: "public-key";
            /**
             * @description Id of the credential.
             * @example eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0
             */
            id: string;
            /** @description What the authenticator has answered. */
            response: components["schemas"]["passkey_assertion_response"];
        };
        passkey_assertion_response: {
            /**
             * @description What the browser has asked the authenticator for.
             * @example eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0
             */
            clientDataJSON: string;
            /**
             * @description What the authenticator has done.
             * @example eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0
             */
            authenticatorData: string;
            /**
             * @description Of both.
             * @example eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0
             */
            signature: string;
            /**
             * @description The options' user.id of its enrolment; needed to sign in.
             * @example eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0
             */
            userHandle?: string | null;
        };
        login_mfa_start_in: {
            /**
             * Format: uuid
             * @description The sign-in that waits for the factor.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            loginId: string;
        };
        passkey_request: {
            /**
             * Format: uuid
             * @description Goes back with the credential.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            loginId: string;
            /** @description For navigator.credentials.get(), by PublicKeyCredential.parseRequestOptionsFromJSON(). */
            options: components["schemas"]["passkey_request_options"];
        };
        passkey_request_options: {
            /**
             * @description Good once and for five minutes.
             * @example dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk
             */
            challenge: string;
            /**
             * @description Host name that the passkey belongs to.
             * @example patient.demo.example
             */
            rpId: string;
            /**
             * Format: int64
             * @description Life of the challenge in ms.
             * @example 300000
             */
            timeout: number;
            /** @description The passkeys that will do; empty: any that the browser finds. */
            allowCredentials: components["schemas"]["passkey_descriptor"][];
            /**
             * @description PIN, fingerprint or face.
             * @example required
             * @enum {string}
             */
            userVerification: "required";
        };
        passkey_descriptor: {
            /**
             * @description Always public-key.
             * @example public-key
             * @enum {string}
             */
            type: "public-key";
            /**
             * @description Id of the credential, base64url.
             * @example dGhlIGlkIG9mIGEgY3JlZGVudGlhbA
             */
            id: string;
        };
        practitioner_login_token_in: {
            /**
             * @description Code from the step before; good once. At most 512 bytes of UTF-8.
             * @example p2XmC3u7Yw0bT9s4KfVqLh8dRzJ1oNeA
             */
            sessionCode: string;
            /**
             * @description The verifier whose hash started the sign-in.
             * @example dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk
             */
            codeVerifier: string;
            /**
             * @description Tenant to sign in to; needed when several are possible. At most 64 bytes of UTF-8.
             * @example demo
             */
            tenantCode?: string | null;
        };
        patient_passkey_start_in: {
            /**
             * @description Tenant to sign in to. At most 64 bytes of UTF-8.
             * @example demo
             */
            tenantCode: string;
            /**
             * Format: email
             * @description Only a passkey of this account will do; absent: any that the browser finds. At most 254 bytes of UTF-8.
             * @example ana@example.org
             */
            email?: string | null;
            /**
             * @description base64url of the SHA-256 of a verifier that the client keeps to itself.
             * @example E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
             */
            codeChallenge: string;
        };
        passkey_start_out: {
            /**
             * @description Goes back with the credential.
             * @example eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0
             */
            loginId: string;
            /** @description For PublicKeyCredential.parseRequestOptionsFromJSON() and navigator.credentials.get(). */
            options: components["schemas"]["passkey_request_options"];
        };
        passkey_finish_in: {
            /**
             * @description What the start has answered; good once and for five minutes.
             * @example eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0
             */
            loginId: string;
            /** @description What navigator.credentials.get() has given, by its toJSON(). */
            credential: components["schemas"]["passkey_credential"];
        };
        practitioner_passkey_start_in: {
            /**
             * @description Tenant to sign in to; absent: a passkey of the installation's own pages. At most 64 bytes of UTF-8.
             * @example demo
             */
            tenantCode?: string | null;
            /**
             * Format: email
             * @description Only a passkey of this account will do; absent: any that the browser finds. At most 254 bytes of UTF-8.
             * @example rui@lakeside.example
             */
            email?: string | null;
            /**
             * @description base64url of the SHA-256 of a verifier that the client keeps to itself.
             * @example E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
             */
            codeChallenge: string;
        };
        code_start_in: {
            /**
             * Format: email
             * @description Address of the account. At most 254 bytes of UTF-8.
             * @example ana@example.org
             */
            email: string;
            /**
             * @description Tenant to sign in to. At most 64 bytes of UTF-8.
             * @example demo
             */
            tenantCode: string;
            /**
             * @description base64url of the SHA-256 of a verifier that the client keeps to itself.
             * @example E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
             */
            codeChallenge: string;
        };
        code_step: {
            /**
             * @description The code from the mail is entered next.
             * @example code
             * @enum {string}
             */
            nextStep: "code";
            /**
             * Format: uuid
             * @description The sign-in that waits for the code.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            loginId: string;
        };
        login_code_in: {
            /**
             * Format: uuid
             * @description The sign-in that waits for the code; good for ten minutes and five codes.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            loginId: string;
            /**
             * @description The six digits from the mail; good once.
             * @example 482913
             */
            code: string;
        };
        client_login_in: {
            /**
             * Format: email
             * @description Address of the account. At most 254 bytes of UTF-8.
             * @example ana@example.org
             */
            email: string;
            /**
             * @description Its password.
             * @example correct horse battery staple
             */
            password: string;
            /**
             * Format: uuid
             * @description Client application of the project to sign in to.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            clientId: string;
            /**
             * @description As for the tenant sign-in, which who has a second factor goes on with.
             * @example E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
             */
            codeChallenge?: string | null;
        };
        client_register_in: {
            /**
             * Format: email
             * @description Address to sign in with; kept in lower case. At most 254 bytes of UTF-8.
             * @example ana@example.org
             */
            email: string;
            /**
             * @description Any text that is not empty.
             * @example correct horse battery staple
             */
            password: string;
            /**
             * Format: uuid
             * @description Client application of the project to join.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            clientId: string;
            /**
             * @description As what; Patient when absent.
             * @example Patient
             * @enum {string|null}
             */
            type?: "Patient" | "Practitioner" | null;
            /**
             * @description Given name.
             * @example Ana
             */
            name: string;
            /**
             * @description Family name.
             * @example Lima
             */
            surname: string;
        };
        b2b_login_in: {
            /**
             * Format: email
             * @description Address of the account. At most 254 bytes of UTF-8.
             * @example rui@lakeside.example
             */
            email: string;
            /**
             * @description Its password. At most 1048576 bytes of UTF-8.
             * @example correct horse battery staple
             */
            password: string;
            /**
             * Format: uuid
             * @description Client application of that project.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            clientId: string;
            /**
             * Format: uuid
             * @description Project to sign in to; who belongs to exactly one child of it and not to the project itself is signed in to that child.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            tenantId: string;
            /**
             * @description As for the tenant sign-in, which who has a second factor goes on with.
             * @example E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM
             */
            codeChallenge?: string | null;
        };
        b2b_register_in: {
            /**
             * Format: email
             * @description Address to sign in with; kept in lower case. At most 254 bytes of UTF-8.
             * @example rui@lakeside.example
             */
            email: string;
            /**
             * @description Any text that is not empty. At most 4096 bytes of UTF-8.
             * @example correct horse battery staple
             */
            password: string;
            /**
             * @description Given name.
             * @example Rui
             */
            name: string;
            /**
             * @description Family name.
             * @example Costa
             */
            surname: string;
            /**
             * Format: uuid
             * @description Project to join.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            tenantId: string;
            /**
             * Format: uuid
             * @description Client application of that project.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            clientId: string;
        };
        refresh_token_in: {
            /**
             * @description The session's current refresh token. At most 512 bytes of UTF-8.
             * @example p2XmC3u7Yw0bT9s4KfVqLh8dRzJ1oNeA
             */
            refresh_token: string;
        };
        refresh_token_out: {
            /**
             * @description For the Authorization header: Bearer and this.
             * @example eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJQYXRpZW50In0.c2lnbmF0dXJl
             */
            access_token: string;
            /**
             * @description Takes the place of the one that was sent.
             * @example p2XmC3u7Yw0bT9s4KfVqLh8dRzJ1oNeA
             */
            refresh_token: string;
            /**
             * Format: int64
             * @description Life of the access token in seconds.
             * @example 3600
             */
            expires_in: number;
            /**
             * @description How the access token is shown.
             * @example Bearer
             * @enum {string}
             */
            token_type: "Bearer";
        };
        change_password_in: {
            /**
             * @description The password as it is. At most 1048576 bytes of UTF-8.
             * @example correct horse battery staple
             */
            oldPassword: string;
            /**
             * @description Any text that is not empty. At most 4096 bytes of UTF-8.
             * @example another correct horse battery staple
             */
            newPassword: string;
        };
        reset_password_in: {
            /**
             * Format: email
             * @description Address of the account. At most 254 bytes of UTF-8.
             * @example ana@example.org
             */
            email: string;
            /**
             * @description Tenant of the account. At most 64 bytes of UTF-8.
             * @example demo
             */
            tenantCode: string;
            /**
             * @description Which account; absent: a link for each one with this address.
             * @example Patient
             * @enum {string|null}
             */
            type?: "Patient" | "Practitioner" | null;
        };
        message_out: {
            /**
             * @description For people.
             * @example If there is such an account, a link to set a new password has been mailed.
             */
            message: string;
        };
        set_password_in: {
            /**
             * Format: uuid
             * @description From the link.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            id: string;
            /**
             * @description From the link; good once, until it expires. At most 512 bytes of UTF-8.
             * @example p2XmC3u7Yw0bT9s4KfVqLh8dRzJ1oNeA
             */
            secret: string;
            /**
             * @description Any text that is not empty. At most 4096 bytes of UTF-8.
             * @example correct horse battery staple
             */
            password: string;
        };
        invitation_link_in: {
            /**
             * Format: uuid
             * @description From the link.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            id: string;
            /**
             * @description From the link; good once, until it expires. At most 512 bytes of UTF-8.
             * @example p2XmC3u7Yw0bT9s4KfVqLh8dRzJ1oNeA
             */
            secret: string;
        };
        invitation_show_out: {
            /**
             * Format: email
             * @description The address that is invited.
             * @example rui@lakeside.example
             */
            email: string;
            /**
             * @description The project.
             * @example Lakeside Clinic
             */
            projectName: string;
            /**
             * @description Who invites; the project where no member does.
             * @example Eva Novak
             */
            inviterName: string;
            /**
             * @description How to accept: signed in, by POST /auth/invitation/accept; or with a new password, by POST /auth/set-password.
             * @example sign-in
             * @enum {string}
             */
            accept: "sign-in" | "set-password";
        };
        email_verify_send_in: {
            /**
             * Format: email
             * @description Address of the account; not with a token. At most 254 bytes of UTF-8.
             * @example ana@example.org
             */
            email?: string | null;
            /**
             * @description Tenant of the account; not with a token. At most 64 bytes of UTF-8.
             * @example demo
             */
            tenantCode?: string | null;
            /**
             * @description Which account; absent: a link for each one with this address.
             * @example Patient
             * @enum {string|null}
             */
            type?: "Patient" | "Practitioner" | null;
        };
        email_verify_in: {
            /**
             * Format: uuid
             * @description From the link.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            id: string;
            /**
             * @description From the link; good once, until it expires. At most 512 bytes of UTF-8.
             * @example p2XmC3u7Yw0bT9s4KfVqLh8dRzJ1oNeA
             */
            secret: string;
            /**
             * @description Of the account; not with a token of it. At most 1048576 bytes of UTF-8.
             * @example correct horse battery staple
             */
            password?: string | null;
        };
        email_change_in: {
            /**
             * Format: email
             * @description Address that the account is to have. At most 254 bytes of UTF-8.
             * @example ana@example.net
             */
            email: string;
        };
        email_undo_in: {
            /**
             * Format: uuid
             * @description From the link.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            id: string;
            /**
             * @description From the link; good once, until it expires. At most 512 bytes of UTF-8.
             * @example p2XmC3u7Yw0bT9s4KfVqLh8dRzJ1oNeA
             */
            secret: string;
        };
        mfa_status_out: {
            /**
             * @description Whether sign-in needs a second factor.
             * @example true
             */
            enrolled: boolean;
            /**
             * @description Until then: the key for an authenticator application.
             * @example otpauth://totp/Lakeside:ana@example.org?secret=JBSWY3DPEHPK3PXP
             */
            otpauthUrl?: string;
            /**
             * @description The same as a QR code: a PNG picture in a data URL.
             * @example data:image/png;base64,iVBORw0KGgo=
             */
            qrCodeDataUrl?: string;
        };
        mfa_token_in: {
            /**
             * @description The six digits that the authenticator shows; to disable, a recovery code does too.
             * @example 123456
             */
            token: string;
        };
        mfa_enroll_out: {
            /**
             * @description Always true.
             * @example true
             */
            ok: boolean;
            /**
             * @description Each stands in for a code of the authenticator, once. Shown only now.
             * @example [
             *       "k3v09xr2fa"
             *     ]
             */
            recoveryCodes: string[];
        };
        ok_out: {
            /**
             * @description Always true.
             * @example true
             */
            ok: boolean;
        };
        step_up_in: {
            /**
             * @description The password; not enough where a second factor is on. At most 1048576 bytes of UTF-8.
             * @example correct horse battery staple
             */
            password?: string;
            /**
             * @description The six digits that the authenticator shows, or a recovery code; each good once.
             * @example 123456
             */
            mfaToken?: string;
            /**
             * Format: uuid
             * @description With credential: what /auth/step-up/start has answered.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            loginId?: string;
            /** @description A passkey, instead of both. */
            credential?: components["schemas"]["passkey_credential"];
        };
        passkey_enrollment: {
            /**
             * Format: uuid
             * @description Goes back with the new credential.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            enrollmentId: string;
            /** @description For navigator.credentials.create(), by PublicKeyCredential.parseCreationOptionsFromJSON(). */
            options: components["schemas"]["passkey_creation_options"];
        };
        passkey_creation_options: {
            /** @description The relying party. */
            rp: components["schemas"]["passkey_party"];
            /** @description Whose passkey it will be. */
            user: components["schemas"]["passkey_user"];
            /**
             * @description Good once and for five minutes.
             * @example dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk
             */
            challenge: string;
            /** @description Algorithms, the preferred one first. */
            pubKeyCredParams: components["schemas"]["passkey_parameter"][];
            /**
             * Format: int64
             * @description Life of the challenge in ms.
             * @example 300000
             */
            timeout: number;
            /** @description The passkeys that the account has. */
            excludeCredentials: components["schemas"]["passkey_descriptor"][];
            /** @description What the authenticator must do. */
            authenticatorSelection: components["schemas"]["passkey_selection"];
            /**
             * @description What it is made by is not asked for.
             * @example none
             * @enum {string}
             */
            attestation: "none";
        };
        passkey_party: {
            /**
             * @description Host name that the passkey belongs to.
             * @example patient.demo.example
             */
            id: string;
            /**
             * @description For people.
             * @example Demo
             */
            name: string;
        };
        passkey_user: {
            /**
             * @description Random bytes as base64url, which tell nothing of the account.
             * @example kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE
             */
            id: string;
            /**
             * @description The account's address.
             * @example ana@example.org
             */
            name: string;
            /**
             * @description For people.
             * @example Ana Lima
             */
            displayName: string;
        };
        passkey_parameter: {
            /**
             * @description Always public-key.
             * @example public-key
             * @enum {string}
             */
            type: "public-key";
            /**
             * Format: int64
             * @description Algorithm by its COSE number: -7 ES256, -8 EdDSA, -257 RS256.
             * @example -7
             */
            alg: number;
        };
        passkey_selection: {
            /**
             * @description The authenticator finds it without an id.
             * @example required
             * @enum {string}
             */
            residentKey: "required";
            /**
             * @description The same for older browsers.
             * @example true
             */
            requireResidentKey: boolean;
            /**
             * @description PIN, fingerprint or face.
             * @example required
             * @enum {string}
             */
            userVerification: "required";
        };
        passkey_enroll_finish_in: {
            /**
             * Format: uuid
             * @description What /auth/passkey/enroll/start has answered.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            enrollmentId: string;
            /**
             * @description Name that its owner gave it.
             * @example My phone
             */
            name?: string | null;
            /** @description What navigator.credentials.create() has given, by its toJSON(). */
            credential: components["schemas"]["passkey_attestation"];
        };
        passkey_attestation: {
            /**
             * @description Always public-key.
             * @example public-key
             * @enum {string}
             */
            type: "public-key";
            /**
             * @description Id of the credential.
             * @example eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0
             */
            id: string;
            /** @description What the authenticator has answered. */
            response: components["schemas"]["passkey_attestation_response"];
        };
        passkey_attestation_response: {
            /**
             * @description What the browser has asked the authenticator for.
             * @example eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0
             */
            clientDataJSON: string;
            /**
             * @description The new key; a statement of its maker is not read.
             * @example eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0
             */
            attestationObject: string;
        };
        passkey: {
            /**
             * Format: uuid
             * @description Identifier of the passkey.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            id: string;
            /**
             * @description Name that its owner gave it.
             * @example My phone
             */
            name: string;
            /**
             * @description Host name that it belongs to.
             * @example patient.demo.example
             */
            rpId: string;
            /**
             * @description It is synced between devices or can be restored.
             * @example true
             */
            backedUp: boolean;
            /**
             * Format: date-time
             * @description When it was added.
             * @example 2026-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it was used last; null: never.
             * @example 2026-01-31T09:30:00.000Z
             */
            lastUsedAt: string | null;
        };
        passkey_list: {
            /** @description The oldest first; at most 20. */
            passkeys: components["schemas"]["passkey"][];
        };
        passkey_rename_in: {
            /**
             * @description Name that its owner gave it.
             * @example My phone
             */
            name: string;
        };
        passkey_origins_out: {
            /**
             * @description Origins of the installation's own pages.
             * @example [
             *       "https://account.example.org"
             *     ]
             */
            origins: string[];
        };
        deletion_schedule_in: {
            /**
             * Format: int64
             * @description From now until the deletion; 0: at once.
             * @default 30
             * @example 30
             */
            days?: number | null;
            /**
             * @description Erase what the account owns, its documents for example, too.
             * @default false
             * @example true
             */
            wipe?: boolean | null;
        };
        deletion_scheduled: {
            /**
             * Format: date-time
             * @description When the account is deleted, unless its owner signs in before.
             * @example 2026-01-31T09:30:00.000Z
             */
            scheduled: string;
            /** @description Whose it is. */
            user: components["schemas"]["deletion_user"];
        };
        deletion_user: {
            /**
             * @description Always User.
             * @example User
             * @enum {string}
             */
            resourceType: "User";
            /**
             * Format: uuid
             * @description The account.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            id: string;
            /**
             * @description Given name.
             * @example Ana
             */
            firstName: string;
            /**
             * @description Family name.
             * @example Lima
             */
            lastName: string;
            /**
             * @description Its address.
             * @example ana@example.org
             */
            email: string;
        };
        me_out: {
            /** @description Tenant signed in to. */
            project: components["schemas"]["me_project"];
            /** @description The user's place in it. */
            membership: components["schemas"]["me_membership"];
            /** @description Who the user is. */
            profile: components["schemas"]["me_profile"];
            /** @description What the user may do; without id and rules for a membership without a policy. */
            accessPolicy: components["schemas"]["me_policy"];
            /** @description The user's configuration. */
            config: components["schemas"]["me_config"];
            /** @description Second factor and sessions. */
            security: components["schemas"]["me_security"];
        };
        me_project: {
            /**
             * @description Always Project.
             * @example Project
             * @enum {string}
             */
            resourceType: "Project";
            /**
             * Format: uuid
             * @description The tenant's project.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            id: string;
            /**
             * @description Its name.
             * @example Lakeside Clinic
             */
            name: string;
            /**
             * @description Always false: no resource is checked against FHIR profiles.
             * @example true
             */
            strictMode: boolean;
        };
        me_membership: {
            /**
             * @description Always ProjectMembership.
             * @example ProjectMembership
             * @enum {string}
             */
            resourceType: "ProjectMembership";
            /**
             * Format: uuid
             * @description The user's membership in the project.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            id: string;
            /**
             * @description Whether the user administers the project.
             * @example true
             */
            admin: boolean;
            /** @description Who it is: the profile in the project. */
            user: components["schemas"]["reference"];
        };
        me_profile: {
            /**
             * @description Role of the user.
             * @example Patient
             * @enum {string}
             */
            resourceType: "Patient" | "Practitioner";
            /**
             * Format: uuid
             * @description The profile.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            id: string;
            /** @description Names. */
            name: components["schemas"]["me_name"][];
            /** @description Addresses. */
            telecom: components["schemas"]["me_telecom"][];
        };
        me_name: {
            /**
             * @description Given names.
             * @example [
             *       "Ana"
             *     ]
             */
            given: string[];
            /**
             * @description Family name.
             * @example Lima
             */
            family: string;
        };
        me_telecom: {
            /**
             * @description Kind of address.
             * @example email
             */
            system: string;
            /**
             * @description What it is used for.
             * @example home
             */
            use?: string;
            /**
             * @description The address.
             * @example ana@example.org
             */
            value: string;
        };
        me_policy: {
            /**
             * @description Always AccessPolicy.
             * @example AccessPolicy
             * @enum {string}
             */
            resourceType: "AccessPolicy";
            /**
             * Format: uuid
             * @description The policy; absent for none.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            id?: string;
            /**
             * @description Its name.
             * @example Own documents
             */
            name?: string;
            /**
             * @description What it permits; empty for none.
             * @example [
             *       {
             *         "resourceType": "DocumentReference",
             *         "interaction": [
             *           "read",
             *           "search"
             *         ]
             *       }
             *     ]
             */
            resource?: components["schemas"]["policy_rule"][];
        };
        policy_rule: {
            /**
             * @description Type of the resources; * stands for every type.
             * @example DocumentReference
             * @enum {string}
             */
            resourceType: "DocumentReference" | "Bot" | "Content" | "Translation" | "Locale" | "*";
            /**
             * @description What may be done; absent: everything.
             * @example [
             *       "read"
             *     ]
             */
            interaction?: ("create" | "read" | "search" | "update" | "delete" | "execute")[];
            /**
             * @description Only read and search.
             * @example true
             */
            readonly?: boolean;
            /**
             * @description Only documents of the caller; of DocumentReference alone.
             * @example DocumentReference?author=%profile
             * @enum {string}
             */
            criteria?: "DocumentReference?author=%profile";
        };
        me_config: {
            /**
             * @description Always UserConfiguration.
             * @example UserConfiguration
             * @enum {string}
             */
            resourceType: "UserConfiguration";
            /** @description Menus of the user; always empty. */
            menu: components["schemas"]["me_menu"][];
        };
        me_menu: {
            /**
             * @description Heading of the menu.
             * @example Files
             */
            title: string;
            /** @description Its entries. */
            link: components["schemas"]["me_menu_link"][];
        };
        me_menu_link: {
            /**
             * @description Name of the entry.
             * @example Documents
             */
            name: string;
            /**
             * @description Path in the application.
             * @example /documents
             */
            target: string;
        };
        me_security: {
            /**
             * @description Whether a second factor is asked for.
             * @example true
             */
            mfaEnrolled: boolean;
            /**
             * @description Whether the e-mail address is proven: a mail to it had a link that was used.
             * @example true
             */
            emailVerified: boolean;
            /** @description The caller's live sessions: the newest 20, of which one is always the current one. */
            sessions: components["schemas"]["session_record"][];
            /**
             * @description Whether there are more sessions than that; GET /auth/session lists all.
             * @example true
             */
            moreSessions: boolean;
        };
        session_record: {
            /**
             * Format: uuid
             * @description The session.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            id: string;
            /**
             * Format: date-time
             * @description When it was last renewed.
             * @example 2026-01-31T09:30:00.000Z
             */
            lastUpdated: string;
            /**
             * @description How the user signed in.
             * @example password
             */
            authMethod: string;
            /**
             * @description Address from which the session was begun.
             * @example 192.0.2.7
             */
            remoteAddress: string;
            /**
             * @description Browser by its User-Agent, or unknown.
             * @example Firefox
             */
            browser: string;
            /**
             * @description Operating system by the User-Agent, or unknown.
             * @example Linux
             */
            os: string;
            /**
             * @description The OpenID client that it is a grant of: its id and name. Absent for a sign-in, and in GET /auth/me.
             * @example {
             *       "id": "0199a0c0-0000-7000-8000-000000000000",
             *       "name": "Growth chart"
             *     }
             */
            client?: {
                [key: string]: string;
            };
            /**
             * @description Whether the request came with a token of this session.
             * @example true
             */
            current: boolean;
        };
        session_list: {
            /** @description The caller's live sessions. */
            sessions: components["schemas"]["session_record"][];
        };
        consent_list: {
            /** @description By their names. */
            consents: components["schemas"]["consent"][];
        };
        consent: {
            /**
             * @description The client.
             * @example 019af3c2-6a3e-7b1c-9d2e-3f4a5b6c7d8e
             */
            clientId: string;
            /**
             * @description Its name.
             * @example Diary
             */
            name: string;
            /**
             * @description What it may do.
             * @example openid profile
             */
            scope: string;
            /**
             * Format: date-time
             * @description When it was first allowed.
             * @example 2026-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it was last allowed.
             * @example 2026-01-31T09:30:00.000Z
             */
            lastUpdated: string;
        };
        member_create_in: {
            /**
             * Format: email
             * @description Address to invite; a practitioner with a proven address who is a member elsewhere in the organisation is added at once. At most 254 bytes of UTF-8.
             * @example rui@lakeside.example
             */
            email: string;
            /**
             * @description Given name.
             * @example Rui
             */
            firstName: string;
            /**
             * @description Family name.
             * @example Costa
             */
            lastName: string;
            /**
             * @description As what; Practitioner when absent.
             * @example Practitioner
             * @enum {string|null}
             */
            type?: "Patient" | "Practitioner" | null;
            /**
             * @description Whether to administer the project; practitioners only.
             * @default false
             * @example true
             */
            admin?: boolean;
            /**
             * @description What to permit; absent: the project's default for the type.
             * @example AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            accessPolicy?: string | null;
        };
        member: {
            /**
             * Format: uuid
             * @description The membership; the same before and after the invitation is accepted.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            id: string;
            /**
             * Format: email
             * @description Address of the account.
             * @example rui@lakeside.example
             */
            email: string;
            /**
             * @description Both names.
             * @example Rui Costa
             */
            displayName: string;
            /**
             * @description Given name.
             * @example Rui
             */
            firstName: string;
            /**
             * @description Family name.
             * @example Costa
             */
            lastName: string;
            /**
             * @description Whether the member administers the project.
             * @example true
             */
            admin: boolean;
            /**
             * @description Role of the member.
             * @example Practitioner
             * @enum {string}
             */
            profileType: "Patient" | "Practitioner";
            /**
             * Format: uuid
             * @description The member's profile in the project.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            profileId: string;
            /**
             * @description Invited, and the invitation not accepted yet.
             * @example true
             */
            pending: boolean;
            /**
             * Format: date-time
             * @description When the member was invited first; null for who never was.
             * @example 2026-01-31T09:30:00.000Z
             */
            invitedAt: string | null;
            /**
             * @description Whether the address is proven, for all organisations or for this one.
             * @example true
             */
            emailVerified: boolean;
        };
        member_list: {
            /**
             * Format: int64
             * @description How many there are, members and invited.
             * @example 1
             */
            total: number;
            /** @description In the order in which they came or were invited. */
            resources: components["schemas"]["member"][];
        };
        member_patch_in: {
            /**
             * @description Whether to administer the project, from the next request on; false for patients.
             * @example true
             */
            admin: boolean;
        };
        account_import_in: {
            /**
             * @description The accounts, at most 2,000. At most 1048576 bytes of compact JSON.
             * @example [
             *       {
             *         "email": "ana@example.org",
             *         "firstName": "Ana",
             *         "lastName": "Lima"
             *       }
             *     ]
             */
            accounts: components["schemas"]["import_line"][];
        };
        import_line: {
            /**
             * @description As what; Patient when absent.
             * @example Patient
             * @enum {string|null}
             */
            role?: "Patient" | "Practitioner" | null;
            /**
             * Format: email
             * @description Address to sign in with; kept in lower case. At most 254 bytes of UTF-8.
             * @example ana@example.org
             */
            email: string;
            /**
             * @description Given name.
             * @example Ana
             */
            firstName: string;
            /**
             * @description Family name.
             * @example Lima
             */
            lastName: string;
            /**
             * @description Hash of the password, in one of the forms of docs/import.md; without it the owner sets one by a mailed link. At most 512 bytes of UTF-8.
             * @example $2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy
             */
            passwordHash?: string | null;
            /**
             * Format: date-time
             * @description Since when; absent: now.
             * @example 2026-01-31T09:30:00.000Z
             */
            createdAt?: string | null;
            /** @description A second factor; by an operator's import of verified addresses alone. */
            totp?: components["schemas"]["import_totp"] | null;
            /** @description Passkeys; by an operator's import of verified addresses alone. */
            passkeys?: components["schemas"]["import_passkey"][];
        };
        import_totp: {
            /**
             * @description Its secret in base32 (RFC 4648), of 10 to 64 bytes. At most 128 bytes of UTF-8.
             * @example JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP
             */
            secret: string;
            /**
             * @description Of the codes; there is no other.
             * @example SHA1
             * @enum {string|null}
             */
            algorithm?: "SHA1" | null;
            /**
             * Format: int64
             * @description Of a code; there is no other number.
             * @default 6
             * @example 6
             */
            digits?: number;
            /**
             * Format: int64
             * @description Seconds that a code is good for; there is no other number.
             * @default 30
             * @example 30
             */
            period?: number;
        };
        import_passkey: {
            /**
             * @description Its id in base64url.
             * @example AQIDBAUGBwgJCgsMDQ4PEA
             */
            credentialId: string;
            /**
             * @description Its key as COSE has it (RFC 9052, section 7), in base64url.
             * @example pQECAyYgASFYIA
             */
            publicKey: string;
            /**
             * @description The id of the user that it was made with, in base64url.
             * @example AQIDBAUGBwgJCgsMDQ4PEA
             */
            userHandle: string;
            /**
             * @description Its relying party; must be that of the project's application for the role. At most 253 bytes of UTF-8.
             * @example my.lakeside.example
             */
            rpId: string;
            /**
             * @description What its owner calls it; else: Passkey.
             * @example Phone
             */
            name?: string | null;
            /**
             * Format: int64
             * @description The counter's last value.
             * @default 0
             * @example 0
             */
            signCount?: number;
            /**
             * @description It is synced between devices.
             * @default false
             * @example true
             */
            backedUp?: boolean;
            /**
             * @description How it is reached; not kept. At most 32 bytes of UTF-8 each.
             * @example [
             *       "internal"
             *     ]
             */
            transports?: string[];
        };
        account_import_out: {
            /**
             * Format: int64
             * @description Patients made.
             * @example 1
             */
            imported: number;
            /**
             * Format: int64
             * @description Practitioners who were invited.
             * @example 0
             */
            invited: number;
            /**
             * Format: int64
             * @description Accounts that there were already; they stay as they are.
             * @example 0
             */
            existing: number;
            /**
             * Format: int64
             * @description Others.
             * @example 0
             */
            refused: number;
            /** @description Which made no account, and why. */
            lines: components["schemas"]["import_refusal"][];
        };
        import_refusal: {
            /**
             * Format: int64
             * @description Which line; the first is 1.
             * @example 3
             */
            line: number;
            /**
             * @description Its address, if it has one.
             * @example ana@example.org
             */
            email?: string;
            /**
             * @description There is an account with this address, which stays as it is.
             * @example true
             */
            existing: boolean;
            /**
             * @description Why it made no account.
             * @example firstName is required
             */
            why: string;
        };
        project_account_list: {
            /** @description By address or name where these are searched, else in an order that stays. There may be fewer than asked for although the list goes on. */
            resources: components["schemas"]["project_account"][];
            /**
             * @description `_cursor` of the next page; null where the list ends.
             * @example kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE
             */
            next: string | null;
        };
        project_account: {
            /**
             * Format: uuid
             * @description The account.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            id: string;
            /**
             * Format: uuid
             * @description Its membership in the project.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            membership: string;
            /**
             * Format: uuid
             * @description Its profile in the project.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            profileId: string;
            /**
             * @description Its role.
             * @example Patient
             * @enum {string}
             */
            role: "Patient" | "Practitioner";
            /**
             * @description Its address.
             * @example ana@example.org
             */
            email: string;
            /**
             * @description Given name.
             * @example Ana
             */
            firstName: string;
            /**
             * @description Family name.
             * @example Lima
             */
            lastName: string;
            /**
             * @description Whether it administers the project.
             * @example true
             */
            admin: boolean;
            /**
             * @description Whether the address is proven, for all organisations or for this one.
             * @example true
             */
            emailVerified: boolean;
            /**
             * @description Kinds of what it signs in with beside its password: `totp`, `passkey`.
             * @example [
             *       "totp"
             *     ]
             */
            factors: string[];
            /**
             * @description `locked` while it cannot sign in to the project, `deleting` while its deletion is scheduled, else `active`.
             * @example active
             * @enum {string}
             */
            state: "active" | "locked" | "deleting";
            /**
             * Format: date-time
             * @description Since when it is locked; null while it is not.
             * @example 2026-01-31T09:30:00.000Z
             */
            lockedAt: string | null;
            /**
             * @description `admin` for this project alone, `operator` for all; null while it is not locked.
             * @example admin
             * @enum {string|null}
             */
            lockedBy: "admin" | "operator" | null;
            /**
             * Format: date-time
             * @description When it last signed in to this project; null while that is not known.
             * @example 2026-01-31T09:30:00.000Z
             */
            lastSignInAt: string | null;
            /**
             * Format: date-time
             * @description When it is deleted; null while no deletion is scheduled.
             * @example 2026-01-31T09:30:00.000Z
             */
            deletionAt: string | null;
            /**
             * Format: date-time
             * @description When it became a member of the project.
             * @example 2026-01-31T09:30:00.000Z
             */
            memberSince: string;
        };
        project_account_session_list: {
            /** @description Live sessions in the project, the newest first. */
            resources: components["schemas"]["session_record"][];
            /**
             * @description `_cursor` of the next page; null where the list ends.
             * @example kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE
             */
            next: string | null;
        };
        sign_in_explain_out: {
            /**
             * @description Given the right password.
             * @example true
             */
            wouldSucceed: boolean;
            /**
             * @description A code of the second factor is needed too.
             * @example true
             */
            secondFactor: boolean;
            /** @description In order. */
            steps: components["schemas"]["explain_step"][];
        };
        explain_step: {
            /**
             * @description What was looked at.
             * @example lock
             */
            check: string;
            /**
             * @description pass, fail or skipped.
             * @example pass
             */
            outcome: string;
            /**
             * @description What to do.
             * @example Unlock the account.
             */
            hint?: string;
        };
        project_account_act_in: {
            /**
             * @description Why; it is kept in the audit trail.
             * @example Ticket 4711: phone lost
             */
            reason: string;
        };
        project_account_delete_in: {
            /**
             * @description Why; it is kept in the audit trail.
             * @example Ticket 4711: asked for by phone
             */
            reason: string;
            /**
             * Format: int64
             * @description From now until the deletion.
             * @default 30
             * @example 30
             */
            days?: number | null;
            /**
             * @description Erase what the account owns, its documents for example, too.
             * @default false
             * @example true
             */
            wipe?: boolean | null;
        };
        api_key_list: {
            /** @description Keys of the project, the oldest first. */
            resources: components["schemas"]["api_key"][];
            /**
             * @description `_cursor` of the next page; null where the list ends.
             * @example kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE
             */
            next: string | null;
        };
        api_key: {
            /**
             * Format: uuid
             * @description Identifier of the key.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            id: string;
            /**
             * @description What it is for.
             * @example Laboratory import
             */
            name: string;
            /**
             * @description What it may do.
             * @example AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            accessPolicy: string;
            /**
             * @description Networks from which it may be used; empty: any.
             * @example [
             *       "192.0.2.0/24"
             *     ]
             */
            addresses: string[];
            /**
             * Format: date-time
             * @description When it was made.
             * @example 2026-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description From when on it is refused.
             * @example 2026-01-31T09:30:00.000Z
             */
            expiresAt: string;
            /**
             * Format: date-time
             * @description When it was used last, at most an hour too early; null: never.
             * @example 2026-01-31T09:30:00.000Z
             */
            lastUsedAt: string | null;
            /**
             * @description Profile of the administrator who made it.
             * @example Practitioner/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            createdBy: string;
            /**
             * @description Name of that person; null once they are no member of the project.
             * @example Ana Lima
             */
            createdByName: string | null;
            /**
             * @description The key itself. It is shown this once and stored nowhere.
             * @example atk_kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE
             */
            key?: string;
        };
        api_key_create_in: {
            /**
             * @description What it is for.
             * @example Laboratory import
             */
            name: string;
            /**
             * @description What it may do: a policy of the project. At most 128 bytes of UTF-8.
             * @example AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            accessPolicy: string;
            /**
             * Format: int64
             * @description Days until it expires.
             * @default 90
             * @example 90
             */
            days?: number;
            /**
             * @description Networks from which it may be used; absent or empty: any. At most 64 bytes of UTF-8 each.
             * @example [
             *       "192.0.2.0/24"
             *     ]
             */
            addresses?: string[];
        };
        fhir_server_list: {
            /** @description The servers, the oldest first. */
            resources: components["schemas"]["fhir_server"][];
            /**
             * @description Give it as `_cursor` to go on; null: that was all.
             * @example AQF3Zm...
             */
            next: string | null;
        };
        fhir_server: {
            /**
             * Format: uuid
             * @description Identifier of the server: its configuration is at `{issuer}/smart/{id}/.well-known/smart-configuration`.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            id: string;
            /**
             * @description What it is called.
             * @example Clinical records
             */
            name: string;
            /**
             * @description Its base address.
             * @example https://fhir.example.com/r4
             */
            base: string;
            /**
             * @description What patients get at most.
             * @example [
             *       "patient/*.rs"
             *     ]
             */
            patientScopes: string[];
            /**
             * @description What practitioners get at most.
             * @example [
             *       "user/*.cruds"
             *     ]
             */
            practitionerScopes: string[];
            /**
             * Format: date-time
             * @description When it was registered.
             * @example 2026-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it was registered or last replaced.
             * @example 2026-01-31T09:30:00.000Z
             */
            lastUpdated: string;
        };
        fhir_server_in: {
            /**
             * @description What it is called.
             * @example Clinical records
             */
            name: string;
            /**
             * @description Its base address, as applications name it in `aud`: compared byte by byte. At most 512 bytes of UTF-8.
             * @example https://fhir.example.com/r4
             */
            base: string;
            /**
             * @description SMART scopes that patients get there at most. At most 128 bytes of UTF-8 each.
             * @example [
             *       "patient/*.rs"
             *     ]
             */
            patientScopes?: string[];
            /**
             * @description SMART scopes that practitioners get there at most. At most 128 bytes of UTF-8 each.
             * @example [
             *       "user/*.cruds"
             *     ]
             */
            practitionerScopes?: string[];
        };
        launch_create_in: {
            /**
             * @description The application: its registration has the scope `launch`, and the server in `audiences`. At most 64 bytes of UTF-8.
             * @example 019a5c1e-7d3b-7c56-9a6e-0f5d2f8b6c12
             */
            clientId: string;
            /**
             * Format: uuid
             * @description The FHIR server.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            resource: string;
            /**
             * Format: uuid
             * @description The patient: the id of the profile, as in `Patient/<id>`.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            patient: string;
        };
        launch: {
            /**
             * @description What the application sends to the authorization endpoint.
             * @example C2FVsBQIhrscChlQIMV-b5sSYspob7oDy9f0m2Kq3xE
             */
            launch: string;
            /**
             * @description The server's base address: send the browser to the application's launch address with `iss` and `launch`.
             * @example https://fhir.example.com/r4
             */
            iss: string;
            /**
             * Format: date-time
             * @description Until when it can be used.
             * @example 2026-01-31T09:30:00.000Z
             */
            expiresAt: string;
        };
        project_audit_list: {
            /**
             * @description FHIR R4 AuditEvents, the newest first.
             * @example []
             */
            resources: unknown;
            /**
             * @description `_cursor` of the next page; null where the list ends.
             * @example kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE
             */
            next: string | null;
        };
        project_audit_checkpoint: {
            /**
             * @description Head of the tree: a signed note with its origin, size and root.
             * @example lakeside.example/t/north/audit 1203
             */
            checkpoint: string;
            /**
             * @description Key of the note's signature, as verifiers take it: name, hash and key. The key of an installation stays the same: compare it with one that you kept.
             * @example lakeside.example/t/north/audit+1f2e3d4c+AZ...
             */
            verifierKey: string;
            /**
             * Format: int64
             * @description Leaves of the tree.
             * @example 1203
             */
            size: number;
            /**
             * @description Proof for `from` (RFC 6962, section 2.1.2); empty without it.
             * @example [
             *       "bjQLnP+zepicpUTmu3gKLHiQHT+zvPSQ4cVJb5Gwyqg="
             *     ]
             */
            consistency: string[];
        };
        project_audit_proof: {
            /**
             * @description Id of the AuditEvent.
             * @example authd-17
             */
            id: string;
            /**
             * Format: int64
             * @description Which leaf of the tree it is, from 0 on.
             * @example 16
             */
            index: number;
            /**
             * Format: int64
             * @description Leaves of the tree.
             * @example 1203
             */
            size: number;
            /**
             * @description The event as it was hashed; null when it was dropped since.
             * @example {"daemon":"authd"}
             */
            record: string | null;
            /**
             * @description Proof that the leaf is in the tree (RFC 6962, section 2.1.1).
             * @example [
             *       "bjQLnP+zepicpUTmu3gKLHiQHT+zvPSQ4cVJb5Gwyqg="
             *     ]
             */
            hashes: string[];
            /**
             * @description Head of the tree: a signed note with its origin, size and root.
             * @example lakeside.example/t/north/audit 1203
             */
            checkpoint: string;
            /**
             * @description Key of the note's signature, as verifiers take it: name, hash and key. The key of an installation stays the same: compare it with one that you kept.
             * @example lakeside.example/t/north/audit+1f2e3d4c+AZ...
             */
            verifierKey: string;
        };
        sign_in_hours: {
            /** @description The last 24 full hours and the current one, the oldest first. */
            resources: components["schemas"]["sign_in_hour"][];
        };
        sign_in_hour: {
            /**
             * Format: date-time
             * @description When the hour began, in UTC.
             * @example 2026-01-31T09:30:00.000Z
             */
            hour: string;
            /**
             * Format: int64
             * @description Sessions that were made.
             * @example 12
             */
            succeeded: number;
            /**
             * Format: int64
             * @description Sign-ins that were refused.
             * @example 1
             */
            failed: number;
        };
        activity_list: {
            /** @description Events, the newest first. */
            resources: components["schemas"]["activity_row"][];
            /**
             * @description `_cursor` of the next page; null where the list ends.
             * @example kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE
             */
            next: string | null;
            /**
             * Format: int64
             * @description Leaves of the tree.
             * @example 1203
             */
            size: number;
            /**
             * @description Head of the tree: a signed note with its origin, size and root.
             * @example lakeside.example/t/north/audit 1203
             */
            checkpoint: string;
            /**
             * @description Key of the note's signature, as verifiers take it: name, hash and key. The key of an installation stays the same: compare it with one that you kept.
             * @example lakeside.example/t/north/audit+1f2e3d4c+AZ...
             */
            verifierKey: string;
        };
        activity_row: {
            /**
             * @description A FHIR R4 AuditEvent.
             * @example {
             *       "resourceType": "AuditEvent"
             *     }
             */
            event: {
                [key: string]: unknown;
            };
            /**
             * @description The event as it was hashed; null when another person did it.
             * @example {"daemon":"authd"}
             */
            record: string | null;
            /**
             * Format: int64
             * @description Which leaf of the tree it is, from 0 on.
             * @example 16
             */
            index: number;
            /**
             * @description Proof that the leaf is in the tree (RFC 6962, section 2.1.1).
             * @example [
             *       "bjQLnP+zepicpUTmu3gKLHiQHT+zvPSQ4cVJb5Gwyqg="
             *     ]
             */
            hashes: string[];
        };
        organization_code_out: {
            /**
             * @description Tenant code of the caller's project, as users type it when they sign in.
             * @example lakeside
             */
            code: string;
            /**
             * Format: uuid
             * @description Project that the code belongs to.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            projectId: string;
        };
        organization_code_email: {
            /**
             * Format: email
             * @description Who is told the tenant code, when the project maps ORGANIZATION_CODE.
             * @example ana@example.org
             */
            email: string;
        };
        locales: {
            /**
             * @description Languages in use (BCP 47).
             * @example [
             *       "en"
             *     ]
             */
            languages: string[];
            /**
             * @description The one of them that is used where a person's is not known.
             * @example en
             */
            defaultLanguage: string;
        };
        readiness: {
            /**
             * Format: uuid
             * @description The project.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            projectId: string;
            /**
             * @description Its name.
             * @example Lakeside North
             */
            name: string;
            /**
             * @description Its tenant code; null for a project without one.
             * @example lakeside-north
             */
            tenantCode: string | null;
            /**
             * @description It, or a project above it, is suspended.
             * @example true
             */
            suspended: boolean;
            /**
             * @description Languages in use (BCP 47).
             * @example [
             *       "en"
             *     ]
             */
            languages: string[];
            /**
             * @description The one that is used where a person's is not known.
             * @example en
             */
            defaultLanguage: string;
            /** @description Every switch. */
            switches: components["schemas"]["readiness_switch"][];
            /** @description The policies that new members get. */
            policies: components["schemas"]["readiness_policy"][];
            /** @description The applications that links in mails lead to. */
            addresses: components["schemas"]["readiness_address"][];
            /** @description Every mail template, and in which languages it is mapped. */
            templates: components["schemas"]["template_mapping"][];
            /** @description What people do in the project, and what each lacks to work. */
            flows: components["schemas"]["readiness_flow"][];
        };
        readiness_switch: {
            /**
             * @description Name of the setting.
             * @example PATIENT_LOGIN_ENABLED
             */
            name: string;
            /**
             * @description What is in force, also while it was never written.
             * @example true
             */
            enabled: boolean;
            /**
             * @description It was written; else the default is in force.
             * @example true
             */
            written: boolean;
        };
        readiness_policy: {
            /**
             * @description Name of the setting.
             * @example defaultPatientAccessPolicy
             */
            name: string;
            /**
             * @description The policy; null while there is none.
             * @example AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            value: string | null;
            /**
             * @description Name of the policy.
             * @example Own documents
             */
            display: string | null;
        };
        readiness_address: {
            /**
             * @description Name of the setting.
             * @example PATIENT_APP_URL
             */
            name: string;
            /**
             * @description The address; null while there is none.
             * @example https://my.lakeside.example
             */
            value: string | null;
        };
        template_mapping: {
            /**
             * @description Name of the template.
             * @example PATIENT_WELCOME
             */
            name: string;
            /**
             * @description The project has it.
             * @example true
             */
            mapped: boolean;
            /**
             * @description One is there for recipients whose language has none of its own.
             * @example true
             */
            anyLanguage: boolean;
            /**
             * @description Languages that have one of their own.
             * @example [
             *       "en"
             *     ]
             */
            languages: string[];
        };
        readiness_flow: {
            /**
             * @description Name of the flow.
             * @example patient-invitation
             */
            name: string;
            /**
             * @description It works: nothing that it lacks blocks it.
             * @example true
             */
            ready: boolean;
            /** @description What it lacks. */
            lacks: components["schemas"]["readiness_lack"][];
        };
        readiness_lack: {
            /**
             * @description What it is.
             * @example template
             * @enum {string}
             */
            kind: "switch" | "policy" | "address" | "template" | "account-policy" | "project" | "tenant-code" | "language";
            /**
             * @description Its name; with `language`, of the template that is not there in it.
             * @example PATIENT_INVITE
             */
            name: string;
            /**
             * @description Language of the project in which the mail is not written.
             * @example de
             */
            language?: string;
            /**
             * @description The flow does not work without it.
             * @example true
             */
            blocks: boolean;
        };
        locales_in: {
            /**
             * @description All languages in use (BCP 47), each once; absent: as they are.
             * @example [
             *       "en"
             *     ]
             */
            languages?: string[];
            /**
             * @description One of the languages; absent: as it is.
             * @example en
             */
            defaultLanguage?: string;
        };
        settings_record: {
            /**
             * Format: uuid
             * @description Project of the settings.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            projectId: string;
            /** @description Every setting there is; one that was never written is false or null. */
            settings: components["schemas"]["settings_values"];
            /**
             * @description Access policy of patients who register; without one nobody can register.
             * @example AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            defaultPatientAccessPolicy: string | null;
        };
        settings_values: {
            /**
             * @description Patients may register themselves. Behaves as on while it was never written.
             * @example true
             */
            PATIENT_REGISTRATION_ENABLED: boolean;
            /**
             * @description Patients may be invited. Behaves as on while it was never written.
             * @example true
             */
            PATIENT_INVITATION_ENABLED: boolean;
            /**
             * @description Patients may sign in. Behaves as on while it was never written.
             * @example true
             */
            PATIENT_LOGIN_ENABLED: boolean;
            /**
             * @description Practitioners may register themselves. Off while it was never written.
             * @example true
             */
            PRACTITIONER_REGISTRATION_ENABLED: boolean;
            /**
             * @description Practitioners may be invited. Behaves as on while it was never written.
             * @example true
             */
            PRACTITIONER_INVITATION_ENABLED: boolean;
            /**
             * @description Practitioners may sign in. Behaves as on while it was never written.
             * @example true
             */
            PRACTITIONER_LOGIN_ENABLED: boolean;
            /**
             * @description A patient registration with a business address becomes a practitioner invitation. Off while it was never written.
             * @example true
             */
            CLINICIAN_INVITE_ON_BUSINESS_EMAIL: boolean;
            /**
             * @description Access policy of practitioners who register or are invited.
             * @example AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            DEFAULT_PRACTITIONER_ACCESS_POLICY: string | null;
            /**
             * @description Address of the practitioners' application, the base of links in mails to them.
             * @example https://staff.lakeside.example
             */
            PRACTITIONER_APP_URL: string | null;
            /**
             * @description Address of the patients' application, the base of links in mails to them.
             * @example https://my.lakeside.example
             */
            PATIENT_APP_URL: string | null;
        };
        settings_history: {
            /**
             * Format: int64
             * @description Changes that there are.
             * @example 12
             */
            total: number;
            /** @description Those of this page, newest first. */
            resources: components["schemas"]["setting_change"][];
        };
        setting_change: {
            /** @description Who made the change, named as at that time, or "" once the account was erased; null for the operator. */
            who: components["schemas"]["reference"] | null;
            /**
             * Format: date-time
             * @description When it was made.
             * @example 2026-01-31T09:30:00.000Z
             */
            when: string;
            /**
             * @description What was changed.
             * @example PATIENT_LOGIN_ENABLED
             */
            name: string;
            /**
             * @description Value before; null while it was unset.
             * @example true
             */
            old: unknown;
            /**
             * @description Value since; null for unset.
             * @example false
             */
            new: unknown;
        };
        setting_switch_in: {
            /**
             * @description On or off.
             * @example true
             */
            enabled: boolean;
        };
        setting_value_in: {
            /**
             * @description New value; empty clears the setting. At most 2048 bytes of UTF-8.
             * @example https://my.lakeside.example
             */
            value: string;
        };
        project_child_in: {
            /**
             * @description Name of the new project.
             * @example Lakeside North
             */
            name: string;
            /**
             * @description Tenant code to take; made from the name when absent.
             * @example lakeside-north
             */
            tenantCode?: string | null;
        };
        project_child_out: {
            /**
             * Format: uuid
             * @description The new project.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            projectId: string;
            /**
             * @description Its tenant code; null for a project without one.
             * @example lakeside-north
             */
            tenantCode: string | null;
            /**
             * @description Its name.
             * @example Lakeside North
             */
            name: string;
        };
        default_policy_in: {
            /**
             * @description Policy of the same project for patients who register; empty for none. At most 2048 bytes of UTF-8.
             * @example AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            value: string;
        };
        account_policy: {
            /**
             * Format: int64
             * @description Fewest characters (code points) of a password.
             * @example 15
             */
            passwordMinLength: number;
            /**
             * Format: int64
             * @description The same for accounts that requireMfa covers.
             * @example 8
             */
            passwordMinLengthWithMfa: number;
            /**
             * @description Common passwords are refused where one is set.
             * @example true
             */
            refuseCommonPasswords: boolean;
            /**
             * @description What a sign-in with a common password leads to: nothing, a mail to the owner, or a refusal until they have set another.
             * @example mail
             * @enum {string}
             */
            onSignIn?: "ignore" | "mail" | "require-change";
            /**
             * @description Signing in needs a verified e-mail address.
             * @example true
             */
            requireVerifiedEmail: boolean;
            /**
             * @description Who needs a second factor.
             * @example admins
             * @enum {string}
             */
            requireMfa: "none" | "admins" | "practitioners" | "everyone";
            /**
             * @description A mailed code signs in.
             * @example true
             */
            mailCode: boolean;
            /**
             * Format: int64
             * @description Documents that a patient may keep; null: any number.
             * @example 10000
             */
            documentsPerAccount: number | null;
            /**
             * Format: int64
             * @description Bytes of documents that a patient may keep; null: any number.
             * @example 10737418240
             */
            bytesPerAccount: number | null;
            /**
             * Format: int64
             * @description Bytes of documents that all accounts of the project may keep; null: any number.
             * @example 1099511627776
             */
            bytesPerProject: number | null;
        };
        account_policy_in: {
            /**
             * Format: int64
             * @description Fewest characters (code points) of a password.
             * @example 15
             */
            passwordMinLength?: number;
            /**
             * Format: int64
             * @description The same for accounts that requireMfa covers.
             * @example 8
             */
            passwordMinLengthWithMfa?: number;
            /**
             * @description Common passwords are refused where one is set.
             * @example true
             */
            refuseCommonPasswords?: boolean;
            /**
             * @description What a sign-in with a common password leads to.
             * @example mail
             * @enum {string}
             */
            onSignIn?: "ignore" | "mail" | "require-change";
            /**
             * @description Signing in needs a verified e-mail address.
             * @example true
             */
            requireVerifiedEmail?: boolean;
            /**
             * @description Who needs a second factor.
             * @example admins
             * @enum {string}
             */
            requireMfa?: "none" | "admins" | "practitioners" | "everyone";
            /**
             * @description A mailed code signs in.
             * @example true
             */
            mailCode?: boolean;
            /**
             * Format: int64
             * @description Documents that a patient may keep; null: any number.
             * @example 10000
             */
            documentsPerAccount?: number | null;
            /**
             * Format: int64
             * @description Bytes of documents that a patient may keep; null: any number.
             * @example 10737418240
             */
            bytesPerAccount?: number | null;
            /**
             * Format: int64
             * @description Bytes of documents that all accounts of the project may keep; null: any number.
             * @example 1099511627776
             */
            bytesPerProject?: number | null;
        };
        branding: {
            /**
             * @description Stands on the pages in the place of the project's name.
             * @example Lakeside
             */
            name: string | null;
            /**
             * @description Colour of buttons and links by day, as #rrggbb.
             * @example #0b5cad
             */
            colorLight: string | null;
            /**
             * @description The same in the dark colour scheme.
             * @example #8fc1f5
             */
            colorDark: string | null;
            /**
             * @description Who is behind the pages.
             * @example https://lakeside.example/imprint
             */
            imprintUrl: string | null;
            /**
             * @description What is done with the data of people.
             * @example https://lakeside.example/privacy
             */
            privacyUrl: string | null;
            /** @description What the pages say besides, a row for each language. */
            texts: components["schemas"]["branding_text"][];
            /**
             * @description The version of the logo; null while there is none.
             * @example 3c1a7b5e2f904d68a1b2c3d4e5f60718
             */
            logo: string | null;
            /**
             * @description The version of brand.css; null while there are no colours.
             * @example 9a0b1c2d3e4f5061728394a5b6c7d8e9
             */
            style: string | null;
        };
        branding_text: {
            /**
             * @description A language of the project.
             * @example en
             */
            language: string;
            /**
             * @description Stands above the form that signs in.
             * @example Sign in to see your appointments.
             */
            intro?: string | null;
            /**
             * @description Stands below every page.
             * @example Help: +1 555 0100, Monday to Friday
             */
            help?: string | null;
        };
        branding_in: {
            /**
             * @description Stands on the pages in the place of the project's name.
             * @example Lakeside
             */
            name?: string | null;
            /**
             * @description Colour of buttons and links by day, as #rrggbb. At most 7 bytes of UTF-8.
             * @example #0b5cad
             */
            colorLight?: string | null;
            /**
             * @description The same in the dark colour scheme. At most 7 bytes of UTF-8.
             * @example #8fc1f5
             */
            colorDark?: string | null;
            /**
             * @description Who is behind the pages. At most 500 bytes of UTF-8.
             * @example https://lakeside.example/imprint
             */
            imprintUrl?: string | null;
            /**
             * @description What is done with the data of people. At most 500 bytes of UTF-8.
             * @example https://lakeside.example/privacy
             */
            privacyUrl?: string | null;
            /** @description What the pages say besides, a row for each language. */
            texts?: components["schemas"]["branding_text"][];
        };
        brand_logo_in: {
            /**
             * @description A picture of at most 512 KiB in base64: PNG, JPEG, WebP, GIF, HEIF or AVIF. At most 699052 bytes of UTF-8.
             * @example iVBORw0KGgo=
             */
            image: string;
        };
        access_policy_list: {
            /** @description Policies of the project, by name. */
            resources: components["schemas"]["access_policy"][];
        };
        access_policy: {
            /**
             * @description Always AccessPolicy.
             * @example AccessPolicy
             * @enum {string}
             */
            resourceType: "AccessPolicy";
            /**
             * Format: uuid
             * @description Identifier of the policy.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            id: string;
            /**
             * @description Name for people.
             * @example Own documents
             */
            name: string;
            /**
             * @description Rules; what one of them allows is allowed.
             * @example [
             *       {
             *         "resourceType": "DocumentReference",
             *         "interaction": [
             *           "read",
             *           "search"
             *         ]
             *       }
             *     ]
             */
            resource: components["schemas"]["policy_rule"][];
            /**
             * @description Networks from which signing in is allowed or blocked; absent: any.
             * @example [
             *       {
             *         "ip": "192.0.2.0/24",
             *         "action": "allow"
             *       }
             *     ]
             */
            ipAccessRule?: components["schemas"]["address_rule"][];
        };
        address_rule: {
            /**
             * @description Network in CIDR notation, IPv4 or IPv6.
             * @example 192.0.2.0/24
             */
            ip: string;
            /**
             * @description What becomes of a sign-in from there.
             * @example allow
             * @enum {string}
             */
            action: "allow" | "block";
        };
        access_policy_in: {
            /**
             * @description Name for people.
             * @example Own documents
             */
            name: string;
            /**
             * @description Rules; what one of them allows is allowed. At most 65536 bytes of compact JSON.
             * @example [
             *       {
             *         "resourceType": "DocumentReference",
             *         "interaction": [
             *           "read",
             *           "search"
             *         ]
             *       }
             *     ]
             */
            resource: components["schemas"]["policy_rule"][];
            /**
             * @description Networks from which signing in is allowed or blocked, first match decides. At most 16384 bytes of compact JSON.
             * @example [
             *       {
             *         "ip": "192.0.2.0/24",
             *         "action": "allow"
             *       }
             *     ]
             */
            ipAccessRule?: components["schemas"]["address_rule"][] | null;
        };
        client_list: {
            /** @description Client applications of the project, by name. */
            resources: components["schemas"]["client"][];
        };
        client: {
            /**
             * Format: uuid
             * @description The clientId that the application signs in with.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            id: string;
            /**
             * @description Name of the application.
             * @example Patient portal
             */
            name: string;
            /**
             * Format: date-time
             * @description When it was made or last replaced.
             * @example 2026-01-31T09:30:00.000Z
             */
            lastUpdated: string;
            /**
             * @description Whether it can keep a secret.
             * @example public
             * @enum {string}
             */
            type?: "public" | "confidential";
            /**
             * @description How it authenticates.
             * @example none
             * @enum {string}
             */
            authMethod?: "none" | "client_secret_basic" | "client_secret_post" | "private_key_jwt";
            /**
             * @description How it may get tokens.
             * @example [
             *       "authorization_code"
             *     ]
             */
            grantTypes?: string[];
            /**
             * @description It is the project's own.
             * @example true
             */
            firstParty: boolean;
        };
        client_in: {
            /**
             * @description Name of the application.
             * @example Patient portal
             */
            name: string;
            /**
             * @description Whether it can keep a secret (RFC 6749, section 2.1); absent: public.
             * @example confidential
             * @enum {string}
             */
            type?: "public" | "confidential";
            /**
             * @description How it authenticates (RFC 7591, section 2); absent: none, or for a confidential one client_secret_basic.
             * @example client_secret_basic
             * @enum {string}
             */
            authMethod?: "none" | "client_secret_basic" | "client_secret_post" | "private_key_jwt";
            /**
             * @description Its public keys, for private_key_jwt: a JWK set (RFC 7517). At most 16384 bytes of compact JSON.
             * @example {
             *       "keys": [
             *         {
             *           "kty": "EC",
             *           "crv": "P-256",
             *           "kid": "1",
             *           "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
             *           "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"
             *         }
             *       ]
             *     }
             */
            jwks?: {
                [key: string]: unknown;
            };
            /**
             * @description Or where they are. At most 2000 bytes of UTF-8.
             * @example https://portal.example.com/jwks.json
             */
            jwksUri?: string;
            /**
             * @description Where browsers are sent back to: https, http on 127.0.0.1, [::1] or localhost with any port, or a scheme of its own with a dot. At most 2000 bytes of UTF-8 each.
             * @example [
             *       "https://portal.example.com/callback"
             *     ]
             */
            redirectUris?: string[];
            /**
             * @description How it may get tokens; none: it cannot.
             * @example [
             *       "authorization_code"
             *     ]
             */
            grantTypes?: ("authorization_code" | "refresh_token" | "client_credentials" | "urn:ietf:params:oauth:grant-type:device_code")[];
            /**
             * @description Scopes that it may ask for. At most 128 bytes of UTF-8 each.
             * @example [
             *       "openid"
             *     ]
             */
            scopes?: string[];
            /**
             * @description Resources that its access tokens may be for (RFC 8707). At most 2000 bytes of UTF-8 each.
             * @example [
             *       "https://fhir.example.com/r4"
             *     ]
             */
            audiences?: string[];
            /**
             * @description Where browsers may be sent to after signing out. At most 2000 bytes of UTF-8 each.
             * @example [
             *       "https://portal.example.com/"
             *     ]
             */
            postLogoutRedirectUris?: string[];
            /**
             * @description Is told when a session ends (Back-Channel Logout 1.0). At most 2000 bytes of UTF-8.
             * @example https://portal.example.com/backchannel
             */
            backchannelLogoutUri?: string;
            /**
             * @description Whether its tokens must be bound to a key (RFC 9449); absent: optional.
             * @example optional
             * @enum {string}
             */
            dpop?: "required" | "optional";
            /**
             * @description What its ID tokens are signed with; absent: RS256.
             * @example RS256
             * @enum {string}
             */
            idTokenAlg?: "RS256" | "ES256";
            /**
             * @description It is the project's own: people are not asked for their consent, and its tokens may be for Atrium's API.
             * @default false
             * @example true
             */
            firstParty?: boolean;
            /**
             * @description PKCE (RFC 7636) is not demanded of it; confidential ones only.
             * @default false
             * @example true
             */
            pkceOptional?: boolean;
            /**
             * @description Claims of the person that its ID tokens have when their scope was granted, though no request asks for them.
             * @example [
             *       "email"
             *     ]
             */
            idTokenClaims?: ("name" | "given_name" | "family_name" | "locale" | "email" | "email_verified" | "fhirUser")[];
            /**
             * @description Version of its terms; another one asks for consent again. At most 64 bytes of UTF-8.
             * @example 2026-01
             */
            tosVersion?: string;
            /**
             * @description SMART scopes that it gets for patients, at most. At most 128 bytes of UTF-8 each.
             * @example [
             *       "patient/Observation.rs"
             *     ]
             */
            patientScopes?: string[];
            /**
             * @description SMART scopes that it gets for practitioners, at most. At most 128 bytes of UTF-8 each.
             * @example [
             *       "patient/Observation.rs"
             *     ]
             */
            practitionerScopes?: string[];
        };
        client_record: {
            /**
             * Format: uuid
             * @description The clientId, and `client_id`, that the application signs in with.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            id: string;
            /**
             * @description Name of the application.
             * @example Patient portal
             */
            name: string;
            /**
             * Format: date-time
             * @description When it was made or last replaced.
             * @example 2026-01-31T09:30:00.000Z
             */
            lastUpdated: string;
            /**
             * @description Whether it can keep a secret (RFC 6749, section 2.1); absent: public.
             * @example confidential
             * @enum {string}
             */
            type?: "public" | "confidential";
            /**
             * @description How it authenticates (RFC 7591, section 2); absent: none, or for a confidential one client_secret_basic.
             * @example client_secret_basic
             * @enum {string}
             */
            authMethod?: "none" | "client_secret_basic" | "client_secret_post" | "private_key_jwt";
            /**
             * @description Its public keys, for private_key_jwt: a JWK set (RFC 7517).
             * @example {
             *       "keys": [
             *         {
             *           "kty": "EC",
             *           "crv": "P-256",
             *           "kid": "1",
             *           "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
             *           "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"
             *         }
             *       ]
             *     }
             */
            jwks?: {
                [key: string]: unknown;
            };
            /**
             * @description Or where they are.
             * @example https://portal.example.com/jwks.json
             */
            jwksUri?: string;
            /**
             * @description Where browsers are sent back to: https, http on 127.0.0.1, [::1] or localhost with any port, or a scheme of its own with a dot.
             * @example [
             *       "https://portal.example.com/callback"
             *     ]
             */
            redirectUris: string[];
            /**
             * @description How it may get tokens; none: it cannot.
             * @example [
             *       "authorization_code"
             *     ]
             */
            grantTypes: ("authorization_code" | "refresh_token" | "client_credentials" | "urn:ietf:params:oauth:grant-type:device_code")[];
            /**
             * @description Scopes that it may ask for.
             * @example [
             *       "openid"
             *     ]
             */
            scopes: string[];
            /**
             * @description Resources that its access tokens may be for (RFC 8707).
             * @example [
             *       "https://fhir.example.com/r4"
             *     ]
             */
            audiences: string[];
            /**
             * @description Where browsers may be sent to after signing out.
             * @example [
             *       "https://portal.example.com/"
             *     ]
             */
            postLogoutRedirectUris: string[];
            /**
             * @description Is told when a session ends (Back-Channel Logout 1.0).
             * @example https://portal.example.com/backchannel
             */
            backchannelLogoutUri?: string;
            /**
             * @description Whether its tokens must be bound to a key (RFC 9449); absent: optional.
             * @example optional
             * @enum {string}
             */
            dpop?: "required" | "optional";
            /**
             * @description What its ID tokens are signed with; absent: RS256.
             * @example RS256
             * @enum {string}
             */
            idTokenAlg?: "RS256" | "ES256";
            /**
             * @description It is the project's own: people are not asked for their consent, and its tokens may be for Atrium's API.
             * @example true
             */
            firstParty: boolean;
            /**
             * @description PKCE (RFC 7636) is not demanded of it; confidential ones only.
             * @example true
             */
            pkceOptional: boolean;
            /**
             * @description Claims of the person that its ID tokens have when their scope was granted, though no request asks for them.
             * @example [
             *       "email"
             *     ]
             */
            idTokenClaims: ("name" | "given_name" | "family_name" | "locale" | "email" | "email_verified" | "fhirUser")[];
            /**
             * @description Version of its terms; another one asks for consent again.
             * @example 2026-01
             */
            tosVersion?: string;
            /**
             * @description SMART scopes that it gets for patients, at most.
             * @example [
             *       "patient/Observation.rs"
             *     ]
             */
            patientScopes: string[];
            /**
             * @description SMART scopes that it gets for practitioners, at most.
             * @example [
             *       "patient/Observation.rs"
             *     ]
             */
            practitionerScopes: string[];
            /**
             * Format: date-time
             * @description When its secret was made; null: it has none.
             * @example 2026-01-31T09:30:00.000Z
             */
            secretCreatedAt: string | null;
            /**
             * Format: date-time
             * @description Until when the secret before counts, too; null: it does not.
             * @example 2026-01-31T09:30:00.000Z
             */
            previousSecretUntil: string | null;
            /**
             * @description Its `client_secret`; only in the answer that makes it.
             * @example atcs_C2FVsBQIhrscChlQIMV-b5sSYspob7oDy9f0m2Kq3xE
             */
            secret?: string;
        };
        client_secret_in: {
            /**
             * Format: int64
             * @description Hours that the secret it had counts on; 0: it is refused from now on.
             * @default 24
             * @example 24
             */
            previousHours?: number;
        };
        template_records: {
            /** @description Its templates, by name and language. */
            resources: components["schemas"]["template_record"][];
        };
        template_record: {
            /**
             * @description Name of the template.
             * @example PATIENT_WELCOME
             */
            name: string;
            /**
             * @description Language.
             * @example en
             */
            language: string | null;
            /**
             * @description Subject line.
             * @example Welcome to {{projectName}}
             */
            subject: string;
            /**
             * @description HTML part.
             * @example <p>Welcome, {{recipientName}}.</p>
             */
            html: string | null;
            /**
             * @description Text part.
             * @example Welcome, {{recipientName}}.
             */
            text: string;
            /**
             * Format: date-time
             * @description When it was written.
             * @example 2026-01-31T09:30:00.000Z
             */
            lastUpdated: string;
        };
        email_template_in: {
            /**
             * @description Language (BCP 47); absent: for all that have no template of their own. At most 35 bytes of UTF-8.
             * @example en
             */
            language?: string | null;
            /**
             * @description Subject line; {{name}} stands for a variable, here and in the parts. At most 998 bytes of UTF-8.
             * @example Welcome to {{projectName}}
             */
            subject: string;
            /**
             * @description HTML part; values are escaped in it, and percent-encoded in the query of a link. At most 262144 bytes of UTF-8.
             * @example <p>Welcome, {{recipientName}}.</p>
             */
            html?: string | null;
            /**
             * @description Text part. At most 262144 bytes of UTF-8.
             * @example Welcome, {{recipientName}}.
             */
            text: string;
        };
        email_template_preview_in: {
            /**
             * @description Language of the recipient. At most 35 bytes of UTF-8.
             * @example en
             */
            language?: string | null;
        };
        email_template_preview: {
            /**
             * @description Subject line with sample values.
             * @example Welcome to Lakeside Clinic
             */
            subject: string;
            /**
             * @description HTML part with sample values.
             * @example <p>Welcome, Ana Lima.</p>
             */
            html: string | null;
            /**
             * @description Text part with sample values.
             * @example Welcome, Ana Lima.
             */
            text: string;
        };
        mail_failure_list: {
            /** @description The newest first. */
            resources: components["schemas"]["mail_failure"][];
            /**
             * @description `_cursor` of the next page; null where the list ends.
             * @example kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE
             */
            next: string | null;
        };
        mail_failure: {
            /**
             * Format: uuid
             * @description The mail, as operators name it in `atriumctl mail queue`.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            id: string;
            /**
             * @description Name of its template.
             * @example PATIENT_WELCOME
             */
            template: string;
            /**
             * @description `retrying`: it is tried again; `failed`: it was given up.
             * @example retrying
             * @enum {string}
             */
            state: "retrying" | "failed";
            /**
             * @description What failed last: the status of the mail server's answer, or why there was none.
             * @example smtp: answered 451
             */
            error: string;
            /**
             * Format: int64
             * @description Attempts so far.
             * @example 2
             */
            attempts: number;
            /**
             * Format: date-time
             * @description When it was queued, which is when it was tried first.
             * @example 2026-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When the last attempt began; null: that was not recorded.
             * @example 2026-01-31T09:30:00.000Z
             */
            triedAt: string | null;
            /**
             * Format: date-time
             * @description When the next attempt is due at the earliest; null: there is none, or it is under way.
             * @example 2026-01-31T09:30:00.000Z
             */
            nextAt: string | null;
        };
        webhook_list: {
            /** @description The oldest first. */
            resources: components["schemas"]["webhook"][];
            /**
             * @description `_cursor` of the next page; null where the list ends.
             * @example kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE
             */
            next: string | null;
        };
        webhook: {
            /**
             * Format: uuid
             * @description Identifier of the webhook.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            id: string;
            /**
             * @description Where events are posted to.
             * @example https://hooks.example.com/atrium
             */
            url: string;
            /**
             * @description Events that are posted.
             * @example [
             *       "session.created"
             *     ]
             */
            events: string[];
            /**
             * @description Whether events are posted.
             * @example true
             */
            enabled: boolean;
            /**
             * @description What is posted.
             * @example standard
             * @enum {string}
             */
            format: "standard" | "caep";
            /**
             * @description Whom the tokens of the format `caep` are for; null: it has another format.
             * @example https://events.example.com
             */
            audience: string | null;
            /**
             * @description What the receiver verifies signatures with; only in the answers that make it.
             * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD
             */
            secret?: string;
            /**
             * Format: date-time
             * @description Until when the secret before signs, too; null: it does not.
             * @example 2026-01-31T09:30:00.000Z
             */
            previousSecretUntil: string | null;
            /**
             * Format: date-time
             * @description When its receiver answered 410, which switched it off; null: it did not.
             * @example 2026-01-31T09:30:00.000Z
             */
            goneAt: string | null;
            /**
             * Format: date-time
             * @description Since when no attempt has been delivered; null: the last one was, or there was none.
             * @example 2026-01-31T09:30:00.000Z
             */
            failingSince: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             * @example 2026-01-31T09:30:00.000Z
             */
            lastUpdated: string;
        };
        webhook_in: {
            /**
             * @description Where events are posted to: an absolute https URL.
             * @example https://hooks.example.com/atrium
             */
            url: string;
            /**
             * @description Events that are posted.
             * @example [
             *       "session.created"
             *     ]
             */
            events: ("account.created" | "account.deleted" | "session.created" | "session.revoked" | "member.added" | "settings.changed" | "document.created")[];
            /**
             * @description Whether events are posted; while it is false they are not kept for later.
             * @default true
             * @example true
             */
            enabled?: boolean;
            /**
             * @description What is posted: `standard`, events as JSON that are signed with a secret (the default), or `caep`, Security Event Tokens of the issuer, of `session.revoked` alone. It stays.
             * @example caep
             * @enum {string|null}
             */
            format?: "standard" | "caep" | null;
            /**
             * @description Whom the tokens of the format `caep` are for, their claim `aud`; absent from a PUT, it stays. At most 255 bytes of UTF-8.
             * @example https://events.example.com
             */
            audience?: string | null;
        };
        webhook_exchange_in: {
            /**
             * Format: int64
             * @description For how long the secret before signs, too; 0: not any more.
             * @default 24
             * @example 24
             */
            previousHours?: number;
        };
        webhook_delivery_list: {
            /** @description The latest event first. */
            resources: components["schemas"]["webhook_delivery"][];
            /**
             * @description `_cursor` of the next page; null where the list ends.
             * @example kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE
             */
            next: string | null;
        };
        webhook_delivery: {
            /**
             * Format: int64
             * @description Number of the delivery; a later event has a greater one.
             * @example 4711
             */
            id: number;
            /**
             * Format: uuid
             * @description Identifier of the event; with `msg_` before it the header `webhook-id`.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            event: string;
            /**
             * @description What happened.
             * @example session.created
             */
            type: string;
            /**
             * @description `waiting` for its first or next attempt, `delivered`, or `failed`: given up.
             * @example delivered
             * @enum {string}
             */
            state: "waiting" | "delivered" | "failed";
            /**
             * Format: int64
             * @description Attempts so far.
             * @example 1
             */
            attempts: number;
            /**
             * Format: date-time
             * @description When it happened.
             * @example 2026-01-31T09:30:00.000Z
             */
            happenedAt: string;
            /**
             * Format: date-time
             * @description When the last attempt ended; null: there was none.
             * @example 2026-01-31T09:30:00.000Z
             */
            triedAt: string | null;
            /**
             * Format: date-time
             * @description When the next attempt is due at the earliest; null: there is none.
             * @example 2026-01-31T09:30:00.000Z
             */
            nextAt: string | null;
            /**
             * Format: int64
             * @description HTTP status of the last answer; absent: there was none.
             * @example 204
             */
            status?: number;
            /**
             * @description Why the last attempt had no answer: `DEADLINE` (none in time), `UNAVAILABLE` (no connection, no certificate of the host), `FORBIDDEN` (an address that is not allowed), `TOO_LARGE` (the answer). With the format `caep` also why the receiver has refused the token with 400: `invalid_request`, `invalid_issuer`, `invalid_audience`, which are final, `invalid_key`, `authentication_failed`, `access_denied` (RFC 8935).
             * @example DEADLINE
             */
            error: string | null;
        };
        webhook_redeliver_in: {
            /**
             * Format: int64
             * @description Number of a delivery that has ended; 0 or absent: all that were given up.
             * @default 0
             * @example 4711
             */
            delivery?: number;
        };
        webhook_redeliver_out: {
            /**
             * Format: int64
             * @description Deliveries that are posted again.
             * @example 3
             */
            count: number;
        };
        document_create_in: {
            /**
             * @description Name of the file.
             * @example x-ray.png
             */
            fileName: string;
            /**
             * @description Its MIME type.
             * @example image/png
             */
            contentType: string;
            /**
             * @description Give it a public token.
             * @example true
             */
            isPublic?: boolean | ("true" | "false") | null;
        };
        document: {
            /**
             * Format: uuid
             * @description Identifier of the document.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            id: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             * @example 2026-01-31T09:30:00.000Z
             */
            lastUpdated?: string;
            /** @description In the answer to a change, instead of lastUpdated. */
            meta?: components["schemas"]["document_meta"];
            /** @description Who made it. */
            author: components["schemas"]["reference"];
            /**
             * @description Name of the file.
             * @example x-ray.png
             */
            fileName: string;
            /**
             * @description Its MIME type.
             * @example image/png
             */
            contentType: string;
            /**
             * Format: int64
             * @description Bytes; null while nothing was uploaded.
             * @example 48213
             */
            size: number | null;
            /**
             * @description Whoever has it can read the file at /document/public/{token}; null: nobody.
             * @example d9yUQhv0xZSn3eHh1QZ8Qk1pWm0c8fJb2TtXoY7rA5M
             */
            publicToken: string | null;
            /** @description The form that brings its bytes, good for an hour. */
            uploadOptions?: components["schemas"]["upload_options"];
        };
        document_meta: {
            /**
             * Format: date-time
             * @description When it was last changed.
             * @example 2026-01-31T09:30:00.000Z
             */
            lastUpdated: string;
        };
        upload_options: {
            /**
             * @description Where to post the form to.
             * @example https://api.lakeside.example/storage/documents
             */
            url: string;
            /**
             * @description Its fields, each to be sent as it is, before the field `file`.
             * @example {
             *       "key": "5f0c4a52",
             *       "Content-Type": "image/png"
             *     }
             */
            fields: {
                [key: string]: string;
            };
        };
        documents: {
            /**
             * Format: int64
             * @description Documents that there are.
             * @example 12
             */
            total: number;
            /** @description Those of this page. */
            resources: components["schemas"]["document"][];
        };
        document_update_in: {
            /**
             * @description New name of the file.
             * @example x-ray.png
             */
            fileName?: string | null;
            /**
             * @description True gives it a public token, unless it has one; false ends that for good.
             * @example true
             */
            isPublic?: boolean | ("true" | "false") | null;
        };
        document_replace_in: {
            /**
             * @description Name of the new file.
             * @example x-ray-2.png
             */
            fileName: string;
            /**
             * @description Its MIME type.
             * @example image/png
             */
            contentType: string;
        };
        document_deleted: {
            /**
             * @description That it is gone.
             * @example Document deleted successfully
             */
            message: string;
        };
        cms_map: {
            /**
             * Format: int64
             * @description Entries that there are; of a search at most 500, those that were compared.
             * @example 12
             */
            total: number;
            /** @description Those of this page. */
            resources: components["schemas"]["cms_pair"][];
        };
        cms_pair: {
            /** @description The entry in the project's default language; absent when there is none. */
            source?: components["schemas"]["cms_side"];
            /** @description The entry in the language asked for; absent while it is not translated. */
            target?: components["schemas"]["cms_side"];
        };
        cms_side: {
            /**
             * @description Title in that language.
             * @example Back pain: the basics
             */
            title: string;
            /**
             * @description Language (BCP 47).
             * @example en
             */
            language: string;
            /**
             * @description Key of the entry.
             * @example back-pain-basics
             */
            key: string;
        };
        cms_entry: {
            /**
             * @description Type of the content: article, faq, exercise and the like.
             * @example article
             */
            type: string;
            /**
             * @description Names the entry among those of its type, the same in every language.
             * @example back-pain-basics
             */
            key: string;
            /**
             * @description Language (BCP 47).
             * @example de
             */
            language: string;
            /**
             * @description Title in that language.
             * @example Back pain: the basics
             */
            title: string;
            /** @description Text, in sections. */
            sections: components["schemas"]["cms_section"][];
            /**
             * @description Who wrote it.
             * @example Dr. Ana Ruiz
             */
            author?: string;
            /**
             * @description Code of the content, of whatever system.
             * @example M54.5
             */
            code?: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             * @example 2026-01-31T09:30:00.000Z
             */
            lastUpdated?: string;
        };
        cms_section: {
            /**
             * @description Heading.
             * @example When to see a doctor
             */
            title?: string;
            /**
             * @description Text.
             * @example Most back pain goes away within weeks.
             */
            text: string;
        };
        cms_put_in: {
            /**
             * @description Title in that language.
             * @example Back pain: the basics
             */
            title: string;
            /** @description Text, in sections. */
            sections?: components["schemas"]["cms_section"][];
            /**
             * @description Who wrote it.
             * @example Dr. Ana Ruiz
             */
            author?: string | null;
            /**
             * @description Code of the content, of whatever system.
             * @example M54.5
             */
            code?: string | null;
        };
        account_export: {
            /**
             * Format: uuid
             * @description The export.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            id: string;
            /**
             * Format: uuid
             * @description The account whose data it is.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            account: string;
            /**
             * @description Whether the file is there.
             * @example ready
             * @enum {string}
             */
            state: "pending" | "ready" | "failed";
            /**
             * Format: date-time
             * @description When it was asked for.
             * @example 2026-01-31T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: int64
             * @description Bytes of the file; null while it is not there.
             * @example 52428
             */
            size: number | null;
            /**
             * Format: date-time
             * @description When the file is removed; null while it is not there.
             * @example 2026-01-31T09:30:00.000Z
             */
            expiresAt: string | null;
        };
        account_exports: {
            /** @description The newest first. */
            resources: components["schemas"]["account_export"][];
        };
        project_account_export_in: {
            /**
             * @description Why; it is kept in the audit trail.
             * @example Ticket 4711: asked for by letter
             */
            reason: string;
        };
        bot_list: {
            /** @description Bots of the project, by name. */
            resources: components["schemas"]["bot"][];
        };
        bot: {
            /**
             * @description Always Bot.
             * @example Bot
             * @enum {string}
             */
            resourceType: "Bot";
            /**
             * Format: uuid
             * @description Identifier of the bot.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            id: string;
            /**
             * @description By what it is found.
             * @example [
             *       {
             *         "system": "https://lakeside.example/bots",
             *         "value": "intake"
             *       }
             *     ]
             */
            identifier: components["schemas"]["bot_identifier"][];
            /**
             * @description Name for people.
             * @example Intake form
             */
            name: string;
            /**
             * @description http or program.
             * @example http
             * @enum {string}
             */
            kind: "http" | "program";
            /**
             * @description Where an http bot listens.
             * @example https://bots.lakeside.example/intake
             */
            url?: string;
            /**
             * @description File of a program bot.
             * @example echo
             */
            program?: string;
            /**
             * Format: int64
             * @description Longest run, milliseconds.
             * @example 10000
             */
            timeoutMs: number;
            /**
             * @description Kept running between calls.
             * @example true
             */
            warm: boolean;
            /**
             * @description Names of the secrets that it has.
             * @example [
             *       "API_KEY"
             *     ]
             */
            secretNames: string[];
            /**
             * @description Key of the X-Atrium-Signature of calls to an http bot; shown when the bot is made.
             * @example ...
             */
            signingSecret?: string;
            /**
             * Format: date-time
             * @description When it was written.
             * @example 2026-01-31T09:30:00.000Z
             */
            lastUpdated: string;
        };
        bot_identifier: {
            /**
             * @description Namespace of the value.
             * @example https://lakeside.example/bots
             */
            system?: string | null;
            /**
             * @description Value, unique in its system.
             * @example intake
             */
            value: string;
        };
        bot_in: {
            /** @description By what the bot is found when it is executed. */
            identifier: components["schemas"]["bot_identifier"][];
            /**
             * @description Name for people.
             * @example Intake form
             */
            name: string;
            /**
             * @description http: a POST to `url`; program: a sandboxed file of the operator's.
             * @example http
             * @enum {string}
             */
            kind: "http" | "program";
            /**
             * @description Where an http bot listens. At most 2048 bytes of UTF-8.
             * @example https://bots.lakeside.example/intake
             */
            url?: string | null;
            /**
             * @description File of a program bot, in the operator's directory.
             * @example echo
             */
            program?: string | null;
            /**
             * Format: int64
             * @description Longest run, milliseconds.
             * @default 10000
             * @example 10000
             */
            timeoutMs?: number;
            /**
             * @description A program that answers line by line and is kept running between calls.
             * @default false
             * @example true
             */
            warm?: boolean;
            /**
             * @description Texts by name that the bot is given. Never shown again. Absent in a PUT: those that it has stay, but go when its url or program changes. At most 16384 bytes of compact JSON.
             * @example {
             *       "API_KEY": "..."
             *     }
             */
            secrets?: {
                [key: string]: string;
            } | null;
        };
        bot_execution_list: {
            /**
             * Format: int64
             * @description How many are remembered.
             * @example 1
             */
            total: number;
            /** @description Executions, the latest first. */
            resources: components["schemas"]["bot_execution"][];
        };
        bot_execution: {
            /**
             * Format: date-time
             * @description When it began.
             * @example 2026-01-31T09:30:00.000Z
             */
            started: string;
            /**
             * Format: int64
             * @description How long it took, milliseconds.
             * @example 12
             */
            durationMs: number;
            /**
             * @description How it ended.
             * @example success
             * @enum {string}
             */
            outcome: "success" | "failure" | "timeout" | "refused";
            /**
             * @description Who asked for it; absent once the account was erased.
             * @example Patient/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            profile?: string;
        };
        bot_failure_list: {
            /** @description The bot that failed last first. */
            resources: components["schemas"]["bot_failure"][];
        };
        bot_failure: {
            /**
             * Format: uuid
             * @description Identifier of the bot.
             * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
             */
            id: string;
            /**
             * @description Name for people.
             * @example Intake form
             */
            name: string;
            /**
             * Format: int64
             * @description Executions of the last 24 hours that did not succeed.
             * @example 3
             */
            failures: number;
            /**
             * Format: date-time
             * @description When the last of them began.
             * @example 2026-01-31T09:30:00.000Z
             */
            lastFailureAt: string;
            /**
             * @description How the last of them ended.
             * @example failure
             * @enum {string}
             */
            lastOutcome: "failure" | "timeout" | "refused";
        };
        /**
         * @description What the bot is given. At most 1048576 bytes of compact JSON.
         * @example {
         *       "answer": 42
         *     }
         */
        bot_execute_in: {
            [key: string]: unknown;
        };
        /**
         * @description What the bot answers.
         * @example {
         *       "ok": true
         *     }
         */
        bot_answer: unknown;
        translation_in: {
            /**
             * @description Language of the texts: an ISO 639-1 code, or its name in English or in itself.
             * @example en
             */
            sourceLanguage: string;
            /**
             * @description Language to translate to, likewise.
             * @example Spanish
             */
            targetLanguage: string;
            /**
             * @description Plain text, HTML or Markdown. {{variables}}, ${variables}, tags, code, addresses stay as they are.
             * @example [
             *       "<p>Hello {{name}}</p>"
             *     ]
             */
            text: string[];
        };
        translation: {
            /**
             * @description ISO 639-1 code of what was understood.
             * @example en
             */
            sourceLanguage: string;
            /**
             * @description Likewise.
             * @example es
             */
            targetLanguage: string;
            /**
             * @description The translations, in the order of the texts.
             * @example [
             *       "<p>Hola {{name}}</p>"
             *     ]
             */
            text: string[];
            /** @description What became of each. */
            items: components["schemas"]["translation_item"][];
        };
        translation_item: {
            /**
             * @description failed: the text is the source, because no translation of it was whole.
             * @example translated
             * @enum {string}
             */
            status: "translated" | "unchanged" | "failed";
        };
        jwks: {
            /** @description Keys to accept. */
            keys: components["schemas"]["jwk"][];
        };
        jwk: {
            /**
             * @description Key type.
             * @example EC
             * @enum {string}
             */
            kty: "EC";
            /**
             * @description Its curve.
             * @example P-256
             * @enum {string}
             */
            crv: "P-256";
            /**
             * @description For signatures.
             * @example sig
             * @enum {string}
             */
            use: "sig";
            /**
             * @description Algorithm of the tokens.
             * @example ES256
             * @enum {string}
             */
            alg: "ES256";
            /**
             * @description As in the header of a token.
             * @example 2026-01-31-4f1c
             */
            kid: string;
            /**
             * @description Coordinate, base64url.
             * @example MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4
             */
            x: string;
            /**
             * @description Coordinate, base64url.
             * @example 4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM
             */
            y: string;
        };
        /** @description An OpenAPI description. */
        openapi: {
            [key: string]: unknown;
        };
    };
    responses: {
        /** @description Bad Request */
        bad_request: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "statusCode": 400,
                 *       "message": "Bad Request",
                 *       "error": "Bad Request"
                 *     }
                 */
                "application/json": components["schemas"]["error"];
            };
        };
        /** @description Unauthorized */
        unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "statusCode": 401,
                 *       "message": "Unauthorized",
                 *       "error": "Unauthorized"
                 *     }
                 */
                "application/json": components["schemas"]["error"];
            };
        };
        /** @description Forbidden */
        forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "statusCode": 403,
                 *       "message": "Forbidden",
                 *       "error": "Forbidden"
                 *     }
                 */
                "application/json": components["schemas"]["error"];
            };
        };
        /** @description Not Found */
        not_found: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "statusCode": 404,
                 *       "message": "Not Found",
                 *       "error": "Not Found"
                 *     }
                 */
                "application/json": components["schemas"]["error"];
            };
        };
        /** @description Request Timeout */
        request_timeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "statusCode": 408,
                 *       "message": "Request Timeout",
                 *       "error": "Request Timeout"
                 *     }
                 */
                "application/json": components["schemas"]["error"];
            };
        };
        /** @description Payload Too Large */
        payload_too_large: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "statusCode": 413,
                 *       "message": "Payload Too Large",
                 *       "error": "Payload Too Large"
                 *     }
                 */
                "application/json": components["schemas"]["error"];
            };
        };
        /** @description URI Too Long */
        uri_too_long: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "statusCode": 414,
                 *       "message": "URI Too Long",
                 *       "error": "URI Too Long"
                 *     }
                 */
                "application/json": components["schemas"]["error"];
            };
        };
        /** @description Unsupported Media Type */
        unsupported_media_type: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "statusCode": 415,
                 *       "message": "Unsupported Media Type",
                 *       "error": "Unsupported Media Type"
                 *     }
                 */
                "application/json": components["schemas"]["error"];
            };
        };
        /**
         * @description Unprocessable Entity. With a `code`:
         *
         *     - `PASSWORD_REFUSED`: the project's rules do not admit this password; `path` is `password`.
         */
        unprocessable_entity_password_refused: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["validation_error"];
            };
        };
        /** @description Too Many Requests */
        too_many_requests: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "statusCode": 429,
                 *       "message": "Too Many Requests",
                 *       "error": "Too Many Requests"
                 *     }
                 */
                "application/json": components["schemas"]["error"];
            };
        };
        /** @description Request Header Fields Too Large */
        request_header_fields_too_large: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "statusCode": 431,
                 *       "message": "Request Header Fields Too Large",
                 *       "error": "Request Header Fields Too Large"
                 *     }
                 */
                "application/json": components["schemas"]["error"];
            };
        };
        /** @description Internal Server Error */
        internal_server_error: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "statusCode": 500,
                 *       "message": "Internal Server Error",
                 *       "error": "Internal Server Error"
                 *     }
                 */
                "application/json": components["schemas"]["error"];
            };
        };
        /**
         * @description Service Unavailable. With a `code`:
         *
         *     - `PROJECT_READ_ONLY`: the project is read-only for seconds or minutes, while it moves to another installation: what reads goes on, the rest is to be tried again after `Retry-After`; a refresh token is not spent by it.
         */
        service_unavailable_project_read_only: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["error"];
            };
        };
        /** @description Gateway Timeout */
        gateway_timeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "statusCode": 504,
                 *       "message": "Gateway Timeout",
                 *       "error": "Gateway Timeout"
                 *     }
                 */
                "application/json": components["schemas"]["error"];
            };
        };
        /**
         * @description Forbidden. With a `code`:
         *
         *     - `EMAIL_NOT_VERIFIED`: the password is right (or the member is found) and the address of the account is not verified yet.
         *     - `ACCOUNT_LOCKED`: the password is right, and an operator has locked the account, or an admin of the project the member.
         *     - `PASSWORD_CHANGE_REQUIRED`: the password is right and a common one, and the project wants another: reset it.
         */
        forbidden_email_not_verified_account_locked_password_change_required: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["error"];
            };
        };
        /** @description Unprocessable Entity */
        unprocessable_entity: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "statusCode": 422,
                 *       "message": [
                 *         {
                 *           "path": "password",
                 *           "message": "is required"
                 *         }
                 *       ],
                 *       "error": "Unprocessable Entity"
                 *     }
                 */
                "application/json": components["schemas"]["validation_error"];
            };
        };
        /**
         * @description Forbidden. With a `code`:
         *
         *     - `ACCOUNT_LOCKED`: the password is right, and an operator has locked the account, or an admin of the project the member.
         *     - `PASSWORD_CHANGE_REQUIRED`: the password is right and a common one, and the project wants another: reset it.
         */
        forbidden_account_locked_password_change_required: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["error"];
            };
        };
        /**
         * @description Forbidden. With a `code`:
         *
         *     - `EMAIL_NOT_VERIFIED`: the password is right (or the member is found) and the address of the account is not verified yet.
         */
        forbidden_email_not_verified: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["error"];
            };
        };
        /**
         * @description Forbidden. With a `code`:
         *
         *     - `EMAIL_NOT_VERIFIED`: the password is right (or the member is found) and the address of the account is not verified yet.
         *     - `ACCOUNT_LOCKED`: the password is right, and an operator has locked the account, or an admin of the project the member.
         */
        forbidden_email_not_verified_account_locked: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["error"];
            };
        };
        /**
         * @description Forbidden. With a `code`:
         *
         *     - `ACCOUNT_LOCKED`: the password is right, and an operator has locked the account, or an admin of the project the member.
         */
        forbidden_account_locked: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["error"];
            };
        };
        /**
         * @description Unauthorized. With a `code`:
         *
         *     - `MFA_REQUIRED`: the password is right and a second factor is needed: go on at the tenant sign-in's `login/mfa` with the `loginId`, which is there when the request had a `codeChallenge`.
         */
        unauthorized_mfa_required: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["mfa_required"] | components["schemas"]["error"];
            };
        };
        /**
         * @description Forbidden. With a `code`:
         *
         *     - `ACCOUNT_SHARED`: the account is a member of projects that are not yours: its owner, or an operator, can do this.
         */
        forbidden_account_shared: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["error"];
            };
        };
        /** @description Conflict */
        conflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "statusCode": 409,
                 *       "message": "Conflict",
                 *       "error": "Conflict"
                 *     }
                 */
                "application/json": components["schemas"]["error"];
            };
        };
        /**
         * @description Conflict. With a `code`:
         *
         *     - `ACCEPT_SIGNED_IN`: the account exists and is verified: sign in and accept with its token.
         */
        conflict_accept_signed_in: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["error"];
            };
        };
        /** @description Service Unavailable */
        service_unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "statusCode": 503,
                 *       "message": "Service Unavailable",
                 *       "error": "Service Unavailable"
                 *     }
                 */
                "application/json": components["schemas"]["error"];
            };
        };
        /**
         * @description Forbidden. With a `code`:
         *
         *     - `MFA_ENROLLMENT_REQUIRED`: the project demands a second factor of this account, and the session has none: enrol one.
         *     - `EMAIL_NOT_VERIFIED`: the password is right (or the member is found) and the address of the account is not verified yet.
         */
        forbidden_mfa_enrollment_required_email_not_verified: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["error"];
            };
        };
        /**
         * @description Conflict. With a `code`:
         *
         *     - `ACCEPT_BY_PASSWORD`: there is no verified account yet: accept by setting a password.
         */
        conflict_accept_by_password: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["error"];
            };
        };
        /**
         * @description Unauthorized. With a `code`:
         *
         *     - `SIGN_IN_REQUIRED`: sign in first, or send the password of the account; the link is not spent.
         */
        unauthorized_sign_in_required: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["error"];
            };
        };
        /**
         * @description Unauthorized. With a `code`:
         *
         *     - `STEP_UP_REQUIRED`: the last proof of the session is too old: `POST /auth/step-up`, then repeat.
         */
        unauthorized_step_up_required: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["error"];
            };
        };
        /**
         * @description Forbidden. With a `code`:
         *
         *     - `MFA_ENROLLMENT_REQUIRED`: the project demands a second factor of this account, and the session has none: enrol one.
         */
        forbidden_mfa_enrollment_required: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["error"];
            };
        };
        /**
         * @description Forbidden. With a `code`:
         *
         *     - `ACCOUNT_SHARED`: the account is a member of projects that are not yours: its owner, or an operator, can do this.
         *     - `MFA_ENROLLMENT_REQUIRED`: the project demands a second factor of this account, and the session has none: enrol one.
         */
        forbidden_account_shared_mfa_enrollment_required: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["error"];
            };
        };
        /**
         * @description Unprocessable Entity. With a `code`:
         *
         *     - `INVALID_SETTING_VALUE`: the value does not fit the setting, or something that it needs is missing.
         */
        unprocessable_entity_invalid_setting_value: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["validation_error"];
            };
        };
        /**
         * @description Payload Too Large. With a `code`:
         *
         *     - `QUOTA_EXCEEDED`: the account or the project has as many documents or bytes as it may have.
         */
        payload_too_large_quota_exceeded: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["error"];
            };
        };
        /** @description Range Not Satisfiable */
        range_not_satisfiable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "statusCode": 416,
                 *       "message": "Range Not Satisfiable",
                 *       "error": "Range Not Satisfiable"
                 *     }
                 */
                "application/json": components["schemas"]["error"];
            };
        };
        /**
         * @description Bad Request. With a `code`:
         *
         *     - `EntityTooLarge`: the file is larger than the form admits.
         */
        bad_request_entitytoolarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description Names the request in the operator's logs.
         * @example 4bf92f3577b34da6a3ce929d0e0e4736
         */
        "X-Request-Id": string;
        /**
         * @description Names the state that the answer shows.
         * @example "17"
         */
        ETag: string;
        /**
         * @description Seconds after which another try makes sense.
         * @example 30
         */
        "Retry-After": number;
        /**
         * @description Requests that are admitted in a window.
         * @example 5
         */
        "RateLimit-Limit": number;
        /**
         * @description How many of them are left.
         * @example 0
         */
        "RateLimit-Remaining": number;
        /**
         * @description Seconds until the window is over.
         * @example 30
         */
        "RateLimit-Reset": number;
        /**
         * @description How to authenticate (RFC 6750, RFC 9470).
         * @example Bearer
         */
        "WWW-Authenticate": string;
        /**
         * @description Which bytes of how many.
         * @example bytes 0-499/48213
         */
        "Content-Range": string;
        /**
         * @description That ranges are served.
         * @example bytes
         */
        "Accept-Ranges": string;
        /**
         * @description The name of the file.
         * @example inline; filename="x-ray.png"
         */
        "Content-Disposition": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    patient_register: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ana@example.org",
                 *       "password": "correct horse battery staple",
                 *       "name": "Ana",
                 *       "surname": "Lima",
                 *       "tenantCode": "demo"
                 *     }
                 */
                "application/json": components["schemas"]["patient_register_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["token_or_step"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity_password_refused"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    patient_login_start: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ana@example.org",
                 *       "password": "correct horse battery staple",
                 *       "tenantCode": "demo",
                 *       "codeChallenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
                 *     }
                 */
                "application/json": components["schemas"]["patient_login_start_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["login_step"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_email_not_verified_account_locked_password_change_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    patient_login_token: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "sessionCode": "p2XmC3u7Yw0bT9s4KfVqLh8dRzJ1oNeA",
                 *       "codeVerifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
                 *     }
                 */
                "application/json": components["schemas"]["patient_login_token_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accessToken": "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJQYXRpZW50In0.c2lnbmF0dXJl",
                     *       "refreshToken": "p2XmC3u7Yw0bT9s4KfVqLh8dRzJ1oNeA",
                     *       "expiresIn": 3600,
                     *       "project": {
                     *         "reference": "Patient/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *         "display": "Ana Lima"
                     *       },
                     *       "profile": {
                     *         "reference": "Patient/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *         "display": "Ana Lima"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["token_response"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    practitioner_register: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "rui@lakeside.example",
                 *       "password": "correct horse battery staple",
                 *       "name": "Rui",
                 *       "surname": "Costa",
                 *       "tenantCode": "demo"
                 *     }
                 */
                "application/json": components["schemas"]["practitioner_register_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["token_or_step"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity_password_refused"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    practitioner_login_start: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "rui@lakeside.example",
                 *       "password": "correct horse battery staple",
                 *       "tenantCode": "demo",
                 *       "codeChallenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
                 *     }
                 */
                "application/json": components["schemas"]["practitioner_login_start_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["login_step"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_account_locked_password_change_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    patient_login_mfa: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "loginId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                 *       "mfaToken": "123456",
                 *       "credential": {
                 *         "type": "public-key",
                 *         "id": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                 *         "response": {
                 *           "clientDataJSON": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                 *           "authenticatorData": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                 *           "signature": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                 *           "userHandle": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["login_mfa_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["login_step"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    practitioner_login_mfa: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "loginId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                 *       "mfaToken": "123456",
                 *       "credential": {
                 *         "type": "public-key",
                 *         "id": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                 *         "response": {
                 *           "clientDataJSON": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                 *           "authenticatorData": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                 *           "signature": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                 *           "userHandle": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["login_mfa_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["login_step"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    patient_login_mfa_start: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "loginId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"
                 *     }
                 */
                "application/json": components["schemas"]["login_mfa_start_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "loginId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "options": {
                     *         "challenge": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
                     *         "rpId": "patient.demo.example",
                     *         "timeout": 300000,
                     *         "allowCredentials": [
                     *           {
                     *             "type": "public-key",
                     *             "id": "dGhlIGlkIG9mIGEgY3JlZGVudGlhbA"
                     *           }
                     *         ],
                     *         "userVerification": "required"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["passkey_request"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    practitioner_login_mfa_start: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "loginId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"
                 *     }
                 */
                "application/json": components["schemas"]["login_mfa_start_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "loginId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "options": {
                     *         "challenge": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
                     *         "rpId": "patient.demo.example",
                     *         "timeout": 300000,
                     *         "allowCredentials": [
                     *           {
                     *             "type": "public-key",
                     *             "id": "dGhlIGlkIG9mIGEgY3JlZGVudGlhbA"
                     *           }
                     *         ],
                     *         "userVerification": "required"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["passkey_request"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    practitioner_login_token: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "sessionCode": "p2XmC3u7Yw0bT9s4KfVqLh8dRzJ1oNeA",
                 *       "codeVerifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
                 *       "tenantCode": "demo"
                 *     }
                 */
                "application/json": components["schemas"]["practitioner_login_token_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accessToken": "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJQYXRpZW50In0.c2lnbmF0dXJl",
                     *       "refreshToken": "p2XmC3u7Yw0bT9s4KfVqLh8dRzJ1oNeA",
                     *       "expiresIn": 3600,
                     *       "project": {
                     *         "reference": "Patient/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *         "display": "Ana Lima"
                     *       },
                     *       "profile": {
                     *         "reference": "Patient/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *         "display": "Ana Lima"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["token_response"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_email_not_verified"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    patient_passkey_start: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tenantCode": "demo",
                 *       "email": "ana@example.org",
                 *       "codeChallenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
                 *     }
                 */
                "application/json": components["schemas"]["patient_passkey_start_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "loginId": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                     *       "options": {
                     *         "challenge": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
                     *         "rpId": "patient.demo.example",
                     *         "timeout": 300000,
                     *         "allowCredentials": [
                     *           {
                     *             "type": "public-key",
                     *             "id": "dGhlIGlkIG9mIGEgY3JlZGVudGlhbA"
                     *           }
                     *         ],
                     *         "userVerification": "required"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["passkey_start_out"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    patient_passkey_finish: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "loginId": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                 *       "credential": {
                 *         "type": "public-key",
                 *         "id": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                 *         "response": {
                 *           "clientDataJSON": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                 *           "authenticatorData": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                 *           "signature": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                 *           "userHandle": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["passkey_finish_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["login_step"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_email_not_verified_account_locked"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    practitioner_passkey_start: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tenantCode": "demo",
                 *       "email": "rui@lakeside.example",
                 *       "codeChallenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
                 *     }
                 */
                "application/json": components["schemas"]["practitioner_passkey_start_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "loginId": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                     *       "options": {
                     *         "challenge": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
                     *         "rpId": "patient.demo.example",
                     *         "timeout": 300000,
                     *         "allowCredentials": [
                     *           {
                     *             "type": "public-key",
                     *             "id": "dGhlIGlkIG9mIGEgY3JlZGVudGlhbA"
                     *           }
                     *         ],
                     *         "userVerification": "required"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["passkey_start_out"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    practitioner_passkey_finish: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "loginId": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                 *       "credential": {
                 *         "type": "public-key",
                 *         "id": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                 *         "response": {
                 *           "clientDataJSON": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                 *           "authenticatorData": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                 *           "signature": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                 *           "userHandle": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["passkey_finish_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["login_step"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_account_locked"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    patient_code_start: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ana@example.org",
                 *       "tenantCode": "demo",
                 *       "codeChallenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
                 *     }
                 */
                "application/json": components["schemas"]["code_start_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "nextStep": "code",
                     *       "loginId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"
                     *     }
                     */
                    "application/json": components["schemas"]["code_step"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    patient_login_code: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "loginId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                 *       "code": "482913"
                 *     }
                 */
                "application/json": components["schemas"]["login_code_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["login_step"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_account_locked"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    practitioner_code_start: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ana@example.org",
                 *       "tenantCode": "demo",
                 *       "codeChallenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
                 *     }
                 */
                "application/json": components["schemas"]["code_start_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "nextStep": "code",
                     *       "loginId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"
                     *     }
                     */
                    "application/json": components["schemas"]["code_step"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    practitioner_login_code: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "loginId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                 *       "code": "482913"
                 *     }
                 */
                "application/json": components["schemas"]["login_code_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["login_step"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_account_locked"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    client_login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ana@example.org",
                 *       "password": "correct horse battery staple",
                 *       "clientId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                 *       "codeChallenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
                 *     }
                 */
                "application/json": components["schemas"]["client_login_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accessToken": "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJQYXRpZW50In0.c2lnbmF0dXJl",
                     *       "refreshToken": "p2XmC3u7Yw0bT9s4KfVqLh8dRzJ1oNeA",
                     *       "expiresIn": 3600,
                     *       "project": {
                     *         "reference": "Patient/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *         "display": "Ana Lima"
                     *       },
                     *       "profile": {
                     *         "reference": "Patient/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *         "display": "Ana Lima"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["token_response"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_mfa_required"];
            403: components["responses"]["forbidden_email_not_verified_account_locked_password_change_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    client_register: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ana@example.org",
                 *       "password": "correct horse battery staple",
                 *       "clientId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                 *       "type": "Patient",
                 *       "name": "Ana",
                 *       "surname": "Lima"
                 *     }
                 */
                "application/json": components["schemas"]["client_register_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["token_or_step"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity_password_refused"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    b2b_login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "rui@lakeside.example",
                 *       "password": "correct horse battery staple",
                 *       "clientId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                 *       "tenantId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                 *       "codeChallenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
                 *     }
                 */
                "application/json": components["schemas"]["b2b_login_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accessToken": "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJQYXRpZW50In0.c2lnbmF0dXJl",
                     *       "refreshToken": "p2XmC3u7Yw0bT9s4KfVqLh8dRzJ1oNeA",
                     *       "expiresIn": 3600,
                     *       "project": {
                     *         "reference": "Patient/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *         "display": "Ana Lima"
                     *       },
                     *       "profile": {
                     *         "reference": "Patient/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *         "display": "Ana Lima"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["token_response"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_mfa_required"];
            403: components["responses"]["forbidden_email_not_verified_account_locked_password_change_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    b2b_register: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "rui@lakeside.example",
                 *       "password": "correct horse battery staple",
                 *       "name": "Rui",
                 *       "surname": "Costa",
                 *       "tenantId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                 *       "clientId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"
                 *     }
                 */
                "application/json": components["schemas"]["b2b_register_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["token_or_step"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity_password_refused"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    refresh_token: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "refresh_token": "p2XmC3u7Yw0bT9s4KfVqLh8dRzJ1oNeA"
                 *     }
                 */
                "application/json": components["schemas"]["refresh_token_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "access_token": "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJQYXRpZW50In0.c2lnbmF0dXJl",
                     *       "refresh_token": "p2XmC3u7Yw0bT9s4KfVqLh8dRzJ1oNeA",
                     *       "expires_in": 3600,
                     *       "token_type": "Bearer"
                     *     }
                     */
                    "application/json": components["schemas"]["refresh_token_out"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    change_password: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "oldPassword": "correct horse battery staple",
                 *       "newPassword": "another correct horse battery staple"
                 *     }
                 */
                "application/json": components["schemas"]["change_password_in"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_account_shared"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity_password_refused"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    reset_password: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ana@example.org",
                 *       "tenantCode": "demo",
                 *       "type": "Patient"
                 *     }
                 */
                "application/json": components["schemas"]["reset_password_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "If there is such an account, a link to set a new password has been mailed."
                     *     }
                     */
                    "application/json": components["schemas"]["message_out"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    set_password: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                 *       "secret": "p2XmC3u7Yw0bT9s4KfVqLh8dRzJ1oNeA",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": components["schemas"]["set_password_in"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict_accept_signed_in"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity_password_refused"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    invitation_show: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                 *       "secret": "p2XmC3u7Yw0bT9s4KfVqLh8dRzJ1oNeA"
                 *     }
                 */
                "application/json": components["schemas"]["invitation_link_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email": "rui@lakeside.example",
                     *       "projectName": "Lakeside Clinic",
                     *       "inviterName": "Eva Novak",
                     *       "accept": "sign-in"
                     *     }
                     */
                    "application/json": components["schemas"]["invitation_show_out"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    invitation_accept: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                 *       "secret": "p2XmC3u7Yw0bT9s4KfVqLh8dRzJ1oNeA"
                 *     }
                 */
                "application/json": components["schemas"]["invitation_link_in"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required_email_not_verified"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict_accept_by_password"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    email_verify_send: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "email": "ana@example.org",
                 *       "tenantCode": "demo",
                 *       "type": "Patient"
                 *     }
                 */
                "application/json": components["schemas"]["email_verify_send_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "If there is such an account, a link to set a new password has been mailed."
                     *     }
                     */
                    "application/json": components["schemas"]["message_out"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    email_verify: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                 *       "secret": "p2XmC3u7Yw0bT9s4KfVqLh8dRzJ1oNeA",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": components["schemas"]["email_verify_in"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_sign_in_required"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    email_change: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ana@example.net"
                 *     }
                 */
                "application/json": components["schemas"]["email_change_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "If there is such an account, a link to set a new password has been mailed."
                     *     }
                     */
                    "application/json": components["schemas"]["message_out"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_step_up_required"];
            403: components["responses"]["forbidden_account_shared"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    email_undo: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                 *       "secret": "p2XmC3u7Yw0bT9s4KfVqLh8dRzJ1oNeA"
                 *     }
                 */
                "application/json": components["schemas"]["email_undo_in"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    mfa_status: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "enrolled": true,
                     *       "otpauthUrl": "otpauth://totp/Lakeside:ana@example.org?secret=JBSWY3DPEHPK3PXP",
                     *       "qrCodeDataUrl": "data:image/png;base64,iVBORw0KGgo="
                     *     }
                     */
                    "application/json": components["schemas"]["mfa_status_out"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    mfa_enroll: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "123456"
                 *     }
                 */
                "application/json": components["schemas"]["mfa_token_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ok": true,
                     *       "recoveryCodes": [
                     *         "k3v09xr2fa"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["mfa_enroll_out"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_step_up_required"];
            403: components["responses"]["forbidden_account_shared"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    mfa_disable: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "123456"
                 *     }
                 */
                "application/json": components["schemas"]["mfa_token_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ok": true
                     *     }
                     */
                    "application/json": components["schemas"]["ok_out"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_step_up_required"];
            403: components["responses"]["forbidden_account_shared"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    step_up: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "correct horse battery staple",
                 *       "mfaToken": "123456",
                 *       "loginId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                 *       "credential": {
                 *         "type": "public-key",
                 *         "id": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                 *         "response": {
                 *           "clientDataJSON": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                 *           "authenticatorData": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                 *           "signature": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                 *           "userHandle": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["step_up_in"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    step_up_start: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "loginId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "options": {
                     *         "challenge": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
                     *         "rpId": "patient.demo.example",
                     *         "timeout": 300000,
                     *         "allowCredentials": [
                     *           {
                     *             "type": "public-key",
                     *             "id": "dGhlIGlkIG9mIGEgY3JlZGVudGlhbA"
                     *           }
                     *         ],
                     *         "userVerification": "required"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["passkey_request"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            414: components["responses"]["uri_too_long"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    passkey_enroll_start: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "enrollmentId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "options": {
                     *         "rp": {
                     *           "id": "patient.demo.example",
                     *           "name": "Demo"
                     *         },
                     *         "user": {
                     *           "id": "kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE",
                     *           "name": "ana@example.org",
                     *           "displayName": "Ana Lima"
                     *         },
                     *         "challenge": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
                     *         "pubKeyCredParams": [
                     *           {
                     *             "type": "public-key",
                     *             "alg": -7
                     *           }
                     *         ],
                     *         "timeout": 300000,
                     *         "excludeCredentials": [
                     *           {
                     *             "type": "public-key",
                     *             "id": "dGhlIGlkIG9mIGEgY3JlZGVudGlhbA"
                     *           }
                     *         ],
                     *         "authenticatorSelection": {
                     *           "residentKey": "required",
                     *           "requireResidentKey": true,
                     *           "userVerification": "required"
                     *         },
                     *         "attestation": "none"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["passkey_enrollment"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_step_up_required"];
            403: components["responses"]["forbidden_account_shared"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            414: components["responses"]["uri_too_long"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    passkey_enroll_finish: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "enrollmentId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                 *       "name": "My phone",
                 *       "credential": {
                 *         "type": "public-key",
                 *         "id": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                 *         "response": {
                 *           "clientDataJSON": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                 *           "attestationObject": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["passkey_enroll_finish_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "name": "My phone",
                     *       "rpId": "patient.demo.example",
                     *       "backedUp": true,
                     *       "createdAt": "2026-01-31T09:30:00.000Z",
                     *       "lastUsedAt": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["passkey"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_step_up_required"];
            403: components["responses"]["forbidden_account_shared"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    passkeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "passkeys": [
                     *         {
                     *           "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *           "name": "My phone",
                     *           "rpId": "patient.demo.example",
                     *           "backedUp": true,
                     *           "createdAt": "2026-01-31T09:30:00.000Z",
                     *           "lastUsedAt": "2026-01-31T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["passkey_list"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    passkey_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the passkey.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ok": true
                     *     }
                     */
                    "application/json": components["schemas"]["ok_out"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_step_up_required"];
            403: components["responses"]["forbidden_account_shared"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    passkey_rename: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the passkey.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "My phone"
                 *     }
                 */
                "application/json": components["schemas"]["passkey_rename_in"];
                /**
                 * @example {
                 *       "name": "My phone"
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["passkey_rename_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "name": "My phone",
                     *       "rpId": "patient.demo.example",
                     *       "backedUp": true,
                     *       "createdAt": "2026-01-31T09:30:00.000Z",
                     *       "lastUsedAt": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["passkey"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_step_up_required"];
            403: components["responses"]["forbidden_account_shared"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    passkey_origins: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "origins": [
                     *         "https://account.example.org"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["passkey_origins_out"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    deletion_schedule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "days": 30,
                 *       "wipe": true
                 *     }
                 */
                "application/json": components["schemas"]["deletion_schedule_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "scheduled": "2026-01-31T09:30:00.000Z",
                     *       "user": {
                     *         "resourceType": "User",
                     *         "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *         "firstName": "Ana",
                     *         "lastName": "Lima",
                     *         "email": "ana@example.org"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["deletion_scheduled"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_step_up_required"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "project": {
                     *         "resourceType": "Project",
                     *         "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *         "name": "Lakeside Clinic",
                     *         "strictMode": true
                     *       },
                     *       "membership": {
                     *         "resourceType": "ProjectMembership",
                     *         "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *         "admin": true,
                     *         "user": {
                     *           "reference": "Patient/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *           "display": "Ana Lima"
                     *         }
                     *       },
                     *       "profile": {
                     *         "resourceType": "Patient",
                     *         "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *         "name": [
                     *           {
                     *             "given": [
                     *               "Ana"
                     *             ],
                     *             "family": "Lima"
                     *           }
                     *         ],
                     *         "telecom": [
                     *           {
                     *             "system": "email",
                     *             "use": "home",
                     *             "value": "ana@example.org"
                     *           }
                     *         ]
                     *       },
                     *       "accessPolicy": {
                     *         "resourceType": "AccessPolicy",
                     *         "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *         "name": "Own documents",
                     *         "resource": [
                     *           {
                     *             "resourceType": "DocumentReference",
                     *             "interaction": [
                     *               "read",
                     *               "search"
                     *             ]
                     *           }
                     *         ]
                     *       },
                     *       "config": {
                     *         "resourceType": "UserConfiguration",
                     *         "menu": [
                     *           {
                     *             "title": "Files",
                     *             "link": [
                     *               {
                     *                 "name": "Documents",
                     *                 "target": "/documents"
                     *               }
                     *             ]
                     *           }
                     *         ]
                     *       },
                     *       "security": {
                     *         "mfaEnrolled": true,
                     *         "emailVerified": true,
                     *         "sessions": [
                     *           {
                     *             "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *             "lastUpdated": "2026-01-31T09:30:00.000Z",
                     *             "authMethod": "password",
                     *             "remoteAddress": "192.0.2.7",
                     *             "browser": "Firefox",
                     *             "os": "Linux",
                     *             "client": {
                     *               "id": "0199a0c0-0000-7000-8000-000000000000",
                     *               "name": "Growth chart"
                     *             },
                     *             "current": true
                     *           }
                     *         ],
                     *         "moreSessions": true
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["me_out"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    logout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    logout_v1_auth_logout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    sessions: {
        parameters: {
            query?: {
                /**
                 * @description Sessions at most.
                 * @example 20
                 */
                _count?: number;
                /**
                 * @description Sessions to skip.
                 * @example 0
                 */
                _offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sessions": [
                     *         {
                     *           "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *           "lastUpdated": "2026-01-31T09:30:00.000Z",
                     *           "authMethod": "password",
                     *           "remoteAddress": "192.0.2.7",
                     *           "browser": "Firefox",
                     *           "os": "Linux",
                     *           "client": {
                     *             "id": "0199a0c0-0000-7000-8000-000000000000",
                     *             "name": "Growth chart"
                     *           },
                     *           "current": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["session_list"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    sessions_revoke: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description current, other (all but the current one), all, or the id of one session. At most 64 bytes of UTF-8.
                 * @example other
                 */
                option: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sessions": [
                     *         {
                     *           "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *           "lastUpdated": "2026-01-31T09:30:00.000Z",
                     *           "authMethod": "password",
                     *           "remoteAddress": "192.0.2.7",
                     *           "browser": "Firefox",
                     *           "os": "Linux",
                     *           "client": {
                     *             "id": "0199a0c0-0000-7000-8000-000000000000",
                     *             "name": "Growth chart"
                     *           },
                     *           "current": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["session_list"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    consents: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "consents": [
                     *         {
                     *           "clientId": "019af3c2-6a3e-7b1c-9d2e-3f4a5b6c7d8e",
                     *           "name": "Diary",
                     *           "scope": "openid profile",
                     *           "createdAt": "2026-01-31T09:30:00.000Z",
                     *           "lastUpdated": "2026-01-31T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["consent_list"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    consent_withdraw: {
        parameters: {
            query: {
                /**
                 * @description The client. At most 256 bytes of UTF-8.
                 * @example 019af3c2-6a3e-7b1c-9d2e-3f4a5b6c7d8e
                 */
                clientId: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ok": true
                     *     }
                     */
                    "application/json": components["schemas"]["ok_out"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    members: {
        parameters: {
            query?: {
                /**
                 * @description Members at most.
                 * @example 20
                 */
                _count?: number;
                /**
                 * @description Members to skip.
                 * @example 0
                 */
                _offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "total": 1,
                     *       "resources": [
                     *         {
                     *           "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *           "email": "rui@lakeside.example",
                     *           "displayName": "Rui Costa",
                     *           "firstName": "Rui",
                     *           "lastName": "Costa",
                     *           "admin": true,
                     *           "profileType": "Practitioner",
                     *           "profileId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *           "pending": true,
                     *           "invitedAt": "2026-01-31T09:30:00.000Z",
                     *           "emailVerified": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["member_list"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    member_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "rui@lakeside.example",
                 *       "firstName": "Rui",
                 *       "lastName": "Costa",
                 *       "type": "Practitioner",
                 *       "admin": true,
                 *       "accessPolicy": "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"
                 *     }
                 */
                "application/json": components["schemas"]["member_create_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "email": "rui@lakeside.example",
                     *       "displayName": "Rui Costa",
                     *       "firstName": "Rui",
                     *       "lastName": "Costa",
                     *       "admin": true,
                     *       "profileType": "Practitioner",
                     *       "profileId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "pending": true,
                     *       "invitedAt": "2026-01-31T09:30:00.000Z",
                     *       "emailVerified": true
                     *     }
                     */
                    "application/json": components["schemas"]["member"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_step_up_required"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    member_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The membership.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ok": true
                     *     }
                     */
                    "application/json": components["schemas"]["ok_out"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    member_patch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The membership.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "admin": true
                 *     }
                 */
                "application/json": components["schemas"]["member_patch_in"];
                /**
                 * @example {
                 *       "admin": true
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["member_patch_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "email": "rui@lakeside.example",
                     *       "displayName": "Rui Costa",
                     *       "firstName": "Rui",
                     *       "lastName": "Costa",
                     *       "admin": true,
                     *       "profileType": "Practitioner",
                     *       "profileId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "pending": true,
                     *       "invitedAt": "2026-01-31T09:30:00.000Z",
                     *       "emailVerified": true
                     *     }
                     */
                    "application/json": components["schemas"]["member"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_step_up_required"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    member_resend: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The membership.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "email": "rui@lakeside.example",
                     *       "displayName": "Rui Costa",
                     *       "firstName": "Rui",
                     *       "lastName": "Costa",
                     *       "admin": true,
                     *       "profileType": "Practitioner",
                     *       "profileId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "pending": true,
                     *       "invitedAt": "2026-01-31T09:30:00.000Z",
                     *       "emailVerified": true
                     *     }
                     */
                    "application/json": components["schemas"]["member"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    account_import: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "accounts": [
                 *         {
                 *           "email": "ana@example.org",
                 *           "firstName": "Ana",
                 *           "lastName": "Lima"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["account_import_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "imported": 1,
                     *       "invited": 0,
                     *       "existing": 0,
                     *       "refused": 0,
                     *       "lines": [
                     *         {
                     *           "line": 3,
                     *           "email": "ana@example.org",
                     *           "existing": true,
                     *           "why": "firstName is required"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["account_import_out"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_step_up_required"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    project_accounts: {
        parameters: {
            query?: {
                /**
                 * @description Beginning of the address, or of the names from any word on; capitals, accents and apostrophes do not matter.
                 * @example ana
                 */
                search?: string;
                /**
                 * @description Only this role.
                 * @example Patient
                 */
                role?: "Patient" | "Practitioner";
                /**
                 * @description Only in this state.
                 * @example locked
                 */
                state?: "active" | "locked" | "deleting";
                /**
                 * @description `next` of the page before, with the same other parameters; good for a day. At most 4096 bytes of UTF-8.
                 * @example kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE
                 */
                _cursor?: string;
                /**
                 * @description Accounts at most.
                 * @example 50
                 */
                _count?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resources": [
                     *         {
                     *           "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *           "membership": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *           "profileId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *           "role": "Patient",
                     *           "email": "ana@example.org",
                     *           "firstName": "Ana",
                     *           "lastName": "Lima",
                     *           "admin": true,
                     *           "emailVerified": true,
                     *           "factors": [
                     *             "totp"
                     *           ],
                     *           "state": "active",
                     *           "lockedAt": "2026-01-31T09:30:00.000Z",
                     *           "lockedBy": "admin",
                     *           "lastSignInAt": "2026-01-31T09:30:00.000Z",
                     *           "deletionAt": "2026-01-31T09:30:00.000Z",
                     *           "memberSince": "2026-01-31T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "next": "kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE"
                     *     }
                     */
                    "application/json": components["schemas"]["project_account_list"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    project_account_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The account.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "membership": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "profileId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "role": "Patient",
                     *       "email": "ana@example.org",
                     *       "firstName": "Ana",
                     *       "lastName": "Lima",
                     *       "admin": true,
                     *       "emailVerified": true,
                     *       "factors": [
                     *         "totp"
                     *       ],
                     *       "state": "active",
                     *       "lockedAt": "2026-01-31T09:30:00.000Z",
                     *       "lockedBy": "admin",
                     *       "lastSignInAt": "2026-01-31T09:30:00.000Z",
                     *       "deletionAt": "2026-01-31T09:30:00.000Z",
                     *       "memberSince": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["project_account"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    project_account_sessions: {
        parameters: {
            query?: {
                /**
                 * @description `next` of the page before; good for a day. At most 4096 bytes of UTF-8.
                 * @example kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE
                 */
                _cursor?: string;
                /**
                 * @description Sessions at most.
                 * @example 50
                 */
                _count?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The account.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resources": [
                     *         {
                     *           "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *           "lastUpdated": "2026-01-31T09:30:00.000Z",
                     *           "authMethod": "password",
                     *           "remoteAddress": "192.0.2.7",
                     *           "browser": "Firefox",
                     *           "os": "Linux",
                     *           "client": {
                     *             "id": "0199a0c0-0000-7000-8000-000000000000",
                     *             "name": "Growth chart"
                     *           },
                     *           "current": true
                     *         }
                     *       ],
                     *       "next": "kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE"
                     *     }
                     */
                    "application/json": components["schemas"]["project_account_session_list"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    project_account_explain: {
        parameters: {
            query?: {
                /**
                 * @description Address that the sign-in comes from. At most 64 bytes of UTF-8.
                 * @example 192.0.2.7
                 */
                address?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The account.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "wouldSucceed": true,
                     *       "secondFactor": true,
                     *       "steps": [
                     *         {
                     *           "check": "lock",
                     *           "outcome": "pass",
                     *           "hint": "Unlock the account."
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["sign_in_explain_out"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    project_account_lock: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The account.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Ticket 4711: phone lost"
                 *     }
                 */
                "application/json": components["schemas"]["project_account_act_in"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_step_up_required"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    project_account_unlock: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The account.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Ticket 4711: phone lost"
                 *     }
                 */
                "application/json": components["schemas"]["project_account_act_in"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_step_up_required"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    project_account_end_sessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The account.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Ticket 4711: phone lost"
                 *     }
                 */
                "application/json": components["schemas"]["project_account_act_in"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_step_up_required"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    project_account_reset_mfa: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The account.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Ticket 4711: phone lost"
                 *     }
                 */
                "application/json": components["schemas"]["project_account_act_in"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_step_up_required"];
            403: components["responses"]["forbidden_account_shared_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    project_account_send_reset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The account.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Ticket 4711: phone lost"
                 *     }
                 */
                "application/json": components["schemas"]["project_account_act_in"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_step_up_required"];
            403: components["responses"]["forbidden_account_shared_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    project_account_schedule_deletion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The account.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Ticket 4711: asked for by phone",
                 *       "days": 30,
                 *       "wipe": true
                 *     }
                 */
                "application/json": components["schemas"]["project_account_delete_in"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_step_up_required"];
            403: components["responses"]["forbidden_account_shared_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    project_account_cancel_deletion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The account.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Ticket 4711: phone lost"
                 *     }
                 */
                "application/json": components["schemas"]["project_account_act_in"];
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_step_up_required"];
            403: components["responses"]["forbidden_account_shared_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    api_keys: {
        parameters: {
            query?: {
                /**
                 * @description `next` of the page before; good for a day. At most 4096 bytes of UTF-8.
                 * @example kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE
                 */
                _cursor?: string;
                /**
                 * @description Keys at most.
                 * @example 50
                 */
                _count?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resources": [
                     *         {
                     *           "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *           "name": "Laboratory import",
                     *           "accessPolicy": "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *           "addresses": [
                     *             "192.0.2.0/24"
                     *           ],
                     *           "createdAt": "2026-01-31T09:30:00.000Z",
                     *           "expiresAt": "2026-01-31T09:30:00.000Z",
                     *           "lastUsedAt": "2026-01-31T09:30:00.000Z",
                     *           "createdBy": "Practitioner/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *           "createdByName": "Ana Lima",
                     *           "key": "atk_kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE"
                     *         }
                     *       ],
                     *       "next": "kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE"
                     *     }
                     */
                    "application/json": components["schemas"]["api_key_list"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    api_key_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Laboratory import",
                 *       "accessPolicy": "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                 *       "days": 90,
                 *       "addresses": [
                 *         "192.0.2.0/24"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["api_key_create_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "name": "Laboratory import",
                     *       "accessPolicy": "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "addresses": [
                     *         "192.0.2.0/24"
                     *       ],
                     *       "createdAt": "2026-01-31T09:30:00.000Z",
                     *       "expiresAt": "2026-01-31T09:30:00.000Z",
                     *       "lastUsedAt": "2026-01-31T09:30:00.000Z",
                     *       "createdBy": "Practitioner/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "createdByName": "Ana Lima",
                     *       "key": "atk_kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE"
                     *     }
                     */
                    "application/json": components["schemas"]["api_key"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_step_up_required"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    api_key_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The key.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_step_up_required"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    fhir_servers: {
        parameters: {
            query?: {
                /**
                 * @description Where to go on: `next` of the page before. At most 4096 bytes of UTF-8.
                 * @example AQF3Zm...
                 */
                _cursor?: string;
                /**
                 * @description Servers at most.
                 * @example 50
                 */
                _count?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resources": [
                     *         {
                     *           "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *           "name": "Clinical records",
                     *           "base": "https://fhir.example.com/r4",
                     *           "patientScopes": [
                     *             "patient/*.rs"
                     *           ],
                     *           "practitionerScopes": [
                     *             "user/*.cruds"
                     *           ],
                     *           "createdAt": "2026-01-31T09:30:00.000Z",
                     *           "lastUpdated": "2026-01-31T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "next": "AQF3Zm..."
                     *     }
                     */
                    "application/json": components["schemas"]["fhir_server_list"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    fhir_server_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Clinical records",
                 *       "base": "https://fhir.example.com/r4",
                 *       "patientScopes": [
                 *         "patient/*.rs"
                 *       ],
                 *       "practitionerScopes": [
                 *         "user/*.cruds"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["fhir_server_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "name": "Clinical records",
                     *       "base": "https://fhir.example.com/r4",
                     *       "patientScopes": [
                     *         "patient/*.rs"
                     *       ],
                     *       "practitionerScopes": [
                     *         "user/*.cruds"
                     *       ],
                     *       "createdAt": "2026-01-31T09:30:00.000Z",
                     *       "lastUpdated": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["fhir_server"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_step_up_required"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    fhir_server_replace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The server to replace.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Clinical records",
                 *       "base": "https://fhir.example.com/r4",
                 *       "patientScopes": [
                 *         "patient/*.rs"
                 *       ],
                 *       "practitionerScopes": [
                 *         "user/*.cruds"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["fhir_server_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "name": "Clinical records",
                     *       "base": "https://fhir.example.com/r4",
                     *       "patientScopes": [
                     *         "patient/*.rs"
                     *       ],
                     *       "practitionerScopes": [
                     *         "user/*.cruds"
                     *       ],
                     *       "createdAt": "2026-01-31T09:30:00.000Z",
                     *       "lastUpdated": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["fhir_server"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_step_up_required"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    fhir_server_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The server.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_step_up_required"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    launch_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "clientId": "019a5c1e-7d3b-7c56-9a6e-0f5d2f8b6c12",
                 *       "resource": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                 *       "patient": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"
                 *     }
                 */
                "application/json": components["schemas"]["launch_create_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "launch": "C2FVsBQIhrscChlQIMV-b5sSYspob7oDy9f0m2Kq3xE",
                     *       "iss": "https://fhir.example.com/r4",
                     *       "expiresAt": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["launch"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    project_audit: {
        parameters: {
            query?: {
                /**
                 * @description Recorded then or later.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                since?: string;
                /**
                 * @description Recorded then or earlier.
                 * @example 2026-01-31T09:30:00.000Z
                 */
                until?: string;
                /**
                 * @description Who did it: a profile, or an account; either finds all that the person did, also to register and sign in. At most 256 bytes of UTF-8.
                 * @example Practitioner/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                actor?: string;
                /**
                 * @description What was done: an action, or its first word. At most 256 bytes of UTF-8.
                 * @example session.end
                 */
                action?: string;
                /**
                 * @description What it is about. A profile or an account finds all that is about the person, or was done by that person. At most 256 bytes of UTF-8.
                 * @example Session/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                target?: string;
                /**
                 * @description `next` of the page before; good for a day. At most 4096 bytes of UTF-8.
                 * @example kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE
                 */
                _cursor?: string;
                /**
                 * @description Events at most.
                 * @example 50
                 */
                _count?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resources": [],
                     *       "next": "kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE"
                     *     }
                     */
                    "application/json": components["schemas"]["project_audit_list"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    project_audit_checkpoint: {
        parameters: {
            query?: {
                /**
                 * @description Size of an older checkpoint, for the proof that this tree begins with that one.
                 * @example 1000
                 */
                from?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "checkpoint": "lakeside.example/t/north/audit 1203",
                     *       "verifierKey": "lakeside.example/t/north/audit+1f2e3d4c+AZ...",
                     *       "size": 1203,
                     *       "consistency": [
                     *         "bjQLnP+zepicpUTmu3gKLHiQHT+zvPSQ4cVJb5Gwyqg="
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["project_audit_checkpoint"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    project_audit_proof: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the AuditEvent. At most 64 bytes of UTF-8.
                 * @example authd-17
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "authd-17",
                     *       "index": 16,
                     *       "size": 1203,
                     *       "record": "{\"daemon\":\"authd\"}",
                     *       "hashes": [
                     *         "bjQLnP+zepicpUTmu3gKLHiQHT+zvPSQ4cVJb5Gwyqg="
                     *       ],
                     *       "checkpoint": "lakeside.example/t/north/audit 1203",
                     *       "verifierKey": "lakeside.example/t/north/audit+1f2e3d4c+AZ..."
                     *     }
                     */
                    "application/json": components["schemas"]["project_audit_proof"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    project_sign_ins: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resources": [
                     *         {
                     *           "hour": "2026-01-31T09:30:00.000Z",
                     *           "succeeded": 12,
                     *           "failed": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["sign_in_hours"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    activity: {
        parameters: {
            query?: {
                /**
                 * @description `next` of the page before; good for a day. At most 4096 bytes of UTF-8.
                 * @example kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE
                 */
                _cursor?: string;
                /**
                 * @description Events at most.
                 * @example 20
                 */
                _count?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resources": [
                     *         {
                     *           "event": {
                     *             "resourceType": "AuditEvent"
                     *           },
                     *           "record": "{\"daemon\":\"authd\"}",
                     *           "index": 16,
                     *           "hashes": [
                     *             "bjQLnP+zepicpUTmu3gKLHiQHT+zvPSQ4cVJb5Gwyqg="
                     *           ]
                     *         }
                     *       ],
                     *       "next": "kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE",
                     *       "size": 1203,
                     *       "checkpoint": "lakeside.example/t/north/audit 1203",
                     *       "verifierKey": "lakeside.example/t/north/audit+1f2e3d4c+AZ..."
                     *     }
                     */
                    "application/json": components["schemas"]["activity_list"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    organization_code: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "code": "lakeside",
                     *       "projectId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"
                     *     }
                     */
                    "application/json": components["schemas"]["organization_code_out"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    organization_code_email: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ana@example.org"
                 *     }
                 */
                "application/json": components["schemas"]["organization_code_email"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email": "ana@example.org"
                     *     }
                     */
                    "application/json": components["schemas"]["organization_code_email"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    locales_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "languages": [
                     *         "en"
                     *       ],
                     *       "defaultLanguage": "en"
                     *     }
                     */
                    "application/json": components["schemas"]["locales"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    locales_patch: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the languages that the change was decided on; 409 when another change came first. At most 256 bytes of UTF-8. */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "languages": [
                 *         "en"
                 *       ],
                 *       "defaultLanguage": "en"
                 *     }
                 */
                "application/json": components["schemas"]["locales_in"];
                /**
                 * @example {
                 *       "languages": [
                 *         "en"
                 *       ],
                 *       "defaultLanguage": "en"
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["locales_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "languages": [
                     *         "en"
                     *       ],
                     *       "defaultLanguage": "en"
                     *     }
                     */
                    "application/json": components["schemas"]["locales"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    project_readiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "projectId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "name": "Lakeside North",
                     *       "tenantCode": "lakeside-north",
                     *       "suspended": true,
                     *       "languages": [
                     *         "en"
                     *       ],
                     *       "defaultLanguage": "en",
                     *       "switches": [
                     *         {
                     *           "name": "PATIENT_LOGIN_ENABLED",
                     *           "enabled": true,
                     *           "written": true
                     *         }
                     *       ],
                     *       "policies": [
                     *         {
                     *           "name": "defaultPatientAccessPolicy",
                     *           "value": "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *           "display": "Own documents"
                     *         }
                     *       ],
                     *       "addresses": [
                     *         {
                     *           "name": "PATIENT_APP_URL",
                     *           "value": "https://my.lakeside.example"
                     *         }
                     *       ],
                     *       "templates": [
                     *         {
                     *           "name": "PATIENT_WELCOME",
                     *           "mapped": true,
                     *           "anyLanguage": true,
                     *           "languages": [
                     *             "en"
                     *           ]
                     *         }
                     *       ],
                     *       "flows": [
                     *         {
                     *           "name": "patient-invitation",
                     *           "ready": true,
                     *           "lacks": [
                     *             {
                     *               "kind": "template",
                     *               "name": "PATIENT_INVITE",
                     *               "language": "de",
                     *               "blocks": true
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["readiness"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    settings_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "projectId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "settings": {
                     *         "PATIENT_REGISTRATION_ENABLED": true,
                     *         "PATIENT_INVITATION_ENABLED": true,
                     *         "PATIENT_LOGIN_ENABLED": true,
                     *         "PRACTITIONER_REGISTRATION_ENABLED": true,
                     *         "PRACTITIONER_INVITATION_ENABLED": true,
                     *         "PRACTITIONER_LOGIN_ENABLED": true,
                     *         "CLINICIAN_INVITE_ON_BUSINESS_EMAIL": true,
                     *         "DEFAULT_PRACTITIONER_ACCESS_POLICY": "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *         "PRACTITIONER_APP_URL": "https://staff.lakeside.example",
                     *         "PATIENT_APP_URL": "https://my.lakeside.example"
                     *       },
                     *       "defaultPatientAccessPolicy": "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"
                     *     }
                     */
                    "application/json": components["schemas"]["settings_record"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    settings_history: {
        parameters: {
            query?: {
                /**
                 * @description Changes at most.
                 * @example 100
                 */
                _count?: number;
                /**
                 * @description Changes to skip.
                 * @example 0
                 */
                _offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "total": 12,
                     *       "resources": [
                     *         {
                     *           "who": {
                     *             "reference": "Patient/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *             "display": "Ana Lima"
                     *           },
                     *           "when": "2026-01-31T09:30:00.000Z",
                     *           "name": "PATIENT_LOGIN_ENABLED",
                     *           "old": true,
                     *           "new": false
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["settings_history"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    setting_switch: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the settings that the change was decided on; 409 when another change came first. At most 256 bytes of UTF-8. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description Name of a switch.
                 * @example PATIENT_LOGIN_ENABLED
                 */
                name: "PATIENT_REGISTRATION_ENABLED" | "PATIENT_INVITATION_ENABLED" | "PATIENT_LOGIN_ENABLED" | "PRACTITIONER_REGISTRATION_ENABLED" | "PRACTITIONER_INVITATION_ENABLED" | "PRACTITIONER_LOGIN_ENABLED" | "CLINICIAN_INVITE_ON_BUSINESS_EMAIL";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "enabled": true
                 *     }
                 */
                "application/json": components["schemas"]["setting_switch_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "projectId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "settings": {
                     *         "PATIENT_REGISTRATION_ENABLED": true,
                     *         "PATIENT_INVITATION_ENABLED": true,
                     *         "PATIENT_LOGIN_ENABLED": true,
                     *         "PRACTITIONER_REGISTRATION_ENABLED": true,
                     *         "PRACTITIONER_INVITATION_ENABLED": true,
                     *         "PRACTITIONER_LOGIN_ENABLED": true,
                     *         "CLINICIAN_INVITE_ON_BUSINESS_EMAIL": true,
                     *         "DEFAULT_PRACTITIONER_ACCESS_POLICY": "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *         "PRACTITIONER_APP_URL": "https://staff.lakeside.example",
                     *         "PATIENT_APP_URL": "https://my.lakeside.example"
                     *       },
                     *       "defaultPatientAccessPolicy": "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"
                     *     }
                     */
                    "application/json": components["schemas"]["settings_record"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity_invalid_setting_value"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    setting_value: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the settings that the change was decided on; 409 when another change came first. At most 256 bytes of UTF-8. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description Name of a text setting.
                 * @example PATIENT_APP_URL
                 */
                name: "DEFAULT_PRACTITIONER_ACCESS_POLICY" | "PRACTITIONER_APP_URL" | "PATIENT_APP_URL";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "value": "https://my.lakeside.example"
                 *     }
                 */
                "application/json": components["schemas"]["setting_value_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "projectId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "settings": {
                     *         "PATIENT_REGISTRATION_ENABLED": true,
                     *         "PATIENT_INVITATION_ENABLED": true,
                     *         "PATIENT_LOGIN_ENABLED": true,
                     *         "PRACTITIONER_REGISTRATION_ENABLED": true,
                     *         "PRACTITIONER_INVITATION_ENABLED": true,
                     *         "PRACTITIONER_LOGIN_ENABLED": true,
                     *         "CLINICIAN_INVITE_ON_BUSINESS_EMAIL": true,
                     *         "DEFAULT_PRACTITIONER_ACCESS_POLICY": "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *         "PRACTITIONER_APP_URL": "https://staff.lakeside.example",
                     *         "PATIENT_APP_URL": "https://my.lakeside.example"
                     *       },
                     *       "defaultPatientAccessPolicy": "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"
                     *     }
                     */
                    "application/json": components["schemas"]["settings_record"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity_invalid_setting_value"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    project_child: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Lakeside North",
                 *       "tenantCode": "lakeside-north"
                 *     }
                 */
                "application/json": components["schemas"]["project_child_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "projectId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "tenantCode": "lakeside-north",
                     *       "name": "Lakeside North"
                     *     }
                     */
                    "application/json": components["schemas"]["project_child_out"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    default_policy: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the settings that the change was decided on; 409 when another change came first. At most 256 bytes of UTF-8. */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "value": "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"
                 *     }
                 */
                "application/json": components["schemas"]["default_policy_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "projectId": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "settings": {
                     *         "PATIENT_REGISTRATION_ENABLED": true,
                     *         "PATIENT_INVITATION_ENABLED": true,
                     *         "PATIENT_LOGIN_ENABLED": true,
                     *         "PRACTITIONER_REGISTRATION_ENABLED": true,
                     *         "PRACTITIONER_INVITATION_ENABLED": true,
                     *         "PRACTITIONER_LOGIN_ENABLED": true,
                     *         "CLINICIAN_INVITE_ON_BUSINESS_EMAIL": true,
                     *         "DEFAULT_PRACTITIONER_ACCESS_POLICY": "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *         "PRACTITIONER_APP_URL": "https://staff.lakeside.example",
                     *         "PATIENT_APP_URL": "https://my.lakeside.example"
                     *       },
                     *       "defaultPatientAccessPolicy": "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"
                     *     }
                     */
                    "application/json": components["schemas"]["settings_record"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity_invalid_setting_value"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    account_policy_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "passwordMinLength": 15,
                     *       "passwordMinLengthWithMfa": 8,
                     *       "refuseCommonPasswords": true,
                     *       "onSignIn": "mail",
                     *       "requireVerifiedEmail": true,
                     *       "requireMfa": "admins",
                     *       "mailCode": true,
                     *       "documentsPerAccount": 10000,
                     *       "bytesPerAccount": 10737418240,
                     *       "bytesPerProject": 1099511627776
                     *     }
                     */
                    "application/json": components["schemas"]["account_policy"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    account_policy_put: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the policy that the change was decided on; 409 when another change came first. At most 256 bytes of UTF-8. */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "passwordMinLength": 15,
                 *       "passwordMinLengthWithMfa": 8,
                 *       "refuseCommonPasswords": true,
                 *       "onSignIn": "mail",
                 *       "requireVerifiedEmail": true,
                 *       "requireMfa": "admins",
                 *       "mailCode": true,
                 *       "documentsPerAccount": 10000,
                 *       "bytesPerAccount": 10737418240,
                 *       "bytesPerProject": 1099511627776
                 *     }
                 */
                "application/json": components["schemas"]["account_policy_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "passwordMinLength": 15,
                     *       "passwordMinLengthWithMfa": 8,
                     *       "refuseCommonPasswords": true,
                     *       "onSignIn": "mail",
                     *       "requireVerifiedEmail": true,
                     *       "requireMfa": "admins",
                     *       "mailCode": true,
                     *       "documentsPerAccount": 10000,
                     *       "bytesPerAccount": 10737418240,
                     *       "bytesPerProject": 1099511627776
                     *     }
                     */
                    "application/json": components["schemas"]["account_policy"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    branding_get: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "Lakeside",
                     *       "colorLight": "#0b5cad",
                     *       "colorDark": "#8fc1f5",
                     *       "imprintUrl": "https://lakeside.example/imprint",
                     *       "privacyUrl": "https://lakeside.example/privacy",
                     *       "texts": [
                     *         {
                     *           "language": "en",
                     *           "intro": "Sign in to see your appointments.",
                     *           "help": "Help: +1 555 0100, Monday to Friday"
                     *         }
                     *       ],
                     *       "logo": "3c1a7b5e2f904d68a1b2c3d4e5f60718",
                     *       "style": "9a0b1c2d3e4f5061728394a5b6c7d8e9"
                     *     }
                     */
                    "application/json": components["schemas"]["branding"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    branding_put: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the branding that the change was decided on; 409 when another change came first. At most 256 bytes of UTF-8. */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Lakeside",
                 *       "colorLight": "#0b5cad",
                 *       "colorDark": "#8fc1f5",
                 *       "imprintUrl": "https://lakeside.example/imprint",
                 *       "privacyUrl": "https://lakeside.example/privacy",
                 *       "texts": [
                 *         {
                 *           "language": "en",
                 *           "intro": "Sign in to see your appointments.",
                 *           "help": "Help: +1 555 0100, Monday to Friday"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["branding_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "Lakeside",
                     *       "colorLight": "#0b5cad",
                     *       "colorDark": "#8fc1f5",
                     *       "imprintUrl": "https://lakeside.example/imprint",
                     *       "privacyUrl": "https://lakeside.example/privacy",
                     *       "texts": [
                     *         {
                     *           "language": "en",
                     *           "intro": "Sign in to see your appointments.",
                     *           "help": "Help: +1 555 0100, Monday to Friday"
                     *         }
                     *       ],
                     *       "logo": "3c1a7b5e2f904d68a1b2c3d4e5f60718",
                     *       "style": "9a0b1c2d3e4f5061728394a5b6c7d8e9"
                     *     }
                     */
                    "application/json": components["schemas"]["branding"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    brand_logo_put: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the branding that the change was decided on; 409 when another change came first. At most 256 bytes of UTF-8. */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "image": "iVBORw0KGgo="
                 *     }
                 */
                "application/json": components["schemas"]["brand_logo_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "Lakeside",
                     *       "colorLight": "#0b5cad",
                     *       "colorDark": "#8fc1f5",
                     *       "imprintUrl": "https://lakeside.example/imprint",
                     *       "privacyUrl": "https://lakeside.example/privacy",
                     *       "texts": [
                     *         {
                     *           "language": "en",
                     *           "intro": "Sign in to see your appointments.",
                     *           "help": "Help: +1 555 0100, Monday to Friday"
                     *         }
                     *       ],
                     *       "logo": "3c1a7b5e2f904d68a1b2c3d4e5f60718",
                     *       "style": "9a0b1c2d3e4f5061728394a5b6c7d8e9"
                     *     }
                     */
                    "application/json": components["schemas"]["branding"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    brand_logo_delete: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the branding that the change was decided on; 409 when another change came first. At most 256 bytes of UTF-8. */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "Lakeside",
                     *       "colorLight": "#0b5cad",
                     *       "colorDark": "#8fc1f5",
                     *       "imprintUrl": "https://lakeside.example/imprint",
                     *       "privacyUrl": "https://lakeside.example/privacy",
                     *       "texts": [
                     *         {
                     *           "language": "en",
                     *           "intro": "Sign in to see your appointments.",
                     *           "help": "Help: +1 555 0100, Monday to Friday"
                     *         }
                     *       ],
                     *       "logo": "3c1a7b5e2f904d68a1b2c3d4e5f60718",
                     *       "style": "9a0b1c2d3e4f5061728394a5b6c7d8e9"
                     *     }
                     */
                    "application/json": components["schemas"]["branding"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    access_policies: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resources": [
                     *         {
                     *           "resourceType": "AccessPolicy",
                     *           "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *           "name": "Own documents",
                     *           "resource": [
                     *             {
                     *               "resourceType": "DocumentReference",
                     *               "interaction": [
                     *                 "read",
                     *                 "search"
                     *               ]
                     *             }
                     *           ],
                     *           "ipAccessRule": [
                     *             {
                     *               "ip": "192.0.2.0/24",
                     *               "action": "allow"
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["access_policy_list"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    access_policy_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the policy that the change was decided on; 409 when another change came first. At most 256 bytes of UTF-8. */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Own documents",
                 *       "resource": [
                 *         {
                 *           "resourceType": "DocumentReference",
                 *           "interaction": [
                 *             "read",
                 *             "search"
                 *           ]
                 *         }
                 *       ],
                 *       "ipAccessRule": [
                 *         {
                 *           "ip": "192.0.2.0/24",
                 *           "action": "allow"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["access_policy_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resourceType": "AccessPolicy",
                     *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "name": "Own documents",
                     *       "resource": [
                     *         {
                     *           "resourceType": "DocumentReference",
                     *           "interaction": [
                     *             "read",
                     *             "search"
                     *           ]
                     *         }
                     *       ],
                     *       "ipAccessRule": [
                     *         {
                     *           "ip": "192.0.2.0/24",
                     *           "action": "allow"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["access_policy"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    access_policy_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resourceType": "AccessPolicy",
                     *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "name": "Own documents",
                     *       "resource": [
                     *         {
                     *           "resourceType": "DocumentReference",
                     *           "interaction": [
                     *             "read",
                     *             "search"
                     *           ]
                     *         }
                     *       ],
                     *       "ipAccessRule": [
                     *         {
                     *           "ip": "192.0.2.0/24",
                     *           "action": "allow"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["access_policy"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    access_policy_replace: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the policy that the change was decided on; 409 when another change came first. At most 256 bytes of UTF-8. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The policy to replace.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Own documents",
                 *       "resource": [
                 *         {
                 *           "resourceType": "DocumentReference",
                 *           "interaction": [
                 *             "read",
                 *             "search"
                 *           ]
                 *         }
                 *       ],
                 *       "ipAccessRule": [
                 *         {
                 *           "ip": "192.0.2.0/24",
                 *           "action": "allow"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["access_policy_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resourceType": "AccessPolicy",
                     *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "name": "Own documents",
                     *       "resource": [
                     *         {
                     *           "resourceType": "DocumentReference",
                     *           "interaction": [
                     *             "read",
                     *             "search"
                     *           ]
                     *         }
                     *       ],
                     *       "ipAccessRule": [
                     *         {
                     *           "ip": "192.0.2.0/24",
                     *           "action": "allow"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["access_policy"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    access_policy_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    clients: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resources": [
                     *         {
                     *           "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *           "name": "Patient portal",
                     *           "lastUpdated": "2026-01-31T09:30:00.000Z",
                     *           "type": "public",
                     *           "authMethod": "none",
                     *           "grantTypes": [
                     *             "authorization_code"
                     *           ],
                     *           "firstParty": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["client_list"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    client_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the registration that the change was decided on; 409 when another change came first. At most 256 bytes of UTF-8. */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Patient portal",
                 *       "type": "confidential",
                 *       "authMethod": "client_secret_basic",
                 *       "jwks": {
                 *         "keys": [
                 *           {
                 *             "kty": "EC",
                 *             "crv": "P-256",
                 *             "kid": "1",
                 *             "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
                 *             "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"
                 *           }
                 *         ]
                 *       },
                 *       "jwksUri": "https://portal.example.com/jwks.json",
                 *       "redirectUris": [
                 *         "https://portal.example.com/callback"
                 *       ],
                 *       "grantTypes": [
                 *         "authorization_code"
                 *       ],
                 *       "scopes": [
                 *         "openid"
                 *       ],
                 *       "audiences": [
                 *         "https://fhir.example.com/r4"
                 *       ],
                 *       "postLogoutRedirectUris": [
                 *         "https://portal.example.com/"
                 *       ],
                 *       "backchannelLogoutUri": "https://portal.example.com/backchannel",
                 *       "dpop": "optional",
                 *       "idTokenAlg": "RS256",
                 *       "firstParty": true,
                 *       "pkceOptional": true,
                 *       "idTokenClaims": [
                 *         "email"
                 *       ],
                 *       "tosVersion": "2026-01",
                 *       "patientScopes": [
                 *         "patient/Observation.rs"
                 *       ],
                 *       "practitionerScopes": [
                 *         "patient/Observation.rs"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["client_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "name": "Patient portal",
                     *       "lastUpdated": "2026-01-31T09:30:00.000Z",
                     *       "type": "confidential",
                     *       "authMethod": "client_secret_basic",
                     *       "jwks": {
                     *         "keys": [
                     *           {
                     *             "kty": "EC",
                     *             "crv": "P-256",
                     *             "kid": "1",
                     *             "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
                     *             "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"
                     *           }
                     *         ]
                     *       },
                     *       "jwksUri": "https://portal.example.com/jwks.json",
                     *       "redirectUris": [
                     *         "https://portal.example.com/callback"
                     *       ],
                     *       "grantTypes": [
                     *         "authorization_code"
                     *       ],
                     *       "scopes": [
                     *         "openid"
                     *       ],
                     *       "audiences": [
                     *         "https://fhir.example.com/r4"
                     *       ],
                     *       "postLogoutRedirectUris": [
                     *         "https://portal.example.com/"
                     *       ],
                     *       "backchannelLogoutUri": "https://portal.example.com/backchannel",
                     *       "dpop": "optional",
                     *       "idTokenAlg": "RS256",
                     *       "firstParty": true,
                     *       "pkceOptional": true,
                     *       "idTokenClaims": [
                     *         "email"
                     *       ],
                     *       "tosVersion": "2026-01",
                     *       "patientScopes": [
                     *         "patient/Observation.rs"
                     *       ],
                     *       "practitionerScopes": [
                     *         "patient/Observation.rs"
                     *       ],
                     *       "secretCreatedAt": "2026-01-31T09:30:00.000Z",
                     *       "previousSecretUntil": "2026-01-31T09:30:00.000Z",
                     *       "secret": "atcs_C2FVsBQIhrscChlQIMV-b5sSYspob7oDy9f0m2Kq3xE"
                     *     }
                     */
                    "application/json": components["schemas"]["client_record"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_step_up_required"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    client_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "name": "Patient portal",
                     *       "lastUpdated": "2026-01-31T09:30:00.000Z",
                     *       "type": "confidential",
                     *       "authMethod": "client_secret_basic",
                     *       "jwks": {
                     *         "keys": [
                     *           {
                     *             "kty": "EC",
                     *             "crv": "P-256",
                     *             "kid": "1",
                     *             "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
                     *             "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"
                     *           }
                     *         ]
                     *       },
                     *       "jwksUri": "https://portal.example.com/jwks.json",
                     *       "redirectUris": [
                     *         "https://portal.example.com/callback"
                     *       ],
                     *       "grantTypes": [
                     *         "authorization_code"
                     *       ],
                     *       "scopes": [
                     *         "openid"
                     *       ],
                     *       "audiences": [
                     *         "https://fhir.example.com/r4"
                     *       ],
                     *       "postLogoutRedirectUris": [
                     *         "https://portal.example.com/"
                     *       ],
                     *       "backchannelLogoutUri": "https://portal.example.com/backchannel",
                     *       "dpop": "optional",
                     *       "idTokenAlg": "RS256",
                     *       "firstParty": true,
                     *       "pkceOptional": true,
                     *       "idTokenClaims": [
                     *         "email"
                     *       ],
                     *       "tosVersion": "2026-01",
                     *       "patientScopes": [
                     *         "patient/Observation.rs"
                     *       ],
                     *       "practitionerScopes": [
                     *         "patient/Observation.rs"
                     *       ],
                     *       "secretCreatedAt": "2026-01-31T09:30:00.000Z",
                     *       "previousSecretUntil": "2026-01-31T09:30:00.000Z",
                     *       "secret": "atcs_C2FVsBQIhrscChlQIMV-b5sSYspob7oDy9f0m2Kq3xE"
                     *     }
                     */
                    "application/json": components["schemas"]["client_record"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    client_replace: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the registration that the change was decided on; 409 when another change came first. At most 256 bytes of UTF-8. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The client application to replace.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Patient portal",
                 *       "type": "confidential",
                 *       "authMethod": "client_secret_basic",
                 *       "jwks": {
                 *         "keys": [
                 *           {
                 *             "kty": "EC",
                 *             "crv": "P-256",
                 *             "kid": "1",
                 *             "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
                 *             "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"
                 *           }
                 *         ]
                 *       },
                 *       "jwksUri": "https://portal.example.com/jwks.json",
                 *       "redirectUris": [
                 *         "https://portal.example.com/callback"
                 *       ],
                 *       "grantTypes": [
                 *         "authorization_code"
                 *       ],
                 *       "scopes": [
                 *         "openid"
                 *       ],
                 *       "audiences": [
                 *         "https://fhir.example.com/r4"
                 *       ],
                 *       "postLogoutRedirectUris": [
                 *         "https://portal.example.com/"
                 *       ],
                 *       "backchannelLogoutUri": "https://portal.example.com/backchannel",
                 *       "dpop": "optional",
                 *       "idTokenAlg": "RS256",
                 *       "firstParty": true,
                 *       "pkceOptional": true,
                 *       "idTokenClaims": [
                 *         "email"
                 *       ],
                 *       "tosVersion": "2026-01",
                 *       "patientScopes": [
                 *         "patient/Observation.rs"
                 *       ],
                 *       "practitionerScopes": [
                 *         "patient/Observation.rs"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["client_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "name": "Patient portal",
                     *       "lastUpdated": "2026-01-31T09:30:00.000Z",
                     *       "type": "confidential",
                     *       "authMethod": "client_secret_basic",
                     *       "jwks": {
                     *         "keys": [
                     *           {
                     *             "kty": "EC",
                     *             "crv": "P-256",
                     *             "kid": "1",
                     *             "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
                     *             "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"
                     *           }
                     *         ]
                     *       },
                     *       "jwksUri": "https://portal.example.com/jwks.json",
                     *       "redirectUris": [
                     *         "https://portal.example.com/callback"
                     *       ],
                     *       "grantTypes": [
                     *         "authorization_code"
                     *       ],
                     *       "scopes": [
                     *         "openid"
                     *       ],
                     *       "audiences": [
                     *         "https://fhir.example.com/r4"
                     *       ],
                     *       "postLogoutRedirectUris": [
                     *         "https://portal.example.com/"
                     *       ],
                     *       "backchannelLogoutUri": "https://portal.example.com/backchannel",
                     *       "dpop": "optional",
                     *       "idTokenAlg": "RS256",
                     *       "firstParty": true,
                     *       "pkceOptional": true,
                     *       "idTokenClaims": [
                     *         "email"
                     *       ],
                     *       "tosVersion": "2026-01",
                     *       "patientScopes": [
                     *         "patient/Observation.rs"
                     *       ],
                     *       "practitionerScopes": [
                     *         "patient/Observation.rs"
                     *       ],
                     *       "secretCreatedAt": "2026-01-31T09:30:00.000Z",
                     *       "previousSecretUntil": "2026-01-31T09:30:00.000Z",
                     *       "secret": "atcs_C2FVsBQIhrscChlQIMV-b5sSYspob7oDy9f0m2Kq3xE"
                     *     }
                     */
                    "application/json": components["schemas"]["client_record"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_step_up_required"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    client_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the resource.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    client_secret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The client application.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "previousHours": 24
                 *     }
                 */
                "application/json": components["schemas"]["client_secret_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "name": "Patient portal",
                     *       "lastUpdated": "2026-01-31T09:30:00.000Z",
                     *       "type": "confidential",
                     *       "authMethod": "client_secret_basic",
                     *       "jwks": {
                     *         "keys": [
                     *           {
                     *             "kty": "EC",
                     *             "crv": "P-256",
                     *             "kid": "1",
                     *             "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
                     *             "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"
                     *           }
                     *         ]
                     *       },
                     *       "jwksUri": "https://portal.example.com/jwks.json",
                     *       "redirectUris": [
                     *         "https://portal.example.com/callback"
                     *       ],
                     *       "grantTypes": [
                     *         "authorization_code"
                     *       ],
                     *       "scopes": [
                     *         "openid"
                     *       ],
                     *       "audiences": [
                     *         "https://fhir.example.com/r4"
                     *       ],
                     *       "postLogoutRedirectUris": [
                     *         "https://portal.example.com/"
                     *       ],
                     *       "backchannelLogoutUri": "https://portal.example.com/backchannel",
                     *       "dpop": "optional",
                     *       "idTokenAlg": "RS256",
                     *       "firstParty": true,
                     *       "pkceOptional": true,
                     *       "idTokenClaims": [
                     *         "email"
                     *       ],
                     *       "tosVersion": "2026-01",
                     *       "patientScopes": [
                     *         "patient/Observation.rs"
                     *       ],
                     *       "practitionerScopes": [
                     *         "patient/Observation.rs"
                     *       ],
                     *       "secretCreatedAt": "2026-01-31T09:30:00.000Z",
                     *       "previousSecretUntil": "2026-01-31T09:30:00.000Z",
                     *       "secret": "atcs_C2FVsBQIhrscChlQIMV-b5sSYspob7oDy9f0m2Kq3xE"
                     *     }
                     */
                    "application/json": components["schemas"]["client_record"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_step_up_required"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    email_templates: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resources": [
                     *         {
                     *           "name": "PATIENT_WELCOME",
                     *           "language": "en",
                     *           "subject": "Welcome to {{projectName}}",
                     *           "html": "<p>Welcome, {{recipientName}}.</p>",
                     *           "text": "Welcome, {{recipientName}}.",
                     *           "lastUpdated": "2026-01-31T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["template_records"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    email_template_get: {
        parameters: {
            query?: {
                /**
                 * @description Language of the template; absent or empty: the one without a language. At most 35 bytes of UTF-8.
                 * @example en
                 */
                language?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Name of the template. At most 4096 bytes of UTF-8.
                 * @example PATIENT_WELCOME
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "PATIENT_WELCOME",
                     *       "language": "en",
                     *       "subject": "Welcome to {{projectName}}",
                     *       "html": "<p>Welcome, {{recipientName}}.</p>",
                     *       "text": "Welcome, {{recipientName}}.",
                     *       "lastUpdated": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["template_record"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    email_template_put: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the template that the change was decided on; 409 when another change came first. At most 256 bytes of UTF-8. */
                "If-Match"?: string;
                /** @description `*` to make the template and replace none; 409 when it is there already. With an ETag: 409 when it is that state. At most 256 bytes of UTF-8. */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description Name of the template. At most 4096 bytes of UTF-8.
                 * @example PATIENT_WELCOME
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "language": "en",
                 *       "subject": "Welcome to {{projectName}}",
                 *       "html": "<p>Welcome, {{recipientName}}.</p>",
                 *       "text": "Welcome, {{recipientName}}."
                 *     }
                 */
                "application/json": components["schemas"]["email_template_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "PATIENT_WELCOME",
                     *       "language": "en",
                     *       "subject": "Welcome to {{projectName}}",
                     *       "html": "<p>Welcome, {{recipientName}}.</p>",
                     *       "text": "Welcome, {{recipientName}}.",
                     *       "lastUpdated": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["template_record"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    email_template_delete: {
        parameters: {
            query?: {
                /**
                 * @description Language to unmap; absent: all of them; empty: the one without a language. At most 35 bytes of UTF-8.
                 * @example en
                 */
                language?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Name of the template. At most 4096 bytes of UTF-8.
                 * @example PATIENT_WELCOME
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    email_template_preview: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Name of the template. At most 4096 bytes of UTF-8.
                 * @example PATIENT_WELCOME
                 */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "language": "en"
                 *     }
                 */
                "application/json": components["schemas"]["email_template_preview_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subject": "Welcome to Lakeside Clinic",
                     *       "html": "<p>Welcome, Ana Lima.</p>",
                     *       "text": "Welcome, Ana Lima."
                     *     }
                     */
                    "application/json": components["schemas"]["email_template_preview"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    mail_failures: {
        parameters: {
            query?: {
                /**
                 * @description `next` of the page before; absent: the first page. At most 4096 bytes of UTF-8.
                 * @example kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE
                 */
                _cursor?: string;
                /**
                 * @description Mails at most.
                 * @example 50
                 */
                _count?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resources": [
                     *         {
                     *           "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *           "template": "PATIENT_WELCOME",
                     *           "state": "retrying",
                     *           "error": "smtp: answered 451",
                     *           "attempts": 2,
                     *           "createdAt": "2026-01-31T09:30:00.000Z",
                     *           "triedAt": "2026-01-31T09:30:00.000Z",
                     *           "nextAt": "2026-01-31T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "next": "kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE"
                     *     }
                     */
                    "application/json": components["schemas"]["mail_failure_list"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    webhooks: {
        parameters: {
            query?: {
                /**
                 * @description `next` of the page before; absent: the first page. At most 4096 bytes of UTF-8.
                 * @example kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE
                 */
                _cursor?: string;
                /**
                 * @description Webhooks at most.
                 * @example 50
                 */
                _count?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resources": [
                     *         {
                     *           "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *           "url": "https://hooks.example.com/atrium",
                     *           "events": [
                     *             "session.created"
                     *           ],
                     *           "enabled": true,
                     *           "format": "standard",
                     *           "audience": "https://events.example.com",
                     *           "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
                     *           "previousSecretUntil": "2026-01-31T09:30:00.000Z",
                     *           "goneAt": "2026-01-31T09:30:00.000Z",
                     *           "failingSince": "2026-01-31T09:30:00.000Z",
                     *           "createdAt": "2026-01-31T09:30:00.000Z",
                     *           "lastUpdated": "2026-01-31T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "next": "kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE"
                     *     }
                     */
                    "application/json": components["schemas"]["webhook_list"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    webhook_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the webhook that the change was decided on; 409 when another change came first. At most 256 bytes of UTF-8. */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://hooks.example.com/atrium",
                 *       "events": [
                 *         "session.created"
                 *       ],
                 *       "enabled": true,
                 *       "format": "caep",
                 *       "audience": "https://events.example.com"
                 *     }
                 */
                "application/json": components["schemas"]["webhook_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "url": "https://hooks.example.com/atrium",
                     *       "events": [
                     *         "session.created"
                     *       ],
                     *       "enabled": true,
                     *       "format": "standard",
                     *       "audience": "https://events.example.com",
                     *       "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
                     *       "previousSecretUntil": "2026-01-31T09:30:00.000Z",
                     *       "goneAt": "2026-01-31T09:30:00.000Z",
                     *       "failingSince": "2026-01-31T09:30:00.000Z",
                     *       "createdAt": "2026-01-31T09:30:00.000Z",
                     *       "lastUpdated": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["webhook"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    webhook_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The webhook.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "url": "https://hooks.example.com/atrium",
                     *       "events": [
                     *         "session.created"
                     *       ],
                     *       "enabled": true,
                     *       "format": "standard",
                     *       "audience": "https://events.example.com",
                     *       "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
                     *       "previousSecretUntil": "2026-01-31T09:30:00.000Z",
                     *       "goneAt": "2026-01-31T09:30:00.000Z",
                     *       "failingSince": "2026-01-31T09:30:00.000Z",
                     *       "createdAt": "2026-01-31T09:30:00.000Z",
                     *       "lastUpdated": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["webhook"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    webhook_replace: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the webhook that the change was decided on; 409 when another change came first. At most 256 bytes of UTF-8. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description The webhook to replace.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://hooks.example.com/atrium",
                 *       "events": [
                 *         "session.created"
                 *       ],
                 *       "enabled": true,
                 *       "format": "caep",
                 *       "audience": "https://events.example.com"
                 *     }
                 */
                "application/json": components["schemas"]["webhook_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "url": "https://hooks.example.com/atrium",
                     *       "events": [
                     *         "session.created"
                     *       ],
                     *       "enabled": true,
                     *       "format": "standard",
                     *       "audience": "https://events.example.com",
                     *       "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
                     *       "previousSecretUntil": "2026-01-31T09:30:00.000Z",
                     *       "goneAt": "2026-01-31T09:30:00.000Z",
                     *       "failingSince": "2026-01-31T09:30:00.000Z",
                     *       "createdAt": "2026-01-31T09:30:00.000Z",
                     *       "lastUpdated": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["webhook"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    webhook_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The webhook.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    webhook_exchange: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The webhook.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "previousHours": 24
                 *     }
                 */
                "application/json": components["schemas"]["webhook_exchange_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "url": "https://hooks.example.com/atrium",
                     *       "events": [
                     *         "session.created"
                     *       ],
                     *       "enabled": true,
                     *       "format": "standard",
                     *       "audience": "https://events.example.com",
                     *       "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
                     *       "previousSecretUntil": "2026-01-31T09:30:00.000Z",
                     *       "goneAt": "2026-01-31T09:30:00.000Z",
                     *       "failingSince": "2026-01-31T09:30:00.000Z",
                     *       "createdAt": "2026-01-31T09:30:00.000Z",
                     *       "lastUpdated": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["webhook"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    webhook_deliveries: {
        parameters: {
            query?: {
                /**
                 * @description Only those in this state.
                 * @example failed
                 */
                state?: "waiting" | "delivered" | "failed";
                /**
                 * @description `next` of the page before; absent: the first page. At most 4096 bytes of UTF-8.
                 * @example kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE
                 */
                _cursor?: string;
                /**
                 * @description Deliveries at most.
                 * @example 50
                 */
                _count?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The webhook.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resources": [
                     *         {
                     *           "id": 4711,
                     *           "event": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *           "type": "session.created",
                     *           "state": "delivered",
                     *           "attempts": 1,
                     *           "happenedAt": "2026-01-31T09:30:00.000Z",
                     *           "triedAt": "2026-01-31T09:30:00.000Z",
                     *           "nextAt": "2026-01-31T09:30:00.000Z",
                     *           "status": 204,
                     *           "error": "DEADLINE"
                     *         }
                     *       ],
                     *       "next": "kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE"
                     *     }
                     */
                    "application/json": components["schemas"]["webhook_delivery_list"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    webhook_redeliver: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The webhook.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "delivery": 4711
                 *     }
                 */
                "application/json": components["schemas"]["webhook_redeliver_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "count": 3
                     *     }
                     */
                    "application/json": components["schemas"]["webhook_redeliver_out"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    document_search: {
        parameters: {
            query?: {
                /**
                 * @description Documents at most.
                 * @example 100
                 */
                _count?: number;
                /**
                 * @description Documents to skip.
                 * @example 0
                 */
                _offset?: number;
                /**
                 * @description What to sort by: _lastUpdated, fileName, contentType, a list of them; - before one reverses it. By default -_lastUpdated. At most 100 bytes of UTF-8.
                 * @example fileName,-_lastUpdated
                 */
                _sort?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "total": 12,
                     *       "resources": [
                     *         {
                     *           "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *           "lastUpdated": "2026-01-31T09:30:00.000Z",
                     *           "meta": {
                     *             "lastUpdated": "2026-01-31T09:30:00.000Z"
                     *           },
                     *           "author": {
                     *             "reference": "Patient/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *             "display": "Ana Lima"
                     *           },
                     *           "fileName": "x-ray.png",
                     *           "contentType": "image/png",
                     *           "size": 48213,
                     *           "publicToken": "d9yUQhv0xZSn3eHh1QZ8Qk1pWm0c8fJb2TtXoY7rA5M",
                     *           "uploadOptions": {
                     *             "url": "https://api.lakeside.example/storage/documents",
                     *             "fields": {
                     *               "key": "5f0c4a52",
                     *               "Content-Type": "image/png"
                     *             }
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["documents"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    document_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "fileName": "x-ray.png",
                 *       "contentType": "image/png",
                 *       "isPublic": true
                 *     }
                 */
                "application/json": components["schemas"]["document_create_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "lastUpdated": "2026-01-31T09:30:00.000Z",
                     *       "meta": {
                     *         "lastUpdated": "2026-01-31T09:30:00.000Z"
                     *       },
                     *       "author": {
                     *         "reference": "Patient/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *         "display": "Ana Lima"
                     *       },
                     *       "fileName": "x-ray.png",
                     *       "contentType": "image/png",
                     *       "size": 48213,
                     *       "publicToken": "d9yUQhv0xZSn3eHh1QZ8Qk1pWm0c8fJb2TtXoY7rA5M",
                     *       "uploadOptions": {
                     *         "url": "https://api.lakeside.example/storage/documents",
                     *         "fields": {
                     *           "key": "5f0c4a52",
                     *           "Content-Type": "image/png"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["document"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large_quota_exceeded"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    document_content: {
        parameters: {
            query?: {
                /**
                 * @description Width in pixels that an image is resized to (JPEG, PNG, WebP; GIF, HEIF and AVIF become PNG or JPEG).
                 * @example 300
                 */
                width?: number;
                /**
                 * @description Height in pixels. The one of both that is not given follows from the other.
                 * @example 200
                 */
                height?: number;
                /**
                 * @description How both go together: fill them and cut (cover, the default), fit in and pad (contain), stretch (fill), fit in (inside), be as small as covers them (outside).
                 * @example cover
                 */
                fit?: "cover" | "contain" | "fill" | "inside" | "outside";
            };
            header?: {
                /** @description Entity tag of what the client has: 304 while it is the same. At most 2048 bytes of UTF-8. */
                ETag?: string;
                /** @description Entity tags of what the client has: 304 when one is the same. At most 2048 bytes of UTF-8. */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description The document.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description The range that was asked for */
            206: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    "Content-Range": components["headers"]["Content-Range"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description Not modified: the client has it */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            416: components["responses"]["range_not_satisfiable"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    document_replace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The document.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "fileName": "x-ray-2.png",
                 *       "contentType": "image/png"
                 *     }
                 */
                "application/json": components["schemas"]["document_replace_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "lastUpdated": "2026-01-31T09:30:00.000Z",
                     *       "meta": {
                     *         "lastUpdated": "2026-01-31T09:30:00.000Z"
                     *       },
                     *       "author": {
                     *         "reference": "Patient/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *         "display": "Ana Lima"
                     *       },
                     *       "fileName": "x-ray.png",
                     *       "contentType": "image/png",
                     *       "size": 48213,
                     *       "publicToken": "d9yUQhv0xZSn3eHh1QZ8Qk1pWm0c8fJb2TtXoY7rA5M",
                     *       "uploadOptions": {
                     *         "url": "https://api.lakeside.example/storage/documents",
                     *         "fields": {
                     *           "key": "5f0c4a52",
                     *           "Content-Type": "image/png"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["document"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large_quota_exceeded"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    document_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The document.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "message": "Document deleted successfully"
                     *     }
                     */
                    "application/json": components["schemas"]["document_deleted"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    document_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The document.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "fileName": "x-ray.png",
                 *       "isPublic": true
                 *     }
                 */
                "application/json": components["schemas"]["document_update_in"];
                /**
                 * @example {
                 *       "fileName": "x-ray.png",
                 *       "isPublic": true
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["document_update_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "lastUpdated": "2026-01-31T09:30:00.000Z",
                     *       "meta": {
                     *         "lastUpdated": "2026-01-31T09:30:00.000Z"
                     *       },
                     *       "author": {
                     *         "reference": "Patient/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *         "display": "Ana Lima"
                     *       },
                     *       "fileName": "x-ray.png",
                     *       "contentType": "image/png",
                     *       "size": 48213,
                     *       "publicToken": "d9yUQhv0xZSn3eHh1QZ8Qk1pWm0c8fJb2TtXoY7rA5M",
                     *       "uploadOptions": {
                     *         "url": "https://api.lakeside.example/storage/documents",
                     *         "fields": {
                     *           "key": "5f0c4a52",
                     *           "Content-Type": "image/png"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["document"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    document_public: {
        parameters: {
            query?: {
                /**
                 * @description Width in pixels that an image is resized to (JPEG, PNG, WebP; GIF, HEIF and AVIF become PNG or JPEG).
                 * @example 300
                 */
                width?: number;
                /**
                 * @description Height in pixels. The one of both that is not given follows from the other.
                 * @example 200
                 */
                height?: number;
                /**
                 * @description How both go together: fill them and cut (cover, the default), fit in and pad (contain), stretch (fill), fit in (inside), be as small as covers them (outside).
                 * @example cover
                 */
                fit?: "cover" | "contain" | "fill" | "inside" | "outside";
            };
            header?: {
                /** @description Entity tag of what the client has: 304 while it is the same. At most 2048 bytes of UTF-8. */
                ETag?: string;
                /** @description Entity tags of what the client has: 304 when one is the same. At most 2048 bytes of UTF-8. */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description Public token of a document. At most 4096 bytes of UTF-8.
                 * @example d9yUQhv0xZSn3eHh1QZ8Qk1pWm0c8fJb2TtXoY7rA5M
                 */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description The range that was asked for */
            206: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    "Content-Range": components["headers"]["Content-Range"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description Not modified: the client has it */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            416: components["responses"]["range_not_satisfiable"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    storage_post: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description As in uploadOptions.url. At most 255 bytes of UTF-8.
                 * @example documents
                 */
                bucket: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description The bytes, as the last field.
                     */
                    file: string;
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request_entitytoolarge"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large_quota_exceeded"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    cms_map: {
        parameters: {
            query?: {
                /**
                 * @description Words to look for in title, section text, author and key, in either language; misspelt ones are found too, with or without accents, and parts of Chinese, Japanese and Korean text. The best come first.
                 * @example bakc pain
                 */
                search?: string;
                /**
                 * @description Entries of that code only.
                 * @example M54.5
                 */
                code?: string;
                /**
                 * @description Entries at most.
                 * @example 10
                 */
                _count?: number;
                /**
                 * @description Entries to skip.
                 * @example 0
                 */
                _offset?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Type of the content: article, faq, exercise and the like.
                 * @example article
                 */
                type: string;
                /**
                 * @description Language (BCP 47).
                 * @example de
                 */
                language: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "total": 12,
                     *       "resources": [
                     *         {
                     *           "source": {
                     *             "title": "Back pain: the basics",
                     *             "language": "en",
                     *             "key": "back-pain-basics"
                     *           },
                     *           "target": {
                     *             "title": "Back pain: the basics",
                     *             "language": "en",
                     *             "key": "back-pain-basics"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["cms_map"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    cms_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Type of the content: article, faq, exercise and the like.
                 * @example article
                 */
                type: string;
                /**
                 * @description Names the entry among those of its type, the same in every language.
                 * @example back-pain-basics
                 */
                key: string;
                /**
                 * @description Language (BCP 47).
                 * @example de
                 */
                language: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "article",
                     *       "key": "back-pain-basics",
                     *       "language": "de",
                     *       "title": "Back pain: the basics",
                     *       "sections": [
                     *         {
                     *           "title": "When to see a doctor",
                     *           "text": "Most back pain goes away within weeks."
                     *         }
                     *       ],
                     *       "author": "Dr. Ana Ruiz",
                     *       "code": "M54.5",
                     *       "lastUpdated": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["cms_entry"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    cms_put: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the entry that the change was decided on; 409 when another change came first. At most 256 bytes of UTF-8. */
                "If-Match"?: string;
                /** @description `*` to make the entry and replace none; 409 when it is there already. With an ETag: 409 when it is that state. At most 256 bytes of UTF-8. */
                "If-None-Match"?: string;
            };
            path: {
                /**
                 * @description Type of the content: article, faq, exercise and the like.
                 * @example article
                 */
                type: string;
                /**
                 * @description Names the entry among those of its type, the same in every language.
                 * @example back-pain-basics
                 */
                key: string;
                /**
                 * @description Language (BCP 47).
                 * @example de
                 */
                language: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Back pain: the basics",
                 *       "sections": [
                 *         {
                 *           "title": "When to see a doctor",
                 *           "text": "Most back pain goes away within weeks."
                 *         }
                 *       ],
                 *       "author": "Dr. Ana Ruiz",
                 *       "code": "M54.5"
                 *     }
                 */
                "application/json": components["schemas"]["cms_put_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "article",
                     *       "key": "back-pain-basics",
                     *       "language": "de",
                     *       "title": "Back pain: the basics",
                     *       "sections": [
                     *         {
                     *           "title": "When to see a doctor",
                     *           "text": "Most back pain goes away within weeks."
                     *         }
                     *       ],
                     *       "author": "Dr. Ana Ruiz",
                     *       "code": "M54.5",
                     *       "lastUpdated": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["cms_entry"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    cms_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Type of the content: article, faq, exercise and the like.
                 * @example article
                 */
                type: string;
                /**
                 * @description Names the entry among those of its type, the same in every language.
                 * @example back-pain-basics
                 */
                key: string;
                /**
                 * @description Language (BCP 47).
                 * @example de
                 */
                language: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    export_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resources": [
                     *         {
                     *           "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *           "account": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *           "state": "ready",
                     *           "createdAt": "2026-01-31T09:30:00.000Z",
                     *           "size": 52428,
                     *           "expiresAt": "2026-01-31T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["account_exports"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    export_start: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "account": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "state": "ready",
                     *       "createdAt": "2026-01-31T09:30:00.000Z",
                     *       "size": 52428,
                     *       "expiresAt": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["account_export"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_step_up_required"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            414: components["responses"]["uri_too_long"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    export_content: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The export.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Accept-Ranges": components["headers"]["Accept-Ranges"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description The range that was asked for */
            206: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    "Content-Range": components["headers"]["Content-Range"];
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description Not modified: the client has it */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_step_up_required"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            414: components["responses"]["uri_too_long"];
            416: components["responses"]["range_not_satisfiable"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    project_account_export: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The account.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Ticket 4711: asked for by letter"
                 *     }
                 */
                "application/json": components["schemas"]["project_account_export_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "account": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "state": "ready",
                     *       "createdAt": "2026-01-31T09:30:00.000Z",
                     *       "size": 52428,
                     *       "expiresAt": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["account_export"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized_step_up_required"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    bots: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resources": [
                     *         {
                     *           "resourceType": "Bot",
                     *           "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *           "identifier": [
                     *             {
                     *               "system": "https://lakeside.example/bots",
                     *               "value": "intake"
                     *             }
                     *           ],
                     *           "name": "Intake form",
                     *           "kind": "http",
                     *           "url": "https://bots.lakeside.example/intake",
                     *           "program": "echo",
                     *           "timeoutMs": 10000,
                     *           "warm": true,
                     *           "secretNames": [
                     *             "API_KEY"
                     *           ],
                     *           "signingSecret": "...",
                     *           "lastUpdated": "2026-01-31T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["bot_list"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    bot_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the bot that the change was decided on; 409 when another change came first. At most 256 bytes of UTF-8. */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "identifier": [
                 *         {
                 *           "system": "https://lakeside.example/bots",
                 *           "value": "intake"
                 *         }
                 *       ],
                 *       "name": "Intake form",
                 *       "kind": "http",
                 *       "url": "https://bots.lakeside.example/intake",
                 *       "program": "echo",
                 *       "timeoutMs": 10000,
                 *       "warm": true,
                 *       "secrets": {
                 *         "API_KEY": "..."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["bot_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resourceType": "Bot",
                     *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "identifier": [
                     *         {
                     *           "system": "https://lakeside.example/bots",
                     *           "value": "intake"
                     *         }
                     *       ],
                     *       "name": "Intake form",
                     *       "kind": "http",
                     *       "url": "https://bots.lakeside.example/intake",
                     *       "program": "echo",
                     *       "timeoutMs": 10000,
                     *       "warm": true,
                     *       "secretNames": [
                     *         "API_KEY"
                     *       ],
                     *       "signingSecret": "...",
                     *       "lastUpdated": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["bot"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    bot_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the bot.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resourceType": "Bot",
                     *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "identifier": [
                     *         {
                     *           "system": "https://lakeside.example/bots",
                     *           "value": "intake"
                     *         }
                     *       ],
                     *       "name": "Intake form",
                     *       "kind": "http",
                     *       "url": "https://bots.lakeside.example/intake",
                     *       "program": "echo",
                     *       "timeoutMs": 10000,
                     *       "warm": true,
                     *       "secretNames": [
                     *         "API_KEY"
                     *       ],
                     *       "signingSecret": "...",
                     *       "lastUpdated": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["bot"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    bot_replace: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the bot that the change was decided on; 409 when another change came first. At most 256 bytes of UTF-8. */
                "If-Match"?: string;
            };
            path: {
                /**
                 * @description Identifier of the bot.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "identifier": [
                 *         {
                 *           "system": "https://lakeside.example/bots",
                 *           "value": "intake"
                 *         }
                 *       ],
                 *       "name": "Intake form",
                 *       "kind": "http",
                 *       "url": "https://bots.lakeside.example/intake",
                 *       "program": "echo",
                 *       "timeoutMs": 10000,
                 *       "warm": true,
                 *       "secrets": {
                 *         "API_KEY": "..."
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["bot_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resourceType": "Bot",
                     *       "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *       "identifier": [
                     *         {
                     *           "system": "https://lakeside.example/bots",
                     *           "value": "intake"
                     *         }
                     *       ],
                     *       "name": "Intake form",
                     *       "kind": "http",
                     *       "url": "https://bots.lakeside.example/intake",
                     *       "program": "echo",
                     *       "timeoutMs": 10000,
                     *       "warm": true,
                     *       "secretNames": [
                     *         "API_KEY"
                     *       ],
                     *       "signingSecret": "...",
                     *       "lastUpdated": "2026-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["bot"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    bot_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Identifier of the bot.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            409: components["responses"]["conflict"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    bot_executions: {
        parameters: {
            query?: {
                /**
                 * @description Entries at most.
                 * @example 20
                 */
                _count?: number;
                /**
                 * @description Entries to skip.
                 * @example 0
                 */
                _offset?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Identifier of the bot.
                 * @example 5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "total": 1,
                     *       "resources": [
                     *         {
                     *           "started": "2026-01-31T09:30:00.000Z",
                     *           "durationMs": 12,
                     *           "outcome": "success",
                     *           "profile": "Patient/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["bot_execution_list"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    bot_failures: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resources": [
                     *         {
                     *           "id": "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b",
                     *           "name": "Intake form",
                     *           "failures": 3,
                     *           "lastFailureAt": "2026-01-31T09:30:00.000Z",
                     *           "lastOutcome": "failure"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["bot_failure_list"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            414: components["responses"]["uri_too_long"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    bot_execute: {
        parameters: {
            query: {
                /**
                 * @description system|value, |value (without a system), system| or value; \| is a bar that separates nothing. At most 1001 bytes of UTF-8.
                 * @example https://lakeside.example/bots|intake
                 */
                identifier: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "answer": 42
                 *     }
                 */
                "application/json": components["schemas"]["bot_execute_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ok": true
                     *     }
                     */
                    "application/json": components["schemas"]["bot_answer"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    translate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "sourceLanguage": "en",
                 *       "targetLanguage": "Spanish",
                 *       "text": [
                 *         "<p>Hello {{name}}</p>"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["translation_in"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sourceLanguage": "en",
                     *       "targetLanguage": "es",
                     *       "text": [
                     *         "<p>Hola {{name}}</p>"
                     *       ],
                     *       "items": [
                     *         {
                     *           "status": "translated"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["translation"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthorized"];
            403: components["responses"]["forbidden_mfa_enrollment_required"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            414: components["responses"]["uri_too_long"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["unprocessable_entity"];
            429: components["responses"]["too_many_requests"];
            431: components["responses"]["request_header_fields_too_large"];
            500: components["responses"]["internal_server_error"];
            503: components["responses"]["service_unavailable_project_read_only"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    health_check: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            414: components["responses"]["uri_too_long"];
            431: components["responses"]["request_header_fields_too_large"];
        };
    };
    health_check_v1_partner_health_check: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            414: components["responses"]["uri_too_long"];
            431: components["responses"]["request_header_fields_too_large"];
        };
    };
    health_check_v2_partner_health_check: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            414: components["responses"]["uri_too_long"];
            431: components["responses"]["request_header_fields_too_large"];
        };
    };
    health_check_v3_partner_health_check: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            414: components["responses"]["uri_too_long"];
            431: components["responses"]["request_header_fields_too_large"];
        };
    };
    jwks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keys": [
                     *         {
                     *           "kty": "EC",
                     *           "crv": "P-256",
                     *           "use": "sig",
                     *           "alg": "ES256",
                     *           "kid": "2026-01-31-4f1c",
                     *           "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
                     *           "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["jwks"];
                };
            };
            414: components["responses"]["uri_too_long"];
            431: components["responses"]["request_header_fields_too_large"];
            503: components["responses"]["service_unavailable"];
            504: components["responses"]["gateway_timeout"];
        };
    };
    openapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["openapi"];
                };
            };
            414: components["responses"]["uri_too_long"];
            431: components["responses"]["request_header_fields_too_large"];
        };
    };
}
