/*
 * project_read_only.h - freezes a daemon's data of a project that moves to another installation.
 *
 * A row of project_hold marks the project. Triggers on the moving tables, enabled meanwhile, reject
 * changes with an SQLSTATE that sqlstate.def maps to ERR_PROJECT_READ_ONLY, also by requests, tasks
 * and operators that started before. Statements over many projects skip it (part not_held).
 *
 * atriumctl calls each daemon's tenant_hold, settingsd's first: it informs authd and the gateways
 * (settingsd/project.c), which reject requests earlier, even those that write no row, such as a
 * session's.
 */
#ifndef ATRIUM_COMMON_SERVICE_PROJECT_READ_ONLY_H
#define ATRIUM_COMMON_SERVICE_PROJECT_READ_ONLY_H

#include "common/domain/request.h"
#include "common/wire/fields.h"

enum { TENANT_HOLD_PROJECTS_MAX = 4000 };

struct tenant_hold_in {
    struct uuid holder;            /* project that atriumctl named */
    struct field_texts projectIds; /* holder, and projects below it */
    bool held;                     /* false: the read-only state ends */
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

struct service;
void project_read_only_extend(struct service *self);

/* Call it before an effect that neither a trigger nor a gateway prevents. Fails: PROJECT_READ_ONLY.
 * Parks. */
int project_read_only_refuse(struct service *self, const struct request *req, struct uuid project,
                             struct error *err) MUST_USE;

struct finding;
int project_read_only_check(void *daemon, const struct request *req, struct finding *ret,
                            struct error *err) MUST_USE;

#endif
