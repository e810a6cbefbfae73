/*
 * passkey_start.c - see passkey_start.h.
 */
#include "authd/passkey/passkey_start.h"

#include <string.h>

#include "authd/passkey/passkey_api.h"
#include "authd/sql/passkey.h"
#include "common/wire/codec.h"

static const char purpose[] = "passkey sign-in";
static const char any_role[] = "any"; /* on a hosted page, which doesn't ask for the role */

struct passkey_started {
    struct uuid id;
    const char *role, *rpId;
    struct uuid project, tenant;
    const char *email, *codeChallenge;
    int64_t until;
};
FIELD_DECLARE(passkey_started);

#define STARTED_TEXT(member, flags) \
    FIELD_TEXT(struct passkey_started, member, 1, PASSKEY_LOGIN_ID_MAX, flags, "", "x")
static const struct field passkey_started_rows[] = {
    FIELD_UUID(struct passkey_started, id, FIELD_REQUIRED, ""),
    STARTED_TEXT(role, FIELD_REQUIRED),
    STARTED_TEXT(rpId, FIELD_REQUIRED),
    FIELD_UUID(struct passkey_started, project, FIELD_NULLABLE, ""),
    FIELD_UUID(struct passkey_started, tenant, FIELD_NULLABLE, ""),
    STARTED_TEXT(email, FIELD_NULLABLE),
    STARTED_TEXT(codeChallenge, FIELD_REQUIRED),
    FIELD_INT(struct passkey_started, until, 0, INT64_MAX, 0, FIELD_REQUIRED, "", "0"),
};
FIELD_TABLE(passkey_started);

static const char *encode(struct authd *d, const struct request *req,
                          const struct passkey_started *started)
{
    struct codec_buffer buffer;
    struct sealed sealed;

    codec_buffer_init(&buffer, req->arena);
    fields_pack(&passkey_started_table, started, &buffer);
    sealed = seal_value(req->arena, &d->svc.seal, purpose, buffer.bytes, buffer.size);
    return secret_encode(req->arena, sealed.bytes, sealed.size);
}

static int decode(struct authd *d, const struct request *req, const char *text,
                  struct passkey_started *ret, struct error *err)
{
    msgpack_object map;
    struct field_bytes bytes;
    uint8_t *plain;
    size_t size;

    if (!passkey_bytes(req->arena, text, PASSKEY_LOGIN_ID_MAX, &bytes) ||
        seal_open(req->arena, &d->svc.seal, purpose, (struct sealed){bytes.bytes, bytes.size},
                  &plain, &size) < 0)
        return -1;
    return codec_unpack(plain, size, req->arena, &map, err) < 0 ||
                   fields_unpack(&passkey_started_table, &map, req->arena, ret, err) < 0
               ? -1
               : 0;
}

void passkey_start_seal(struct authd *d, const struct request *req, struct passkey_ceremony *self,
                        const char **ret_login_id)
{
    struct passkey_started started;

    self->id = uuid_ordered(req->now_ms);
    self->until = req->now_ms + PASSKEY_CEREMONY_LIFE;
    started = (struct passkey_started){
        .id = self->id,
        .role = self->role == ROLE_NONE ? any_role : role_text(self->role),
        .rpId = self->rp.id,
        .project = self->rp.project,
        .tenant = self->tenant,
        .email = self->email,
        .codeChallenge = self->code_challenge,
        .until = self->until,
    };
    *ret_login_id = encode(d, req, &started);
    secret_hash(*ret_login_id, self->challenge);
}

int passkey_start_open(struct authd *d, const struct request *req, enum role role,
                       const char *login_id, struct passkey_ceremony *ret, struct error *err)
{
    struct passkey_started started;

    if (decode(d, req, login_id, &started, err) < 0 ||
        (role_parse(started.role) != role && strcmp(started.role, any_role) != 0) ||
        started.until <= req->now_ms) {
        error_clear(err);
        return passkey_ceremony_invalid(err);
    }
    *ret = (struct passkey_ceremony){
        .role = role,
        .id = started.id,
        .rp = {.id = started.rpId, .project = started.project},
        .tenant = started.tenant,
        .email = started.email,
        .code_challenge = started.codeChallenge,
        .until = started.until,
    };
    secret_hash(login_id, ret->challenge);
    return 0;
}

int passkey_start_spend(struct authd *d, const struct request *req,
                        const struct passkey_ceremony *self, struct error *err)
{
    const struct sql_start_spend_in in = {.id = self->id, .until = self->until};
    int spent = sql_start_spend(d->svc.db, req, &in, err);

    if (spent < 0)
        return -1;
    return spent > 0 ? 0 : passkey_ceremony_invalid(err);
}
