/*
 * link_view.h - what the pages of mailed links have in common: their form, which carries the link,
 * and what is said of a link that is not good.
 */
#ifndef ATRIUM_AUTHD_PAGE_LINK_VIEW_H
#define ATRIUM_AUTHD_PAGE_LINK_VIEW_H

#include <jansson.h>

#include "authd/page/visit.h"

struct link_form;

struct link_view {
    const char *page, *action; /* that the form is sent to, and the value of its button */
    enum page_text title, why, button, problem, password_problem;
    bool asks_password, new_password;
    const char *project, *inviter, *email; /* of an invitation */
};

/* Shows the form for the link; one without id or secret is dead. Returns VISIT_ANSWERED. */
enum visit_step link_show(const struct visit *visit, int status, const struct link_view *view,
                          const char *id, const char *secret, struct page_answer *out);

/* Says that the link is not good, whatever the reason. Returns VISIT_ANSWERED. */
enum visit_step link_dead(const struct visit *visit, struct page_answer *out);

/* The page of a refusal by the functions that take links: of a dead link, of an address that is
 * taken, of too many attempts. VISIT_FAILED: it is none of these. */
enum visit_step link_refuse(const struct visit *visit, struct page_answer *out, struct error *err);

/* The body that the route of the API for the link takes; password NULL: without. */
json_t *link_body(const struct link_form *form, const char *password) __attribute__((malloc));

/* The page of an invitation, by its link. Parks. */
enum visit_step link_invitation(const struct visit *visit, const char *id, const char *secret,
                                struct page_answer *out, struct error *err) MUST_USE;

/* Sets the password of the form by its link, as POST /auth/set-password does. *ret_problem: what is
 * wrong with the password, when it is that. Parks. */
int link_set_password(const struct visit *visit, const struct link_form *form,
                      enum page_text *ret_problem, struct error *err) MUST_USE;

#endif
