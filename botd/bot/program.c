/*
 * program.c - see program.h. A warm process belongs to one version of a bot and its file. It serves
 * one call at a time, and ends after WARM_CALLS calls, a minute without one, or a wrong answer.
 */
#include "botd/bot/program.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "botd/sandbox/sandbox.h"
#include "botd/sandbox/subprocess.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/runtime/fiber_sem.h"
#include "common/wire/codec.h"

enum {
    WARM_CALLS = 1000,
    WARM_IDLE_MS = MINUTES(1),
    WARM_CPU_S = 600, /* CPU time of a warm process for all its calls */
    WAITING_MAX = 64, /* waiting calls per bot */
    MEMORY_MAX = 128 * 1024 * 1024,
    FIRST_MESSAGE = 120,
};

struct process {
    struct process *next;
    struct sandboxed sandboxed;
    struct uuid bot;
    int64_t bot_version;
    struct program_version file;
    bool warm, busy;
    size_t calls;
    int64_t used_mono_ms;
};

/* A warm bot's calls in progress: one per process. */
struct crew {
    struct crew *next;
    struct uuid bot;
    struct fiber_sem calls;
};

struct programs {
    struct loop *loop;
    struct programs_options options;
    struct process *all;
    struct crew *crews;
    size_t running;
    uint64_t *started;
};

struct programs *programs_new(struct loop *loop, struct metrics *metrics,
                              const struct programs_options *options)
{
    struct programs *self = memory_new(sizeof(*self));

    *self = (struct programs){
        .loop = loop,
        .options = *options,
        .started = metrics_counter(metrics, "atrium_bot_programs_started_total", "",
                                   "Processes started for program bots."),
    };
    return self;
}

static void process_end(struct programs *self, struct process *process)
{
    struct process **link = &self->all;

    while (*link != process)
        link = &(*link)->next;
    *link = process->next;
    self->running--;
    sandbox_kill(self->options.sandbox, &process->sandboxed);
    free(process);
}

void programs_destroy(struct programs **self_p)
{
    struct programs *self = *self_p;

    if (!self)
        return;
    while (self->all)
        process_end(self, self->all);
    free(self);
    *self_p = NULL;
}

void programs_sweep(struct programs *self)
{
    struct process *next;

    for (struct process *each = self->all; each; each = next) {
        next = each->next;
        if (!each->busy && clock_mono_ms() - each->used_mono_ms >= WARM_IDLE_MS)
            process_end(self, each);
    }
}

/* ---- which process ---- */

/* Ends the process that has been idle longest; false when all are busy. */
static bool make_room(struct programs *self)
{
    struct process *oldest = NULL;

    for (struct process *each = self->all; each; each = each->next)
        if (!each->busy && (!oldest || each->used_mono_ms < oldest->used_mono_ms))
            oldest = each;
    if (oldest)
        process_end(self, oldest);
    return oldest != NULL;
}

static int start(struct programs *self, const struct program_call *call, int fd,
                 const struct program_version *file, struct process **ret, struct error *err)
{
    const struct sandbox_limits limits = {
        .cpu_s = call->warm ? WARM_CPU_S : (call->timeout_ms + 999) / 1000, .memory = MEMORY_MAX};
    struct process *process;
    struct sandboxed sandboxed;

    if (self->running >= self->options.running_max && !make_room(self))
        return error_retry(err, ERR_OVERLOADED, 1, "Too many bots are running. Try again.");
    if (sandbox_start(self->options.sandbox, fd, &limits, &sandboxed, err) < 0)
        return -1;
    process = memory_new(sizeof(*process));
    *process = (struct process){.next = self->all,
                                .sandboxed = sandboxed,
                                .bot = call->bot,
                                .bot_version = call->bot_version,
                                .file = *file,
                                .warm = call->warm,
                                .busy = true};
    self->all = process;
    self->running++;
    ++*self->started;
    *ret = process;
    return 0;
}

