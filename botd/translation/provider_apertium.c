/*
 * provider_apertium.c - see provider_apertium.h.
 *
 * A language pair is a pipeline of a dozen programs that takes 0.1 s and 110 MB to start, so
 * pipelines keep running and flush at each NUL. Each text begins with a numbered superblank. If an
 * answer lacks it, or a program dies or stalls, the pipeline ends and the texts are retried one by
 * one. Each pair is tested with a word when installed, every minute while that fails, and by
 * `atriumctl doctor`.
 */
#include "botd/translation/provider_apertium.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "botd/sandbox/subprocess.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/runtime/fiber_sem.h"
#include "common/wire/codec.h"

enum {
    ROUND_BYTES = 8 * 1024, /* bytes per round; then other requests get a turn */
    ROUND_TEXTS = 64,
    ROUND_MS = 20 * 1000,
    STRIKES_MAX = 4, /* failed rounds per request */
    IDLE_MS = MINUTES(10),
    PIPELINE_CPU_S = 600,
    PIPELINE_MEMORY = 512 * 1024 * 1024,
    ANSWER_GROWTH = 8, /* times the text */
    ANSWER_SPARE = 4096,
    LINE_SIZE = 160,      /* a line of stderr, for the log */
    WORD_LENGTH = 4,      /* a text's words of fewer bytes may be logged */
    TRIAL_LEAST_MS = 500, /* starts no trial with less time left */
    TRIAL_AGAIN_MS = MINUTES(1),
    FAILURE_SIZE = 320,
};

struct pair {
    struct pair *next;
    const struct language *from, *to;
    char mode[16]; /* "eng-spa" */
    bool found;
    /* 0: none */
    int64_t tried_mono_ms;
    char failure[FAILURE_SIZE]; /* "": works */
};

struct pipeline {
    struct pipeline *next;
    struct sandboxed sandboxed;
    const struct pair *pair;
    int said; /* pipe from the stderr of all its stages */
    bool busy;
    int64_t used_mono_ms;
};

struct apertium {
    struct loop *loop;
    const struct programs *programs;
    struct apertium_options options;
    struct pair *pairs; /* pipelines point there */
    struct pipeline *all;
    size_t running;
    struct fiber_sem rounds; /* as many rounds as pipelines */
    uint64_t serial, *started;
};

/* ---- pairs ---- */

/* Accepts "eng-spa.mode", but no variant ("spa-eng_US"). */
static bool read_mode(struct arena *arena, const char *file, struct pair *ret)
{
    const char *dash = strchr(file, '-'), *dot = strchr(file, '.');

    if (!dash || !dot || dash > dot || strcmp(dot, ".mode") != 0 ||
        (size_t)(dot - file) >= sizeof(ret->mode) ||
        file[strspn(file, "abcdefghijklmnopqrstuvwxyz-")] != '.')
        return false;
    *ret = (struct pair){.found = true};
    ret->from = language_find(arena, arena_strndup(arena, file, (size_t)(dash - file)));
    ret->to = language_find(arena, arena_strndup(arena, dash + 1, (size_t)(dot - dash - 1)));
    memcpy(ret->mode, file, (size_t)(dot - file));
    return ret->from && ret->to;
}

static struct pair *pair_of(const struct apertium *self, const struct language *from,
                            const struct language *to)
{
    struct pair *pair = self->pairs;

    while (pair && (pair->from != from || pair->to != to))
        pair = pair->next;
    return pair;
}

static void add_pair(struct apertium *self, const struct pair *pair)
{
    struct pair *known = pair_of(self, pair->from, pair->to);

    if (!known) {
        known = memory_new(sizeof(*known));
        *known = *pair;
        known->next = self->pairs;
        self->pairs = known;
    }
    known->found = true;
}

/* Searches for installed pairs, so that a new package needs no restart. */
static int search(struct apertium *self, struct error *err)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    const char *folder = arena_printf(arena, "%s/modes", self->options.data_dir);
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    struct pair pair;
    bool any = false;

    for (struct pair *each = self->pairs; each; each = each->next)
        each->found = false;
    while (dir && (entry = readdir(dir))) {
        if (read_mode(arena, entry->d_name, &pair)) {
            add_pair(self, &pair);
            any = true;
        }
    }
    if (dir)
        closedir(dir);
    return any ? 0
               : error_set(err, ERR_UNAVAILABLE, "apertium has no pair of languages in %s", folder);
}

