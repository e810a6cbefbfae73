/*
 * own_account_page.h - the installation's own pages (/t/-/...): signing in to them, and the page of
 * an account that may belong to several organizations. The handlers of the pages that tenants have,
 * too, come here for a visit to the installation's.
 */
#ifndef ATRIUM_AUTHD_PAGE_OWN_ACCOUNT_PAGE_H
#define ATRIUM_AUTHD_PAGE_OWN_ACCOUNT_PAGE_H

#include "authd/page/visit.h"

struct account_form;
struct mfa_form;

/* The last step of a sign-in: the browser's session, which is open or waits for a mailed code.
 * Fails: VISIT_FAILED with the refusal of login_token_account(). Parks. */
enum visit_step own_sign_in_finish(struct visit *visit, const char *code, const char *verifier,
                                   struct page_answer *out, struct error *err) MUST_USE;

/* Asks for the mailed code, and takes it. Park. */
enum visit_step own_code_show(const struct visit *visit, int status, enum page_text problem,
                              struct page_answer *out);
enum visit_step own_code_check(struct visit *visit, const struct mfa_form *form,
                               struct page_answer *out, struct error *err) MUST_USE;

/* The account page: what it shows, and what its forms do. Park. */
enum visit_step own_account_show(const struct visit *visit, int status, enum page_text notice,
                                 enum page_text problem, struct page_answer *out,
                                 struct error *err) MUST_USE;
enum visit_step own_account_act(const struct visit *visit, const struct account_form *form,
                                struct page_answer *out, struct error *err) MUST_USE;

#endif
