/*
 * fhir_servers.c - administration of a project's FHIR servers. Handlers: fhir_servers,
 * fhir_server_create, fhir_server_replace, fhir_server_delete.
 *
 * Writes need a fresh proof, since these servers receive tokens.
 */
#include <string.h>

#include "authd/oauth/grant_registered.h"
#include "authd/oauth/oauth_api.h"
#include "authd/session/smart_scope.h"
#include "authd/session/step_up_check.h"
#include "authd/sql/lock.h"
#include "authd/sql/smart.h"
#include "common/domain/uri.h"
#include "common/service/audit.h"
#include "common/service/page_cursor.h"

static int require_server(int rows, struct error *err)
{
    return sql_require(rows, err, ERR_NOT_FOUND, "FHIR server not found.");
}

static struct sql_audit server_audit(const struct request *req, const char *action, struct uuid id)
{
    return audit_row(req, &(struct audit){.action = action,
                                          .project = req->caller->project,
                                          .type = "FhirServer",
                                          .id = id});
}

int fhir_servers(struct authd *d, const struct request *req, const struct fhir_servers_in *in,
                 struct fhir_server_list *out, struct error *err)
{
    const struct uuid project = req->caller->project;
    const char *key = arena_printf(req->arena, "fhir servers %s", project.text);
    struct sql_fhir_server_list_in list = {.project = project, .most = in->_count + 1};
    struct page_cursor at;

    if (page_cursor_read(req->arena, &d->svc.seal, key, req->now_ms, in->_cursor, &at, err) < 0)
        return -1;
    list.after = at.id;
    if (sql_fhir_server_list(d->svc.db, req, &list, &out->resources, err) < 0)
        return -1;
    out->next = PAGE_CURSOR_CUT(req, &d->svc.seal, key, in->_count, fhir_server, &out->resources);
    return 0;
}

static struct db_array texts(struct arena *arena, const struct field_texts *list)
{
    struct db_array array = db_array_new(arena, list->count, SMART_SCOPE_MAX);

    for (size_t i = 0; i < list->count; i++)
        db_array_add(&array, list->items[i]);
    return array;
}

/* Rejects Atrium's own API. */
static int check_base(const struct authd *d, const char *base, struct error *err)
{
    const char *own = d->svc.common->public_url;

    if (!own || !uri_is_below(own, base))
        return 0;
    return error_problem(err, "base", "must not be a URL of this installation");
}

/* CONFLICT: the project has 20 servers, or already has this base URL. */
int fhir_server_create(struct authd *d, const struct request *req, const struct fhir_server_in *in,
                       struct fhir_server *out, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct uuid id = uuid_ordered(req->now_ms);
    const struct sql_name_lock_in lock = {
        .name = arena_printf(req->arena, "fhir servers %s", req->caller->project.text)};
    const struct sql_fhir_server_insert_in insert = {
        .project = req->caller->project,
        .id = id,
        .name = in->name,
        .base = in->base,
        .patient_scopes = texts(req->arena, &in->patientScopes),
        .practitioner_scopes = texts(req->arena, &in->practitionerScopes),
        .now = req->now_ms,
        .audit = server_audit(req, "fhir-server.create", id)};

    if (check_base(d, in->base, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        sql_name_lock(tx, req, &lock, err) < 0 ||
        sql_require(sql_fhir_server_insert(tx, req, &insert, out, err), err, ERR_CONFLICT,
                    "The project has 20 FHIR servers already.") < 0 ||
        step_up_check(d, tx, req, err) < 0)
        return -1;
    return db_commit(&tx, err);
}

static int lock_server(struct db_tx *tx, const struct request *req, struct uuid id,
                       const char **ret_base, struct error *err)
{
    const struct sql_fhir_server_base_in in = {.project = req->caller->project, .id = id};
    struct sql_fhir_server_base_row row;

    if (require_server(sql_fhir_server_base(tx, req, &in, &row, err), err) < 0)
        return -1;
    *ret_base = row.base;
    return 0;
}

/* Ends the affected grants, and records a change of the project, so that no new grant rests on old
 * settings. */
static int commit(struct authd *d, const struct request *req, struct db_tx **tx, const char *base,
                  const struct fhir_server *server, struct error *err)
{
    struct session_ended ended;

    if (grant_end_of_server(d, req, *tx, req->caller->project, base, server, &ended, err) < 0 ||
        session_ended_project(*tx, req, req->caller->project, &ended, err) < 0 ||
        db_commit(tx, err) < 0)
        return -1;
    return session_revocation_wait(d, req, &ended, err);
}

int fhir_server_replace(struct authd *d, const struct request *req, const struct fhir_server_in *in,
                        struct fhir_server *out, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_fhir_server_replace_in replace = {
        .project = req->caller->project,
        .id = in->id,
        .name = in->name,
        .base = in->base,
        .patient_scopes = texts(req->arena, &in->patientScopes),
        .practitioner_scopes = texts(req->arena, &in->practitionerScopes),
        .now = req->now_ms,
        .audit = server_audit(req, "fhir-server.replace", in->id)};
    const char *base;

    if (check_base(d, in->base, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        lock_server(tx, req, in->id, &base, err) < 0 ||
        require_server(sql_fhir_server_replace(tx, req, &replace, out, err), err) < 0 ||
        step_up_check(d, tx, req, err) < 0)
        return -1;
    return commit(d, req, &tx, base, strcmp(base, out->base) == 0 ? out : NULL, err);
}

int fhir_server_delete(struct authd *d, const struct request *req,
                       const struct fhir_server_id_in *in, struct nothing *out UNUSED,
                       struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    const struct sql_fhir_server_delete_in delete = {
        .project = req->caller->project,
        .id = in->id,
        .audit = server_audit(req, "fhir-server.delete", in->id)};
    struct sql_fhir_server_delete_row row;
    const char *base;

    if (db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        lock_server(tx, req, in->id, &base, err) < 0 ||
        require_server(sql_fhir_server_delete(tx, req, &delete, &row, err), err) < 0 ||
        step_up_check(d, tx, req, err) < 0)
        return -1;
    return commit(d, req, &tx, base, NULL, err);
}
