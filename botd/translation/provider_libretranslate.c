/*
 * provider_libretranslate.c - see provider_libretranslate.h. Marks are empty HTML elements, which
 * the server moves correctly.
 */
#include "botd/translation/provider_libretranslate.h"

#include <stdlib.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/wire/codec.h"

enum {
    PAIRS_MAX = 20000,
    PAIRS_MS = 10 * 1000, /* longest wait for the list */
    FRESH_MS = MINUTES(5),
    RETRY_S = 5, /* until the list is reloaded */
};

struct pair {
    const struct language *from, *to;
    const char *source, *target; /* the server's names, such as "zh-Hans" */
};

struct libretranslate {
    struct provider_http *http;
    struct arena *arena; /* memory of the pairs; NULL: unknown */
    struct pair *pairs;
    size_t count;
    int64_t stale_mono_ms;
};

static void add_pair(struct pair *pairs, size_t *count, const struct pair *pair)
{
    if (!pair->from || !pair->to || pair->from == pair->to || *count >= PAIRS_MAX)
        return;
    for (size_t i = 0; i < *count; i++) /* prefers the first variant */
        if (pairs[i].from == pair->from && pairs[i].to == pair->to)
            return;
    pairs[(*count)++] = *pair;
}

static void add_targets(struct arena *arena, const json_t *language, struct pair *pairs,
                        size_t *count)
{
    const char *source = json_string_value(json_object_get(language, "code"));
    struct pair pair = {.source = source ? arena_strdup(arena, source) : NULL};
    const json_t *target;
    size_t i;

    pair.from = pair.source ? language_find(arena, pair.source) : NULL;
    json_array_foreach(json_object_get(language, "targets"), i, target)
    {
        if (!json_is_string(target))
            continue;
        pair.target = arena_strdup(arena, json_string_value(target));
        pair.to = language_find(arena, pair.target);
        add_pair(pairs, count, &pair);
    }
}

/* -1: no pair. */
static int take_pairs(struct libretranslate *self, const json_t *languages)
{
    struct arena *arena = arena_new();
    struct pair *pairs = arena_calloc(arena, PAIRS_MAX, sizeof(*pairs));
    const json_t *language;
    size_t i, count = 0;

    json_array_foreach(languages, i, language)
    {
        add_targets(arena, language, pairs, &count);
    }
    if (count == 0) {
        arena_destroy(&arena);
        return -1;
    }
    arena_destroy(&self->arena);
    self->arena = arena;
    self->pairs = pairs;
    self->count = count;
    self->stale_mono_ms = clock_mono_ms() + FRESH_MS;
    return 0;
}

static int ask_pairs(struct libretranslate *self, int64_t deadline_mono_ms, struct error *err)
{
    CLEANUP(arena_destroy) struct arena *scratch = arena_new();
    json_auto_t *languages = NULL;

    if (provider_http_call(self->http, scratch, "/languages", NULL, NULL,
                           MIN(deadline_mono_ms, clock_mono_ms() + PAIRS_MS), &languages, err) < 0)
        return -1;
    if (take_pairs(self, languages) == 0)
        return 0;
    return error_retry(err, ERR_UNAVAILABLE, RETRY_S,
                       "The translation provider lists no languages.");
}

static const struct pair *pair_of(const struct libretranslate *self,
                                  const struct provider_call *call)
{
    for (size_t i = 0; i < self->count; i++)
        if (self->pairs[i].from == call->from && self->pairs[i].to == call->to)
            return &self->pairs[i];
    return NULL;
}

static int has_pair(void *arg, const struct provider_call *call, bool *ret, struct error *err)
{
    struct libretranslate *self = arg;

    if (!self->arena && ask_pairs(self, call->deadline_mono_ms, err) < 0) {
        error_clear(err); /* not the client's fault */
        return error_retry(err, ERR_UNAVAILABLE, RETRY_S,
                           "Translation is not available right now. Please try again.");
    }
    *ret = pair_of(self, call) != NULL;
    return 0;
}

/* Returns the body without the key. */
static char *compose(const struct provider_call *call, const struct pair *pair, size_t from,
                     size_t count)
{
    json_auto_t *body = NULL;
    json_t *texts = json_array();

    for (size_t i = from; i < from + count; i++)
        json_array_append_new(texts, json_string(call->texts[i]));
    body = json_pack("{s:o, s:s, s:s, s:s}", "q", texts, "source", pair->source, "target",
                     pair->target, "format", "html");
    return codec_dump_json(call->arena, body);
}

static int ask(void *arg, const struct provider_call *call, size_t from, size_t count,
               const char **ret, struct error *err)
{
    struct libretranslate *self = arg;
    const struct pair *pair = pair_of(self, call);
    const char *key = provider_http_key(self->http), *body;
    json_auto_t *answer = NULL;
    int rc;

    if (!pair) /* the server no longer has this pair */
        return error_set(err, ERR_BAD_REQUEST, "The translation failed. Please try again later.");
    body = compose(call, pair, from, count);
    if (key) /* replaces the first brace */
        body = arena_printf(call->arena, "{\"api_key\":\"%s\",%s", key, body + 1);
    rc = provider_http_call(self->http, call->arena, "/translate", NULL, body,
                            call->deadline_mono_ms, &answer, err);
    if (key)
        secret_wipe_text(body);
    if (rc < 0)
        return -1;
    rc = provider_http_texts(call->arena, json_object_get(answer, "translatedText"), count,
                             ret + from);
    return rc == 0
               ? 0
               : error_set(err, ERR_BAD_REQUEST, "The translation failed. Please try again later.");
}

static int translate(void *arg, const struct provider_call *call, const char **ret,
                     struct error *err)
{
    struct libretranslate *self = arg;

    return provider_http_translate(self->http, ask, self, call, ret, err);
}

/* ---- interface ---- */

/* Reloads the list of pairs. After a failure, the old list stays. */
static int tend(void *arg, const struct request *req UNUSED, struct error *err)
{
    struct libretranslate *self = arg;

    if (self->arena && clock_mono_ms() < self->stale_mono_ms)
        return 0;
    return ask_pairs(self, INT64_MAX, err);
}

static int check(void *arg, const struct request *req, struct finding *ret, struct error *err)
{
    struct libretranslate *self = arg;
    const char *url = provider_http_url(self->http);

    if (ask_pairs(self, req->deadline_mono_ms, err) < 0)
        return check_fail(req, ret, NULL, "%s: %s", url,
                          err->detail[0] ? err->detail : err->message);
    return check_ok(req, ret, "%s: %zu pairs of languages", url, self->count);
}

static void destroy(void *arg)
{
    struct libretranslate *self = arg;

    provider_http_destroy(&self->http);
    arena_destroy(&self->arena);
    free(self);
}

int provider_libretranslate(struct loop *loop, struct metrics *metrics,
                            const struct provider_http_options *options, struct provider *ret,
                            struct error *err)
{
    struct libretranslate *self = memory_new(sizeof(*self));

    if (provider_http_open(loop, metrics, options, &self->http, err) < 0) {
        free(self);
        return -1;
    }
    *ret = (struct provider){.name = "libretranslate",
                             .style = MASK_ELEMENT,
                             .self = self,
                             .has_pair = has_pair,
                             .translate = translate,
                             .tend = tend,
                             .check = check,
                             .destroy = destroy};
    return 0;
}
