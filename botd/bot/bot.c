/* bot.c - a project's bots and their executions. */
#include "botd/bot/bot.h"

#include <inttypes.h>
#include <jansson.h>
#include <sodium.h>
#include <string.h>

#include "botd/botd_api.h"
#include "botd/sql/bot.h"
#include "botd/sql/execution.h"
#include "common/base/clock.h"
#include "common/domain/etag.h"
#include "common/domain/uri.h"
#include "common/service/list_write.h"
#include "common/wire/codec.h"

#define FAILURES_MS DAYS(1)

static const struct list_rule bots_rule = {LIST_LIMIT("bots"), &sql_bot_lock_statement,
                                           &sql_bot_size_statement};

struct draft {
    const char *identifier;
    const char *secret_names; /* NULL: keep the secrets, if url and program stay */
    struct sealed secrets;
};

static int require_bot(int rows, struct error *err)
{
    return sql_require(rows, err, ERR_NOT_FOUND, "Bot not found.");
}

static const char *identifiers_json(const struct request *req, const struct bot_in *in)
{
    const struct bot_identifier *all = in->identifier.items;
    json_auto_t *list = json_array();

    for (size_t i = 0; i < in->identifier.count; i++)
        json_array_append_new(list, json_pack("{s:s*, s:s}", "system", all[i].system, "value",
                                              all[i].value));
    return codec_dump_json(req->arena, list);
}

/* Seals the secrets; each must be a text. */
static int draft_secrets(struct botd *d, const struct request *req, const char *secrets,
                         struct draft *ret, struct error *err)
{
    struct error ignored;
    json_auto_t *json = NULL, *names = json_array();
    json_t *value;
    const char *name;
    int result = 0;

    error_init(&ignored, req->arena);
    json = codec_parse_json(secrets, strlen(secrets), true, &ignored);
    if (!json)
        result = error_problem(err, "secrets", "must be an object of texts");
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
    return result;
}

