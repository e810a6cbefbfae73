/*
 * bot.c - the registry: which bots a project has, and what was executed.
 */
#include "botd/bot/bot.h"

#include <inttypes.h>
#include <jansson.h>
#include <sodium.h>
#include <string.h>

#include "botd/botd_api.h"
#include "common/wire/codec.h"

/* What a statement that writes a bot takes besides the texts of the input. */
struct draft {
    const char *identifier;
    const char *secret_names; /* NULL: the bot keeps its secrets while its url and program stay */
    struct sealed secrets;    /* else */
};

static int not_found(struct error *err)
{
    return error_set(err, ERR_NOT_FOUND, "Bot not found.");
}

static const char *identifiers_json(const struct request *req, const struct bot_in *in)
{
    const struct bot_identifier *all = in->identifier.items;
    json_t *list = json_array();
    const char *text;

    for (size_t i = 0; i < in->identifier.count; i++)
        json_array_append_new(list, json_pack("{s:s*, s:s}", "system", all[i].system, "value",
                                              all[i].value));
    text = codec_dump_json(req->arena, list);
    json_decref(list);
    return text;
}

/* Seals the secrets; each must be a text. */
static int draft_secrets(struct botd *d, const struct request *req, const char *secrets,
                         struct draft *ret, struct error *err)
{
    json_t *json = json_loads(secrets, 0, NULL), *names = json_array(), *value;
    const char *name;
    int result = 0;

    json_object_foreach(json, name, value)
    {
        if (!json_is_string(value))
            result = error_problem(err, "secrets", "must be an object of texts");
        json_array_append_new(names, json_string(name));
    }
    if (result == 0) {
        ret->secret_names = codec_dump_json(req->arena, names);
        ret->secrets =
            seal_value(req->arena, &d->svc.seal, BOT_SECRETS_PURPOSE, secrets, strlen(secrets));
    }
    json_decref(names);
    json_decref(json);
    return result;
}

/* An http bot has an address and nothing else, a program bot a file. */
static int check_kind(const struct bot_in *in, struct error *err)
{
    bool http = strcmp(in->kind, "http") == 0;
    int result = 0;

    if (in->identifier.count == 0)
        result = error_problem(err, "identifier", "must have at least one");
    if (http && !in->url)
        result = error_problem(err, "url", "is required");
    if (http && in->url && strncmp(in->url, "https://", 8) != 0 &&
        strncmp(in->url, "http://", 7) != 0)
        result = error_problem(err, "url", "must be an absolute URL");
    if (!http && !in->program)
        result = error_problem(err, "program", "is required");
    if (http && in->program)
        result = error_problem(err, "program", "is for program bots");
    if (!http && in->url)
        result = error_problem(err, "url", "is for http bots");
    if (http && in->warm)
        result = error_problem(err, "warm", "is for program bots");
    return result;
}

static int draft(struct botd *d, const struct request *req, const struct bot_in *in,
                 struct draft *ret, struct error *err)
{
    *ret = (struct draft){.identifier = identifiers_json(req, in)};
    if (check_kind(in, err) < 0)
        return -1;
    if (draft_secrets(d, req, in->secrets ? in->secrets : "{}", ret, err) < 0)
        return -1;
    if (!in->secrets)
        ret->secret_names = NULL;
    return 0;
}

/* ---- signing secrets ---- */

/* The text that the receiver has, as its own bytes. It is made from a seal key and the bot's id,
 * and kept: the seal key may be exchanged, the receiver is to notice nothing. */
static const char *signing_made(const struct secret *key, struct arena *arena, const char *bot)
{
    CLEANUP(secret_wipe) struct secret made = {.length = crypto_generichash_BYTES};
    const char *purpose = arena_printf(arena, "bot signature %s", bot);

    crypto_generichash(made.bytes, made.length, (const uint8_t *)purpose, strlen(purpose),
                       key->bytes, key->length);
    return secret_encode(arena, made.bytes, made.length);
}

/* By the oldest key: builds that kept none had no other. */
const char *bot_signing_missing(const struct seal_keys *keys, struct arena *arena, const char *row)
{
    size_t id = strlen(row) - (sizeof(((struct uuid *)NULL)->text) - 1);

    return signing_made(&keys->items[keys->oldest].secret, arena, row + id);
}

int bot_signing_open(struct botd *d, const struct request *req, struct uuid bot,
                     struct field_bytes sealed, const char **ret, struct error *err)
{
    uint8_t *plain;
    size_t size;

