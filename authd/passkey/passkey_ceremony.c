/*
 * passkey_ceremony.c - see passkey_ceremony.h.
 */
#include "authd/passkey/passkey_ceremony.h"

#include <sodium.h>
#include <string.h>

#include "authd/passkey/passkey_api.h"
#include "authd/passkey/passkey_opens.h"
#include "authd/sql/passkey.h"
#include "authd/tenant.h"
#include "settingsd/tenant_api.h"

static bool is_of_session(const char *kind)
{
    return strcmp(kind, "enroll") == 0 || strcmp(kind, "step-up") == 0;
}

int passkey_ceremony_begin(struct authd *d, const struct request *req,
                           struct passkey_ceremony *self, struct error *err)
{
    struct sql_ceremony_create_in create = {.id = uuid_is_set(&self->id) ? self->id : uuid_random(),
                                            .kind = self->kind,
                                            .challenge = {self->challenge, sizeof(self->challenge)},
                                            .role = self->role,
                                            .rp_id = self->rp.id,
                                            .project = self->rp.project,
                                            .tenant = self->tenant,
                                            .account = self->account,
                                            .expires_at = req->now_ms + PASSKEY_CEREMONY_LIFE};

    randombytes_buf(self->challenge, sizeof(self->challenge));
    if (is_of_session(self->kind)) {
        create.account = req->caller->account;
        create.session = req->caller->session;
        create.user_handle = (struct field_bytes){self->user_handle, sizeof(self->user_handle)};
    }
    self->id = create.id;
    return MIN(sql_ceremony_create(d->svc.db, req, &create, err), 0);
}

const struct passkey_request_options *passkey_ceremony_options(struct arena *arena,
                                                               const struct passkey_ceremony *self,
                                                               struct field_list allow)
{
    struct passkey_request_options *options = arena_calloc(arena, 1, sizeof(*options));

    *options = (struct passkey_request_options){
        .challenge = secret_encode(arena, self->challenge, sizeof(self->challenge)),
        .rpId = self->rp.id,
        .timeout = PASSKEY_CEREMONY_LIFE,
        .allowCredentials = allow,
        .userVerification = "required",
    };
    return options;
}

struct field_list passkey_descriptors(struct arena *arena, const struct sql_passkey_list_rows *rows,
                                      const char *rp_id)
{
    struct passkey_descriptor *list = arena_calloc(arena, rows->count, sizeof(*list));
    size_t count = 0;

    for (size_t i = 0; i < rows->count; i++) {
        const struct sql_passkey_list_row *row = &rows->items[i];

        if (strcmp(row->rp_id, rp_id) == 0)
            list[count++] = (struct passkey_descriptor){
                .type = "public-key",
                .id = secret_encode(arena, row->credential_id.bytes, row->credential_id.size)};
    }
    return (struct field_list){list, count};
}

int passkey_ceremony_request(struct authd *d, const struct request *req, struct uuid account,
                             struct uuid project, struct passkey_ceremony *self,
                             struct passkey_request *out, struct error *err)
{
    struct sql_passkey_list_rows rows;
    struct field_list allow;

    if (passkey_opens_list(d, req, account, project, &rows, err) < 0)
        return -1;
    allow = passkey_descriptors(req->arena, &rows, self->rp.id);
    if (allow.count == 0)
        return error_set(err, ERR_BAD_REQUEST, "The account has no passkey here.");
    if (passkey_ceremony_begin(d, req, self, err) < 0)
        return -1;
    out->loginId = self->id;
    out->options = passkey_ceremony_options(req->arena, self, allow);
    return 0;
}

int passkey_ceremony_invalid(struct error *err)
{
    return error_set(err, ERR_BAD_REQUEST, "The challenge is invalid or has expired.");
}

int passkey_ceremony_spend(struct authd *d, const struct request *req, const char *kind,
                           enum role role, struct uuid id, struct passkey_ceremony *ret,
                           struct error *err)
{
    struct sql_ceremony_spend_in spend = {.id = id, .kind = kind, .role = role, .now = req->now_ms};
    struct sql_ceremony_spend_row row;
    int found;

    if (is_of_session(kind))
        spend.session = req->caller->session;
    found = sql_ceremony_spend(d->svc.db, req, &spend, &row, err);
    if (found <= 0)
        return found < 0 ? -1 : passkey_ceremony_invalid(err);
    *ret = (struct passkey_ceremony){
        .kind = kind,
        .role = role,
        .id = id,
        .rp = {.id = row.rp_id, .project = row.project},
        .tenant = row.tenant,
        .account = row.account,
    };
    if (row.challenge.size != sizeof(ret->challenge) ||
        (row.user_handle.bytes && row.user_handle.size != sizeof(ret->user_handle)))
        return error_set(err, ERR_INTERNAL, "The challenge cannot be read.");
    memcpy(ret->challenge, row.challenge.bytes, sizeof(ret->challenge));
    if (row.user_handle.bytes)
        memcpy(ret->user_handle, row.user_handle.bytes, sizeof(ret->user_handle));
    return 0;
}

