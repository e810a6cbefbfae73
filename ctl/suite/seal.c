/*
 * seal.c - `atriumctl keys rotate --seal`: exchanges a seal key, one step per call.
 *
 * A step needs confirmation of the previous one by every instance, so no value is sealed with a key
 * that an instance lacks (common/service/service_seal.c). The file is replaced atomically. In a
 * development suite it restarts the instances.
 */
#include <inttypes.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/service/seal_keys.h"
#include "common/service/service.h"
#include "ctl/ctl_bus.h"
#include "ctl/files.h"
#include "ctl/output.h"
#include "ctl/suite/instances.h"

enum {
    CALL_MS = 10000,
    RESTART_MS = 30000, /* longest restart in a development suite */
    POLL_MS = 20,
    PASSES_MAX = 100, /* passes, because other instances keep writing */
    ROUNDS_MAX = 8,   /* three steps, plus an interrupted one */
};

static const char *const services[] = {"authd", "settingsd", "docd", "maild", "botd", NULL};

struct seal_progress {
    const char *service, *step, *writes, *reads, *restart;
};
static const struct field seal_progress_rows[] = {
    FIELD_TEXT(struct seal_progress, service, 0, 64, 0, "Service", "authd"),
    FIELD_TEXT(struct seal_progress, step, 0, 64, 0, "prepared, switched, finished or waiting",
               "prepared"),
    FIELD_TEXT(struct seal_progress, writes, 0, 64, 0, "Key in the file that encrypts",
               "4c1f0a6d93b2e871"),
    FIELD_TEXT(struct seal_progress, reads, 0, 64, 0, "Key in the file that only decrypts",
               "9a2b77c05e1d4f36"),
    FIELD_TEXT(struct seal_progress, restart, 0, 4096, 0,
               "Instances to restart one after the other", "authd@1 authd@2"),
};
static FIELD_TABLE(seal_progress);

struct seal_instance {
    const char *name, *instance; /* "authd.1", "1" */
    const char *keys, *state;
    int64_t pid;
};

struct exchange {
    struct ctl *ctl;
    const char *service, *path;
    struct seal_keys file;
    const char *file_keys; /* the file's keys, as an instance reports them */
    struct seal_instance items[INSTANCES_SHOWN_MAX];
    size_t count;
};

/* ---- instances ---- */

static int ask(struct ctl *ctl, const char *service, struct seal_instance *instance,
               struct error *err)
{
    const struct bus_method method = service_status_method(service);
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    struct service_status_out out = {0};
    struct nothing in = {0};

    if (bus_call_instance(ctl->bus->bus, instance->name, &method, &req, &in, &out, err) < 0)
        return -1;
    instance->keys = out.sealKeys;
    instance->state = out.sealState;
    instance->pid = out.pid;
    return 0;
}

static int ask_all(struct exchange *self, const struct instances *all, struct error *err)
{
    self->count = 0;
    for (size_t i = 0; i < all->count; i++) {
        struct seal_instance *instance = &self->items[self->count];

        if (strcmp(all->items[i].service, self->service) != 0)
            continue;
        *instance =
            (struct seal_instance){.name = all->items[i].name, .instance = all->items[i].instance};
        self->count++;
        if (ask(self->ctl, self->service, instance, err) < 0)
            return error_set(err, ERR_UNAVAILABLE,
                             "%s does not respond, so its keys are unknown: start it",
                             instance->name);
        if (!instance->keys)
            return error_set(err, ERR_CONFLICT,
                             "%s is of an older release without this: upgrade it first",
                             instance->name);
    }
    return 0;
}

/* Returns instances that have not read the file: "authd@1 authd@2"; "": none. */
static const char *to_restart(const struct exchange *self, bool all)
{
    struct arena *arena = self->ctl->arena;
    const char *text = "";

    for (size_t i = 0; i < self->count; i++)
        if (all || strcmp(self->items[i].keys, self->file_keys) != 0)
            text = arena_printf(arena, "%s%s%s@%s", text, *text ? " " : "", self->service,
                                self->items[i].instance);
    return text;
}

/* ---- the file ---- */

static const char *keys_text(const struct seal_keys *keys, struct arena *arena)
{
    return keys->in_file > 1 ? arena_printf(arena, "%s %s", keys->items[0].id, keys->items[1].id)
                             : arena_strdup(arena, keys->items[0].id);
}

static int read_file(struct exchange *self, struct error *err)
{
    if (seal_keys_load(self->path, &self->file, err) < 0)
        return -1;
    self->file_keys = keys_text(&self->file, self->ctl->arena);
    return 0;
}