    if (!sealed.bytes) {
        *ret = bot_signing_missing(&d->svc.seal, req->arena, bot.text);
        return 0;
    }
    if (seal_open(req->arena, &d->svc.seal, BOT_SIGNING_PURPOSE,
                  (struct sealed){sealed.bytes, sealed.size}, &plain, &size) < 0)
        return error_set(err, ERR_INTERNAL, "The bot's signing secret is sealed with another key.");
    *ret = (const char *)plain;
    return 0;
}

/* Writes by one of the two statements, which take the same parameters. */
static int write_bot(struct botd *d, const struct request *req, struct db_tx *tx,
                     enum botd_statement statement, struct uuid project, struct uuid id,
                     const struct bot_in *in, const struct draft *draft, const char *signing,
                     struct db_result **ret, struct error *err)
{
    const struct sealed sealed =
        seal_value(req->arena, &d->svc.seal, BOT_SIGNING_PURPOSE, signing, strlen(signing));
    const struct sql_audit audit = audit_row(
        req, &(struct audit){.action = statement == SQL_BOT_CREATE ? "bot.create" : "bot.update",
                             .project = project,
                             .type = "Bot",
                             .id = id});

    const struct db_param params[] = {DB_NULL,
                                      DB_UUID(project),
                                      DB_UUID(id),
                                      DB_TEXT(in->name),
                                      DB_TEXT(in->kind),
                                      DB_TEXT(in->url),
                                      DB_TEXT(in->program),
                                      DB_INT(in->timeoutMs),
                                      DB_BOOL(in->warm ? TRISTATE_TRUE : TRISTATE_FALSE),
                                      DB_TEXT(draft->identifier),
                                      DB_TEXT(draft->secret_names),
                                      DB_SEALED(draft->secrets),
                                      DB_INT(req->now_ms),
                                      DB_SEALED(sealed),
                                      DB_AUDIT(audit)};
    const size_t count = ARRAY_SIZE(params) - 1;

    return tx ? db_tx_query_params(tx, statement, ret, err, params, count)
              : db_query_params(d->svc.db, req->deadline_mono_ms, statement, ret, err, params,
                                count);
}

/* ---- signatures ---- */

const char *bot_signature(const struct request *req, const char *secret, const char *body)
{
    const char *when = arena_printf(req->arena, "%" PRId64 ".", req->now_ms / 1000);
    crypto_auth_hmacsha256_state state;
    uint8_t mac[crypto_auth_hmacsha256_BYTES];
    char hex[2 * sizeof(mac) + 1];

    crypto_auth_hmacsha256_init(&state, (const uint8_t *)secret, strlen(secret));
    crypto_auth_hmacsha256_update(&state, (const uint8_t *)when, strlen(when));
    crypto_auth_hmacsha256_update(&state, (const uint8_t *)body, strlen(body));
    crypto_auth_hmacsha256_final(&state, mac);
    sodium_bin2hex(hex, sizeof(hex), mac, sizeof(mac));
    return arena_printf(req->arena, "X-Atrium-Signature: t=%" PRId64 ",v1=%s", req->now_ms / 1000,
                        hex);
}

/* ---- of one project ---- */

static int list_bots(struct botd *d, const struct request *req, struct uuid project,
                     struct bot_list *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_BOTS, &res, err, DB_UUID(project)) < 0)
        return -1;
    out->resources = db_list(res, &bot_table, req->arena);
    return 0;
}

/* Fails: VALIDATION, CONFLICT (1,000 bots are there). */
static int create_bot(struct botd *d, const struct request *req, struct uuid project,
                      const struct bot_in *in, struct bot *out, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *tx = NULL;
    CLEANUP(db_result_destroy) struct db_result *locked = NULL;
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct uuid id = uuid_ordered(req->now_ms);
    const char *signing = signing_made(seal_keys_current(&d->svc.seal), req->arena, id.text);
    struct bot_in with_secrets = *in;
    struct draft made;

    if (!with_secrets.secrets)
        with_secrets.secrets = "{}";
    if (draft(d, req, &with_secrets, &made, err) < 0 ||
        db_begin(d->svc.db, req->deadline_mono_ms, &tx, err) < 0 ||
        db_tx_query(tx, SQL_BOTS_LOCK, &locked, err, DB_UUID(project)) < 0 ||
        write_bot(d, req, tx, SQL_BOT_CREATE, project, id, in, &made, signing, &res, err) < 0)
        return -1;
    if (db_rows(res) == 0)
        return error_set(err, ERR_CONFLICT, "The project has 1,000 bots already.");
    if (db_commit(&tx, err) < 0)
        return -1;
    db_row(res, 0, &bot_table, req->arena, out);
    if (in->url)
        out->signingSecret = signing;
    return 0;
}

