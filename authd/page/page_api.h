/*
 * page_api.h - queries and forms of the hosted pages.
 */
#ifndef ATRIUM_AUTHD_PAGE_PAGE_API_H
#define ATRIUM_AUTHD_PAGE_PAGE_API_H

#include "common/domain/page.h"
#include "common/wire/fields.h"

/* The front page, or an unknown address. */
struct front_query {
    const struct page_visit *visit;
    const char *tenant; /* organization code that was entered; NULL: page opened */
};
FIELD_DECLARE(front_query);

struct page_query {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *note; /* result of the last page, from page_notes */
    const char *goal; /* for a step-up: the page that needs it */
};
FIELD_DECLARE(page_query);

struct sign_in_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *email, *password;
    const char *step, *role; /* instead of email and password, to choose between two accounts */
    const char *credential;  /* instead, with `step`: a passkey's answer as JSON */
};
FIELD_DECLARE(sign_in_form);

struct mfa_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *step, *code;
    const char *credential; /* instead of `code`: a passkey's answer as JSON */
};
FIELD_DECLARE(mfa_form);

struct step_up_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *goal; /* next page */
    const char *password, *code;
    const char *step, *credential; /* instead: a passkey's answer as JSON */
};
FIELD_DECLARE(step_up_form);

struct password_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *old, *new;
};
FIELD_DECLARE(password_form);

struct factor_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *action; /* "on", "off" */
    const char *code;
};
FIELD_DECLARE(factor_form);

struct passkeys_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *action; /* "rename", "remove" */
    const char *passkey;
    const char *name;
    const char *step, *credential; /* instead: a new passkey as JSON */
};
FIELD_DECLARE(passkeys_form);

struct export_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *action; /* "ask" */
};
FIELD_DECLARE(export_form);

struct export_file_query {
    const char *tenantCode;
    const char *id;
    const struct page_visit *visit;
};
FIELD_DECLARE(export_file_query);

struct delete_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *days;
};
FIELD_DECLARE(delete_form);

/* Opens the link to register as a patient, for a person with a business address. */
struct continue_query {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *token;
};
FIELD_DECLARE(continue_query);

struct register_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *token; /* token of the link; NULL: none */
    const char *role, *name, *surname, *email, *password;
};
FIELD_DECLARE(register_form);

/* Opens an emailed link, without using it up. */
struct link_query {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *id, *secret;
};
FIELD_DECLARE(link_query);

/* Uses an emailed link. */
struct link_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *id, *secret;
    const char *password;
    const char *action;      /* for an invitation: "accept", "sign-in" */
    const char *step, *code; /* instead, for a sign-in that waits for a second factor */
    const char *credential;  /* instead of `code`: a passkey's answer as JSON */
    const char *email;       /* for "send", a new link */
};
FIELD_DECLARE(link_form);

struct email_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *email;
};
FIELD_DECLARE(email_form);

struct account_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *action;   /* "end", "sign-out", "keep", "withdraw", "unlink", "leave", "accept",
                            "decline" */
    const char *session;  /* for "end" */
    const char *client;   /* for "withdraw": the client's id */
    const char *identity; /* for "unlink" */
    const char *project, *invitation; /* ids for "end", "leave", "accept", "decline" */
};
FIELD_DECLARE(account_form);

struct branding_preview_out {
    const char *html;
};
FIELD_DECLARE(branding_preview_out);

struct consent_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *action; /* "allow", "deny" */
};
FIELD_DECLARE(consent_form);

struct device_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *action; /* "find", "approve", "deny" */
    const char *code;   /* for "find": as entered */
    const char *step;   /* otherwise: the sealed device */
};
FIELD_DECLARE(device_form);

#endif
