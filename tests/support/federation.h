/*
 * federation.h - a suite whose people sign in with an identity provider of the test
 * (tests/support/identity_provider.h).
 */
#ifndef ATRIUM_TESTS_SUPPORT_FEDERATION_H
#define ATRIUM_TESTS_SUPPORT_FEDERATION_H

#include "tests/support/identity_provider.h"
#include "tests/support/suite.h"

#define FEDERATION_PROVIDERS "/v1/project/identity-providers"
#define FEDERATION_SECRET "the secret of both"
#define FEDERATION_STAFF_APP "https://practitioner.demo.example/federated"

/* Starts two instances with a test clock, which trust the certificate in `dir`. */
struct suite *federation_suite(const struct unit_dir *dir);

/* An operator verifies the domain for the project. */
void federation_verify_domain(struct suite *suite, const char *project, const char *domain);

/* Adds a provider, and returns its ID. Consumes the body. */
void federation_add(struct suite *suite, const struct person *who, json_t *body,
                    char ret[static 37]);

/* Path and query of a URL of the suite. */
const char *federation_path(const char *url);

/* The value of a parameter, "" for none. Valid until the next call. */
const char *federation_parameter(const char *url, const char *name);

/* role: "Patient", "Practitioner". */
struct http_answer *federation_start(struct suite *suite, const char *role, const char *tenant,
                                     const char *provider, const char *redirect);

/* Returns where a callback leads, "" for nowhere. The caller frees it. */
char *federation_follow(struct suite *suite, const char *callback);

/* Exchanges the session code with which the browser came back. */
struct http_answer *federation_redeem(struct suite *suite, const char *role, const char *location,
                                      const char *tenant);

#endif
