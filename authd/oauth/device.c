/*
 * device.c - see device.h. Also the device endpoint (RFC 8628, section 3.1; handler
 * device_authorization) and grant (section 3.4).
 */
#include "authd/oauth/device.h"

#include <ctype.h>
#include <string.h>

#include <sodium.h>
#include <unictype.h>
#include <unistr.h>

#include "authd/credential/throttle.h"
#include "authd/oauth/auth_request.h"
#include "authd/oauth/client.h"
#include "authd/oauth/client_auth.h"
#include "authd/oauth/grant.h"
#include "authd/oauth/grant_registered.h"
#include "authd/oauth/oauth_error.h"
#include "authd/session/address_key.h"
#include "authd/session/refresh_token.h"
#include "authd/sql/oauth.h"
#include "common/domain/endpoint.h"
#include "common/wire/codec.h"

enum { DEVICE_CODE_SIZE = 32, ATTEMPTS = 4 };

/* RFC 8628, section 6.1: no vowels, which could form words; 34 bits. */
static const char letters[] = "BCDFGHJKLMNPQRSTVWXZ";

int device_user_hash(struct arena *arena, struct uuid project, const char *text,
                     uint8_t ret[static SECRET_HASH_SIZE])
{
    const uint8_t *at = (const uint8_t *)text;
    char code[DEVICE_USER_CODE_LETTERS + 1];
    size_t count = 0;
    ucs4_t c;

    while ((at = u8_next(&c, at))) {
        if (!uc_is_general_category_withtable(c, UC_CATEGORY_MASK_L | UC_CATEGORY_MASK_N))
            continue;
        if (c > 'z' || !strchr(letters, toupper((int)c)) || count == DEVICE_USER_CODE_LETTERS)
            return -1;
        code[count++] = (char)toupper((int)c);
    }
    if (count < DEVICE_USER_CODE_LETTERS)
        return -1;
    code[count] = '\0';
    secret_hash(arena_printf(arena, "device %s %s", project.text, code), ret);
    return 0;
}

/* ---- endpoint ---- */

static const char *new_user_code(struct arena *arena)
{
    char code[DEVICE_USER_CODE_LETTERS];

    for (size_t i = 0; i < sizeof(code); i++)
        code[i] = letters[randombytes_uniform(sizeof(letters) - 1)];
    return arena_printf(arena, "%.4s-%.4s", code, code + 4);
}

/* Makes another user code if a waiting device has this one. */
static int create(struct authd *d, const struct request *req, const struct issuer *issuer,
                  const struct auth_request *request, const char *device_code,
                  const char **ret_user_code, struct error *err)
{
    uint8_t device_hash[SECRET_HASH_SIZE], user_hash[SECRET_HASH_SIZE];
    const struct uuid project = issuer->tenant.projectId;
    const struct sql_oauth_device_create_in in = {.project = project,
                                                  .device_hash = {device_hash, sizeof(device_hash)},
                                                  .user_hash = {user_hash, sizeof(user_hash)},
                                                  .client_id = request->client.clientId,
                                                  .scope = request->scope,
                                                  .resource = request->in.resource,
                                                  .address = req->address,
                                                  .interval_s = DEVICE_INTERVAL_S,
                                                  .now = req->now_ms,
                                                  .expires_at = req->now_ms + DEVICE_LIFE,
                                                  .keep_until =
                                                      req->now_ms + DEVICE_LIFE + DEVICE_KEEP};

    secret_hash(device_code, device_hash);
    for (int i = 0; i < ATTEMPTS; i++) {
        int created;

        *ret_user_code = new_user_code(req->arena);
        if (device_user_hash(req->arena, project, *ret_user_code, user_hash) < 0)
            break;
        created = sql_oauth_device_create(d->svc.db, req, &in, err);
        if (created != 0)
            return MIN(created, 0);
    }
    return error_set(err, ERR_INTERNAL, "No unused user code was found.");
}

/* RFC 8628, section 3.2, without verification_uri_complete, which attackers could send to people
 * (section 5.4). */
static const char *answer_json(const struct request *req, const struct issuer *issuer,
                               const char *device_code, const char *user_code)
{
    json_auto_t *body =
        json_pack("{s:s, s:s, s:s, s:I, s:i}", "device_code", device_code, "user_code", user_code,
                  "verification_uri", issuer_endpoint(issuer, req->arena, "device"), "expires_in",
                  (json_int_t)(DEVICE_LIFE / 1000), "interval", DEVICE_INTERVAL_S);

    return codec_dump_json(req->arena, body);
}

int device_authorization(struct authd *d, const struct request *req,
                         const struct device_authorization_in *in, struct endpoint_answer *out,
                         struct error *err)
{
    const struct client_credentials given = CLIENT_CREDENTIALS(in);
    struct auth_request request = {.in = {.scope = in->scope, .resource = in->resource}};
    const char *device_code = secret_random_text(req->arena, DEVICE_CODE_SIZE), *user_code;
    struct issuer issuer;

