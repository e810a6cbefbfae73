/*
 * factor_form.h - the form that asks for a second factor.
 */
#ifndef ATRIUM_AUTHD_PAGE_FACTOR_FORM_H
#define ATRIUM_AUTHD_PAGE_FACTOR_FORM_H

#include "authd/page/visit.h"
#include "common/domain/role.h"

struct login_step;

/* A sign-in that waits for its second factor. */
struct factor_wanted {
    const char *page; /* receives the form */
    const char *step; /* carried by the form, from visit_seal() */
    enum role role;
    const char *login; /* the login's id; any other text: offers no passkey */
};

/* Shows the form, with a passkey as alternative if the account has one here. Parks. */
enum visit_step factor_form_show(const struct visit *visit, const struct factor_wanted *wanted,
                                 int status, enum page_text problem, struct page_answer *out,
                                 struct error *err) MUST_USE;

/* Exchanges the code, or `credential` if set, for the login's session code. Parks. */
int factor_form_submit(const struct visit *visit, enum role role, const char *login,
                       const char *code, const char *credential, struct login_step *ret,
                       struct error *err) MUST_USE;

/* Removes the blanks of a copied code, "123 456". NULL is "". */
const char *factor_form_code(struct arena *arena, const char *text);

/* Returns the text for a refused code; PAGE_NO_TEXT as in visit_problem(). */
enum page_text factor_form_problem(const struct error *err);

#endif
