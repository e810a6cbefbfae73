/*
 * execute.c - POST /bots: runs a bot. Only the caller sees the answer; it is neither logged nor
 * stored.
 */
#include <string.h>

#include "botd/bot/bot.h"
#include "botd/bot/token_search.h"
#include "botd/botd_api.h"
#include "botd/sql/bot.h"
#include "botd/sql/execution.h"
#include "common/domain/policy.h"
#include "common/service/project_read_only.h"
#include "common/wire/codec.h"

enum { ANSWER_MAX = 1024 * 1024, MESSAGE_MAX = 200 };

struct requester {
    struct uuid project, account;                              /* absent: the operator */
    const char *project_display, *brand, *reference, *display; /* brand: name on pages, in emails */
};

static const struct field found_bot_rows[] = {
    FIELD_UUID(struct found_bot, id, FIELD_REQUIRED, "Its id"),
    FIELD_TEXT(struct found_bot, url, 0, 4096, 0, "Of an http bot", "https://bots.example.org"),
    FIELD_TEXT(struct found_bot, program, 0, 4096, 0, "Of a program bot", "echo.sh"),
    FIELD_INT(struct found_bot, timeout_ms, 0, 0, 0, FIELD_REQUIRED, "What it may take", "1000"),
    FIELD_INT(struct found_bot, version, 0, 0, 0, FIELD_REQUIRED, "When it was changed", "1"),
    FIELD_BOOL(struct found_bot, warm, false, FIELD_REQUIRED, "Its program stays"),
    FIELD_BYTES(struct found_bot, secrets_sealed, 1 << 20, FIELD_REQUIRED, "Its secrets"),
    FIELD_BYTES(struct found_bot, signing_sealed, 1024, 0, "Its signing secret, if it has one"),
};
FIELD_TABLE(found_bot);

static int find(struct botd *d, const struct request *req, struct uuid project,
                const char *identifier, struct found_bot *ret, struct error *err)
{
    struct sql_bot_find_by_value_in by_value = {.project = project};
    struct sql_bot_find_by_system_in by_system = {.project = project};
    struct token_search token;
    struct field_list found;
    int rc;

    if (token_search_parse(req->arena, identifier, &token) < 0)
        return error_problem(err, "identifier", "must be system|value");
    by_value.value = token.value;
    by_value.system = by_system.system = token.system;
    rc = token.value ? sql_bot_find_by_value(d->svc.db, req, &by_value, &found, err)
                     : sql_bot_find_by_system(d->svc.db, req, &by_system, &found, err);
    if (rc < 0)
        return -1;
    if (found.count == 0)
        return error_set(err, ERR_NOT_FOUND, "Bot not found.");
    if (found.count > 1)
        return error_set(err, ERR_BAD_REQUEST,
                         "Several bots have this identifier. Use one that is unique.");
    *ret = *(const struct found_bot *)found.items;
    return 0;
}

static int compose(struct botd *d, const struct request *req, const struct requester *who,
                   const struct found_bot *bot, const char *input, const char **ret,
                   struct error *err)
{
    struct sealed sealed = {bot->secrets_sealed.bytes, bot->secrets_sealed.size};
    uint8_t *secrets;
    size_t size;
    json_auto_t *rest = NULL;

    if (seal_open(req->arena, &d->svc.seal, BOT_SECRETS_PURPOSE, sealed, &secrets, &size) < 0)
        return error_set(err, ERR_INTERNAL, "The bot's secrets are sealed with another key.");
    rest = json_pack("{s:{s:s}, s:{s:s, s:s, s:s}, s:{s:s, s:s}, s:s}", "bot", "reference",
                     arena_printf(req->arena, "Bot/%s", bot->id.text), "project", "reference",
                     arena_printf(req->arena, "Project/%s", who->project.text), "display",
                     who->project_display, "brandName", who->brand, "requester", "reference",
                     who->reference, "display", who->display, "traceId", req->trace);
    /* Puts members that are already JSON in place of the first brace of `rest`. */
    *ret = arena_printf(req->arena,
                        "{\"input\":%s,\"contentType\":\"application/json\",\"secrets\":%s,%s",
                        input, (const char *)secrets, codec_dump_json(req->arena, rest) + 1);
    secret_wipe_text((const char *)secrets);
    return 0;
}