static int has_pair(void *arg, const struct provider_call *call, bool *ret,
                    struct error *err UNUSED)
{
    const struct pair *pair = pair_of(arg, call->from, call->to);

    *ret = pair && pair->found;
    return 0;
}

/* ---- pipelines ---- */

static void pipeline_end(struct apertium *self, struct pipeline *pipeline)
{
    struct pipeline **link = &self->all;

    while (*link != pipeline)
        link = &(*link)->next;
    *link = pipeline->next;
    self->running--;
    close(pipeline->said);
    sandbox_kill(programs_sandbox(self->programs), &pipeline->sandboxed);
    free(pipeline);
}

static struct pipeline *oldest_idle(const struct apertium *self)
{
    struct pipeline *oldest = NULL;

    for (struct pipeline *each = self->all; each; each = each->next)
        if (!each->busy && (!oldest || each->used_mono_ms < oldest->used_mono_ms))
            oldest = each;
    return oldest;
}

static void end_idle(struct apertium *self, int64_t since_mono_ms)
{
    struct pipeline *next;

    for (struct pipeline *each = self->all; each; each = next) {
        next = each->next;
        if (!each->busy && each->used_mono_ms <= since_mono_ms)
            pipeline_end(self, each);
    }
}

/* Debian's tool makes each stage flush; -n omits marks on unknown words. The shell becomes the last
 * stage (lastpipe), so it ends with any earlier one. Without /proc there is no /dev/fd, so only
 * plain pipes work. */
static int script(const struct apertium *self, const struct pair *pair)
{
    int fd = memfd_create("pipeline", MFD_CLOEXEC);

    if (fd < 0 ||
        dprintf(fd,
                "#!/bin/bash\n"
                "shopt -s lastpipe\n"
                "set -- -n ''\n"
                "stages=$(apertium-wblank-mode -z '%s/modes/%s.mode')\n"
                "eval \"${stages%%|*} | exec ${stages##*|}\"\n",
                self->options.data_dir, pair->mode) < 0 ||
        lseek(fd, 0, SEEK_SET) < 0)
        log_die("apertium", "out of memory");
    return fd;
}

static int start(struct apertium *self, const struct pair *pair, struct pipeline **ret,
                 struct error *err)
{
    struct sandbox_limits limits = {
        .cpu_s = PIPELINE_CPU_S, .memory = PIPELINE_MEMORY, .trusted = true};
    struct sandboxed sandboxed;
    struct pipeline *pipeline;
    int fd, said[2], rc;

    if (self->running >= self->options.pipelines_max)
        pipeline_end(self, oldest_idle(self)); /* there is an idle one, because fewer are busy */
    if (pipe2(said, O_CLOEXEC | O_NONBLOCK) < 0)
        return error_retry(err, ERR_UNAVAILABLE, 1,
                           "The translation failed. Please try again later.");
    fd = script(self, pair);
    limits.err = said[1];
    rc = sandbox_start(programs_sandbox(self->programs), fd, &limits, &sandboxed, err);
    close(fd);
    close(said[1]);
    if (rc < 0) {
        close(said[0]);
        return -1;
    }
    pipeline = memory_new(sizeof(*pipeline));
    *pipeline =
        (struct pipeline){.next = self->all, .sandboxed = sandboxed, .pair = pair, .said = said[0]};
    self->all = pipeline;
    self->running++;
    ++*self->started;
    *ret = pipeline;
    return 0;
}

static void take_last_line(const struct pipeline *pipeline, char ret[static LINE_SIZE])
{
    char bytes[512];
    size_t length = 0;
    bool ended = false;
    ssize_t size;

    while ((size = read(pipeline->said, bytes, sizeof(bytes))) > 0) {
        for (ssize_t i = 0; i < size; i++) {
            if (bytes[i] == '\n') {
                ended = true;
                continue;
            }
            if (ended)
                length = 0;
            ended = false;
            if (length < LINE_SIZE - 1)
                ret[length++] = (char)(bytes[i] >= ' ' && bytes[i] <= '~' ? bytes[i] : '?');
        }
    }
    ret[length] = '\0';
}

