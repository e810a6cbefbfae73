/*
 * sign_in_page.h - the last steps of the sign-in page, for a sign-in with an identity provider.
 */
#ifndef ATRIUM_AUTHD_PAGE_SIGN_IN_PAGE_H
#define ATRIUM_AUTHD_PAGE_SIGN_IN_PAGE_H

#include "authd/page/visit.h"
#include "common/domain/role.h"

struct login_step; /* signin/sign_in_api.h */

/* Makes a verifier for the session code, and its challenge (RFC 7636, sections 4.1 and 4.2). */
const char *sign_in_page_verifier(struct arena *arena, const char **ret_challenge);

/* Goes on after a login_begin() whose code has this verifier: signs in, or asks for the second
 * factor. Parks. */
enum visit_step sign_in_page_go_on(struct visit *visit, enum role role,
                                   const struct login_step *step, const char *verifier,
                                   struct page_answer *out, struct error *err) MUST_USE;

#endif
