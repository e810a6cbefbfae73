/*
 * page_api.c - shapes of the hosted pages' queries and forms. See authd_api.c.
 */
#include "authd/page/page_api.h"

#include "authd/shape_api.h"

/* Limits of form fields. The page itself reports what is wrong with a field. */
enum { PAGE_FIELD_MAX = ANY_PASSWORD_MAX, PAGE_CREDENTIAL_MAX = 16384 };
static const char *const page_notes[] = {"consent-withdrawn",
                                         "declined",
                                         "email-sent",
                                         "factor-off",
                                         "joined",
                                         "keep",
                                         "left",
                                         "passkey-changed",
                                         "password-changed",
                                         "password-set",
                                         "session-ended",
                                         "signed-out",
                                         "undone",
                                         "unlink-first",
                                         "unlinked",
                                         "verified",
                                         NULL};

#define PAGE_TENANT_ROWS(s)                                                    \
    FIELD_TEXT(s, tenantCode, 1, TENANT_CODE_MAX, FIELD_REQUIRED | FIELD_PATH, \
               "Tenant code in the page's path.", "demo"),                     \
        FIELD_VISIT(s)
/* JSON from navigator.credentials. */
#define PAGE_CREDENTIAL_ROW(s)                                      \
    FIELD_TEXT(s, credential, 1, PAGE_CREDENTIAL_MAX, FIELD_SECRET, \
               "What the browser's passkey "                        \
               "has answered.",                                     \
               "{}")
#define PAGE_FORM_ROW(s, member, flags) \
    FIELD_TEXT(s, member, 0, PAGE_FIELD_MAX, flags, "A field of the form.", "")

static const struct field front_query_rows[] = {
    FIELD_VISIT(struct front_query),
    FIELD_TEXT(struct front_query, tenant, 0, PAGE_FIELD_MAX, FIELD_QUERY,
               "Organization code that the person entered.", "demo"),
};
FIELD_TABLE(front_query);

static const struct field page_query_rows[] = {
    PAGE_TENANT_ROWS(struct page_query),
    FIELD_CHOICE(struct page_query, note, page_notes, FIELD_QUERY, "Result of the previous page.",
                 "signed-out"),
    PAGE_FORM_ROW(struct page_query, goal, FIELD_QUERY),
};
FIELD_TABLE(page_query);

static const struct field sign_in_form_rows[] = {
    PAGE_TENANT_ROWS(struct sign_in_form),
    PAGE_FORM_ROW(struct sign_in_form, email, 0),
    PAGE_FORM_ROW(struct sign_in_form, password, FIELD_SECRET),
    PAGE_FORM_ROW(struct sign_in_form, step, FIELD_SECRET),
    PAGE_FORM_ROW(struct sign_in_form, role, 0),
    PAGE_CREDENTIAL_ROW(struct sign_in_form),
};
FIELD_TABLE(sign_in_form);

static const struct field consent_form_rows[] = {
    PAGE_TENANT_ROWS(struct consent_form),
    FIELD_TEXT(struct consent_form, FIELD_AS(action, "do"), 0, PAGE_FIELD_MAX, 0,
               "Button that the person pressed.", "allow"),
};
FIELD_TABLE(consent_form);

static const struct field device_form_rows[] = {
    PAGE_TENANT_ROWS(struct device_form),
    FIELD_TEXT(struct device_form, FIELD_AS(action, "do"), 0, PAGE_FIELD_MAX, 0,
               "Button that the person pressed.", "find"),
    PAGE_FORM_ROW(struct device_form, code, FIELD_SECRET),
    PAGE_FORM_ROW(struct device_form, step, FIELD_SECRET),
};
FIELD_TABLE(device_form);

static const struct field mfa_form_rows[] = {
    PAGE_TENANT_ROWS(struct mfa_form),
    PAGE_FORM_ROW(struct mfa_form, step, FIELD_SECRET),
    PAGE_FORM_ROW(struct mfa_form, code, FIELD_SECRET),
    PAGE_CREDENTIAL_ROW(struct mfa_form),
};
FIELD_TABLE(mfa_form);

static const struct field step_up_form_rows[] = {
    PAGE_TENANT_ROWS(struct step_up_form),
    PAGE_FORM_ROW(struct step_up_form, goal, 0),
    PAGE_FORM_ROW(struct step_up_form, password, FIELD_SECRET),
    PAGE_FORM_ROW(struct step_up_form, code, FIELD_SECRET),
    PAGE_FORM_ROW(struct step_up_form, step, FIELD_SECRET),
    PAGE_CREDENTIAL_ROW(struct step_up_form),
};
FIELD_TABLE(step_up_form);

