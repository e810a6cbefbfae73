/*
 * project_read_only.h - keeps a daemon's data of a project while it moves to another installation.
 *
 * A row of project_hold says so; triggers on the tables that move, enabled meanwhile, refuse
 * changes with an SQLSTATE that sqlstate.def maps to ERR_PROJECT_READ_ONLY, also of requests, tasks
 * and operators that began before. Statements over many projects skip it (part not_held) until
 * afterwards.
 *
 * atriumctl asks every daemon (tenant_hold), settingsd first: it tells authd and the gateways
 * (settingsd/project.c), which refuse sooner, also what leaves no row, such as a session.
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

/* Refuses effects that no trigger reverts and no gateway checks: PROJECT_READ_ONLY. Parks. */
int project_read_only_refuse(struct service *self, const struct request *req, struct uuid project,
                             struct error *err) MUST_USE;

/* How many projects are read-only, for doctor. Parks. */
struct finding;
int project_read_only_check(void *daemon, const struct request *req, struct finding *ret,
                            struct error *err) MUST_USE;

#endif
