/*
 * fhir_server.c - see fhir_server.h.
 */
#include "authd/oauth/fhir_server.h"

#include "authd/sql/smart.h"

int fhir_server_find(struct authd *d, const struct request *req, struct uuid project,
                     const char *base, struct fhir_server *ret, struct error *err)
{
    const struct sql_fhir_server_find_in find = {.project = project, .base = base};

    return sql_fhir_server_find(d->svc.db, req, &find, ret, err);
}

int fhir_server_read(struct authd *d, const struct request *req, struct uuid project,
                     struct uuid id, struct fhir_server *ret, struct error *err)
{
    const struct sql_fhir_server_get_in get = {.project = project, .id = id};

    return sql_require(sql_fhir_server_get(d->svc.db, req, &get, ret, err), err, ERR_NOT_FOUND,
                       "FHIR server not found.");
}
