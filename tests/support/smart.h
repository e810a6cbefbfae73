/*
 * smart.h - a project's FHIR servers.
 */
#ifndef ATRIUM_TESTS_SUPPORT_SMART_H
#define ATRIUM_TESTS_SUPPORT_SMART_H

#include "tests/support/suite.h"

#define SMART_SERVERS "/v1/project/resources"
#define SMART_BASE "https://records.example/r4"
#define SMART_OTHER_BASE "https://images.example/r4"
#define SMART_NO_ID "019a0000-0000-7000-8000-000000000000"

/* Returns a server's path in a static buffer. */
const char *smart_server_path(const char *id);

/* smart_server_body() makes a server's registration with scopes for both roles;
 * smart_server_register() sends and consumes it. */
json_t *smart_server_body(const char *base);
struct http_answer *smart_server_register(const struct suite *suite, const struct person *who,
                                          json_t *body);

struct http_answer *smart_configuration(const struct suite *suite, const char *tenant,
                                        const char *id);

#endif
