/* typed_line.c - see typed_line.h. */
#include "ctl/typed_line.h"

#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/runtime/fiber.h"
#include "ctl/ctl_bus.h"

struct waiting {
    struct fiber *fiber;
    bool there;
};

static void on_line(void *arg, short events UNUSED)
{
    struct waiting *waiting = arg;

    waiting->there = true;
    fiber_wake(waiting->fiber);
}

/* Waits with the loop running, so that it receives signals. */
static int wait_for_line(struct loop *loop, struct error *err)
{
    struct waiting waiting = {fiber_self(loop), false};
    enum fiber_wake wake;

    loop_watch(loop, STDIN_FILENO, ZMQ_POLLIN, on_line, &waiting);
    wake = fiber_park_until(loop, &waiting.there, INT64_MAX);
    loop_unwatch(loop, STDIN_FILENO);
    return wake == FIBER_WOKEN ? 0 : error_set(err, ERR_UNAVAILABLE, "Interrupted.");
}

static void read_line(char *ret, size_t size)
{
    if (!fgets(ret, (int)size, stdin))
        ret[0] = '\0';
    ret[strcspn(ret, "\n")] = '\0';
}

int typed_line_read(struct ctl *ctl, bool secret, char *ret, size_t size, struct error *err)
{
    bool terminal = isatty(STDIN_FILENO), quiet = false;
    struct termios before, without;
    int result = 0;

    if (terminal && secret && tcgetattr(STDIN_FILENO, &before) == 0) {
        without = before;
        without.c_lflag &= ~(tcflag_t)ECHO;
        quiet = tcsetattr(STDIN_FILENO, TCSAFLUSH, &without) == 0;
    }
    ret[0] = '\0';
    if (terminal)
        result = wait_for_line(ctl->bus->loop, err);
    else
        file_skip_mark(stdin);
    if (result == 0)
        read_line(ret, size);
    if (quiet)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
    if (quiet || result < 0)
        fputc('\n', stderr);
    return result;
}