static int check_kind(const struct bot_in *in, struct error *err)
{
    bool http = strcmp(in->kind, "http") == 0;
    struct uri uri;
    int result = 0;

    if (in->identifier.count == 0)
        result = error_problem(err, "identifier", "must have at least one entry");
    if (http && !in->url)
        result = error_problem(err, "url", "is required");
    if (http && in->url && !uri_parse(in->url, &uri))
        result = error_problem(err, "url", "must be an absolute URL");
    if (!http && !in->program)
        result = error_problem(err, "program", "is required");
    if (http && in->program)
        result = error_problem(err, "program", "is only allowed for bots of kind program");
    if (!http && in->url)
        result = error_problem(err, "url", "is only allowed for bots of kind http");
    if (http && in->warm)
        result = error_problem(err, "warm", "is only allowed for bots of kind program");
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

/* Derives the receiver's secret. It is stored, because exchanging the seal key must not change
 * it. */
static const char *signing_made(const struct secret *key, struct arena *arena, const char *bot)
{
    CLEANUP(secret_wipe) struct secret made = {.length = crypto_generichash_BYTES};
    const char *purpose = arena_printf(arena, "bot signature %s", bot);

    crypto_generichash(made.bytes, made.length, (const uint8_t *)purpose, strlen(purpose),
                       key->bytes, key->length);
    return secret_encode(arena, made.bytes, made.length);
}

/* Derived from the oldest key: releases before 0.2 stored no secret. */
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

/* ---- writing ---- */

static struct sql_bot_values bot_values(struct botd *d, const struct request *req,
                                        const struct bot_in *in, const struct draft *draft,
                                        const char *signing)
{
    struct sealed sealed =
        seal_value(req->arena, &d->svc.seal, BOT_SIGNING_PURPOSE, signing, strlen(signing));

    return (struct sql_bot_values){.name = in->name,
                                   .kind = in->kind,
                                   .url = in->url,
                                   .program = in->program,
                                   .timeout_ms = in->timeoutMs,
                                   .warm = in->warm,
                                   .identifier = draft->identifier,
                                   .secret_names = draft->secret_names,
                                   .secrets = {draft->secrets.bytes, draft->secrets.size},
                                   .signing = {sealed.bytes, sealed.size}};
}

static struct sql_audit bot_audit(const struct request *req, const char *action,
                                  struct uuid project, struct uuid bot)
{
    return audit_row(
        req, &(struct audit){.action = action, .project = project, .type = "Bot", .id = bot});
}

static int name_conflict(int rows, struct error *err)
{
    if (rows < 0 && strcmp(err->constraint, "bot_identifier_key") == 0)
        return error_set(err, ERR_CONFLICT, "Another bot already has one of these identifiers.");
    return rows;
}

static int insert_bot(struct botd *d, const struct request *req, struct list_write *write,
                      const struct bot_in *in, struct draft made, struct bot *out,
                      struct error *err)
{
    struct uuid id = uuid_ordered(req->now_ms);
    const char *signing = signing_made(seal_keys_current(&d->svc.seal), req->arena, id.text);
    struct sql_bot_insert_in insert = {.project = write->project,
                                       .id = id,
                                       .now = req->now_ms,
                                       .audit = bot_audit(req, "bot.create", write->project, id)};

    if (!made.secret_names)
        made.secret_names = "[]";
    insert.bot = bot_values(d, req, in, &made, signing);
    if (name_conflict(sql_bot_insert(write->tx, req, &insert, out, err), err) < 0)
        return -1;
    if (in->url)
        out->signingSecret = signing;
    return 0;
}

static int read_bot(struct botd *d, const struct request *req, struct uuid project, struct uuid id,
                    struct bot *out, struct error *err)
{
    const struct sql_bot_get_in get = {.project = project, .id = id};

    return require_bot(sql_bot_get(d->svc.db, req, &get, out, err), err);
}

/* Writes a bot that has the state `etag`; NULL: any state. */
static int update_bot(struct botd *d, const struct request *req, struct list_write *write,
                      struct uuid id, const char *etag, const struct bot_in *in,
                      const struct draft *made, struct bot *out, struct error *err)
{
    const char *signing = bot_signing_missing(&d->svc.seal, req->arena, id.text);
    struct sql_bot_update_in update = {.project = write->project,
                                       .id = id,
                                       .etag = etag,
                                       .now = req->now_ms,
                                       .bot = bot_values(d, req, in, made, signing),
                                       .audit = bot_audit(req, "bot.update", write->project, id)};
    int rows = name_conflict(sql_bot_update(write->tx, req, &update, out, err), err);
    if (rows == 0 && etag)
        return etag_lost("bot", err);
    return require_bot(rows, err);
}

/* ---- routes ---- */

int bots(struct botd *d, const struct request *req, const struct nothing *in UNUSED,
         struct bot_list *out, struct error *err)
{
    const struct sql_bot_list_in list = {.project = request_project(req), .most = LIST_SIZE_MAX};

    return sql_bot_list(d->svc.db, req, &list, &out->resources, err) < 0 ? -1 : 0;
}

int bot_get(struct botd *d, const struct request *req, const struct bot_id_in *in, struct bot *out,
            struct error *err)
{
    return read_bot(d, req, req->caller->project, in->id, out, err);
}

/* Fails with CONFLICT (identifier taken, too many bots, or too large). */
int bot_create(struct botd *d, const struct request *req, const struct bot_in *in, struct bot *out,
               struct error *err)
{
    CLEANUP(list_write_end)
    struct list_write write = {.rule = &bots_rule, .project = req->caller->project};
    struct draft made;

    if (draft(d, req, in, &made, err) < 0 || list_write_begin(&write, d->svc.db, req, err) < 0 ||
        insert_bot(d, req, &write, in, made, out, err) < 0)
        return -1;
    return list_write_commit(&write, req, err);
}

/* Fails with CONFLICT (If-Match, identifier taken, too large). */
int bot_replace(struct botd *d, const struct request *req, const struct bot_in *in, struct bot *out,
                struct error *err)
{
    CLEANUP(list_write_end)
    struct list_write write = {.rule = &bots_rule, .project = req->caller->project};
    const char *etag = NULL;
    struct draft made;

    if (draft(d, req, in, &made, err) < 0)
        return -1;
    if (in->ifMatch && (read_bot(d, req, write.project, in->id, out, err) < 0 ||
                        etag_bind(in->ifMatch, out->etag, "bot", &etag, err) < 0))
        return -1;
    if (list_write_begin(&write, d->svc.db, req, err) < 0 ||
        update_bot(d, req, &write, in->id, etag, in, &made, out, err) < 0)
        return -1;
    return list_write_commit(&write, req, err);
}

/* Deletes a bot and its executions. */
int bot_delete(struct botd *d, const struct request *req, const struct bot_id_in *in,
               struct nothing *out UNUSED, struct error *err)
{
    struct uuid project = request_project(req);
    const struct sql_bot_delete_in delete = {
        .project = project, .id = in->id, .audit = bot_audit(req, "bot.delete", project, in->id)};

    return require_bot(sql_bot_delete(d->svc.db, req, &delete, err), err);
}

int bot_executions(struct botd *d, const struct request *req, const struct bot_executions_in *in,
                   struct bot_execution_list *out, struct error *err)
{
    struct sql_execution_count_in all = {.project = req->caller->project, .bot = in->id};
    struct sql_execution_list_in page = {
        .project = req->caller->project, .bot = in->id, .count = in->_count, .offset = in->_offset};
    struct sql_execution_count_row count;
    struct bot bot = {0};

    if (bot_get(d, req, &(struct bot_id_in){in->id}, &bot, err) < 0 ||
        sql_execution_count(d->svc.db, req, &all, &count, err) < 0 ||
        sql_execution_list(d->svc.db, req, &page, &out->resources, err) < 0)
        return -1;
    out->total = count.count;
    return 0;
}

int bot_failures(struct botd *d, const struct request *req, const struct nothing *in UNUSED,
                 struct bot_failure_list *out, struct error *err)
{
    const struct sql_execution_failure_list_in list = {.project = req->caller->project,
                                                       .since = req->now_ms - FAILURES_MS};

    return MIN(sql_execution_failure_list(d->svc.db, req, &list, &out->resources, err), 0);
}

/* ---- operators ---- */

/* Creates the bot, or replaces the one with its first identifier, with the list locked. */
int operator_bot_put(struct botd *d, const struct request *req,
                     const struct operator_bot_put_in *in, struct bot *out, struct error *err)
{
    const struct bot_identifier *first = in->bot->identifier.items;
    struct sql_bot_find_by_value_in find = {.project = in->projectId};
    CLEANUP(list_write_end)
    struct list_write write = {.rule = &bots_rule, .project = in->projectId};
    const struct found_bot *bot;
    struct field_list found;
    struct draft made;
    int result;

    if (draft(d, req, in->bot, &made, err) < 0)
        return -1;
    find.value = first->value;
    find.system = first->system ? first->system : "";
    if (list_write_begin(&write, d->svc.db, req, err) < 0 ||
        sql_bot_find_by_value_tx(write.tx, req, &find, &found, err) < 0)
        return -1;
    bot = found.items;
    result = found.count == 0 ? insert_bot(d, req, &write, in->bot, made, out, err)
                              : update_bot(d, req, &write, bot->id, NULL, in->bot, &made, out, err);
    return result < 0 ? -1 : list_write_commit(&write, req, err);
}
