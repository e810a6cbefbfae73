/*
 * own_account_page.h - sign-in and account on the installation's own pages (/t/-/...), for accounts
 * that can belong to several organizations.
 */
#ifndef ATRIUM_AUTHD_PAGE_OWN_ACCOUNT_PAGE_H
#define ATRIUM_AUTHD_PAGE_OWN_ACCOUNT_PAGE_H

#include "authd/page/visit.h"

struct account_form;
struct mfa_form;

/* Makes the browser's session, which can wait for an emailed code. VISIT_FAILED:
 * login_token_account() refused. Parks. */
enum visit_step own_sign_in_finish(struct visit *visit, const char *code, const char *verifier,
                                   struct page_answer *out, struct error *err) MUST_USE;

/* Show the form for the emailed code, and check the code. Park. */
enum visit_step own_code_show(const struct visit *visit, int status, enum page_text problem,
                              struct page_answer *out);
enum visit_step own_code_check(struct visit *visit, const struct mfa_form *form,
                               struct page_answer *out, struct error *err) MUST_USE;

/* Show the account page, and handle its forms. Park. */
enum visit_step own_account_show(const struct visit *visit, int status, enum page_text notice,
                                 enum page_text problem, struct page_answer *out,
                                 struct error *err) MUST_USE;
enum visit_step own_account_act(const struct visit *visit, const struct account_form *form,
                                struct page_answer *out, struct error *err) MUST_USE;

#endif
