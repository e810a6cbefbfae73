/* botd_api.h - botd's inputs and outputs, for the gateway and atriumctl. */
#ifndef ATRIUM_BOTD_BOTD_API_H
#define ATRIUM_BOTD_BOTD_API_H

#include "common/bus/method.h"
#include "common/service/erasure.h"
#include "common/service/project_purge.h"
#include "common/wire/fields.h"

/* ---- routes ---- */

struct bot_id_in {
    struct uuid id;
};
FIELD_DECLARE(bot_id_in);

struct bot_identifier {
    const char *system, *value; /* system NULL: none */
};
FIELD_DECLARE(bot_identifier);

struct bot_in {
    struct uuid id;               /* absent on create */
    struct field_list identifier; /* struct bot_identifier, 1 to 10 */
    const char *name;
    const char *kind;    /* "http" or "program" */
    const char *url;     /* only for http */
    const char *program; /* in the configured directory */
    int64_t timeoutMs;   /* 100 to 30,000 */
    bool warm;           /* runs between calls */
    const char *secrets; /* JSON object of texts; NULL: unchanged */
    const char *ifMatch; /* only to replace */
};
FIELD_DECLARE(bot_in);

struct bot {
    const char *resourceType; /* "Bot" */
    struct uuid id;
    const char *identifier; /* JSON array */
    const char *name, *kind, *url, *program;
    int64_t timeoutMs;
    bool warm;
    const char *secretNames;   /* JSON array */
    const char *signingSecret; /* only in the response to the creation */
    int64_t lastUpdated;
    const char *etag; /* the ETag header, quoted; not in lists */
};
FIELD_DECLARE(bot);

struct bot_list {
    struct field_list resources; /* struct bot */
};
FIELD_DECLARE(bot_list);

struct bot_executions_in {
    struct uuid id;
    int64_t _count, _offset;
};
FIELD_DECLARE(bot_executions_in);

struct bot_execution {
    int64_t started, durationMs;
    const char *outcome; /* "success", "failure", "timeout", "refused" */
    const char *profile; /* requester, "Patient/<id>" */
};
FIELD_DECLARE(bot_execution);

struct bot_execution_list {
    int64_t total;
    struct field_list resources; /* struct bot_execution, newest first */
};
FIELD_DECLARE(bot_execution_list);

struct bot_failure {
    struct uuid id;
    const char *name;
    int64_t failures; /* in the last 24 hours */
    int64_t lastFailureAt;
    const char *lastOutcome;
};
FIELD_DECLARE(bot_failure);

struct bot_failure_list {
    struct field_list resources; /* struct bot_failure, latest failure first */
};
FIELD_DECLARE(bot_failure_list);

struct bot_execute_in {
    const char *identifier; /* see token_search.h */
    const char *input;      /* the whole body: a JSON object */
};
FIELD_DECLARE(bot_execute_in);

struct bot_answer {
    const char *output; /* the whole body: any JSON value */
};
FIELD_DECLARE(bot_answer);

struct translation_in {
    const char *sourceLanguage, *targetLanguage; /* as language_find() accepts them */
    struct field_texts text;                     /* 1 to 100 */
};
FIELD_DECLARE(translation_in);

struct translation_item {
    const char *status; /* "translated", "unchanged", "failed" */
};
FIELD_DECLARE(translation_item);

struct translation {
    const char *sourceLanguage, *targetLanguage; /* ISO 639-1 */
    struct field_texts text;
    struct field_list items; /* struct translation_item */
};
FIELD_DECLARE(translation);

/* ---- operators ---- */

struct operator_bot_put_in {
    struct uuid projectId;
    const struct bot_in *bot; /* replaces the bot with its first identifier */
};
FIELD_DECLARE(operator_bot_put_in);

struct operator_bot_run_in {
    struct uuid projectId;
    const char *identifier, *input;
};
FIELD_DECLARE(operator_bot_run_in);

#define SERVICE botd
#define SERVICE_OPERATIONS OPERATION_CALLS
#include "common/bus/operations.def"

#endif