    if (issuer_open(d, req, in->tenantCode, in->visit, &issuer, err) < 0 ||
        client_authenticate(d, req, &issuer, &given, &request.client, err) < 0)
        return -1;
    if (!oauth_client_allows(&request.client.settings->grantTypes, GRANT_DEVICE_CODE))
        return oauth_fail(err, ERR_BAD_REQUEST, "unauthorized_client",
                          "The client is not allowed to use this grant type.");
    request.in.client_id = request.client.clientId;
    if (auth_request_check_target(d, req, &issuer, &request, err) < 0 ||
        throttle_limit_client(d, req, "device authorization", req->address, DEVICE_WINDOW,
                              DEVICES_MAX, err) < 0 ||
        create(d, req, &issuer, &request, device_code, &user_code, err) < 0)
        return -1;
    out->status = 200;
    out->body = answer_json(req, &issuer, device_code, user_code);
    return 0;
}

/* ---- grant ---- */

static int refuse(struct error *err, const char *answer)
{
    static const struct {
        const char *word, *text;
    } rows[] = {
        {"authorization_pending", "The person has not decided yet."},
        {"slow_down", "The device polls too often. Wait five seconds longer between polls."},
        {"access_denied", "The person denied the request, or has signed out."},
        {"expired_token", "The device code has expired."},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (strcmp(rows[i].word, answer) == 0)
            return oauth_fail(err, ERR_BAD_REQUEST, rows[i].word, rows[i].text);
    }
    return oauth_fail(err, ERR_BAD_REQUEST, "invalid_grant", "The device code was used before.");
}

/* Decides a device's poll. The tokens of an approved device are already signed. */
static int poll(struct authd *d, const struct token_call *call,
                const struct sql_oauth_device_get_row *device, struct sql_oauth_device_poll_in *in,
                struct error *err)
{
    struct sql_oauth_device_poll_row row;

    in->audit = grant_audit(call, &in->grant, device->account, device->role, "device");
    if (sql_require(sql_oauth_device_poll(d->svc.db, call->req, in, &row, err), err, ERR_INTERNAL,
                    "The device's request no longer exists.") < 0)
        return -1;
    if (strcmp(row.answer, "redeemed") != 0)
        return refuse(err, row.answer);
    if (row.surplus)
        session_end_surplus(d, call->req, device->account, in->grant.id);
    return 0;
}

/* Signs the tokens. If the session has ended, the poll denies access. */
static int sign(struct authd *d, const struct token_call *call,
                const struct sql_oauth_device_get_row *device, const struct grant_held *held,
                const struct refresh_token *refresh, struct sql_oauth_device_poll_in *in,
                struct token_answer *out, struct error *err)
{
    struct grant grant = {.scope = device->scope,
                          .resource = device->resource,
                          .patient = device->patient,
                          .signed_in_at = device->signed_in_at};
    int64_t change;
    int found;

    if (grant_check_registered(d, call, device->account, held, &change, err) < 0)
        return -1;
    found = grant_sign(d, call, device->session, &in->grant, refresh, &grant, &in->grant_signed,
                       out, err);
    in->grant_signed.change = change;
    return found > 0 ? dpop_spend(d, call->req, &call->proof, err) : found;
}

int grant_device_code(struct authd *d, const struct token_call *call, struct token_answer *out,
                      struct error *err)
{
    CLEANUP(refresh_token_wipe) struct refresh_token refresh = {.text = ""};
    uint8_t hash[SECRET_HASH_SIZE];
    const struct sql_oauth_device_get_in get = {.project = call->issuer->tenant.projectId,
                                                .device_hash = {hash, sizeof(hash)},
                                                .client_id = call->client->clientId,
                                                .now = call->req->now_ms};
    struct sql_oauth_device_poll_in in = {.device_hash = {hash, sizeof(hash)},
                                          .slower_s = DEVICE_INTERVAL_S,
                                          .sessions_most = d->config->sessions_per_account};
    struct sql_oauth_device_get_row device;
    struct grant_held held;
    int found;

    if (!call->in->device_code)
        return oauth_fail(err, ERR_BAD_REQUEST, "invalid_request", "device_code is missing.");
    secret_hash(call->in->device_code, hash);
    found = sql_oauth_device_get(d->svc.db, call->req, &get, &device, err);
    if (found < 0)
        return -1;
    if (found == 0)
        return oauth_fail(err, ERR_BAD_REQUEST, "invalid_grant", "The device code is unknown.");
    address_key_load(d, call->req, device.account);
    in.parent = device.session;
    held = grant_held_of(call, device.role, device.scope, device.resource, device.patient);
    in.grant = grant_values(d, call, &held, &refresh);
    if (device.approved && sign(d, call, &device, &held, &refresh, &in, out, err) < 0)
        return -1;
    return poll(d, call, &device, &in, err);
}
