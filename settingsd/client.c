/*
 * client.c - a project's client applications, for one-step sign-in (`clientId`) and OAuth
 * (`client_id`).
 *
 * OAuth settings are a JSON object of struct oauth_settings. authd reads it for each request, so
 * changes apply to the next one.
 */
#include <string.h>

#include "authd/authd_api.h"
#include "authd/operation_api.h"
#include "common/base/clock.h"
#include "common/base/secret.h"
#include "common/domain/etag.h"
#include "settingsd/client_api.h"
#include "settingsd/client_check.h"
#include "settingsd/client_settings.h"
#include "settingsd/settingsd.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/sql/client.h"
#include "settingsd/sql/project.h"
#include "settingsd/tenant_api.h"

enum { SECRET_BYTES = 32 };

#define SECRET_PREFIX "atcs_"

static struct client_record record_of(struct arena *arena, const struct sql_client_row *row)
{
    struct client_record record = {.id = row->id,
                                   .name = row->name,
                                   .lastUpdated = row->updated_at,
                                   .secretCreatedAt = row->secret_at,
                                   .previousSecretUntil = row->previous_until,
                                   .etag = row->etag};

    client_settings_read(arena, row->settings, &record.settings);
    return record;
}

static struct sql_audit client_audit(const struct request *req, const char *action,
                                     struct uuid project, struct uuid client)
{
    return audit_row(
        req, &(struct audit){
                 .action = action, .project = project, .type = "ClientApplication", .id = client});
}

static int require_client(int rows, struct error *err)
{
    return sql_require(rows, err, ERR_NOT_FOUND, "Client not found.");
}

/* Returns true if a write needs fresh proof: the client has a key (as good as a secret), or is
 * first-party (no consent) and is new or changed. `before`: NULL for a new one. */
static bool needs_proof(struct arena *arena, const struct oauth_settings *before,
                        const struct oauth_settings *now)
{
    if (now->jwks || now->jwksUri)
        return true;
    return now->firstParty && (!before || !client_settings_equal(arena, before, now));
}

/* Exempts operators from fresh proof. */
static int check_proof(struct settingsd *d, const struct request *req, struct error *err)
{
    struct proof_check_in in;
    struct nothing out;

    if (!req->caller)
        return 0;
    in = (struct proof_check_in){.projectId = req->caller->project,
                                 .sessionId = req->caller->session};
    return authd_proof_check(d->svc.bus, req, &in, &out, err);
}

