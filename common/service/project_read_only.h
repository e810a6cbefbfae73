/*
 * project_read_only.h - keeps what a daemon has of a project as it is, while the project travels to
 * another installation: it is read-only.
 *
 * A row of the table project_hold says so, and triggers of the tables that travel refuse to change
 * the project's rows with the SQLSTATE that sqlstate.def makes ERR_PROJECT_READ_ONLY of; they are
 * enabled while there is such a project, and cost nothing else. So nothing
 * that a request, a task or an operator does can change them, also when it began before. What only
 * reads is as ever. Statements that change rows of many projects leave those of such a project out
 * (part not_held), so that they go on for the others; what they leave is done afterwards.
 *
 * atriumctl asks every daemon for it (the operation tenant_hold), settingsd first, which also tells
 * authd and the gateways (settingsd/project.c): they refuse sooner, and what leaves no row that
 * travels, as a session.
 */
#ifndef ATRIUM_COMMON_SERVICE_PROJECT_READ_ONLY_H
#define ATRIUM_COMMON_SERVICE_PROJECT_READ_ONLY_H

#include "common/domain/request.h"
#include "common/wire/fields.h"

enum { TENANT_HOLD_PROJECTS_MAX = 4000 };

struct tenant_hold_in {
    struct uuid holder;            /* the project that was named */
    struct field_texts projectIds; /* itself, and those below it */
    bool held;                     /* or no longer */
};
FIELD_DECLARE(tenant_hold_in);

struct tenant_held_in {
    struct uuid projectId;
};
FIELD_DECLARE(tenant_held_in);

struct tenant_held_out {
    bool held;
};
FIELD_DECLARE(tenant_held_out);

/* Lets statements of sql/hold be used. */
struct service;
void project_read_only_extend(struct service *self);

/* Refuses what has effects that no trigger takes back, and that no gateway has looked at: fails
 * with PROJECT_READ_ONLY while the project is. Parks. */
int project_read_only_refuse(struct service *self, const struct request *req, struct uuid project,
                             struct error *err) MUST_USE;

/* How many projects are read-only, for doctor. Parks. */
struct finding;
int project_read_only_check(void *daemon, const struct request *req, struct finding *ret,
                            struct error *err) MUST_USE;

#endif