static int write_file(struct exchange *self, const struct seal_keys *keys, struct error *err)
{
    char text[SEAL_FILE_KEYS * (2 * SEAL_KEY_SIZE + 1) + 1] = "";
    int result;

    for (size_t i = 0; i < keys->in_file; i++) {
        char *at = text + i * (2 * SEAL_KEY_SIZE + 1);

        sodium_bin2hex(at, 2 * SEAL_KEY_SIZE + 1, keys->items[i].secret.bytes, SEAL_KEY_SIZE);
        strcat(at, "\n");
    }
    result = files_exchange(self->path, text, err);
    sodium_memzero(text, sizeof(text));
    return result < 0 ? -1 : read_file(self, err);
}

/* ---- steps ---- */

static int prepare(struct exchange *self, struct error *err)
{
    CLEANUP(seal_keys_wipe) struct seal_keys keys = self->file;
    CLEANUP(secret_wipe) struct secret fresh = {.length = SEAL_KEY_SIZE};

    randombytes_buf(fresh.bytes, SEAL_KEY_SIZE);
    seal_keys_add(&keys, &fresh, 0);
    keys.in_file = keys.count;
    return write_file(self, &keys, err);
}

static int swap(struct exchange *self, struct error *err)
{
    CLEANUP(seal_keys_wipe) struct seal_keys keys = {.in_file = 2};

    seal_keys_add(&keys, &self->file.items[1].secret, 0);
    seal_keys_add(&keys, &self->file.items[0].secret, 0);
    return write_file(self, &keys, err);
}

/* Reseals a table. *ret_unopened: values that no key opens. */
static int pass_table(struct exchange *self, int64_t table, int64_t *ret_tables, int64_t *ret_found,
                      int64_t *ret_unopened, struct error *err)
{
    const struct bus_method method = seal_reseal_method(self->service);
    const char *after = NULL;

    do {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        struct request req = ctl_bus_request(self->ctl->bus, arena);
        struct seal_reseal_in in = {.table = table, .after = after};
        struct seal_reseal_out out = {0};

        req.deadline_mono_ms = clock_mono_ms() + CALL_MS;
        if (bus_call_instance(self->ctl->bus->bus, self->items[0].name, &method, &req, &in, &out,
                              err) < 0)
            return -1;
        *ret_tables = out.tables;
        *ret_found += out.waiting - out.unopened;
        *ret_unopened += out.unopened;
        after = out.next ? arena_strdup(self->ctl->arena, out.next) : NULL;
    } while (after);
    return 0;
}

/* Reseals all tables until nothing sealed with the old key is left. */
static int reseal_all(struct exchange *self, int64_t *ret_unopened, struct error *err)
{
    for (int pass = 0; pass < PASSES_MAX; pass++) {
        int64_t tables = 1, found = 0;

        *ret_unopened = 0;
        for (int64_t table = 0; table < tables; table++)
            if (pass_table(self, table, &tables, &found, ret_unopened, err) < 0)
                return -1;
        if (found == 0)
            return 0;
        output_note(self->ctl, "%s: %" PRId64 " values encrypted again", self->service, found);
    }
    return error_set(err, ERR_CONFLICT, "%s: a value was still written with the old key",
                     self->service);
}

static int retire(struct exchange *self, struct error *err)
{
    const struct bus_method method = seal_retire_method(self->service);
    struct request req = ctl_bus_request(self->ctl->bus, self->ctl->arena);
    struct seal_retire_in in = {.id = self->file.items[1].id};
    CLEANUP(seal_keys_wipe) struct seal_keys keys = {.in_file = 1};
    struct nothing out = {0};
    int64_t unopened;

    if (reseal_all(self, &unopened, err) < 0)
        return -1;
    if (unopened > 0)
        output_note(self->ctl,
                    "%s: %" PRId64 " values cannot be decrypted with either key; they remain",
                    self->service, unopened);
    if (bus_call_instance(self->ctl->bus->bus, self->items[0].name, &method, &req, &in, &out, err) <
        0)
        return -1;
    seal_keys_add(&keys, &self->file.items[0].secret, 0);
    return write_file(self, &keys, err);
}

/* Takes a step, for which every instance must have read the file. */
static int take_step(struct exchange *self, bool begin, const char **ret_step, struct error *err)
{
    bool one = self->file.in_file == 1;

    if (*to_restart(self, false)) {
        *ret_step = one ? "finished" : "waiting";
        return 0;
    }
    if (one && !begin) {
        *ret_step = "finished";
        return 0;
    }
    *ret_step = one                                             ? "prepared"
                : strcmp(self->items[0].state, "prepared") == 0 ? "switched"
                                                                : "finished";
    if (one)
        return prepare(self, err);
    return strcmp(*ret_step, "switched") == 0 ? swap(self, err) : retire(self, err);
}

