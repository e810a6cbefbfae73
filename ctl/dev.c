/*
 * dev.c - `atriumctl dev`: executes atrium-dev (dev/), which is not in the package.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "ctl/ctl.h"
#include "ctl/files.h"

static const char **dev_argv(const struct ctl *ctl, const char *program)
{
    const char **argv = arena_calloc(ctl->arena, 2 * ARGUMENTS_MAX + 4, sizeof(*argv));
    size_t count = 0;

    argv[count++] = program;
    if (ctl->dir) {
        argv[count++] = "--dir";
        argv[count++] = ctl->dir;
    }
    for (size_t i = 0; i < ctl->args.count; i++) {
        const struct argument *item = &ctl->args.items[i];

        if (!item->value)
            continue;
        argv[count++] = item->name;
        if (item->holder)
            argv[count++] = item->value;
    }
    return argv;
}

int dev_command(struct ctl *ctl, struct error *err)
{
    const char *program = arena_printf(ctl->arena, "%s/atrium-dev", files_program_dir(ctl->arena));

    if (ctl->config)
        return error_set(err, ERR_BAD_REQUEST, "--config: dev makes its own; use --dir");
    execv(program, (char **)(uintptr_t)dev_argv(ctl, program));
    if (errno == ENOENT)
        return error_set(err, ERR_NOT_FOUND,
                         "%s is not installed: it is for development, and lies in build/bin of a "
                         "source tree after `make`",
                         program);
    return error_set(err, ERR_INTERNAL, "%s: %s", program, strerror(errno));
}