static bool is_in_a_text(const struct provider_call *call, const char *word)
{
    for (size_t i = 0; i < call->count; i++)
        if (strcasestr(call->texts[i], word))
            return true;
    return false;
}

/* True if a line of stderr quotes a text, which must not be logged. Stages write ASCII, so "?" is
 * input. */
static bool quotes_a_text(const struct provider_call *call, const char *line)
{
    static const char between[] = " \t'\"`()[]{}<>^$/\\,.:;=*#@_-";
    char words[LINE_SIZE], *rest = NULL;

    if (strchr(line, '?'))
        return true;
    snprintf(words, sizeof(words), "%s", line);
    for (char *word = strtok_r(words, between, &rest); word; word = strtok_r(NULL, between, &rest))
        if (strlen(word) >= WORD_LENGTH && is_in_a_text(call, word))
            return true;
    return false;
}

/* Logs the last line of stderr, which is also the error's detail. */
static int report(const struct pipeline *pipeline, const struct provider_call *call,
                  struct error *err)
{
    char line[LINE_SIZE];

    take_last_line(pipeline, line);
    if (quotes_a_text(call, line))
        snprintf(line, sizeof(line), "(a line that quotes a text)");
    log_event(LOG_WARNING, "apertium", "a pipeline failed", "pair", pipeline->pair->mode, "why",
              err->message, "stderr", line[0] != '\0' ? line : NULL, NULL);
    return line[0] != '\0' ? error_detail(err, "%s", line) : -1;
}

static int take_pipeline(struct apertium *self, const struct pair *pair, struct pipeline **ret,
                         struct error *err)
{
    struct pipeline *next;

    *ret = NULL;
    for (struct pipeline *each = self->all; each && !*ret; each = next) {
        next = each->next;
        if (each->busy || each->pair != pair)
            continue;
        if (subprocess_is_silent(&each->sandboxed) && !sandbox_ended(&each->sandboxed)) {
            *ret = each;
        } else {
            log_event(LOG_WARNING, "apertium", "an idle pipeline failed", "pair", pair->mode, NULL);
            pipeline_end(self, each);
        }
    }
    if (!*ret && start(self, pair, ret, err) < 0)
        return -1;
    (*ret)->busy = true;
    return 0;
}

/* ---- a round ---- */

/* Returns the superblank (a part that Apertium copies unchanged) that precedes a text in the input,
 * and its translation in the output. */
static const char *label(struct arena *arena, uint64_t serial)
{
    return arena_printf(arena, "[=%" PRIu64 "]", serial);
}

/* Takes a round's answers. -1: they do not match the input. */
static int take_answers(struct arena *arena, const struct subprocess_output *answer,
                        uint64_t serial, size_t count, const char **ret)
{
    const char *at = answer->text, *end = answer->text + answer->size;

    for (size_t i = 0; i < count; i++) {
        const char *want = label(arena, serial + i);
        size_t length = strlen(want);

        if (at >= end || strncmp(at, want, length) != 0 || !codec_is_text(at, strlen(at)))
            return -1;
        ret[i] = at + length;
        at += strlen(at) + 1;
    }
    return at == end ? 0 : -1;
}

static int ask(struct apertium *self, const struct provider_call *call, struct pipeline *pipeline,
               size_t from, size_t count, const char **ret, struct error *err)
{
    struct subprocess_input exchange = {.end = '\0', .ends = count};
    struct subprocess_output answer;
    struct codec_buffer input;
    char earlier[LINE_SIZE];
    uint64_t serial = self->serial;

    codec_buffer_init(&input, call->arena);
    for (size_t i = from; i < from + count; i++) {
        const char *number = label(call->arena, self->serial++);

        codec_write(&input, number, strlen(number));
        codec_write(&input, call->texts[i], strlen(call->texts[i]) + 1);
    }
    exchange.input = (const char *)input.bytes;
    exchange.size = input.size;
    exchange.answer_max = input.size * ANSWER_GROWTH + ANSWER_SPARE;
    exchange.deadline_mono_ms = MIN(call->deadline_mono_ms, clock_mono_ms() + ROUND_MS);
    if (subprocess_exchange(self->loop, call->arena, &pipeline->sandboxed, &exchange, &answer,
                            err) < 0)
        /* A stop or an expired deadline is not the pipeline's fault. */
        return err->code == ERR_UNAVAILABLE || clock_mono_ms() >= call->deadline_mono_ms
                   ? -1
                   : report(pipeline, call, err);
    if (answer.ended || !answer.heard ||
        take_answers(call->arena, &answer, serial, count, ret + from) < 0) {
        error_retry(err, ERR_UNAVAILABLE, 1, "The translation failed. Please try again later.");
        return report(pipeline, call, err);
    }
    take_last_line(pipeline, earlier); /* drops a former round's line */
    return 0;
}

