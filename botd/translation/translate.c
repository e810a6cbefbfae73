/*
 * translate.c - POST /ai/translation: masks the texts and translates what the memory lacks. A text
 * that lost a mark is retried by stretches, or returned unchanged. Texts are neither logged nor
 * audited.
 */
#include <string.h>

#include "botd/botd_api.h"
#include "botd/sql/translation.h"
#include "botd/translation/budget.h"
#include "botd/translation/memory.h"
#include "common/domain/policy.h"
#include "common/wire/codec.h"

enum {
    UNDER_WAY_MAX = 16 * 1024 * 1024, /* bytes of texts; their copies take fifteen times as much */
    ANSWER_MS = 3000,                 /* kept for the response */
    YIELD_BYTES = 128 * 1024,         /* after so many bytes, the loop gets a turn */
    STRETCHES_MAX = 200,              /* per retried text */
    STRETCHES_ALL_MAX = 2000,
    GROWTH = 3, /* longest result, relative to the text */
    GROWTH_SPARE = 200,
};

enum status { TRANSLATED, UNCHANGED, FAILED };
static const char *const statuses[] = {"translated", "unchanged", "failed"};

struct item {
    const char *source;
    const char *shown;  /* NULL: nothing to translate */
    const char *result; /* NULL: none yet */
    size_t same_as;     /* first equal item, possibly itself */
    int64_t characters; /* taken from the budget */
    bool answered;      /* the provider has answered, completely or not */
};

struct work {
    struct botd *d;
    const struct request *req;
    struct provider_call call; /* without texts */
    struct item *items;
    struct memory_text *remembered;
    size_t count, unyielded;
};

/* ---- the request ---- */

static int read_languages(struct work *self, const struct translation_in *in, struct error *err)
{
    struct arena *arena = self->req->arena;
    int rc = 0;

    self->call.from = language_find(arena, in->sourceLanguage);
    self->call.to = language_find(arena, in->targetLanguage);
    if (!self->call.from)
        rc = error_problem(err, "sourceLanguage", "must be an ISO 639-1 code or a language's name");
    if (!self->call.to)
        rc = error_problem(err, "targetLanguage", "must be an ISO 639-1 code or a language's name");
    if (rc == 0 && self->call.from == self->call.to)
        rc = error_problem(err, "targetLanguage",
                           "must be a different language than sourceLanguage");
    return rc;
}

static int check_pair(const struct work *self, struct error *err)
{
    const struct provider *provider = &self->d->provider;
    bool has = false;

    if (provider->has_pair(provider->self, &self->call, &has, err) < 0)
        return -1;
    if (has)
        return 0;
    return error_problem(err, "targetLanguage", "no translation from %s to %s is installed",
                         language_name(self->req->arena, self->call.from),
                         language_name(self->req->arena, self->call.to));
}

/* Lets other fibers run, because masking can take tens of milliseconds. */
static int let_others(struct work *self, const char *text, struct error *err)
{
    self->unyielded += strlen(text);
    if (self->unyielded < YIELD_BYTES)
        return 0;
    self->unyielded = 0;
    return fiber_sleep_until(self->d->svc.loop, clock_mono_ms(), err);
}