int passkey_ceremony_find_rp(struct authd *d, const struct request *req, const struct tenant *known,
                             struct passkey_ceremony *self, struct error *err)
{
    bool own = uuid_is_set(&self->rp.project);
    struct tenant tenant;
    struct passkey_rp rp;

    if (own && !(known && uuid_equal(&known->projectId, &self->rp.project))) {
        if (tenant_open_id(d, req, self->rp.project, &tenant, err) < 0)
            return -1;
        known = &tenant;
    }
    if (passkey_rp_find(d, req, own ? known : NULL, self->role, &rp, err) < 0)
        return -1;
    if (strcmp(rp.id, self->rp.id) != 0)
        return passkey_ceremony_invalid(err);
    self->rp = rp;
    return 0;
}

bool passkey_bytes(struct arena *arena, const char *text, size_t max, struct field_bytes *ret)
{
    uint8_t *bytes;
    size_t size;

    if (!text || strlen(text) > (max * 4 + 2) / 3)
        return false;
    bytes = arena_alloc(arena, max);
    if (secret_decode(text, bytes, max, &size) < 0)
        return false;
    *ret = (struct field_bytes){bytes, size};
    return true;
}

static struct webauthn_ceremony values_of(const struct authd *d, const struct request *req,
                                          const struct passkey_ceremony *self)
{
    return (struct webauthn_ceremony){.rp_id = self->rp.id,
                                      .origins = passkey_rp_origins(d, req->arena, &self->rp),
                                      .challenge = {self->challenge, sizeof(self->challenge)}};
}

struct registration {
    struct webauthn_ceremony ceremony;
    struct field_bytes client_data, attestation, id;
    struct webauthn_credential *credential;
    const char *wrong;
};

static void run_registration(void *arg)
{
    struct registration *self = arg;
    struct webauthn_credential *made = self->credential;

    self->wrong =
        webauthn_check_registration(&self->ceremony, self->client_data, self->attestation, made);
    if (!self->wrong &&
        (made->id_size != self->id.size || memcmp(made->id, self->id.bytes, self->id.size) != 0))
        self->wrong = "credential";
}

int passkey_ceremony_check_new(struct authd *d, const struct request *req,
                               const struct passkey_ceremony *self,
                               const struct passkey_attestation *answer,
                               struct webauthn_credential *ret, const char **ret_wrong,
                               struct error *err)
{
    struct registration run = {.ceremony = values_of(d, req, self), .credential = ret};

    *ret_wrong = "size";
    if (!passkey_bytes(req->arena, answer->id, WEBAUTHN_CREDENTIAL_ID_MAX, &run.id) ||
        !passkey_bytes(req->arena, answer->response->clientDataJSON, WEBAUTHN_CLIENT_DATA_MAX,
                       &run.client_data) ||
        !passkey_bytes(req->arena, answer->response->attestationObject, WEBAUTHN_ATTESTATION_MAX,
                       &run.attestation))
        return 0;
    if (offload_run(d->svc.offload, run_registration, &run, req->deadline_mono_ms, err) < 0)
        return -1;
    *ret_wrong = run.wrong;
    return 0;
}

struct assertion {
    struct webauthn_ceremony ceremony;
    enum webauthn_algorithm algorithm;
    struct field_bytes key, client_data, auth_data, signature;
    struct webauthn_assertion *result;
    const char *wrong;
};

static void run_assertion(void *arg)
{
    struct assertion *self = arg;

    self->wrong =
        webauthn_check_assertion(&self->ceremony, self->algorithm, self->key, self->client_data,
                                 self->auth_data, self->signature, self->result);
}

int passkey_ceremony_check(struct authd *d, const struct request *req,
                           const struct passkey_ceremony *self, enum webauthn_algorithm algorithm,
                           struct field_bytes key, const struct passkey_credential *answer,
                           struct webauthn_assertion *ret, const char **ret_wrong,
                           struct error *err)
{
    struct assertion run = {
        .ceremony = values_of(d, req, self), .algorithm = algorithm, .key = key, .result = ret};

    *ret_wrong = "size";
    if (!passkey_bytes(req->arena, answer->response->clientDataJSON, WEBAUTHN_CLIENT_DATA_MAX,
                       &run.client_data) ||
        !passkey_bytes(req->arena, answer->response->authenticatorData, WEBAUTHN_AUTH_DATA_MAX,
                       &run.auth_data) ||
        !passkey_bytes(req->arena, answer->response->signature, WEBAUTHN_SIGNATURE_MAX,
                       &run.signature))
        return 0;
    if (offload_run(d->svc.offload, run_assertion, &run, req->deadline_mono_ms, err) < 0)
        return -1;
    *ret_wrong = run.wrong;
    return 0;
}