static const struct field password_form_rows[] = {
    PAGE_TENANT_ROWS(struct password_form),
    PAGE_FORM_ROW(struct password_form, old, FIELD_SECRET),
    PAGE_FORM_ROW(struct password_form, new, FIELD_SECRET),
};
FIELD_TABLE(password_form);

static const struct field factor_form_rows[] = {
    PAGE_TENANT_ROWS(struct factor_form),
    PAGE_FORM_ROW(struct factor_form, FIELD_AS(action, "do"), 0),
    PAGE_FORM_ROW(struct factor_form, code, FIELD_SECRET),
};
FIELD_TABLE(factor_form);

static const struct field passkeys_form_rows[] = {
    PAGE_TENANT_ROWS(struct passkeys_form),
    PAGE_FORM_ROW(struct passkeys_form, FIELD_AS(action, "do"), 0),
    PAGE_FORM_ROW(struct passkeys_form, passkey, 0),
    PAGE_FORM_ROW(struct passkeys_form, name, 0),
    PAGE_FORM_ROW(struct passkeys_form, step, FIELD_SECRET),
    PAGE_CREDENTIAL_ROW(struct passkeys_form),
};
FIELD_TABLE(passkeys_form);

static const struct field delete_form_rows[] = {
    PAGE_TENANT_ROWS(struct delete_form),
    PAGE_FORM_ROW(struct delete_form, days, 0),
};
FIELD_TABLE(delete_form);

static const struct field continue_query_rows[] = {
    PAGE_TENANT_ROWS(struct continue_query),
    PAGE_FORM_ROW(struct continue_query, token, FIELD_QUERY | FIELD_SECRET),
};
FIELD_TABLE(continue_query);

static const struct field register_form_rows[] = {
    PAGE_TENANT_ROWS(struct register_form),
    PAGE_FORM_ROW(struct register_form, token, FIELD_SECRET),
    PAGE_FORM_ROW(struct register_form, role, 0),
    PAGE_FORM_ROW(struct register_form, name, 0),
    PAGE_FORM_ROW(struct register_form, surname, 0),
    PAGE_FORM_ROW(struct register_form, email, 0),
    PAGE_FORM_ROW(struct register_form, password, FIELD_SECRET),
};
FIELD_TABLE(register_form);

static const struct field export_form_rows[] = {
    PAGE_TENANT_ROWS(struct export_form),
    PAGE_FORM_ROW(struct export_form, FIELD_AS(action, "do"), 0),
};
FIELD_TABLE(export_form);

static const struct field export_file_query_rows[] = {
    PAGE_TENANT_ROWS(struct export_file_query),
    PAGE_FORM_ROW(struct export_file_query, id, FIELD_PATH),
};
FIELD_TABLE(export_file_query);

static const struct field link_query_rows[] = {
    PAGE_TENANT_ROWS(struct link_query),
    PAGE_FORM_ROW(struct link_query, id, FIELD_QUERY),
    PAGE_FORM_ROW(struct link_query, secret, FIELD_QUERY | FIELD_SECRET),
};
FIELD_TABLE(link_query);

static const struct field link_form_rows[] = {
    PAGE_TENANT_ROWS(struct link_form),
    PAGE_FORM_ROW(struct link_form, id, 0),
    PAGE_FORM_ROW(struct link_form, secret, FIELD_SECRET),
    PAGE_FORM_ROW(struct link_form, password, FIELD_SECRET),
    PAGE_FORM_ROW(struct link_form, FIELD_AS(action, "do"), 0),
    PAGE_FORM_ROW(struct link_form, step, FIELD_SECRET),
    PAGE_FORM_ROW(struct link_form, code, FIELD_SECRET),
    PAGE_CREDENTIAL_ROW(struct link_form),
    PAGE_FORM_ROW(struct link_form, email, 0),
};
FIELD_TABLE(link_form);

static const struct field email_form_rows[] = {
    PAGE_TENANT_ROWS(struct email_form),
    PAGE_FORM_ROW(struct email_form, email, 0),
};
FIELD_TABLE(email_form);

static const struct field account_form_rows[] = {
    PAGE_TENANT_ROWS(struct account_form),
    PAGE_FORM_ROW(struct account_form, FIELD_AS(action, "do"), 0),
    PAGE_FORM_ROW(struct account_form, session, 0),
    PAGE_FORM_ROW(struct account_form, client, 0),
    PAGE_FORM_ROW(struct account_form, identity, 0),
    PAGE_FORM_ROW(struct account_form, project, 0),
    PAGE_FORM_ROW(struct account_form, invitation, 0),
};
FIELD_TABLE(account_form);

static const struct field branding_preview_out_rows[] = {
    FIELD_TEXT(struct branding_preview_out, html, 1, PAGE_HTML_MAX, FIELD_REQUIRED,
               "The sign-in page, without its colors.", "<!doctype html> ..."),
};
FIELD_TABLE(branding_preview_out);
