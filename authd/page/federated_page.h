/*
 * federated_page.h - sign-in with an identity provider on a tenant's pages.
 */
#ifndef ATRIUM_AUTHD_PAGE_FEDERATED_PAGE_H
#define ATRIUM_AUTHD_PAGE_FEDERATED_PAGE_H

#include "authd/page/visit.h"

/* Says why a sign-in failed, with the provider's name (NULL: unknown) and the request's id, and
 * clears the error. VISIT_FAILED: an internal error. */
enum visit_step federated_page_refuse(const struct visit *visit, const char *provider,
                                      struct error *err, struct page_answer *out) MUST_USE;

struct federated;
struct federated_callback_in;

/* Shows an admin each rule and claim of a test. Parks. */
enum visit_step federated_page_test(const struct visit *visit,
                                    const struct federated_callback_in *in, struct federated *login,
                                    struct page_answer *out, struct error *err) MUST_USE;

#endif
