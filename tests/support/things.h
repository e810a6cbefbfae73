/*
 * things.h - an object of each kind in the demo tenant, and requests for them on every route row
 * with an id in its path, by callers that must get nothing.
 */
#ifndef ATRIUM_TESTS_SUPPORT_THINGS_H
#define ATRIUM_TESTS_SUPPORT_THINGS_H

#include "tests/support/suite.h"

enum { THINGS = 13, THING_ID_SIZE = 37 };

#define THINGS_NAME "Marisol" /* in the patient and all objects, and in no other response */

struct things {
    struct suite *suite;
    const struct person *owner;
    size_t count;
    struct {
        const char *kind;
        char id[THING_ID_SIZE];
    } all[THINGS];
};

struct things_caller {
    const char *name, *token;
};

struct person *things_patient(struct suite *suite, const char *name);

/* Makes one object of each kind, for a patient named THINGS_NAME or by the tenant's admin. */
struct things things_make(struct suite *suite, const struct person *admin,
                          const struct person *owner);

/* Returns the id of the first object of that kind, "document". */
const char *things_id(const struct things *self, const char *kind);

/* Fails the test if a response is not 401, 403, 404, 422 or 429 or has the name, or if an object
 * changed. */
void things_check_closed(const struct things *self, const struct things_caller *callers,
                         size_t count);

/* Fails the test if a list has an object's id. */
void things_check_lists(const struct things *self, const struct things_caller *callers,
                        size_t count);

#endif
