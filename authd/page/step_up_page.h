/*
 * step_up_page.h - the page that asks for a fresh proof (authd/session/step_up_check.h).
 */
#ifndef ATRIUM_AUTHD_PAGE_STEP_UP_PAGE_H
#define ATRIUM_AUTHD_PAGE_STEP_UP_PAGE_H

#include "authd/page/visit.h"

/* Goes to that page, which then continues to `goal`, an account page ("change-email"). */
enum visit_step step_up_go(const struct visit *visit, const char *goal, struct page_answer *out);

/* Returns VISIT_OPEN if the session's proof is fresh, otherwise goes there like step_up_go().
 * Parks. */
enum visit_step step_up_require(const struct visit *visit, const char *goal,
                                struct page_answer *out, struct error *err) MUST_USE;

#endif
