/*
 * things.h - something of each kind that the demo tenant has, and requests for all of it by every
 * route with an id in its path, for callers that must get nothing. Driven by the route rows, so
 * that a new route is among them.
 */
#ifndef ATRIUM_TESTS_SUPPORT_THINGS_H
#define ATRIUM_TESTS_SUPPORT_THINGS_H

#include "tests/support/suite.h"

enum { THINGS = 12, THING_ID_SIZE = 37 };

#define THINGS_NAME "Marisol" /* of the patient and of all that is made; in no other answer */

struct things {
    struct suite *suite;
    const struct person *owner;
    size_t count;
    struct {
        const char *kind;
        char id[THING_ID_SIZE];
    } all[THINGS];
};

/* Who asks, by a token that is sent as a bearer. */
struct things_caller {
    const char *name, *token;
};

/* A new patient of the demo tenant with that given name. */
struct person *things_patient(struct suite *suite, const char *name);

/* Makes one of each kind: the owner's, a patient of THINGS_NAME, and the tenant's, by its admin. */
struct things things_make(struct suite *suite, const struct person *admin,
                          const struct person *owner);

/* The id of the first thing of that kind, "document". */
const char *things_id(const struct things *self, const char *kind);

/* Fails the running test where one of them is answered otherwise than by 401, 403, 404, 422 or 429
 * or is shown the name, or where something is no longer as it was. */
void things_check_closed(const struct things *self, const struct things_caller *callers,
                         size_t count);

/* The same where a list has the id of one of the things. */
void things_check_lists(const struct things *self, const struct things_caller *callers,
                        size_t count);

#endif
