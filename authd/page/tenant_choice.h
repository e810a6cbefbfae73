/*
 * tenant_choice.h - the last step of a sign-in on the installation's own page (/t/-/sign-in): to
 * which of a practitioner's tenants. Until then it is a sign-in that names no tenant; it ends as a
 * session in one, by the rules of that one.
 */
#ifndef ATRIUM_AUTHD_PAGE_TENANT_CHOICE_H
#define ATRIUM_AUTHD_PAGE_TENANT_CHOICE_H

#include "authd/page/visit.h"

/* Asks which, of struct login_tenant; the only one is not asked for. `code` and `verifier` are of a
 * sign-in that waits for its last step. VISIT_FAILED: refused as practitioner_login_token() does.
 * Parks. */
enum visit_step tenant_choice_ask(const struct visit *visit, const char *verifier, const char *code,
                                  struct field_list tenants, struct page_answer *out,
                                  struct error *err) MUST_USE;

/* Takes the answer: the browser's session in that tenant, and its page `account`. Parks. */
enum visit_step tenant_choice_answer(const struct visit *visit, const char *step,
                                     const char *tenant, struct page_answer *out,
                                     struct error *err) MUST_USE;

#endif
