/*
 * visit.h - a person's visit to a page of a tenant: which tenant, which language, and the session
 * that the browser holds. What a page does it does by the function of the route of the API that
 * does the same, so that checks, limits and texts are one.
 *
 * The session of a browser is one like any other: it is listed, ended and audited so. It lives 12
 * hours after its last use and 7 days at most, is found by its cookie, and opens no route of the
 * API. A sign-in makes a new cookie, whatever the browser had before.
 */
#ifndef ATRIUM_AUTHD_PAGE_VISIT_H
#define ATRIUM_AUTHD_PAGE_VISIT_H

#include <jansson.h>

#include "authd/authd.h"
#include "authd/page/template/pages.h"
#include "authd/page/visit_brand.h"
#include "authd/session/account_session.h"
#include "settingsd/tenant_api.h"

struct page_answer;
struct page_visit;

struct visit {
    struct authd *d;
    const struct page_visit *from;
    struct tenant tenant;
    /* these are the installation's own pages: tenant is empty, and the session (account_session.h)
     * of no project */
    bool installation;
    struct account_session own; /* what the browser holds of those, if own.caller.account is set */
    enum page_language language;
    struct visit_brand brand;
    const char *host; /* of these pages, with its port */
    const char *next; /* sealed: the authorization request that the person came with; NULL: none */
    bool to_device;   /* next: the page for devices, not a client */
    const char *login_hint; /* the address that this request names; NULL: none */
    bool signed_in;         /* then: */
    struct caller caller;
    struct request req; /* in the name of the caller, if there is one */
};

/* What all pages show, those without a form, too; and those with one. The pages of no tenant have
 * no code to show: in an address an empty segment is written as theirs, PAGE_INSTALLATION_CODE. */
#define VISIT_FRAME(visit)                                                                  \
    .host = (visit)->host, .code = (visit)->installation ? "" : (visit)->tenant.tenantCode, \
    .tenant = (visit)->brand.name, .brand_style = (visit)->brand.style,                     \
    .brand_logo = (visit)->brand.logo, .help = (visit)->brand.help,                         \
    .imprint = (visit)->brand.imprint, .privacy = (visit)->brand.privacy
#define VISIT_VALUES(visit) \
    VISIT_FRAME(visit), .form_token = (visit)->from->formToken, .next = (visit)->next

/* The result of a step: the page continues, it is answered, or the request failed (err is set).
 * VISIT_STALE: a form of a page of this origin whose cookie has changed since, by a sign-in in
 * another tab for example. Nothing may be done by it; it is answered, and its page may answer
 * better: with its form and what was typed. */
enum visit_step { VISIT_FAILED = -1, VISIT_OPEN, VISIT_ANSWERED, VISIT_STALE };

enum { VISIT_STALE_STATUS = 403 }; /* of a form that is shown again */

/* Finds tenant and session. VISIT_ANSWERED: there is no such page. Parks. */
enum visit_step visit_open(struct authd *d, const struct request *req, const char *code,
                           const struct page_visit *from, struct visit *ret,
                           struct page_answer *out, struct error *err) MUST_USE;

/* The same for a form. VISIT_ANSWERED, too, when it is not from such a page: nothing was done.
 * VISIT_STALE: who is signed in goes on as visit_continue() says, others are told. Parks. */
enum visit_step visit_open_form(struct authd *d, const struct request *req, const char *code,
                                const struct page_visit *from, struct visit *ret,
                                struct page_answer *out, struct error *err) MUST_USE;

/* The same for pages that the installation has, too (/t/-/...), for accounts of no tenant. */
enum visit_step visit_open_any(struct authd *d, const struct request *req, const char *code,
                               const struct page_visit *from, struct visit *ret,
                               struct page_answer *out, struct error *err) MUST_USE;
enum visit_step visit_open_any_form(struct authd *d, const struct request *req, const char *code,
                                    const struct page_visit *from, struct visit *ret,
                                    struct page_answer *out, struct error *err) MUST_USE;