/* Finds an idle process of the bot's current state, and ends older ones. */
static struct process *find_warm(struct programs *self, const struct program_call *call,
                                 const struct program_version *file)
{
    struct process *next;

    for (struct process *each = self->all; each; each = next) {
        bool current = each->bot_version == call->bot_version &&
                       each->file.modified_ns == file->modified_ns && each->file.size == file->size;

        next = each->next;
        if (!each->warm || each->busy || !uuid_equal(&each->bot, &call->bot))
            continue;
        if (current && subprocess_is_silent(&each->sandboxed))
            return each;
        process_end(self, each);
    }
    return NULL;
}

static int take_process(struct programs *self, const struct program_call *call,
                        struct process **ret, struct error *err)
{
    struct program_version file;
    int fd = sandbox_open(self->options.directory, call->program, &file, err), rc = 0;

    if (fd < 0)
        return -1;
    *ret = call->warm ? find_warm(self, call, &file) : NULL;
    if (*ret)
        (*ret)->busy = true;
    else
        rc = start(self, call, fd, &file, ret, err);
    close(fd);
    return rc;
}

/* ---- the call ---- */

const char *program_answer_json(struct arena *arena, const char *text, size_t size)
{
    const char *begin, *end;

    codec_skip_mark(&text, &size);
    begin = text;
    end = text + size;
    while (begin < end && memchr(" \t\r\n", *begin, 4))
        begin++;
    if (begin == end)
        return "{}";
    return codec_is_json(text, size) ? arena_strndup(arena, text, size) : NULL;
}

static int ask(struct programs *self, struct arena *arena, const struct program_call *call,
               struct program_answer *ret, struct error *err)
{
    struct process *process;
    struct subprocess_input exchange = {
        .input = call->warm ? arena_printf(arena, "%s\n", call->input) : call->input,
        .answer_max = call->answer_max,
        .end = '\n',
        .ends = call->warm ? 1 : 0,
        .deadline_mono_ms = call->deadline_mono_ms};
    struct subprocess_output answer = {.text = ""};
    bool keep;
    int rc;

    if (take_process(self, call, &process, err) < 0)
        return -1;
    exchange.size = strlen(exchange.input);
    rc = subprocess_exchange(self->loop, arena, &process->sandboxed, &exchange, &answer, err);
    if (rc == 0 && call->warm && answer.ended)
        rc = error_set(err, ERR_UNAVAILABLE, "The bot ended without a response.");
    if (rc == 0 && !call->warm)
        rc = subprocess_wait_end(self->loop, &process->sandboxed, call->deadline_mono_ms, err);
    *ret = (struct program_answer){
        .text = answer.text,
        .size = answer.size,
        .status =
            rc == 0 && !call->warm ? sandbox_reap(self->options.sandbox, &process->sandboxed) : 0};
    process->busy = false;
    process->used_mono_ms = clock_mono_ms();
    keep = rc == 0 && process->warm && answer.heard && ++process->calls < WARM_CALLS &&
           program_answer_json(arena, ret->text, ret->size);
    if (!keep)
        process_end(self, process);
    return rc;
}

static struct crew *crew_join(struct programs *self, const struct uuid *bot)
{
    struct crew *crew = self->crews;

    while (crew && !uuid_equal(&crew->bot, bot))
        crew = crew->next;
    if (!crew) {
        crew = memory_new(sizeof(*crew));
        *crew = (struct crew){.next = self->crews, .bot = *bot};
        fiber_sem_init(&crew->calls, self->loop, self->options.warm_max, WAITING_MAX);
        self->crews = crew;
    }
    return crew;
}

static void crew_leave(struct programs *self, struct crew *crew)
{
    struct crew **link = &self->crews;

    if (!fiber_sem_is_idle(&crew->calls))
        return;
    while (*link != crew)
        link = &(*link)->next;
    *link = crew->next;
    free(crew);
}

static int ask_warm(struct programs *self, struct arena *arena, const struct program_call *call,
                    struct program_answer *ret, struct error *err)
{
    struct crew *crew = crew_join(self, &call->bot);
    int rc = fiber_sem_acquire(&crew->calls, 1, call->deadline_mono_ms, err);

