/*
 * provider_http.c - see provider_http.h. If a provider fails, untranslated texts stay unchanged; if
 * all are, the request fails with a Retry-After. A provider's messages can quote texts, so they are
 * neither returned nor logged.
 */
#include "botd/translation/provider_http.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/address.h"
#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/domain/uri.h"
#include "common/service/fetch.h"
#include "common/wire/codec.h"

enum {
    QUESTION_TEXTS = 50,
    QUESTION_BYTES = 16 * 1024,
    STRIKES_MAX = 4, /* failed questions per request */
    /* In nested JSON, \\u0000 takes seven bytes. */
    ANSWER_GROWTH = 16,
    ANSWER_SPARE = 256 * 1024,
    RETRY_S = 5,          /* if the provider names none */
    RETRY_MAX_S = 3600,   /* upper limit */
    RETRY_MISTAKE_S = 60, /* an operator must fix the error */
};

struct provider_http {
    struct curl_loop *curl;
    struct provider_http_options options;
    struct secret key;
    uint64_t *answered, *wrong, *away;
};

/* ---- URL and key ---- */

static bool is_loopback(const struct uri *uri)
{
    return uri_is_loopback(uri) || (uri->kind == URI_IPV4 && strncmp(uri->host, "127.", 4) == 0);
}

int provider_http_check(const struct provider_http_options *options, struct error *err)
{
    struct uri uri;
    bool secure;

    if (options->url && uri_scheme_length(options->url) && !uri_after_http(options->url, &secure))
        return error_set(err, ERR_INTERNAL, "translation_url must be https");
    if (!options->url || !uri_parse(options->url, &uri))
        return error_set(err, ERR_INTERNAL, "translation_url must be an absolute URL");
    if (uri.has_user || uri.has_query || uri.has_fragment)
        return error_set(err, ERR_INTERNAL,
                         "translation_url must not have a user, a query or a fragment");
    if (uri.secure || options->plain || is_loopback(&uri))
        return 0;
    return error_set(err, ERR_INTERNAL,
                     "translation_url must be https unless it is on this machine or "
                     "translation_plain_http is true");
}

/* Rejects keys that need escaping in JSON or a header. */
static int load_key(const char *path, struct secret *ret, struct error *err)
{
    if (secret_load_text(path, ret, err) < 0)
        return -1;
    for (size_t i = 0; i < ret->length; i++) {
        if (ret->bytes[i] > ' ' && ret->bytes[i] < 0x7f && ret->bytes[i] != '"' &&
            ret->bytes[i] != '\\')
            continue;
        secret_wipe(ret);
        return error_set(err, ERR_INTERNAL, "%s: a key is printable ASCII.", path);
    }
    return 0;
}

static uint64_t *counter(struct metrics *metrics, const char *outcome)
{
    return metrics_counter(metrics, "atrium_translation_questions_total", outcome,
                           "Requests to the translation provider, by outcome.");
}

void provider_http_make_metrics(struct metrics *metrics)
{
    static const char *const outcomes[] = {"outcome=\"answered\"", "outcome=\"wrong\"",
                                           "outcome=\"away\""};

    for (size_t i = 0; i < ARRAY_SIZE(outcomes); i++)
        (void)counter(metrics, outcomes[i]);
}

int provider_http_open(struct loop *loop, struct metrics *metrics,
                       const struct provider_http_options *options, struct provider_http **ret,
                       struct error *err)
{
    struct provider_http *self = memory_new(sizeof(*self));

    self->options = *options;
    if (options->key_file && load_key(options->key_file, &self->key, err) < 0) {
        free(self);
        return -1;
    }
    self->curl = curl_loop_new(loop);
    self->answered = counter(metrics, "outcome=\"answered\"");
    self->wrong = counter(metrics, "outcome=\"wrong\"");
    self->away = counter(metrics, "outcome=\"away\"");
    *ret = self;
    return 0;
}

void provider_http_destroy(struct provider_http **self_p)
{
    struct provider_http *self = *self_p;

    if (!self)
        return;
    curl_loop_destroy(&self->curl);
    secret_wipe(&self->key);
    free(self);
    *self_p = NULL;
}

const char *provider_http_key(const struct provider_http *self)
{
    return self->key.length > 0 ? (const char *)self->key.bytes : NULL;
}

/* ---- one question ---- */

static int wrong(struct error *err)
{
    return error_set(err, ERR_BAD_REQUEST, "The translation failed. Please try again later.");
}

static int away(struct error *err, int64_t retry_s)
{
    return error_retry(err, ERR_UNAVAILABLE, MIN(retry_s, (int64_t)RETRY_MAX_S),
                       "Translation is not available right now. Please try again.");
}

/* Turns a refusal into an error. A 429 is not the client's fault: ERR_UNAVAILABLE with the
 * provider's Retry-After. */
static int refused(const struct fetch_answer *answer, struct error *err)
{
    switch (answer->status) {
    case 400:
    case 413:
    case 422:
        error_set(err, ERR_VALIDATION, "The provider rejected the request.");
        break;
    case 429:
    case 500:
    case 502:
    case 503:
    case 504:
        away(err, answer->retry_after_s > 0 ? answer->retry_after_s : RETRY_S);
        break;
    default: /* wrong key or path, or a redirect */
        away(err, RETRY_MISTAKE_S);
    }
    return error_detail(err, "the provider answered %ld", answer->status);
}