static int advance(struct exchange *self, const struct instances *all, bool begin,
                   struct seal_progress *row, struct error *err)
{
    struct arena *arena = self->ctl->arena;

    if (read_file(self, err) < 0 || ask_all(self, all, err) < 0 || self->count == 0)
        return -1;
    *row = (struct seal_progress){.service = self->service};
    if (take_step(self, begin, &row->step, err) < 0)
        return -1;
    row->writes = arena_strdup(arena, self->file.items[0].id);
    if (self->file.in_file > 1)
        row->reads = arena_strdup(arena, self->file.items[1].id);
    row->restart = to_restart(self, false);
    return 0;
}

/* ---- a development suite ---- */

/* Waits until the restarted process has read the file. */
static int restart(struct exchange *self, struct seal_instance *instance, struct error *err)
{
    int64_t deadline = clock_mono_ms() + RESTART_MS;
    pid_t before = (pid_t)instance->pid;
    struct error ignored;

    if (kill(before, SIGTERM) < 0)
        return error_set(err, ERR_INTERNAL, "%s: cannot be restarted from here", instance->name);
    do {
        if (clock_mono_ms() > deadline)
            return error_set(err, ERR_UNAVAILABLE, "%s did not restart", instance->name);
        if (fiber_sleep_until(self->ctl->bus->loop, clock_mono_ms() + POLL_MS, err) < 0)
            return -1;
        error_init(&ignored, self->ctl->arena);
    } while (ask(self->ctl, self->service, instance, &ignored) < 0 || instance->pid == before);
    return 0;
}

static int restart_all(struct exchange *self, struct error *err)
{
    for (size_t i = 0; i < self->count; i++)
        if (strcmp(self->items[i].keys, self->file_keys) != 0 &&
            restart(self, &self->items[i], err) < 0)
            return -1;
    return 0;
}

static int exchange_whole(struct exchange *self, const struct instances *all,
                          struct seal_progress *row, struct error *err)
{
    for (int round = 0; round < ROUNDS_MAX; round++) {
        if (advance(self, all, round == 0, row, err) < 0 || restart_all(self, err) < 0)
            return -1;
        row->restart = "";
        output_note(self->ctl, "%s: %s", self->service, row->step);
        if (strcmp(row->step, "finished") == 0)
            return 0;
    }
    return error_set(err, ERR_CONFLICT, "%s: its instances do not use the keys in %s",
                     self->service, self->path);
}

/* ---- the command ---- */

static void tell(const struct ctl *ctl, const struct seal_progress *rows, size_t count)
{
    size_t waiting = 0, finished = 0;

    for (size_t i = 0; i < count; i++) {
        waiting += *rows[i].restart != '\0';
        finished += strcmp(rows[i].step, "finished") == 0;
    }
    if (waiting > 0)
        output_note(ctl,
                    "Copy the files to the other hosts that run these daemons, then restart the "
                    "listed instances one after the other%s",
                    finished == count ? "; then the rotation is complete."
                                      : ", and run this command again.");
    else if (finished == count)
        output_note(ctl, "No file contains the old keys any more.");
}

int keys_seal(struct ctl *ctl, struct error *err)
{
    static const char *const columns[] = {"service", "step", "writes", "reads", "restart", NULL};
    const struct instances *all = instances_find(ctl, err);
    struct seal_progress rows[ARRAY_SIZE(services)];
    struct field_list list = {rows, 0};

    if (!all)
        return -1;
    for (size_t i = 0; services[i]; i++) {
        struct exchange *self = arena_calloc(ctl->arena, 1, sizeof(*self));
        int result;

        self->ctl = ctl;
        self->service = services[i];
        self->path =
            files_seal_key(ctl->arena, arguments_get(&ctl->args, "--keys"), ctl->dir, services[i]);
        if (access(self->path, F_OK) < 0) {
            output_note(ctl, "%s: there is no %s on this host", services[i], self->path);
            continue;
        }
        result = ctl->dir ? exchange_whole(self, all, &rows[list.count], err)
                          : advance(self, all, true, &rows[list.count], err);
        seal_keys_wipe(&self->file);
        if (result < 0)
            return -1;
        list.count++;
    }
    output_list(ctl, &seal_progress_table, &list, columns);
    tell(ctl, rows, list.count);
    return 0;
}