static int client_add(struct settingsd *d, const struct request *req, const struct client_in *in,
                      struct client_record *out, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    struct uuid project = request_project(req);
    struct sql_project_lock_in lock = {.project = project};
    struct sql_client_insert_in insert = {
        .project = project, .id = uuid_random(), .name = in->name, .now = req->now_ms};
    struct sql_client_row row;

    insert.audit = client_audit(req, "client.create", project, insert.id);
    if (client_settings_print(req->arena, &in->settings, &insert.oauth, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        sql_project_lock(tx, req, &lock, err) < 0 ||
        sql_require(sql_client_insert(tx, req, &insert, &row, err), err, ERR_CONFLICT,
                    "The project has 1,000 client applications already.") < 0)
        return -1;
    *out = record_of(req->arena, &row);
    return db_commit(&tx, err);
}

/* Replaces a client application; `out` is the registration before, then after. */
static int client_change(struct settingsd *d, const struct request *req, const struct client_in *in,
                         struct client_record *out, struct error *err)
{
    struct uuid project = request_project(req);
    struct sql_client_replace_in replace = {.project = project,
                                            .id = in->id,
                                            .name = in->name,
                                            .secrets = client_has_secret(&in->settings),
                                            .now = req->now_ms,
                                            .outbox = publish_client_row(d, req, project, in->id),
                                            .audit = client_audit(req, "client.replace", project,
                                                                  in->id)};
    struct sql_client_row row;
    int rows;

    if (client_settings_print(req->arena, &in->settings, &replace.oauth, err) < 0 ||
        etag_bind(in->ifMatch, out->etag, "client", &replace.etag, err) < 0)
        return -1;
    /* needs_proof() judged the state that was read, so require that state. */
    if (in->settings.firstParty && !needs_proof(req->arena, &out->settings, &in->settings))
        replace.etag = out->etag;
    rows = sql_client_replace(d->svc.db, req, &replace, &row, err);
    if (rows == 0 && replace.etag)
        return etag_lost("client", err);
    if (require_client(rows, err) < 0)
        return -1;
    *out = record_of(req->arena, &row);
    return publish_client(d, req, &replace.outbox, project, in->id, err);
}

static int client_read(struct settingsd *d, const struct request *req, struct uuid client,
                       struct client_record *out, struct error *err)
{
    const struct sql_client_get_in get = {.project = request_project(req), .id = client};
    struct sql_client_row row;

    if (require_client(sql_client_get(d->svc.db, req, &get, &row, err), err) < 0)
        return -1;
    *out = record_of(req->arena, &row);
    return 0;
}

/* Checks an admin's input. Keys that an older release stored unchecked are skipped when
 * verifying. */
static int check_written(struct settingsd *d, const struct request *req,
                         struct oauth_settings *settings, struct error *err)
{
    int result = client_check(settings, err);

    if (settings->jwks &&
        client_check_keys(d->svc.offload, settings->jwks, req->deadline_mono_ms, err) < 0)
        result = -1;
    return result;
}

static int client_put(struct settingsd *d, const struct request *req, const struct client_in *in,
                      struct client_record *out, struct error *err)
{
    struct client_in checked = *in;
    bool is_new = !uuid_is_set(&in->id);

    if (check_written(d, req, &checked.settings, err) < 0 ||
        (!is_new && client_read(d, req, in->id, out, err) < 0) ||
        (needs_proof(req->arena, is_new ? NULL : &out->settings, &checked.settings) &&
         check_proof(d, req, err) < 0))
        return -1;
    return is_new ? client_add(d, req, &checked, out, err)
                  : client_change(d, req, &checked, out, err);
}

int clients(struct settingsd *d, const struct request *req, const struct nothing *in UNUSED,
            struct client_list *out, struct error *err)
{
    const struct sql_client_list_in list = {.project = request_project(req)};

    return sql_client_list(d->svc.db, req, &list, &out->resources, err) < 0 ? -1 : 0;
}

int client_create(struct settingsd *d, const struct request *req, const struct client_in *in,
                  struct client_record *out, struct error *err)
{
    return client_put(d, req, in, out, err);
}

int client_get(struct settingsd *d, const struct request *req, const struct id_in *in,
               struct client_record *out, struct error *err)
{
    return client_read(d, req, in->id, out, err);
}

/* Replaces a client. CONFLICT can also mean that it changed after needs_proof(). */
int client_replace(struct settingsd *d, const struct request *req, const struct client_in *in,
                   struct client_record *out, struct error *err)
{
    return client_put(d, req, in, out, err);
}

/* Makes a new secret. UNCERTAIN: it is stored, but was not shown. */
int client_secret(struct settingsd *d, const struct request *req, const struct client_secret_in *in,
                  struct client_record *out, struct error *err)
{
    uint8_t hash[SECRET_HASH_SIZE];
    struct uuid project = request_project(req);
    const char *secret =
        arena_printf(req->arena, SECRET_PREFIX "%s", secret_random_text(req->arena, SECRET_BYTES));
    const struct sql_client_secret_exchange_in exchange = {
        .project = project,
        .id = in->id,
        .hash = {hash, sizeof(hash)},
        .until = req->now_ms + HOURS(in->previousHours),
        .now = req->now_ms,
        .outbox = publish_change_row(d, req, "project", project),
        .audit = client_audit(req, "client.secret", project, in->id)};
    struct sql_client_row row;
    int rows;

    secret_hash(secret, hash);
    if (client_read(d, req, in->id, out, err) < 0)
        return -1;
    if (!client_has_secret(&out->settings))
        return error_set(err, ERR_CONFLICT, "The application doesn't authenticate with a secret.");
    if (check_proof(d, req, err) < 0)
        return -1;
    rows = sql_client_secret_exchange(d->svc.db, req, &exchange, &row, err);
    if (rows <= 0)
        return rows < 0 ? -1 : etag_lost("client", err);
    *out = record_of(req->arena, &row);
    out->secret = secret;
    return publish_change(d, req, &exchange.outbox, "project", project, err);
}

int client_delete(struct settingsd *d, const struct request *req, const struct id_in *in,
                  struct nothing *out UNUSED, struct error *err)
{
    struct uuid project = request_project(req);
    const struct sql_client_delete_in delete = {
        .project = project,
        .id = in->id,
        .outbox = publish_client_row(d, req, project, in->id),
        .audit = client_audit(req, "client.delete", project, in->id)};

    if (require_client(sql_client_delete(d->svc.db, req, &delete, err), err) < 0)
        return -1;
    return publish_client(d, req, &delete.outbox, project, in->id, err);
}

/* Finds a client's project for one-step sign-in. */
int client_lookup(struct settingsd *d, const struct request *req, const struct client_lookup_in *in,
                  struct tenant *out, struct error *err)
{
    const struct sql_tenant_find_by_client_in find = {.client = in->clientId};
    struct sql_tenant_row row;

    if (sql_require(sql_tenant_find_by_client(d->svc.db, req, &find, &row, err), err, ERR_NOT_FOUND,
                    "Client not found.") < 0)
        return -1;
    *out = tenant_of(req->arena, &row);
    return 0;
}

/* True by success; NOT_FOUND: no client of the project's own has this redirect URI. */
int client_redirect(struct settingsd *d, const struct request *req,
                    const struct client_redirect_in *in, struct nothing *out UNUSED,
                    struct error *err)
{
    const struct sql_client_redirect_find_in find = {.project = in->projectId, .uri = in->uri};

    return require_client(sql_client_redirect_find(d->svc.db, req, &find, err), err);
}

int oauth_client_get(struct settingsd *d, const struct request *req,
                     const struct oauth_client_get_in *in, struct oauth_client *out,
                     struct error *err)
{
    struct sql_oauth_client_find_in find = {.project = in->projectId};
    struct sql_oauth_client_find_row row;
    struct oauth_settings *settings;

    if (uuid_parse(in->clientId, &find.id) < 0 || strcmp(find.id.text, in->clientId) != 0)
        return require_client(0, err);
    if (require_client(sql_oauth_client_find(d->svc.db, req, &find, &row, err), err) < 0)
        return -1;
    settings = arena_alloc(req->arena, sizeof(*settings));
    client_settings_read(req->arena, row.settings, settings);
    *out = (struct oauth_client){.clientId = in->clientId,
                                 .name = row.name,
                                 .projectId = in->projectId,
                                 .settings = settings,
                                 .secretHash = row.secret_hash,
                                 .previousHash = row.previous_hash,
                                 .previousUntil = row.previous_until};
    return 0;
}
