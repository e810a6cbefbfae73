/*
 * page_api.h - what the hosted pages are given: queries and forms.
 */
#ifndef ATRIUM_AUTHD_PAGE_PAGE_API_H
#define ATRIUM_AUTHD_PAGE_PAGE_API_H

#include "common/domain/page.h"
#include "common/wire/fields.h"

/* The front page of the installation, or an address without a page. */
struct front_query {
    const struct page_visit *visit;
    const char *tenant; /* the organization code that was typed; NULL: the page is opened */
};
FIELD_DECLARE(front_query);

struct page_query {
    const char *tenantCode; /* path */
    const struct page_visit *visit;
    const char *note; /* what the page before did, one of page_notes */
    const char *goal; /* of a step-up: the page that it is for */
};
FIELD_DECLARE(page_query);

struct sign_in_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *email, *password;
    const char *step, *role; /* instead, of who was asked which account it shall be */
    const char *credential;  /* instead, with step: a passkey, JSON */
};
FIELD_DECLARE(sign_in_form);

struct mfa_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *step, *code;
    const char *credential; /* instead of the code: a passkey, JSON */
};
FIELD_DECLARE(mfa_form);

struct step_up_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *goal; /* the page that follows */
    const char *password, *code;
    const char *step, *credential; /* instead: a passkey, JSON */
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
    const char *action; /* "rename", "remove", of: */
    const char *passkey;
    const char *name;
    const char *step, *credential; /* instead: a new one, JSON */
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

/* A person with a business address opens the link to register as a patient. */
struct continue_query {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *token;
};
FIELD_DECLARE(continue_query);

struct register_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *token; /* of that link; NULL: there was none */
    const char *role, *name, *surname, *email, *password;
};
FIELD_DECLARE(register_form);

/* A mailed link is opened. Reading it spends nothing. */
struct link_query {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *id, *secret;
};
FIELD_DECLARE(link_query);

/* What a page does with a mailed link. */
struct link_form {
    const char *tenantCode;
    const struct page_visit *visit;
    const char *id, *secret;
    const char *password;
    const char *action;      /* of an invitation: "accept", "sign-in" */
    const char *step, *code; /* instead, of a sign-in that waits for the second factor */
    const char *credential;  /* instead of the code: a passkey, JSON */
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
    const char *action;  /* "end", "sign-out", "keep", "withdraw", "leave", "accept", "decline" */
    const char *session; /* of "end" */
    const char *client;  /* of "withdraw": its id */
    const char *project, *invitation; /* of "end", "leave", "accept", "decline": their ids */
};
FIELD_DECLARE(account_form);

struct consent_form {
    const char *tenantCode; /* path */
    const struct page_visit *visit;
    const char *action; /* "allow", "deny" */
};
FIELD_DECLARE(consent_form);

struct device_form {
    const char *tenantCode; /* path */
    const struct page_visit *visit;
    const char *action; /* "find", "approve", "deny" */
    const char *code;   /* of "find": as the person has typed it */
    const char *step;   /* of the others: sealed, the device that the page has named */
};
FIELD_DECLARE(device_form);

#endif
