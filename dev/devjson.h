/* devjson.h - DIR/dev.json, which describes a running suite to scripts and tests. */
#ifndef ATRIUM_DEV_DEVJSON_H
#define ATRIUM_DEV_DEVJSON_H

#include "dev/demo.h"
#include "dev/supervise.h"

struct devjson {
    const char *base_url, *public_url, *admin_url;
    const char *conninfo; /* for the superuser */
    const char *mail_dir, *clock_file /* NULL without a test clock */, *bus_dir, *bot_dir;
    const struct demo *demo;
    const struct child *postgres;
    struct child *const *children; /* NULL-ended */
};

/* Replaces the file (0600) atomically. `pid` is 0 after the end. */
int devjson_write(const struct devjson *self, const char *path, pid_t pid,
                  struct error *err) MUST_USE;

#endif