static int refuse(const char *text, size_t size, const char *otherwise, struct error *err)
{
    struct error ignored;
    json_auto_t *json = NULL;
    const char *message;

    error_init(&ignored, NULL);
    json = codec_parse_exact(text, size, false, &ignored);
    message = json_string_value(json_object_get(json, "message"));

    if (message && *message) {
        error_set(err, ERR_BAD_REQUEST, "%.*s", MESSAGE_MAX, message);
        if (!codec_is_text(err->message, strlen(err->message))) /* message cut in a character */
            error_set(err, ERR_BAD_REQUEST, "%s", otherwise);
        err->foreign = true;
    } else {
        error_set(err, ERR_BAD_REQUEST, "%s", otherwise);
    }
    return -1;
}

static int take_answer(const struct request *req, const char *text, size_t size,
                       struct bot_answer *out, struct error *err)
{
    out->output = program_answer_json(req->arena, text, size);
    return out->output ? 0 : error_set(err, ERR_BAD_REQUEST, "The bot's response is not JSON.");
}

static int run_http(struct botd *d, const struct request *req, const struct found_bot *bot,
                    const char *input, int64_t deadline, struct bot_answer *out, struct error *err)
{
    const char *secret, *headers[2] = {NULL};
    const struct fetch what = {.url = bot->url,
                               .body = input,
                               .headers = headers,
                               .networks = &d->networks,
                               .plain = d->config->allow_plain_http,
                               .answer_max = ANSWER_MAX,
                               .traced = true,
                               .deadline_mono_ms = deadline};
    struct fetch_answer answer;

    if (bot_signing_open(d, req, bot->id, bot->signing_sealed, &secret, err) < 0)
        return -1;
    headers[0] = bot_signature(req, secret, input);
    secret_wipe_text(secret);
    if (fetch_perform(d->curl, req->arena, &what, &answer, err) < 0)
        return -1;
    if (answer.status < 200 || answer.status > 299)
        return refuse(answer.body, answer.size,
                      arena_printf(req->arena, "The bot answered %ld.", answer.status), err);
    return take_answer(req, answer.body, answer.size, out, err);
}

static int run_program(struct botd *d, const struct request *req, const struct found_bot *bot,
                       const char *input, int64_t deadline, struct bot_answer *out,
                       struct error *err)
{
    const struct program_call call = {.bot = bot->id,
                                      .program = bot->program,
                                      .bot_version = bot->version,
                                      .warm = bot->warm,
                                      .timeout_ms = bot->timeout_ms,
                                      .input = input,
                                      .answer_max = ANSWER_MAX,
                                      .deadline_mono_ms = deadline};
    struct program_answer answer;

    if (program_run(d->programs, req->arena, &call, &answer, err) < 0)
        return -1;
    if (answer.status != 0)
        return refuse(answer.text, answer.size, "The bot failed.", err);
    return take_answer(req, answer.text, answer.size, out, err);
}

/* Turns a bot's failure into a 400 with its reason, but not botd's own failures. */
static int as_bad_request(struct error *err)
{
    struct error cause = *err;

    if (cause.code != ERR_DEADLINE && cause.code != ERR_TOO_LARGE && cause.code != ERR_FORBIDDEN &&
        cause.code != ERR_NOT_FOUND && (cause.code != ERR_UNAVAILABLE || cause.retry_after_s > 0))
        return -1;
    error_clear(err);
    return error_set(err, ERR_BAD_REQUEST, "%s", cause.message);
}

