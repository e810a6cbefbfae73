/*
 * step_up_page.h - the page that asks again who is there, before a page whose acts need a fresh
 * proof (authd/session/step_up_check.h).
 */
#ifndef ATRIUM_AUTHD_PAGE_STEP_UP_PAGE_H
#define ATRIUM_AUTHD_PAGE_STEP_UP_PAGE_H

#include "authd/page/visit.h"

/* Goes to that page, which then goes on to `goal`, a page of the account ("change-email"). */
enum visit_step step_up_go(const struct visit *visit, const char *goal, struct page_answer *out);

/* VISIT_OPEN: the proof of this session is fresh; else the same. Parks. */
enum visit_step step_up_require(const struct visit *visit, const char *goal,
                                struct page_answer *out, struct error *err) MUST_USE;

#endif
