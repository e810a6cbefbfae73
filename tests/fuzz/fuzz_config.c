/*
 * fuzz_config.c - the configuration: a loaded and printed file loads the same. Input: the file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/service/config.h"
#include "tests/fuzz/fuzz.h"

struct shared {
    const char *run_dir, *log_level;
};
struct own {
    const char *text, *path, *key, *choice;
    int64_t number, any, wait, size;
    bool flag;
    const char **list;
};

static const struct config_row shared_rows[] = {
    CONFIG_PATH(struct shared, run_dir, "/run/atrium", 0, "Sockets."),
    CONFIG_CHOICE(struct shared, log_level, "info", "err warning info debug", "Least urgent."),
};
static const struct config_row own_rows[] = {
    CONFIG_TEXT(struct own, text, NULL, 0, "Any text."),
    CONFIG_PATH(struct own, path, NULL, 0, "A path."),
    CONFIG_PATH(struct own, key, "/k", 0, "A path that must be there."),
    CONFIG_CHOICE(struct own, choice, "a", "a b", "One of two."),
    CONFIG_INT(struct own, number, "7", -10, 100, "A number."),
    CONFIG_INT(struct own, any, "7", INT64_MIN, INT64_MAX, "Any number."),
    CONFIG_DURATION(struct own, wait, "10s", 100, 86400000, "A time."),
    CONFIG_SIZE(struct own, size, "64k", 1, 0, "A size."),
    CONFIG_BOOL(struct own, flag, "true", "Yes or no."),
    CONFIG_LIST(struct own, list, "a, b", "Words."),
};

/* Returns 0 and the printed configuration, or -1. */
static int load(struct arena *arena, const void *bytes, size_t size, const char **ret)
{
    struct shared shared;
    struct own own;
    const struct config_section sections[] = {
        {"common", shared_rows, ARRAY_SIZE(shared_rows), &shared, NULL},
        {"own", own_rows, ARRAY_SIZE(own_rows), &own, NULL},
    };
    int file = memfd_create("atrium.conf", MFD_CLOEXEC), result;
    char path[32];
    struct error err;

    FUZZ_REQUIRE(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    error_init(&err, arena);
    result = config_load(path, sections, ARRAY_SIZE(sections), arena, &err);
    close(file);
    if (result < 0)
        fuzz_require_error(&err);
    else
        *ret = config_print(sections, ARRAY_SIZE(sections), arena);
    return result;
}

int fuzz_config(const uint8_t *data, size_t size)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    const char *printed, *again;

    setenv("CREDENTIALS_DIRECTORY", "/run/credentials", 1);
    if (load(arena, data, size, &printed) < 0)
        return 0;
    FUZZ_REQUIRE(load(arena, printed, strlen(printed), &again) == 0);
    FUZZ_REQUIRE(strcmp(printed, again) == 0);
    return 0;
}