/* As visit_open_any() and visit_open_any_form(); VISIT_ANSWERED, too, when the browser is not
 * signed in: it goes to do so. On a tenant's page of REACH_ACCOUNT for an account that the tenant
 * does not own it goes to the installation's account page; there, without the second factor that
 * one of the account's projects demands, to set one up. VISIT_STALE: it is signed in. */
enum visit_step visit_open_account(struct authd *d, const struct request *req, const char *code,
                                   const struct page_visit *from, struct visit *ret,
                                   struct page_answer *out, struct error *err) MUST_USE;
enum visit_step visit_open_account_form(struct authd *d, const struct request *req,
                                        const char *code, const struct page_visit *from,
                                        struct visit *ret, struct page_answer *out,
                                        struct error *err) MUST_USE;

/* Whether the tenant demands a second factor that the session does not have. */
bool visit_lacks_factor(const struct visit *self);

/* Reads what a form gave by the table of the API's route that does the same. Fails as fields_read()
 * does: with the problems of the fields. */
int visit_fields(const struct visit *self, const struct field_table *table, json_t *body, void *ret,
                 struct error *err) MUST_USE;

/* A page to write into. */
void visit_page(const struct visit *self, struct page *ret);

/* Answers with that page, or with another address of this host: one of the tenant's pages
 * ("account", "sign-in?note=signed-out"). Return VISIT_ANSWERED. */
enum visit_step visit_show(const struct page *page, int status, struct page_answer *out);
enum visit_step visit_go(const struct visit *self, const char *page, struct page_answer *out);

/* Answers with a page that has the program for passkeys, or a picture as data. */
enum visit_step visit_show_script(const struct page *page, int status, struct page_answer *out);
enum visit_step visit_show_image(const struct page *page, int status, struct page_answer *out);

/* Lets the page's form lead to an address of a client: browsers hold form-action against the
 * redirect, too, that follows a form (CSP 3, section 6.4.1). uri NULL: there is none. */
void visit_allow_redirect(const struct visit *self, const char *uri, struct page_answer *out);

/* Answers with one thing that is said. */
enum visit_step visit_say(const struct visit *self, int status, enum page_text title,
                          enum page_text text, struct page_answer *out);

/* "Chrome, Linux"; NULL: neither is known. */
struct session_record;
const char *visit_device(struct arena *arena, const struct session_record *session);

/* A time as pages show it, "2026-01-31 09:30 UTC", from the arena. */
const char *visit_time(const struct visit *self, int64_t at_ms);

/* What a page says of what was done before it, one of page_notes; NULL: nothing. */
enum page_text visit_note(const char *note);

/* What the page says of a refusal that the person can put right; PAGE_NO_TEXT: of any other, which
 * is the request's failure. */
enum page_text visit_problem(const struct error *err);

/* The status of the page that is shown instead of this error: takes over its Retry-After and clears
 * it. */
int visit_refused(struct error *err, struct page_answer *out);

/* Goes on with the request that the person came with, else to the account. */
enum visit_step visit_continue(const struct visit *self, struct page_answer *out);

/* The cookie of the session that is about to be made, from the request's arena. */
const char *visit_new_cookie(const struct visit *self);

/* That session was made: the one that the browser held before ends, and it goes on, see
 * visit_continue(). Parks. */
enum visit_step visit_signed_in(struct visit *self, const char *cookie, struct page_answer *out,
                                struct error *err) MUST_USE;

/* What a form carries from one step to the next: the words of `state`, sealed for this browser,
 * good for as long as a sign-in may take. The text, from the arena; and back, NULL: it is none, or
 * has expired. */
const char *visit_seal(const struct visit *self, const char *state);
const char *visit_unseal(const struct visit *self, const char *text);

/* The handler's result of a step. */
static inline int visit_result(enum visit_step step)
{
    return step == VISIT_FAILED ? -1 : 0;
}

#endif
