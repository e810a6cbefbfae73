/*
 * export.c - starts, lists and sends exports; for authd's hosted pages, visitor_export_*().
 */
#include "docd/export/export.h"

#include <string.h>

#include "authd/authd_api.h"
#include "authd/operation_api.h"
#include "common/base/clock.h"
#include "common/service/audit.h"
#include "common/service/erasure.h"
#include "docd/document/disposition.h"
#include "docd/export/sealed_file.h"
#include "docd/export_api.h"
#include "docd/sql/export.h"

enum { LIST_MAX = 100 };

static const char handle_prefix[] = "export/";

/* Requires a fresh proof. */
static int admit(struct docd *d, const struct request *req, struct uuid account,
                 struct export_admit_out *ret, struct error *err)
{
    const struct export_admit_in in = {
        .projectId = req->caller->project, .sessionId = req->caller->session, .account = account};

    return authd_export_admit(d->svc.bus, req, &in, ret, err);
}

static int too_many(struct error *err)
{
    error_retry(err, ERR_THROTTLED, DAYS(1) / 1000, "Too many exports. Try again tomorrow.");
    return -1;
}

static int account_is_gone(const struct request *req, struct uuid account, struct error *err)
{
    if (uuid_equal(&account, &req->caller->account))
        return error_set(err, ERR_UNAUTHORIZED, "Unauthorized");
    return error_set(err, ERR_NOT_FOUND, "Account not found.");
}

/* Queues a job, or returns the running one. */
static int queue(struct docd *d, const struct request *req, struct uuid account,
                 const struct export_admit_out *whose, const char *reason,
                 struct account_export *out, struct error *err)
{
    struct uuid id = uuid_ordered(req->now_ms);
    const struct sql_export_create_in create = {
        .project = req->caller->project,
        .id = id,
        .account = account,
        .role = whose->role,
        .profile = whose->profile,
        .asked_by = req->caller->account,
        .now = req->now_ms,
        .since = req->now_ms - DAYS(1),
        .most = EXPORT_DAILY,
        .audit = audit_row(req, &(struct audit){.action = "export.create",
                                                .account = account,
                                                .role = whose->role,
                                                .type = EXPORT_TYPE,
                                                .id = id,
                                                .reason = reason})};
    const struct sql_export_find_pending_in find = {
        .project = create.project, .asked_by = create.asked_by, .account = account};
    int rows = sql_export_create(d->svc.db, req, &create, out, err);

    if (rows > 0 && !uuid_is_set(&out->id))
        return account_is_gone(req, account, err);
    if (rows == 0)
        rows = sql_export_find_pending(d->svc.db, req, &find, out, err);
    if (rows != 0)
        return rows < 0 ? -1 : 0;
    return too_many(err);
}

int export_start(struct docd *d, const struct request *req, const struct nothing *in UNUSED,
                 struct account_export *out, struct error *err)
{
    struct export_admit_out own;

    if (admit(d, req, req->caller->account, &own, err) < 0)
        return -1;
    return queue(d, req, req->caller->account, &own, NULL, out, err);
}

/* Fails with FORBIDDEN unless it is a patient's account. */
int project_account_export(struct docd *d, const struct request *req,
                           const struct project_account_export_in *in, struct account_export *out,
                           struct error *err)
{
    struct export_admit_out whose;

    if (admit(d, req, in->id, &whose, err) < 0)
        return -1;
    if (whose.role != ROLE_PATIENT)
        return error_set(err, ERR_FORBIDDEN, "Only the data of patients can be exported.");
    return queue(d, req, in->id, &whose, in->reason, out, err);
}

int export_list(struct docd *d, const struct request *req, const struct nothing *in UNUSED,
                struct account_exports *out, struct error *err)
{
    const struct sql_export_list_in list = {.project = req->caller->project,
                                            .asked_by = req->caller->account,
                                            .now = req->now_ms,
                                            .most = LIST_MAX};

    return sql_export_list(d->svc.db, req, &list, &out->resources, err) < 0 ? -1 : 0;
}

/* ---- the file ---- */

static int get(struct docd *d, const struct request *req, struct uuid project, struct uuid id,
               struct sql_export_get_row *ret, struct error *err)
{
    const struct sql_export_get_in in = {.project = project, .id = id, .now = req->now_ms};
    int rows = sql_export_get(d->svc.db, req, &in, ret, err);

    if (rows == 0)
        return error_set(err, ERR_NOT_FOUND, "Export not found.");
    return rows < 0 ? -1 : 0;
}

static struct sql_audit fetch_audit(const struct request *req, struct uuid account, struct uuid id)
{
    return audit_row(req, &(struct audit){.action = "export.read",
                                          .account = account,
                                          .role = uuid_equal(&account, &req->caller->account)
                                                      ? req->caller->role
                                                      : ROLE_PATIENT,
                                          .type = EXPORT_TYPE,
                                          .id = id});
}