static int read_texts(struct work *self, const struct field_texts *texts, struct error *err)
{
    self->count = texts->count;
    self->items = arena_calloc(self->req->arena, texts->count, sizeof(*self->items));
    for (size_t i = 0; i < self->count; i++) {
        CLEANUP(arena_destroy) struct arena *scratch = arena_new();
        struct item *item = &self->items[i];
        struct mask mask;

        *item = (struct item){.source = texts->items[i], .same_as = 0};
        while (strcmp(self->items[item->same_as].source, item->source) != 0)
            item->same_as++;
        if (item->same_as < i)
            continue;
        mask = mask_scan(scratch, item->source);
        if (mask.translatable)
            item->shown = arena_strdup(self->req->arena,
                                       mask_render(scratch, &mask, self->d->provider.style));
        if (let_others(self, item->source, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- results ---- */

static void keep(const struct work *self, struct item *item, const char *result)
{
    if (strlen(result) <= GROWTH * strlen(item->source) + GROWTH_SPARE)
        item->result = arena_strdup(self->req->arena, result);
}

static bool is_pending(const struct item *item)
{
    return item->shown && !item->result;
}

static void take_answer(struct work *self, struct item *item, const char *answer)
{
    CLEANUP(arena_destroy) struct arena *scratch = arena_new();
    struct mask mask = mask_scan(scratch, item->source);
    const char *result;

    if (mask_restore(scratch, &mask, self->d->provider.style, answer, &result) == 0)
        keep(self, item, result);
}

/* ---- translation memory ---- */

static int recall(struct work *self, struct error *err)
{
    self->remembered = arena_calloc(self->req->arena, self->count, sizeof(*self->remembered));
    for (size_t i = 0; i < self->count; i++)
        self->remembered[i].shown = self->items[i].shown;
    if (memory_recall(self->d, self->req, &self->call, self->remembered, self->count, err) < 0)
        return -1;
    for (size_t i = 0; i < self->count; i++) {
        if (self->remembered[i].answer)
            take_answer(self, &self->items[i], self->remembered[i].answer);
        if (let_others(self, self->items[i].source, err) < 0)
            return -1;
    }
    return 0;
}

static int take_budget(struct work *self, size_t *ret, struct error *err)
{
    bool limited = self->d->config->translation_daily_characters > 0;
    int64_t characters = 0;

    *ret = 0;
    for (size_t i = 0; i < self->count; i++) {
        struct item *item = &self->items[i];

        *self->d->texts_recalled += item->result != NULL;
        if (!is_pending(item))
            continue;
        ++*ret;
        if (limited)
            item->characters = (int64_t)codec_characters(item->source, strlen(item->source));
        characters += item->characters;
    }
    return characters > 0 ? budget_reserve(self->d, self->req, characters, err) : 0;
}

/* ---- whole texts ---- */

static int translate_whole(struct work *self, struct error *err)
{
    const struct provider *provider = &self->d->provider;
    struct arena *arena = self->req->arena;
    const char **texts = arena_calloc(arena, self->count, sizeof(*texts));
    const char **answers = arena_calloc(arena, self->count, sizeof(*answers));
    size_t answer = 0;

    self->call.count = 0;
    for (size_t i = 0; i < self->count; i++)
        if (is_pending(&self->items[i]))
            texts[self->call.count++] = self->items[i].shown;
    self->call.texts = texts;
    if (self->call.count > 0 && provider->translate(provider->self, &self->call, answers, err) < 0)
        return -1;
    for (size_t i = 0; i < self->count; i++) {
        struct item *item = &self->items[i];

        if (!is_pending(item) || !answers[answer++])
            continue;
        item->answered = true;
        take_answer(self, item, answers[answer - 1]);
        if (item->result)
            self->remembered[i].answer = answers[answer - 1];
        if (let_others(self, item->source, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- stretch by stretch ---- */

struct stretches {
    const char **sources, **shown, **results;
    /* wanted: needs translation; lost: no answer fits */
    bool *wanted, *lost;
    size_t count;
};

/* False: too many. */
static bool add_stretches(const struct work *self, const struct item *item, struct arena *scratch,
                          struct stretches *ret)
{
    struct mask mask = mask_scan(scratch, item->source);
    const char **texts = mask_texts(scratch, &mask);

    if (mask.texts > STRETCHES_MAX || mask.texts > STRETCHES_ALL_MAX - ret->count)
        return false;
    for (size_t i = 0; i < mask.texts; i++) {
        const char *source = arena_strdup(self->req->arena, texts[i]);
        struct mask plain = mask_plain(self->req->arena, source);

        ret->sources[ret->count] = source;
        ret->shown[ret->count++] = mask_render(self->req->arena, &plain, self->d->provider.style);
    }
    return true;
}

/* Restores the stretches' marks. A stretch without an answer stays unchanged. */
static void restore_stretches(const struct work *self, struct stretches *all,
                              const char *const *answers)
{
    for (size_t i = 0; i < all->count; i++) {
        struct mask plain = mask_plain(self->req->arena, all->sources[i]);

        all->wanted[i] = plain.translatable;
        all->lost[i] =
            plain.translatable &&
            (!answers[i] || mask_restore(self->req->arena, &plain, self->d->provider.style,
                                         answers[i], &all->results[i]) < 0);
        if (!all->wanted[i] || all->lost[i])
            all->results[i] = all->sources[i];
    }
}

/* Stores joined stretches as one answer. */
static void remember_joined(struct work *self, size_t index)
{
    CLEANUP(arena_destroy) struct arena *scratch = arena_new();
    const struct item *item = &self->items[index];
    enum mask_style style = self->d->provider.style;
    struct mask source = mask_scan(scratch, item->source);
    struct mask result = mask_scan(scratch, item->result);
    const char *shown = mask_render(scratch, &result, style), *restored;

    if (mask_restore(scratch, &source, style, shown, &restored) == 0 &&
        strcmp(restored, item->result) == 0)
        self->remembered[index].answer = arena_strdup(self->req->arena, shown);
}

/* Joins an item's stretches. If no stretch has an answer, the item stays pending. */
static void join(struct work *self, size_t index, const struct stretches *all, size_t first)
{
    CLEANUP(arena_destroy) struct arena *scratch = arena_new();
    struct item *item = &self->items[index];
    struct mask mask = mask_scan(scratch, item->source);
    size_t wanted = 0, lost = 0;
    const char *result;

    for (size_t i = first; i < first + mask.texts; i++) {
        wanted += all->wanted[i];
        lost += all->lost[i];
    }
    if (lost == wanted)
        return;
    item->answered = true;
    if (mask_join(scratch, &mask, all->results + first, &result) == 0)
        keep(self, item, result);
    if (item->result && lost == 0)
        remember_joined(self, index);
}

/* Returns incomplete texts unchanged, without an error. */
static int translate_stretches(struct work *self, struct error *err)
{
    const struct provider *provider = &self->d->provider;
    struct arena *arena = self->req->arena;
    struct stretches all = {.sources = arena_calloc(arena, STRETCHES_ALL_MAX, sizeof(char *)),
                            .shown = arena_calloc(arena, STRETCHES_ALL_MAX, sizeof(char *)),
                            .results = arena_calloc(arena, STRETCHES_ALL_MAX, sizeof(char *)),
                            .wanted = arena_calloc(arena, STRETCHES_ALL_MAX, sizeof(bool)),
                            .lost = arena_calloc(arena, STRETCHES_ALL_MAX, sizeof(bool))};
    const char **answers = arena_calloc(arena, STRETCHES_ALL_MAX, sizeof(*answers));
    size_t *first = arena_calloc(arena, self->count, sizeof(*first));
    bool *added = arena_calloc(arena, self->count, sizeof(*added));

    for (size_t i = 0; i < self->count; i++) {
        CLEANUP(arena_destroy) struct arena *scratch = arena_new();

        first[i] = all.count;
        if (!is_pending(&self->items[i]))
            continue;
        added[i] = add_stretches(self, &self->items[i], scratch, &all);
        if (let_others(self, self->items[i].source, err) < 0)
            return -1;
    }
    self->call.texts = all.shown;
    self->call.count = all.count;
    if (all.count == 0 || provider->translate(provider->self, &self->call, answers, err) < 0) {
        error_clear(err);
        return 0;
    }
    restore_stretches(self, &all, answers);
    for (size_t i = 0; i < self->count; i++)
        if (added[i])
            join(self, i, &all, first[i]);
    return 0;
}

/* ---- the answer ---- */

static enum status status_of(const struct item *item)
{
    if (item->shown && !item->result)
        return FAILED;
    return item->result && strcmp(item->result, item->source) != 0 ? TRANSLATED : UNCHANGED;
}

static void answer(struct work *self, struct translation *out)
{
    struct arena *arena = self->req->arena;
    struct translation_item *items = arena_calloc(arena, self->count, sizeof(*items));
    const char **texts = arena_calloc(arena, self->count, sizeof(*texts));

    for (size_t i = 0; i < self->count; i++) {
        const struct item *item = &self->items[self->items[i].same_as];
        enum status status = status_of(item);

        texts[i] = item->result ? item->result : item->source;
        items[i].status = statuses[status];
        ++*self->d->translated_items[status];
    }
    *out = (struct translation){.sourceLanguage = self->call.from->code,
                                .targetLanguage = self->call.to->code,
                                .text = {texts, self->count},
                                .items = {items, self->count}};
}

static int64_t unused_characters(const struct work *self)
{
    int64_t sum = 0;

    for (size_t i = 0; i < self->count; i++)
        if (!self->items[i].answered)
            sum += self->items[i].characters;
    return sum;
}

static int record(const struct work *self, bool failed, struct error *err)
{
    struct memory_rows rows = memory_rows(self->d, self->req, self->remembered, self->count);
    struct sql_translation_record_in in = {
        .project = self->req->caller->project,
        .now = self->req->now_ms,
        .keys = rows.keys,
        .values = rows.values,
        .day = budget_day(self->req),
        .unused_characters = unused_characters(self),
        .audit =
            audit_row(self->req, &(struct audit){.action = "translation.execute",
                                                 .failure = failed,
                                                 .detail = arena_printf(self->req->arena, "%s-%s",
                                                                        self->call.from->code,
                                                                        self->call.to->code)})};
    struct sql_translation_record_row size;
    int added = sql_translation_record(self->d->svc.db, self->req, &in, &size, err);

    if (added < 0)
        return -1;
    /* the next request trims the rest */
    if (added > 0 && memory_trim(self->d, self->req, size.entries, size.bytes, err) < 0)
        error_clear(err);
    return 0;
}

static void record_failure(const struct work *self)
{
    struct error err;

    error_init(&err, self->req->arena);
    if (record(self, true, &err) < 0)
        log_event(LOG_ERR, "translate", "a failure could not be recorded", "trace",
                  self->req->trace, "code", error_kind(err.code)->wire, NULL);
}

/* Not audited, like all reads. */
static int run(struct work *self, const struct translation_in *in, struct error *err)
{
    struct error counted; /* keeps the rate limit of err, which a handled failure clears */
    size_t pending;

    if (read_texts(self, &in->text, err) < 0 || recall(self, err) < 0 ||
        take_budget(self, &pending, err) < 0)
        return -1;
    if (pending == 0)
        return 0;
    counted = *err;
    *self->d->texts_asked += pending;
    if (translate_whole(self, err) < 0 || translate_stretches(self, err) < 0) {
        record_failure(self);
        return -1;
    }
    if (record(self, false, err) < 0)
        return -1;
    error_limit(err, counted.limit, counted.remaining, counted.reset_s);
    return 0;
}

/* ---- handlers ---- */

/* Fails: FORBIDDEN (policy), VALIDATION (languages), THROTTLED (budget), OVERLOADED, UNAVAILABLE,
 * DEADLINE. */
int translate(struct botd *d, const struct request *req, const struct translation_in *in,
              struct translation *out, struct error *err)
{
    struct work work = {.d = d,
                        .req = req,
                        .call = {.arena = req->arena,
                                 .deadline_mono_ms = req->deadline_mono_ms - ANSWER_MS}};
    size_t size = 0;
    int rc;

    if (policy_check(req, "Translation", POLICY_EXECUTE, err) < 0 ||
        read_languages(&work, in, err) < 0 || check_pair(&work, err) < 0)
        return -1;
    for (size_t i = 0; i < in->text.count; i++)
        size += strlen(in->text.items[i]);
    if (!fiber_sem_try(&d->translating, size))
        return error_retry(err, ERR_OVERLOADED, 5,
                           "Too many texts are being translated. Try again.");
    rc = run(&work, in, err);
    fiber_sem_release(&d->translating, size);
    if (rc == 0)
        answer(&work, out);
    return rc;
}

int translate_open(struct botd *d, struct error *err)
{
    static const char *const labels[] = {"status=\"translated\"", "status=\"unchanged\"",
                                         "status=\"failed\""};
    static const char texts_help[] =
        "Different texts in requests, by the source of their translations.";

    if (provider_open(d, &d->provider, err) < 0)
        return -1;
    fiber_sem_init(&d->translating, d->svc.loop, UNDER_WAY_MAX, 0);
    for (size_t i = 0; i < ARRAY_SIZE(labels); i++)
        d->translated_items[i] = metrics_counter(d->svc.metrics, "atrium_translation_items_total",
                                                 labels[i], "Texts to translate, by outcome.");
    d->texts_recalled = metrics_counter(d->svc.metrics, "atrium_translation_texts_total",
                                        "from=\"memory\"", texts_help);
    d->texts_asked = metrics_counter(d->svc.metrics, "atrium_translation_texts_total",
                                     "from=\"provider\"", texts_help);
    d->translations_refused =
        metrics_counter(d->svc.metrics, "atrium_translation_refused_total", "",
                        "Requests rejected because of the project's daily limit of characters.");
    return 0;
}
