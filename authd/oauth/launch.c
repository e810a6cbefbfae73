/*
 * launch.c - see launch.h. Handler: launch_create. Creating a code spends the launch
 * (oauth_code_create.sql).
 */
#include "authd/oauth/launch.h"

#include <string.h>

#include "authd/oauth/client.h"
#include "authd/oauth/fhir_server.h"
#include "authd/oauth/oauth_api.h"
#include "authd/sql/smart.h"
#include "common/service/audit.h"
#include "settingsd/client_api.h"
#include "settingsd/tenant_api.h"

enum { LAUNCH_BYTES = 32 }; /* random: 43 characters */

static int find_server(struct authd *d, const struct request *req, struct uuid id,
                       struct fhir_server *ret, struct error *err)
{
    if (fhir_server_read(d, req, req->caller->project, id, ret, err) == 0)
        return 0;
    if (err->code != ERR_NOT_FOUND)
        return -1;
    error_clear(err);
    return error_problem(err, "resource", "must name a FHIR server of this project");
}

static int check_client(struct authd *d, const struct request *req, const char *id,
                        const struct fhir_server *server, struct error *err)
{
    const struct tenant tenant = {.projectId = req->caller->project};
    struct oauth_client client;
    int found = oauth_client_find(d, req, NULL, &tenant, id, &client, err);

    if (found < 0 && err->code != ERR_NOT_FOUND)
        return -1;
    if (found == 0 && oauth_client_allows(&client.settings->grantTypes, "authorization_code") &&
        oauth_client_allows(&client.settings->scopes, "launch") &&
        oauth_client_allows(&client.settings->audiences, server->base))
        return 0;
    error_clear(err);
    return error_problem(
        err, "clientId",
        "must be an application with the scope launch and this server as audience");
}

/* Fails with CONFLICT if the caller already has 100 unexpired launches. */
int launch_create(struct authd *d, const struct request *req, const struct launch_create_in *in,
                  struct launch *out, struct error *err)
{
    const char *launch = secret_random_text(req->arena, LAUNCH_BYTES);
    uint8_t hash[SECRET_HASH_SIZE];
    const struct sql_smart_launch_create_in create = {
        .project = req->caller->project,
        .hash = {hash, sizeof(hash)},
        .account = req->caller->account,
        .client_id = in->clientId,
        .server = in->resource,
        .patient = in->patient,
        .now = req->now_ms,
        .expires_at = req->now_ms + LAUNCH_LIFE,
        .audit = audit_row(req, &(struct audit){.action = "launch.create",
                                                .project = req->caller->project,
                                                .type = "Patient",
                                                .id = in->patient,
                                                .detail = in->clientId})};
    struct sql_smart_launch_create_row row;
    struct fhir_server server;

    secret_hash(launch, hash);
    if (find_server(d, req, in->resource, &server, err) < 0 ||
        check_client(d, req, in->clientId, &server, err) < 0 ||
        sql_require(sql_smart_launch_create(d->svc.db, req, &create, &row, err), err, ERR_NOT_FOUND,
                    "Patient not found.") < 0)
        return -1;
    *out = (struct launch){.launch = launch, .iss = server.base, .expiresAt = row.expires_at};
    return 0;
}
