/*
 * link_view.h - shared by the pages of emailed links.
 */
#ifndef ATRIUM_AUTHD_PAGE_LINK_VIEW_H
#define ATRIUM_AUTHD_PAGE_LINK_VIEW_H

#include <jansson.h>

#include "authd/page/visit.h"

struct link_form;

/* Differ in how a person gets a new link. */
enum link_kind { LINK_PASSWORD, LINK_VERIFY, LINK_UNDO, LINK_INVITATION };

struct link_view {
    enum link_kind kind;
    const char *page, *action; /* receives the form; value of its button */
    enum page_text title, why, button, problem, password_problem;
    bool asks_password, new_password;
    const char *project, *inviter, *email; /* shown for an invitation */
};

/* Shows the link's form, or that a link without id or secret is invalid. Returns VISIT_ANSWERED. */
enum visit_step link_show(const struct visit *visit, int status, const struct link_view *view,
                          const char *id, const char *secret, struct page_answer *out);

/* Shows an opened link's form, or that the link can't be used any more. Parks. */
enum visit_step link_open(const struct visit *visit, const struct link_view *view, const char *id,
                          const char *secret, struct page_answer *out, struct error *err) MUST_USE;

/* Says that the link is invalid, without a reason, and how to get a new one. Returns
 * VISIT_ANSWERED. */
enum visit_step link_dead(const struct visit *visit, enum link_kind kind, struct page_answer *out);

/* Shows why a link function refused: invalid, address in use, throttled. VISIT_FAILED: another
 * error. */
enum visit_step link_refuse(const struct visit *visit, enum link_kind kind, struct page_answer *out,
                            struct error *err);

/* Handles the form of link_dead() for LINK_VERIFY: emails a new link. Parks. */
enum visit_step link_send_again(const struct visit *visit, const char *email,
                                struct page_answer *out, struct error *err) MUST_USE;

/* Makes the input of the link's API route. `password` NULL: omitted. */
json_t *link_body(const struct link_form *form, const char *password) __attribute__((malloc));

/* Shows the link's invitation. Parks. */
enum visit_step link_invitation(const struct visit *visit, const char *id, const char *secret,
                                struct page_answer *out, struct error *err) MUST_USE;

/* Like POST /auth/set-password. *ret_problem: what is wrong with the password, if anything.
 * Parks. */
int link_set_password(const struct visit *visit, const struct link_form *form,
                      enum page_text *ret_problem, struct error *err) MUST_USE;

#endif
