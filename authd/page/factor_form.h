/*
 * factor_form.h - the form that asks for a code of the second factor, wherever a page needs one.
 */
#ifndef ATRIUM_AUTHD_PAGE_FACTOR_FORM_H
#define ATRIUM_AUTHD_PAGE_FACTOR_FORM_H

#include "authd/page/visit.h"
#include "common/domain/role.h"

struct login_step;

/* A sign-in that waits for its second factor. */
struct factor_wanted {
    const char *page; /* that the form is sent to */
    const char *step; /* what it carries, made by visit_seal() */
    enum role role;
    const char *login; /* id of the login; a text that is none: no passkey is asked for */
};

/* Shows the form, which takes a passkey instead where the account has one here. Parks. */
enum visit_step factor_form_show(const struct visit *visit, const struct factor_wanted *wanted,
                                 int status, enum page_text problem, struct page_answer *out,
                                 struct error *err) MUST_USE;

/* Takes the code, or the passkey (`credential`, not NULL), for the session code of the login.
 * Fails: BAD_REQUEST, THROTTLED. Parks. */
int factor_form_submit(const struct visit *visit, enum role role, const char *login,
                       const char *code, const char *credential, struct login_step *ret,
                       struct error *err) MUST_USE;

/* A code as people copy it, "123 456", without its blanks; NULL is "". From the arena. */
const char *factor_form_code(struct arena *arena, const char *text);

/* What a person is told of a refused code; PAGE_NO_TEXT as visit_problem(). */
enum page_text factor_form_problem(const struct error *err);

#endif