static int run_round(struct apertium *self, const struct provider_call *call, size_t from,
                     size_t count, const char **ret, struct error *err)
{
    const struct pair *pair = pair_of(self, call->from, call->to);
    struct pipeline *pipeline;
    int rc;

    if (fiber_sem_acquire(&self->rounds, 1, call->deadline_mono_ms, err) < 0)
        return -1;
    rc = take_pipeline(self, pair, &pipeline, err);
    if (rc == 0) {
        rc = ask(self, call, pipeline, from, count, ret, err);
        pipeline->busy = false;
        pipeline->used_mono_ms = clock_mono_ms();
        if (rc < 0) {
            pipeline_end(self, pipeline);
            memset(ret + from, 0, count * sizeof(*ret));
        }
    }
    fiber_sem_release(&self->rounds, 1);
    return rc;
}

static size_t round_size(const struct provider_call *call, size_t from)
{
    size_t count = 0, bytes = 0;

    while (from + count < call->count && count < ROUND_TEXTS) {
        bytes += strlen(call->texts[from + count]);
        if (count > 0 && bytes > ROUND_BYTES)
            break;
        count++;
    }
    return count;
}

/* Retries a failed round text by text, in other pipelines. */
static int translate(void *arg, const struct provider_call *call, const char **ret,
                     struct error *err)
{
    size_t strikes = 0, done = 0, from = 0, again = 0;

    memset(ret, 0, call->count * sizeof(*ret));
    while (from < call->count && strikes < STRIKES_MAX) {
        bool one_by_one = from < again;
        size_t count = one_by_one ? 1 : round_size(call, from);

        if (run_round(arg, call, from, count, ret, err) == 0) {
            done += count;
            from += count;
            continue;
        }
        if (clock_mono_ms() >= call->deadline_mono_ms)
            break;
        strikes++;
        end_idle(arg, clock_mono_ms());
        if (one_by_one)
            from++;
        else
            again = from + count;
    }
    return done > 0 || call->count == 0 ? 0 : -1;
}

/* ---- trials ---- */

static bool has_pipeline(const struct apertium *self, const struct pair *pair)
{
    struct pipeline *each = self->all;

    while (each && each->pair != pair)
        each = each->next;
    return each != NULL;
}

/* Translates a word, and ends a pipeline started for it. If there is no answer, the last result
 * stays. */
static void try_pair(struct apertium *self, struct arena *arena, int64_t deadline_mono_ms,
                     struct pair *pair)
{
    /* otherwise a stage waits for the word's end */
    static const char *const texts[] = {"Atrium[.].[]"};
    const struct provider_call call = {.arena = arena,
                                       .from = pair->from,
                                       .to = pair->to,
                                       .texts = texts,
                                       .count = 1,
                                       .deadline_mono_ms = deadline_mono_ms};
    bool had_pipeline = has_pipeline(self, pair);
    const char *answer = NULL;
    struct error err;
    int rc;

    error_init(&err, NULL);
    rc = run_round(self, &call, 0, 1, &answer, &err);
    for (struct pipeline *each = self->all; each && !had_pipeline; each = each->next)
        if (each->pair == pair && !each->busy) {
            pipeline_end(self, each);
            break;
        }
    if (rc < 0 && clock_mono_ms() >= deadline_mono_ms)
        return;
    pair->tried_mono_ms = clock_mono_ms();
    pair->failure[0] = '\0';
    if (rc < 0)
        snprintf(pair->failure, sizeof(pair->failure), "%s: %s", pair->mode,
                 err.detail[0] != '\0' ? err.detail : err.message);
}

