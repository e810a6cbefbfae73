/* botd_api.c - field tables of botd_api.h. Every program links them. */
#include "botd/botd_api.h"

#include <string.h>

#include "common/domain/list_limit.h"
#include "common/domain/name.h"

enum {
    LANGUAGE_MIN = 2,
    LANGUAGE_MAX = 100,
    TRANSLATIONS_MAX = 100,
    TRANSLATED_MAX = 10000,   /* characters */
    TRANSLATION_MAX = 130000, /* more than translate.c accepts */
    IDENTIFIERS_MAX = 10,
    IDENTIFIER_MAX = 500,
    SECRETS_MAX = 16384,
    URL_MAX = 2048,
    PROGRAM_MAX = 100,
    TIMEOUT_MIN_MS = 100,
    TIMEOUT_MAX_MS = 30000,
    TIMEOUT_USUAL_MS = 10000,
    EXECUTIONS_MAX = 1000, /* kept per bot */
    FAILURES_MAX = 100,    /* the limit in execution_failure_list.sql */
};

static const char *const kinds[] = {"http", "program", NULL};
static const char *const outcomes[] = {"success", "failure", "timeout", "refused", NULL};
static const char *const failures[] = {"failure", "timeout", "refused", NULL};
static const char *const translation_statuses[] = {"translated", "unchanged", "failed", NULL};
static const char *const bot_type[] = {"Bot", NULL};

/* Accepts a plain file name that is not hidden. */
static int check_program(const char *value, char why[static 96])
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

    if (value[0] != '.' && value[strspn(value, letters)] == '\0')
        return 0;
    strcpy(why, "must be a file name of letters, digits, dots, dashes and underscores");
    return -1;
}

static const struct field bot_id_in_rows[] = {
    FIELD_UUID(struct bot_id_in, id, FIELD_PATH | FIELD_REQUIRED, "ID of the bot."),
};
FIELD_TABLE(bot_id_in);

static const struct field bot_identifier_rows[] = {
    FIELD_TEXT(struct bot_identifier, system, 0, IDENTIFIER_MAX, FIELD_NULLABLE,
               "Namespace of the value.", "https://lakeside.example/bots"),
    FIELD_TEXT(struct bot_identifier, value, 1, IDENTIFIER_MAX, FIELD_REQUIRED,
               "Value, unique within its system.", "intake"),
};
FIELD_TABLE(bot_identifier);

static const struct field bot_in_rows[] = {
    FIELD_UUID(struct bot_in, id, FIELD_PATH, "ID of the bot."),
    FIELD_OBJECTS(struct bot_in, identifier, bot_identifier, IDENTIFIERS_MAX, FIELD_REQUIRED,
                  "Identifiers with which the bot is executed."),
    FIELD_CHECKED(struct bot_in, name, 1, 200, name_check, FIELD_REQUIRED | FIELD_CHARACTERS,
                  "Display name.", "Intake form"),
    FIELD_CHOICE(struct bot_in, kind, kinds, FIELD_REQUIRED,
                 "`http`: calls are posted to `url`; `program`: a program that the operator "
                 "installed runs in a sandbox.",
                 "http"),
    FIELD_TEXT(struct bot_in, url, 1, URL_MAX, FIELD_NULLABLE, "URL of an `http` bot.",
               "https://bots.lakeside.example/intake"),
    FIELD_PATTERN(struct bot_in, program, 1, PROGRAM_MAX, check_program,
                  "^[A-Za-z0-9_-][A-Za-z0-9._-]*$", FIELD_NULLABLE,
                  "File name of a `program` bot in the operator's directory.", ""),
    FIELD_INT(struct bot_in, timeoutMs, TIMEOUT_MIN_MS, TIMEOUT_MAX_MS, TIMEOUT_USUAL_MS, 0,
              "Time limit in milliseconds.", "10000"),
    FIELD_BOOL(struct bot_in, warm, false, 0,
               "Whether the program answers line by line and keeps running between calls.",
               "false"),
    FIELD_JSON_MAP(struct bot_in, secrets, SECRETS_MAX, FIELD_NULLABLE | FIELD_SECRET,
                   "Secrets for the bot, by name. They are never shown again. If absent in a PUT, "
                   "the bot keeps its secrets unless its `url` or `program` changes.",
                   "{\"API_KEY\":\"sk-4f9a27\"}"),
    FIELD_IF_MATCH(struct bot_in, "the bot"),
};
FIELD_TABLE(bot_in);

