/*
 * visit.h - a visit to a hosted page: tenant, language and the browser's session.
 *
 * Pages use the functions of API routes, so checks, limits and texts are the same. The session is
 * listed and ended like any other. It lives for 12 hours after its last use, at most 7 days, and is
 * useless for API routes. Each sign-in makes a new cookie.
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
    /* The visit is to the installation's own pages, which have no tenant; their session
     * (account_session.h) has no project. */
    bool installation;
    struct account_session own; /* the browser's session there, if own.caller.account is set */
    enum page_language language;
    bool chosen; /* the person chose it on a page */
    struct page_footer_tongue tongues[PAGE_LANGUAGES];
    size_t tongue_count; /* 0: the page can't be opened again in another language */
    struct visit_brand brand;
    const char *host;       /* these pages' host, with port */
    const char *next;       /* sealed authorization request of the person; NULL: none */
    bool to_device;         /* `next` is the page for devices, not a client */
    const char *login_hint; /* email address in that request; NULL: none */
    bool signed_in;         /* then also: */
    struct caller caller;
    struct request req; /* in the caller's name, if there is one */
};

/* Frame data of pages without and with a form. Without a tenant, URLs have PAGE_INSTALLATION_CODE
 * instead of an empty segment. */
#define VISIT_FRAME(visit)                                                                  \
    .host = (visit)->host, .code = (visit)->installation ? "" : (visit)->tenant.tenantCode, \
    .tenant = (visit)->brand.name, .brand_style = (visit)->brand.style,                     \
    .brand_logo = (visit)->brand.logo, .help = (visit)->brand.help,                         \
    .imprint = (visit)->brand.imprint, .privacy = (visit)->brand.privacy,                   \
    .tongue = (visit)->tongues, .tongue_count = (visit)->tongue_count
#define VISIT_VALUES(visit) \
    VISIT_FRAME(visit), .form_token = (visit)->from->formToken, .next = (visit)->next

/* Result of a step: continue, answered, or failed (err is set). VISIT_STALE: the form's cookie has
 * changed, for example by a sign-in in another tab. Do nothing. It is answered, but a page can show
 * its form again with the entered values. */
enum visit_step { VISIT_FAILED = -1, VISIT_OPEN, VISIT_ANSWERED, VISIT_STALE };

enum { VISIT_STALE_STATUS = 403 }; /* for a form that is shown again */

/* Finds tenant and session. VISIT_ANSWERED: no such page. Parks. */
enum visit_step visit_open(struct authd *d, const struct request *req, const char *code,
                           const struct page_visit *from, struct visit *ret,
                           struct page_answer *out, struct error *err) MUST_USE;

/* Like visit_open(), for a form. VISIT_ANSWERED: also if another site sent it. VISIT_STALE: a
 * signed-in person continues as in visit_continue(). Parks. */
enum visit_step visit_open_form(struct authd *d, const struct request *req, const char *code,
                                const struct page_visit *from, struct visit *ret,
                                struct page_answer *out, struct error *err) MUST_USE;

/* Like visit_open(), for pages that the installation has too (/t/-/...). */
enum visit_step visit_open_any(struct authd *d, const struct request *req, const char *code,
                               const struct page_visit *from, struct visit *ret,
                               struct page_answer *out, struct error *err) MUST_USE;
enum visit_step visit_open_any_form(struct authd *d, const struct request *req, const char *code,
                                    const struct page_visit *from, struct visit *ret,
                                    struct page_answer *out, struct error *err) MUST_USE;

/* Go to the sign-in if the browser isn't signed in. A tenant's page of REACH_ACCOUNT goes to the
 * installation's account page if the tenant doesn't own the account. There, a required second
 * factor must be set up first. VISIT_STALE: the browser is signed in. */
enum visit_step visit_open_account(struct authd *d, const struct request *req, const char *code,
                                   const struct page_visit *from, struct visit *ret,
                                   struct page_answer *out, struct error *err) MUST_USE;
enum visit_step visit_open_account_form(struct authd *d, const struct request *req,
                                        const char *code, const struct page_visit *from,
                                        struct visit *ret, struct page_answer *out,
                                        struct error *err) MUST_USE;

/* True when the tenant requires a second factor that the session lacks. */
bool visit_lacks_factor(const struct visit *self);

/* Reads a form by the table of the matching API route. Fails like fields_read(). */
int visit_fields(const struct visit *self, const struct field_table *table, json_t *body, void *ret,
                 struct error *err) MUST_USE;

/* Chooses language and look of a tenant's page without a request of its own (a preview). */
void visit_look(struct visit *self);

/* True if a person can create an account in the tenant. */
bool visit_may_register(const struct tenant *tenant);

void visit_page(const struct visit *self, struct page *ret);

/* Answer with the page, or a redirect to a tenant's page ("account", "sign-in?note=signed-out").
 * Return VISIT_ANSWERED. */
enum visit_step visit_show(const struct page *page, int status, struct page_answer *out);
enum visit_step visit_go(const struct visit *self, const char *page, struct page_answer *out);

/* Answers with a page that has the passkey script or an inline image. */
enum visit_step visit_show_script(const struct page *page, int status, struct page_answer *out);
enum visit_step visit_show_image(const struct page *page, int status, struct page_answer *out);

/* Allows the form to lead to a client's URL, because form-action applies to redirects too (CSP 3,
 * section 6.4.1). `uri` NULL: none. */
void visit_allow_redirect(const struct visit *self, const char *uri, struct page_answer *out);

/* Answers with a short message. */
enum visit_step visit_say(const struct visit *self, int status, enum page_text title,
                          enum page_text text, struct page_answer *out);

/* Returns a text such as "Chrome, Linux", or NULL if unknown. */
struct session_record;
const char *visit_device(struct arena *arena, const struct session_record *session);

/* Returns a time such as "January 31, 2026, 9:30 AM" in the page's language, in UTC, which the page
 * must say. */
const char *visit_time(const struct visit *self, int64_t at_ms);

/* Returns the text of a result of the last page, one of page_notes. NULL: none. */
enum page_text visit_note(const char *note);

/* Returns the text of a refusal that the person can fix, or PAGE_NO_TEXT. */
enum page_text visit_problem(const struct error *err);

/* Returns the page's status for this error. Copies Retry-After and clears the error. */
int visit_refused(struct error *err, struct page_answer *out);

/* Continues with the person's authorization request, otherwise to the account. */
enum visit_step visit_continue(const struct visit *self, struct page_answer *out);

/* Makes the cookie of the next session. */
const char *visit_new_cookie(const struct visit *self);

/* Ends the browser's previous session after a sign-in, then visit_continue(). Parks. */
enum visit_step visit_signed_in(struct visit *self, const char *cookie, struct page_answer *out,
                                struct error *err) MUST_USE;

/* Seal what a form carries to the next step, for this browser, and open it. NULL: invalid or
 * expired. */
const char *visit_seal(const struct visit *self, const char *state);
const char *visit_unseal(const struct visit *self, const char *text);

static inline int visit_result(enum visit_step step)
{
    return step == VISIT_FAILED ? -1 : 0;
}

#endif