/* Fails: NOT_FOUND, VALIDATION. */
static int replace_bot(struct botd *d, const struct request *req, struct uuid project,
                       struct uuid id, const struct bot_in *in, struct bot *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    const char *signing = bot_signing_missing(&d->svc.seal, req->arena, id.text);
    struct draft made;

    if (draft(d, req, in, &made, err) < 0 ||
        write_bot(d, req, NULL, SQL_BOT_REPLACE, project, id, in, &made, signing, &res, err) < 0)
        return -1;
    if (db_rows(res) == 0)
        return not_found(err);
    db_row(res, 0, &bot_table, req->arena, out);
    return 0;
}

/* With its executions. Fails: NOT_FOUND. */
static int delete_bot(struct botd *d, const struct request *req, struct uuid project,
                      struct uuid id, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct sql_audit audit = audit_row(
        req, &(struct audit){.action = "bot.delete", .project = project, .type = "Bot", .id = id});

    if (db_query(d->svc.db, req, SQL_BOT_DELETE, &res, err, DB_UUID(project), DB_UUID(id),
                 DB_AUDIT(audit)) < 0)
        return -1;
    return db_rows(res) > 0 ? 0 : not_found(err);
}

/* ---- routes ---- */

int bots(struct botd *d, const struct request *req, const struct nothing *in UNUSED,
         struct bot_list *out, struct error *err)
{
    return list_bots(d, req, req->caller->project, out, err);
}

int bot_get(struct botd *d, const struct request *req, const struct bot_id_in *in, struct bot *out,
            struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    if (db_query(d->svc.db, req, SQL_BOT, &res, err, DB_UUID(req->caller->project),
                 DB_UUID(in->id)) < 0)
        return -1;
    if (db_rows(res) == 0)
        return not_found(err);
    db_row(res, 0, &bot_table, req->arena, out);
    return 0;
}

int bot_create(struct botd *d, const struct request *req, const struct bot_in *in, struct bot *out,
               struct error *err)
{
    return create_bot(d, req, req->caller->project, in, out, err);
}

int bot_replace(struct botd *d, const struct request *req, const struct bot_in *in, struct bot *out,
                struct error *err)
{
    return replace_bot(d, req, req->caller->project, in->id, in, out, err);
}

int bot_delete(struct botd *d, const struct request *req, const struct bot_id_in *in,
               struct nothing *out UNUSED, struct error *err)
{
    return delete_bot(d, req, req->caller->project, in->id, err);
}

/* What was executed of a bot, the latest first. Fails: NOT_FOUND. */
int bot_executions(struct botd *d, const struct request *req, const struct bot_executions_in *in,
                   struct bot_execution_list *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *rows = NULL, *count = NULL;
    struct bot bot = {0};

    if (bot_get(d, req, &(struct bot_id_in){in->id}, &bot, err) < 0 ||
        db_query(d->svc.db, req, SQL_EXECUTION_COUNT, &count, err, DB_UUID(req->caller->project),
                 DB_UUID(in->id)) < 0 ||
        db_query(d->svc.db, req, SQL_EXECUTIONS, &rows, err, DB_UUID(req->caller->project),
                 DB_UUID(in->id), DB_INT(in->_count), DB_INT(in->_offset)) < 0)
        return -1;
    out->total = db_int(count, 0, 0);
    out->resources = db_list(rows, &bot_execution_table, req->arena);
    return 0;
}

/* ---- operators ---- */

/* Replaces the bot that has the first identifier, or makes one. */
int operator_bot_put(struct botd *d, const struct request *req,
                     const struct operator_bot_put_in *in, struct bot *out, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    const struct bot_identifier *first = in->bot->identifier.items;

    if (check_kind(in->bot, err) < 0 ||
        db_query(d->svc.db, req, SQL_BOT_BY_VALUE, &res, err, DB_UUID(in->projectId),
                 DB_TEXT(first->value), DB_TEXT(first->system ? first->system : "")) < 0)
        return -1;
    if (db_rows(res) == 0)
        return create_bot(d, req, in->projectId, in->bot, out, err);
    return replace_bot(d, req, in->projectId, db_uuid(res, 0, 0), in->bot, out, err);
}

int operator_bot_list(struct botd *d, const struct request *req,
                      const struct operator_bot_list_in *in, struct bot_list *out,
                      struct error *err)
{
    return list_bots(d, req, in->projectId, out, err);
}

int operator_bot_delete(struct botd *d, const struct request *req,
                        const struct operator_bot_delete_in *in, struct nothing *out UNUSED,
                        struct error *err)
{
    return delete_bot(d, req, in->projectId, in->id, err);
}