static int unheard(struct error *err)
{
    struct error cause = *err;

    if (cause.code == ERR_DEADLINE)
        return -1;
    error_clear(err);
    if (cause.code == ERR_TOO_LARGE)
        wrong(err);
    else
        away(err, RETRY_S);
    return error_detail(err, "%s", cause.detail[0] != '\0' ? cause.detail : cause.message);
}

/* True when another question may work. */
static bool is_request_error(const struct error *err)
{
    return err->code == ERR_VALIDATION || err->code == ERR_BAD_REQUEST;
}

static int call_once(struct provider_http *self, struct arena *arena, const struct fetch *what,
                     json_t **ret, struct error *err)
{
    struct fetch_answer answer;

    if (fetch_perform(self->curl, arena, what, &answer, err) < 0)
        return unheard(err);
    if (answer.status < 200 || answer.status > 299)
        return refused(&answer, err);
    *ret = codec_parse_json(answer.body, answer.size, false, err);
    if (*ret)
        return 0;
    error_clear(err);
    wrong(err);
    return error_detail(err, "the provider's answer is not JSON");
}

static const char *url_of(const struct provider_http *self, struct arena *arena, const char *path)
{
    size_t length = strlen(self->options.url);

    return arena_printf(arena, "%.*s%s", (int)(length - (self->options.url[length - 1] == '/')),
                        self->options.url, path);
}

int provider_http_call(struct provider_http *self, struct arena *arena, const char *path,
                       const char *header, const char *body, int64_t deadline_mono_ms, json_t **ret,
                       struct error *err)
{
    const char *const headers[] = {header, NULL};
    const struct fetch what = {
        .url = url_of(self, arena, path),
        .body = body,
        .headers = headers,
        .plain = true, /* the URL was checked */
        .answer_max = (body ? strlen(body) * ANSWER_GROWTH : 0) + ANSWER_SPARE,
        .deadline_mono_ms = MIN(deadline_mono_ms, clock_mono_ms() + self->options.timeout_ms)};
    int rc = call_once(self, arena, &what, ret, err);

    if (rc == 0)
        ++*self->answered;
    else if (is_request_error(err))
        ++*self->wrong;
    else
        ++*self->away;
    return rc;
}

const char *provider_http_url(const struct provider_http *self)
{
    return self->options.url;
}

int provider_http_reach(struct provider_http *self, struct arena *arena, const char *path,
                        const char *header, int64_t deadline_mono_ms, long *ret_status,
                        json_t **ret, struct error *err)
{
    const char *const headers[] = {header, NULL};
    const struct fetch what = {.url = url_of(self, arena, path),
                               .headers = headers,
                               .plain = true,
                               .answer_max = ANSWER_SPARE,
                               .deadline_mono_ms = deadline_mono_ms};
    struct fetch_answer answer;
    struct error not_json;

    if (fetch_perform(self->curl, arena, &what, &answer, err) < 0)
        return unheard(err);
    error_init(&not_json, arena);
    *ret_status = answer.status;
    *ret = codec_parse_json(answer.body, answer.size, false, &not_json);
    return 0;
}

int provider_http_texts(struct arena *arena, const json_t *list, size_t count, const char **ret)
{
    if (!json_is_array(list) || json_array_size(list) != count)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (!json_is_string(json_array_get(list, i)))
            return -1;
    for (size_t i = 0; i < count; i++)
        ret[i] = arena_strdup(arena, json_string_value(json_array_get(list, i)));
    return 0;
}

/* ---- a request's questions ---- */

struct asking {
    struct provider_http *http;
    provider_http_ask *ask;
    void *ask_arg;
    const struct provider_call *call;
    const char **ret;
    size_t done, strikes;
};

static size_t question_size(const struct provider_call *call, size_t from)
{
    size_t count = 0, bytes = 0;

    while (from + count < call->count && count < QUESTION_TEXTS) {
        bytes += strlen(call->texts[from + count]);
        if (count > 0 && bytes > QUESTION_BYTES)
            break;
        count++;
    }
    return count;
}

/* Returns 1 for a wrong answer. */
static int ask(struct asking *self, size_t from, size_t count, struct error *err)
{
    if (count == 0)
        return 0;
    if (self->ask(self->ask_arg, self->call, from, count, self->ret, err) == 0) {
        self->done += count;
        return 0;
    }
    memset(self->ret + from, 0, count * sizeof(*self->ret));
    if (!is_request_error(err))
        return -1;
    error_clear(err);
    return 1;
}

static int ask_again(struct asking *self, size_t from, size_t count, struct error *err)
{
    size_t half = count - count / 2;
    int rc = ask(self, from, half, err);

    if (rc < 0)
        return -1;
    self->strikes += rc > 0;
    rc = ask(self, from + half, count - half, err);
    self->strikes += rc > 0;
    return MIN(rc, 0);
}

int provider_http_translate(struct provider_http *self, provider_http_ask *fn, void *ask_arg,
                            const struct provider_call *call, const char **ret, struct error *err)
{
    struct asking asking = {.http = self, .ask = fn, .ask_arg = ask_arg, .call = call, .ret = ret};
    size_t from = 0;

    memset(ret, 0, call->count * sizeof(*ret));
    while (from < call->count && asking.strikes < STRIKES_MAX) {
        size_t count = question_size(call, from);
        int rc = ask(&asking, from, count, err);

        if (rc > 0)
            rc = ask_again(&asking, from, count, err);
        if (rc < 0) /* returns what is translated */
            return asking.done > 0 ? 0 : -1;
        from += count;
    }
    return 0;
}