/* Returns the least recently tried pair, tried before `since_mono_ms` or failing for a minute. */
static struct pair *due(const struct apertium *self, int64_t since_mono_ms)
{
    int64_t again_mono_ms = clock_mono_ms() - TRIAL_AGAIN_MS;
    struct pair *oldest = NULL;

    for (struct pair *each = self->pairs; each; each = each->next) {
        int64_t since =
            each->failure[0] != '\0' ? MAX(since_mono_ms, again_mono_ms) : since_mono_ms;

        if (each->found && each->tried_mono_ms <= since &&
            (!oldest || each->tried_mono_ms < oldest->tried_mono_ms))
            oldest = each;
    }
    return oldest;
}

/* Tries pairs until the deadline; the last can take `longer_ms` more. */
static void try_pairs(struct apertium *self, const struct request *req, int64_t since_mono_ms,
                      int64_t longer_ms)
{
    struct pair *pair;

    while (self->options.trial && clock_mono_ms() + TRIAL_LEAST_MS < req->deadline_mono_ms &&
           (pair = due(self, since_mono_ms)))
        try_pair(self, req->arena, req->deadline_mono_ms + longer_ms, pair);
}

struct verdicts {
    size_t pairs, tried, failures;
    const struct pair *failed; /* NULL: none */
};

static struct verdicts verdicts(const struct apertium *self)
{
    struct verdicts ret = {.pairs = 0};

    for (const struct pair *pair = self->pairs; pair; pair = pair->next) {
        if (!pair->found)
            continue;
        ret.pairs++;
        ret.tried += pair->tried_mono_ms > 0;
        if (pair->failure[0] != '\0') {
            ret.failed = pair;
            ret.failures++;
        }
    }
    return ret;
}

/* ---- interface ---- */

static int tend(void *arg, const struct request *req, struct error *err)
{
    struct apertium *self = arg;
    struct verdicts seen;

    end_idle(self, clock_mono_ms() - IDLE_MS);
    if (search(self, err) < 0)
        return -1;
    try_pairs(self, req, 0,
              2 * ROUND_MS); /* extra time, so that a slow trial fails at its own limit */
    seen = verdicts(self);
    return seen.failed ? error_set(err, ERR_UNAVAILABLE, "%s", seen.failed->failure) : 0;
}

static int check(void *arg, const struct request *req, struct finding *ret, struct error *err)
{
    struct apertium *self = arg;
    struct verdicts seen;

    if (search(self, err) < 0)
        return check_fail(req, ret,
                          "apt-get install apertium-eng-spa (and other pairs), or choose another "
                          "translation_provider.",
                          "%s", err->message);
    try_pairs(self, req, clock_mono_ms(), 0);
    seen = verdicts(self);
    if (seen.failed)
        return check_fail(req, ret,
                          "See the lines of apertium in botd's log, and install the pair's package "
                          "again.",
                          "apertium: %zu of %zu pairs of languages fail; %s", seen.failures,
                          seen.pairs, seen.failed->failure);
    return check_ok(req, ret, "apertium: %zu pairs of languages, %zu tried with a word", seen.pairs,
                    seen.tried);
}

static void destroy(void *arg)
{
    struct apertium *self = arg;
    struct pair *next;

    while (self->all)
        pipeline_end(self, self->all);
    for (struct pair *pair = self->pairs; pair; pair = next) {
        next = pair->next;
        free(pair);
    }
    free(self);
}

struct provider provider_apertium(struct loop *loop, struct metrics *metrics,
                                  const struct programs *programs,
                                  const struct apertium_options *options)
{
    struct apertium *self = memory_new(sizeof(*self));

    *self = (struct apertium){
        .loop = loop,
        .programs = programs,
        .options = *options,
        .serial = 1,
        .started = metrics_counter(metrics, "atrium_translation_pipelines_started_total", "",
                                   "Pipelines of Apertium started."),
    };
    fiber_sem_init(&self->rounds, loop, options->pipelines_max, FIBER_SEM_UNBOUNDED);
    return (struct provider){.name = "apertium",
                             .style = MASK_SUPERBLANK,
                             .self = self,
                             .has_pair = has_pair,
                             .translate = translate,
                             .tend = tend,
                             .check = check,
                             .destroy = destroy};
}