    if (rc == 0) {
        rc = ask(self, arena, call, ret, err);
        fiber_sem_release(&crew->calls, 1);
    } else if (err->code != ERR_UNAVAILABLE) {
        error_clear(err);
        rc = error_retry(err, ERR_OVERLOADED, 1, "The bot is busy. Try again.");
    }
    crew_leave(self, crew);
    return rc;
}

int program_run(struct programs *self, struct arena *arena, const struct program_call *call,
                struct program_answer *ret, struct error *err)
{
    if (sandbox_means(self->options.sandbox) == CONFINE_LIMITS)
        return error_retry(err, ERR_UNAVAILABLE, 60, "Programs can't run on this installation.");
    return call->warm ? ask_warm(self, arena, call, ret, err) : ask(self, arena, call, ret, err);
}

/* ---- sandbox trial ---- */

static int tell_why(const struct sandboxed *sandboxed, enum confine_means means, struct error *err)
{
    char said[160];
    ssize_t size = read(sandboxed->out, said, sizeof(said) - 1);

    said[MAX(size, (ssize_t)0)] = '\0';
    said[strcspn(said, "\n")] = '\0';
    return error_set(err, ERR_UNAVAILABLE, "%s cannot confine a program%s%s",
                     confine_means_names[means], said[0] != '\0' ? ": " : "", said);
}

/* Tries one of the means. ERR_DEADLINE and ERR_OVERLOADED say nothing about it. */
static int try_means(struct programs *self, enum confine_means means, int fd, struct error *err)
{
    const struct sandbox_limits limits = {
        .cpu_s = 1, .memory = MEMORY_MAX, .trusted = true, .heard = true, .means = &means};
    struct sandboxed sandboxed;
    int rc;

    if (sandbox_start(self->options.sandbox, fd, &limits, &sandboxed, err) < 0)
        return err->code != ERR_UNAVAILABLE ? -1
                                            : error_set(err, ERR_UNAVAILABLE, "%s: %s",
                                                        confine_means_names[means], err->detail);
    rc = subprocess_wait_end(self->loop, &sandboxed, clock_mono_ms() + self->options.check_ms, err);
    if (rc < 0 && err->code == ERR_DEADLINE)
        error_set(err, ERR_DEADLINE, "a trial of %s takes longer than %d ms",
                  confine_means_names[means], (int)self->options.check_ms);
    if (rc == 0) {
        (void)tell_why(&sandboxed, means, err);
        rc = sandbox_reap(self->options.sandbox, &sandboxed) == 0 ? 0 : -1;
    }
    if (rc == 0)
        error_clear(err);
    sandbox_kill(self->options.sandbox, &sandboxed);
    return rc;
}

struct sandbox *programs_sandbox(const struct programs *self)
{
    return self->options.sandbox;
}

static int script(void)
{
    static const char text[] = "#!/bin/sh\nexit 0\n";
    int fd = memfd_create("check", MFD_CLOEXEC);

    if (fd < 0 || write(fd, text, sizeof(text) - 1) < 0 || lseek(fd, 0, SEEK_SET) < 0)
        log_die("program", "out of memory");
    return fd;
}

int programs_check(struct programs *self, struct error *err)
{
    const enum confine_means *means = sandbox_allowed(self->options.sandbox);
    struct error first;

    error_init(&first, NULL);
    for (; *means != CONFINE_LIMITS; means++) {
        int fd = script(), rc = try_means(self, *means, fd, err);

        close(fd);
        if (rc < 0 && err->code != ERR_UNAVAILABLE)
            return -1;
        if (rc == 0)
            break;
        if (first.code == ERR_NONE)
            first = *err;
    }
    sandbox_use(self->options.sandbox, *means);
    if (*means != CONFINE_LIMITS) {
        error_clear(err);
        return 0;
    }
    if (strcmp(first.message, err->message) == 0)
        return -1;
    return error_set(err, ERR_UNAVAILABLE, "%.*s; %s", FIRST_MESSAGE, first.message, err->message);
}