static const struct field bot_rows[] = {
    FIELD_CHOICE(struct bot, resourceType, bot_type, FIELD_REQUIRED, "Always Bot.", "Bot"),
    FIELD_UUID(struct bot, id, FIELD_REQUIRED, "ID of the bot."),
    FIELD_JSON_LIST(struct bot, identifier, bot_identifier, 65536, FIELD_REQUIRED,
                    "Identifiers of the bot.",
                    "[{\"system\":\"https://lakeside.example/bots\",\"value\":\"intake\"}]"),
    FIELD_TEXT(struct bot, name, 1, 200, FIELD_REQUIRED | FIELD_CHARACTERS, "Display name.",
               "Intake form"),
    FIELD_CHOICE(struct bot, kind, kinds, FIELD_REQUIRED, "`http` or `program`.", "http"),
    FIELD_TEXT(struct bot, url, 1, URL_MAX, 0, "URL of an `http` bot.",
               "https://bots.lakeside.example/intake"),
    FIELD_TEXT(struct bot, program, 1, PROGRAM_MAX, 0, "File name of a `program` bot.", ""),
    FIELD_INT(struct bot, timeoutMs, TIMEOUT_MIN_MS, TIMEOUT_MAX_MS, TIMEOUT_USUAL_MS,
              FIELD_REQUIRED, "Time limit in milliseconds.", "10000"),
    FIELD_BOOL(struct bot, warm, false, FIELD_REQUIRED,
               "Whether the program keeps running between calls.", "false"),
    FIELD_JSON_TEXTS(struct bot, secretNames, 65536, FIELD_REQUIRED, "Names of the bot's secrets.",
                     "[\"API_KEY\"]"),
    FIELD_TEXT(struct bot, signingSecret, 0, 64, FIELD_SECRET,
               "Key with which calls to an `http` bot are signed (`X-Atrium-Signature`); only in "
               "the response that creates the bot.",
               "C2FVsBQIhrscChlQIMV-b5sSYspob7oDy9f0m2Kq3xE"),
    FIELD_TIME(struct bot, lastUpdated, FIELD_REQUIRED, "When the bot was last changed."),
    FIELD_ETAG(struct bot),
};
FIELD_TABLE(bot);

static const struct field bot_list_rows[] = {
    FIELD_OBJECTS(struct bot_list, resources, bot, LIST_ROWS_MAX, FIELD_REQUIRED,
                  "Bots of the project, sorted by name."),
};
FIELD_TABLE(bot_list);

static const struct field bot_executions_in_rows[] = {
    FIELD_UUID(struct bot_executions_in, id, FIELD_PATH | FIELD_REQUIRED, "ID of the bot."),
    FIELD_INT(struct bot_executions_in, _count, 1, 100, 20, FIELD_QUERY,
              "Maximum number of entries to return.", "20"),
    FIELD_INT(struct bot_executions_in, _offset, 0, EXECUTIONS_MAX, 0, FIELD_QUERY,
              "Number of entries to skip.", "0"),
};
FIELD_TABLE(bot_executions_in);

