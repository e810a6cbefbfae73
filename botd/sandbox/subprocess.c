/* subprocess.c - see subprocess.h. */
#include "botd/sandbox/subprocess.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "common/runtime/fiber.h"
#include "common/wire/codec.h"

enum { READ_SIZE = 2 * 1024 };

struct state {
    struct fiber *fiber;
    struct sandboxed *with;
    const struct subprocess_input *what;
    size_t sent, ends;
    struct codec_buffer answer;
    bool done, ended;
};

static void on_ready(void *arg, short events UNUSED)
{
    fiber_wake(arg);
}

/* A program need not read its input. */
static void say(struct state *self)
{
    const struct subprocess_input *what = self->what;

    while (self->sent < what->size) {
        ssize_t size = write(self->with->in, what->input + self->sent, what->size - self->sent);

        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0 && errno == EAGAIN)
            return;
        self->sent = size < 0 ? what->size : self->sent + (size_t)size;
    }
    if (what->ends == 0 && self->with->in >= 0) {
        close(self->with->in);
        self->with->in = -1;
    }
}

static int hear(struct state *self, struct error *err)
{
    char bytes[READ_SIZE];

    while (!self->done) {
        ssize_t size = read(self->with->out, bytes, sizeof(bytes));

        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0 && errno == EAGAIN)
            return 0;
        if (size <= 0) {
            self->done = self->ended = true;
            return 0;
        }
        if (self->answer.size + (size_t)size > self->what->answer_max)
            return error_set(err, ERR_TOO_LARGE, "The answer is too large.");
        codec_write(&self->answer, bytes, (size_t)size);
        for (ssize_t i = 0; i < size && self->what->ends > 0; i++)
            self->ends += bytes[i] == self->what->end;
        self->done = self->what->ends > 0 && self->ends >= self->what->ends;
    }
    return 0;
}

static int woken(enum fiber_wake wake, struct error *err)
{
    if (wake == FIBER_TIMEOUT)
        return error_set(err, ERR_DEADLINE, "There was no answer in time.");
    return fiber_wake_error(wake, err);
}

static int wait_ready(struct state *self, struct loop *loop, struct error *err)
{
    bool saying = self->sent < self->what->size;
    enum fiber_wake wake;

    if (saying)
        loop_watch(loop, self->with->in, ZMQ_POLLOUT, on_ready, self->fiber);
    loop_watch(loop, self->with->out, ZMQ_POLLIN, on_ready, self->fiber);
    wake = fiber_park(loop, self->what->deadline_mono_ms);
    loop_unwatch(loop, self->with->out);
    if (saying)
        loop_unwatch(loop, self->with->in);
    return woken(wake, err);
}

int subprocess_exchange(struct loop *loop, struct arena *arena, struct sandboxed *with,
                        const struct subprocess_input *what, struct subprocess_output *ret,
                        struct error *err)
{
    struct state state = {.fiber = fiber_self(loop), .with = with, .what = what};

    codec_buffer_init(&state.answer, arena);
    for (;;) {
        if (state.sent < what->size || (what->ends == 0 && with->in >= 0))
            say(&state);
        if (hear(&state, err) < 0)
            return -1;
        if (state.done)
            break;
        if (wait_ready(&state, loop, err) < 0)
            return -1;
    }
    codec_write(&state.answer, "", 1);
    *ret = (struct subprocess_output){.text = (const char *)state.answer.bytes,
                                      .size = state.answer.size - 1,
                                      .heard = state.sent == what->size,
                                      .ended = state.ended};
    return 0;
}

int subprocess_wait_end(struct loop *loop, const struct sandboxed *with, int64_t deadline_mono_ms,
                        struct error *err)
{
    while (!sandbox_ended(with)) {
        enum fiber_wake wake;

        loop_watch(loop, with->confined.pidfd, ZMQ_POLLIN, on_ready, fiber_self(loop));
        wake = fiber_park(loop, deadline_mono_ms);
        loop_unwatch(loop, with->confined.pidfd);
        if (woken(wake, err) < 0)
            return -1;
    }
    return 0;
}

bool subprocess_is_silent(const struct sandboxed *with)
{
    struct pollfd said = {.fd = with->out, .events = POLLIN};

    return poll(&said, 1, 0) == 0;
}