static const char *outcome_of(int rc, const struct error *err)
{
    if (rc == 0)
        return "success";
    if (err->code == ERR_DEADLINE)
        return "timeout";
    return err->code == ERR_OVERLOADED || err->retry_after_s > 0 ? "refused" : "failure";
}

/* Records the execution. A database failure does not fail the call: the bot has done its work. */
static void record(struct botd *d, const struct request *req, const struct requester *who,
                   const struct found_bot *bot, int64_t started_mono_ms, const char *outcome)
{
    struct sql_execution_insert_in in = {
        .project = who->project,
        .account = who->account,
        .id = uuid_ordered(req->now_ms),
        .bot = bot->id,
        .started = req->now_ms,
        .duration_ms = clock_mono_ms() - started_mono_ms,
        .outcome = outcome,
        .profile = who->reference,
        .audit = audit_row(req, &(struct audit){.action = "bot.execute",
                                                .failure = strcmp(outcome, "success") != 0,
                                                .project = who->project,
                                                .type = "Bot",
                                                .id = bot->id,
                                                .detail = outcome})};
    struct error err;

    error_init(&err, req->arena);
    if (sql_execution_insert(d->svc.db, req, &in, &err) < 0)
        log_event(LOG_ERR, "bot", "an execution could not be recorded", "bot", bot->id.text,
                  "trace", req->trace, "code", error_kind(err.code)->wire, NULL);
}

static int execute(struct botd *d, const struct request *req, const struct requester *who,
                   const char *identifier, const char *given, struct bot_answer *out,
                   struct error *err)
{
    int64_t started, deadline;
    struct found_bot bot;
    const char *input = NULL;
    int rc;

    if (find(d, req, who->project, identifier, &bot, err) < 0 ||
        compose(d, req, who, &bot, given, &input, err) < 0)
        return -1;
    started = clock_mono_ms(); /* excludes the time of the database */
    if (started >= req->deadline_mono_ms)
        return error_set(err, ERR_DEADLINE, "The request took too long. Please try again.");
    deadline = MIN(started + bot.timeout_ms, req->deadline_mono_ms);
    rc = bot.url ? run_http(d, req, &bot, input, deadline, out, err)
                 : run_program(d, req, &bot, input, deadline, out, err);
    secret_wipe_text(input);
    record(d, req, who, &bot, started, outcome_of(rc, err));
    return rc == 0 ? 0 : as_bad_request(err);
}

/* ---- handlers ---- */

/* Fails: FORBIDDEN (policy), VALIDATION, NOT_FOUND, BAD_REQUEST (two bots, or the bot failed),
 * OVERLOADED, UNAVAILABLE (no sandbox). */
int bot_execute(struct botd *d, const struct request *req, const struct bot_execute_in *in,
                struct bot_answer *out, struct error *err)
{
    const struct caller *caller = req->caller;
    const char *name = caller->projectName ? caller->projectName : "";
    const struct requester who = {.project = caller->project,
                                  .account = caller->account,
                                  .project_display = name,
                                  .brand = caller->brandName ? caller->brandName : name,
                                  .reference =
                                      arena_printf(req->arena, "%s/%s", role_text(caller->role),
                                                   caller->profile.text),
                                  .display = caller->display ? caller->display : ""};

    if (policy_check(req, "Bot", POLICY_EXECUTE, err) < 0)
        return -1;
    return execute(d, req, &who, in->identifier, in->input, out, err);
}

/* Runs a bot for the operator, without policies. */
int operator_bot_run(struct botd *d, const struct request *req,
                     const struct operator_bot_run_in *in, struct bot_answer *out,
                     struct error *err)
{
    const struct requester who = {.project = in->projectId,
                                  .project_display = "",
                                  .brand = "",
                                  .reference = "Operator",
                                  .display = ""};

    if (project_read_only_refuse(&d->svc, req, in->projectId, err) < 0)
        return -1;
    return execute(d, req, &who, in->identifier, in->input, out, err);
}