static const struct field bot_execution_rows[] = {
    FIELD_TIME(struct bot_execution, started, FIELD_REQUIRED, "When the execution started."),
    FIELD_INT(struct bot_execution, durationMs, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Duration in milliseconds.", "12"),
    FIELD_CHOICE(struct bot_execution, outcome, outcomes, FIELD_REQUIRED,
                 "Result of the execution.", "success"),
    FIELD_TEXT(struct bot_execution, profile, 0, 100, 0,
               "Caller; absent after the account was erased.",
               "Patient/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
};
FIELD_TABLE(bot_execution);

static const struct field bot_execution_list_rows[] = {
    FIELD_INT(struct bot_execution_list, total, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of stored executions.", "1"),
    FIELD_OBJECTS(struct bot_execution_list, resources, bot_execution, 100, FIELD_REQUIRED,
                  "Executions, newest first."),
};
FIELD_TABLE(bot_execution_list);

static const struct field bot_failure_rows[] = {
    FIELD_UUID(struct bot_failure, id, FIELD_REQUIRED, "ID of the bot."),
    FIELD_TEXT(struct bot_failure, name, 1, 200, FIELD_REQUIRED | FIELD_CHARACTERS, "Display name.",
               "Intake form"),
    FIELD_INT(struct bot_failure, failures, 1, INT64_MAX, 0, FIELD_REQUIRED,
              "Failed executions of the last 24 hours.", "3"),
    FIELD_TIME(struct bot_failure, lastFailureAt, FIELD_REQUIRED,
               "When the last failed execution started."),
    FIELD_CHOICE(struct bot_failure, lastOutcome, failures, FIELD_REQUIRED,
                 "Result of the last failed execution.", "failure"),
};
FIELD_TABLE(bot_failure);

static const struct field bot_failure_list_rows[] = {
    FIELD_OBJECTS(struct bot_failure_list, resources, bot_failure, FAILURES_MAX, FIELD_REQUIRED,
                  "Bots, the one with the latest failure first."),
};
FIELD_TABLE(bot_failure_list);

static const struct field bot_execute_in_rows[] = {
    FIELD_TEXT(struct bot_execute_in, identifier, 1, 2 * IDENTIFIER_MAX + 1,
               FIELD_QUERY | FIELD_REQUIRED,
               "`system|value`, `|value` (without a system), `system|` or `value`. Write `\\|` for "
               "a bar that is part of the text.",
               "https://lakeside.example/bots|intake"),
    FIELD_JSON_OBJECT(struct bot_execute_in, input, 1048576, FIELD_REQUIRED | FIELD_BODY,
                      "Input of the bot.", "{\"answer\":42}"),
};
FIELD_TABLE(bot_execute_in);

static const struct field bot_answer_rows[] = {
    FIELD_JSON(struct bot_answer, output, 1048576, FIELD_REQUIRED | FIELD_BODY,
               "Output of the bot.", "{\"ok\":true}"),
};
FIELD_TABLE(bot_answer);

static const struct field operator_bot_put_in_rows[] = {
    FIELD_UUID(struct operator_bot_put_in, projectId, FIELD_REQUIRED, "Project of the bot."),
    FIELD_OBJECT(struct operator_bot_put_in, bot, bot_in, FIELD_REQUIRED, "The bot."),
};
FIELD_TABLE(operator_bot_put_in);

static const struct field operator_bot_run_in_rows[] = {
    FIELD_UUID(struct operator_bot_run_in, projectId, FIELD_REQUIRED, "Project of the bot."),
    FIELD_TEXT(struct operator_bot_run_in, identifier, 1, 2 * IDENTIFIER_MAX + 1, FIELD_REQUIRED,
               "Identifier of the bot, as in the query of `POST /bots`.", "intake"),
    FIELD_JSON_OBJECT(struct operator_bot_run_in, input, 1048576, FIELD_REQUIRED,
                      "Input of the bot.", "{}"),
};
FIELD_TABLE(operator_bot_run_in);

static const struct field translation_in_rows[] = {
    FIELD_TEXT(struct translation_in, sourceLanguage, LANGUAGE_MIN, LANGUAGE_MAX,
               FIELD_REQUIRED | FIELD_CHARACTERS,
               "Language of the texts: an ISO 639-1 code, or its English or native name.", "en"),
    FIELD_TEXT(struct translation_in, targetLanguage, LANGUAGE_MIN, LANGUAGE_MAX,
               FIELD_REQUIRED | FIELD_CHARACTERS,
               "Language to translate to: an ISO 639-1 code, or its English or native name.",
               "Spanish"),
    FIELD_TEXTS_FILLED(struct translation_in, text, 0, TRANSLATED_MAX, TRANSLATIONS_MAX,
                       FIELD_REQUIRED | FIELD_CHARACTERS,
                       "Plain text, HTML or Markdown. `{{variables}}`, `${variables}`, tags, code "
                       "and addresses are not translated.",
                       "<p>Hello {{name}}</p>"),
};
FIELD_TABLE(translation_in);

static const struct field translation_item_rows[] = {
    FIELD_CHOICE(struct translation_item, status, translation_statuses, FIELD_REQUIRED,
                 "`translated`; `unchanged`, if there was nothing to translate; `failed`, if no "
                 "translation kept all placeholders: the text is then the original.",
                 "translated"),
};
FIELD_TABLE(translation_item);

static const struct field translation_rows[] = {
    FIELD_TEXT(struct translation, sourceLanguage, 2, 2, FIELD_REQUIRED,
               "ISO 639-1 code of the source language.", "en"),
    FIELD_TEXT(struct translation, targetLanguage, 2, 2, FIELD_REQUIRED,
               "ISO 639-1 code of the target language.", "es"),
    FIELD_TEXTS(struct translation, text, 0, TRANSLATION_MAX, TRANSLATIONS_MAX, FIELD_REQUIRED,
                "The translations, in the order of the texts.", "<p>Hola {{name}}</p>"),
    FIELD_OBJECTS(struct translation, items, translation_item, TRANSLATIONS_MAX, FIELD_REQUIRED,
                  "Result for each text."),
};
FIELD_TABLE(translation);

#define SERVICE botd
#define SERVICE_OPERATIONS OPERATION_METHODS
#include "common/bus/operations.def"