int export_content(struct docd *d, const struct request *req, const struct export_content_in *in,
                   struct content *out, struct error *err)
{
    struct uuid project = req->caller->project;
    struct sql_export_record_in record;
    struct export_admit_out whose;
    struct sql_export_get_row row;

    if (get(d, req, project, in->id, &row, err) < 0)
        return -1;
    if (!uuid_equal(&row.asked_by, &req->caller->account) ||
        (!uuid_equal(&row.account, &row.asked_by) && !request_is_admin(req)))
        return error_set(err, ERR_NOT_FOUND, "Export not found.");
    if (admit(d, req, row.account, &whose, err) < 0)
        return -1;
    record.audit = fetch_audit(req, row.account, in->id);
    if (sql_export_record(d->svc.db, req, &record, err) < 0)
        return -1;
    *out = (struct content){
        .etag = arena_printf(req->arena, "\"%s\"", in->id.text),
        .contentType = "application/zip",
        .disposition = disposition(req->arena, true, "export.zip"),
        .size = row.size,
        .handle = arena_printf(req->arena, "%s%s/%s", handle_prefix, project.text, in->id.text),
    };
    return 0;
}

/* ---- hosted pages ---- */

static struct request in_name_of(const struct request *req, const struct visitor_export_in *in)
{
    struct request own = *req;

    own.caller = in->caller;
    return own;
}

int visitor_export_start(struct docd *d, const struct request *req,
                         const struct visitor_export_in *in, struct account_export *out,
                         struct error *err)
{
    const struct request own = in_name_of(req, in);

    return export_start(d, &own, &(struct nothing){0}, out, err);
}

int visitor_export_list(struct docd *d, const struct request *req,
                        const struct visitor_export_in *in, struct account_exports *out,
                        struct error *err)
{
    const struct request own = in_name_of(req, in);

    return export_list(d, &own, &(struct nothing){0}, out, err);
}

int visitor_export_content(struct docd *d, const struct request *req,
                           const struct visitor_export_in *in, struct content *out,
                           struct error *err)
{
    const struct request own = in_name_of(req, in);

    return export_content(d, &own, &(struct export_content_in){in->id}, out, err);
}

/* ---- pieces of the file ---- */

bool export_is_handle(const char *handle)
{
    return strncmp(handle, handle_prefix, sizeof(handle_prefix) - 1) == 0;
}

static int file_is_bad(struct error *err)
{
    return error_set(err, ERR_INTERNAL, "The file of an export was altered or is incomplete.");
}

int export_read(struct docd *d, const struct request *req, const struct content_read_in *in,
                struct content_read_out *out, struct error *err)
{
    struct store_key name;
    struct sql_export_get_row row;
    struct sealed_range range;
    uint8_t *key, *sealed, *bytes;
    size_t size, got = 0;
    int64_t end;

    if (store_key_read(in->handle + sizeof(handle_prefix) - 1, &name) < 0)
        return error_set(err, ERR_BAD_REQUEST, "There is no such file.");
    if (get(d, req, name.project, name.object, &row, err) < 0)
        return -1;
    if (seal_open(req->arena, &d->svc.seal, EXPORT_KEY_PURPOSE,
                  (struct sealed){row.key_sealed.bytes, row.key_sealed.size}, &key, &size) < 0 ||
        size != SEALED_KEY)
        return file_is_bad(err);
    end = MIN(in->offset + in->length, row.size);
    if (in->offset >= end)
        return 0;
    range = sealed_range_of(row.size, in->offset, end);
    sealed = arena_alloc_raw(req->arena, (size_t)range.size);
    bytes = arena_alloc_raw(req->arena, (size_t)(end - in->offset));
    if (d->store->functions->read(d->store, req, (struct store_key){name.project, row.object},
                                  range.offset, sealed, (size_t)range.size, &got, err) < 0)
        return -1;
    if (got != (size_t)range.size ||
        sealed_range_open(key, &range, sealed, row.size, in->offset, end, bytes) < 0)
        return file_is_bad(err);
    out->bytes = (struct field_bytes){bytes, (size_t)(end - in->offset)};
    return 0;
}

/* ---- the end of an account ---- */

/* Like account_wipe(). Idempotent. */
int exports_delete(struct docd *d, const struct request *req, const struct exports_delete_in *in,
                   struct nothing *out UNUSED, struct error *err)
{
    const struct sql_exports_delete_in delete = {
        .account = in->account,
        .now = req->now_ms,
        .erasure = {.account = in->counted ? in->account : (struct uuid){""}},
        .audit = audit_row(req, &(struct audit){.action = "export.delete",
                                                .account = in->account,
                                                .type = EXPORT_TYPE})};

    if (erasure_mark(&d->svc, req, delete.erasure.account, "export", err) < 0 ||
        sql_exports_delete(d->svc.db, req, &delete, err) < 0 ||
        erasure_step_done(&d->svc, req, delete.erasure.account, in->key, err) < 0)
        return -1;
    return sweep_objects(d, req, err);
}
