/*
 * config.c - `atriumctl config ...`: each instance's configuration, and what a reload would change.
 */
#include <string.h>

#include "common/service/service.h"
#include "ctl/ctl.h"
#include "ctl/ctl_bus.h"
#include "ctl/output.h"
#include "ctl/suite/instances.h"

enum { ROWS_MAX = 4096 };

struct config_line {
    const char *daemon, *key, *value, *origin;
    bool reload;
};
static const struct field config_line_rows[] = {
    FIELD_TEXT(struct config_line, daemon, 0, 64, 0, "Instance", "gateway.1"),
    FIELD_TEXT(struct config_line, key, 0, 128, 0, "Section and key", "gateway.access_log"),
    FIELD_TEXT(struct config_line, value, 0, 65536, 0, "Value in use", "true"),
    FIELD_TEXT(struct config_line, origin, 0, 4096, 0, "File and line, or default", "default"),
    FIELD_BOOL(struct config_line, reload, false, 0, "Whether a reload applies a change"),
};
static FIELD_TABLE(config_line);

struct lines {
    struct config_line items[ROWS_MAX];
    size_t count;
};

static int ask(struct ctl *ctl, const struct instance *instance, struct service_config_out *out,
               struct error *err)
{
    const struct bus_method method = service_config_method(instance->service);
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    const struct nothing in = {0};

    return bus_call_instance(ctl->bus->bus, instance->name, &method, &req, &in, out, err);
}

static bool is_wanted(const struct ctl *ctl, const struct instance *instance)
{
    const char *daemon = arguments_get(&ctl->args, "DAEMON");

    return !daemon || strcmp(daemon, instance->service) == 0 || strcmp(daemon, instance->name) == 0;
}

static void add_lines(struct ctl *ctl, struct lines *lines, const struct instance *instance,
                      const struct service_config_out *config)
{
    const struct config_entry *entries = config->entries.items;

    for (size_t i = 0; i < config->entries.count && lines->count < ROWS_MAX; i++) {
        const struct config_entry *entry = &entries[i];

        lines->items[lines->count++] = (struct config_line){
            .daemon = instance->name,
            .key = arena_printf(ctl->arena, "%s.%s", entry->section, entry->key),
            .value = entry->value,
            .origin = entry->file
                          ? arena_printf(ctl->arena, "%s:%lld", entry->file, (long long)entry->line)
                          : "default",
            .reload = entry->reload};
    }
}

/* Finds the instances that the command names; fails when there are none. */
static const struct instances *find_wanted(struct ctl *ctl, struct error *err)
{
    const struct instances *all = instances_find(ctl, err);
    struct instances *wanted;

    if (!all)
        return NULL;
    wanted = arena_calloc(ctl->arena, 1, sizeof(*wanted));
    for (size_t i = 0; i < all->count; i++) {
        if (is_wanted(ctl, &all->items[i]))
            wanted->items[wanted->count++] = all->items[i];
    }
    if (wanted->count > 0)
        return wanted;
    if (all->count == 0)
        (void)error_set(err, ERR_UNAVAILABLE, "no daemon answers below %s: is the suite running?",
                        ctl->bus->run_dir);
    else
        (void)error_set(err, ERR_NOT_FOUND, "%s: no such instance below %s",
                        arguments_get(&ctl->args, "DAEMON"), ctl->bus->run_dir);
    return NULL;
}

int config_show_command(struct ctl *ctl, struct error *err)
{
    static const char *const columns[] = {"daemon", "key", "value", "origin", "reload", NULL};
    const struct instances *all = find_wanted(ctl, err);
    struct lines *lines = arena_calloc(ctl->arena, 1, sizeof(*lines));
    struct field_list list;

    if (!all)
        return -1;
    for (size_t i = 0; i < all->count; i++) {
        struct service_config_out config = {0};

        if (ask(ctl, &all->items[i], &config, err) < 0)
            return -1;
        add_lines(ctl, lines, &all->items[i], &config);
    }
    list = (struct field_list){lines->items, lines->count};
    output_list(ctl, &config_line_table, &list, columns);
    return 0;
}

struct config_result {
    const char *daemon, *state, *what;
};
static const struct field config_result_rows[] = {
    FIELD_TEXT(struct config_result, daemon, 0, 64, 0, "Instance", "gateway.1"),
    FIELD_TEXT(struct config_result, state, 0, 16, 0, "ok, reload, restart or refused", "reload"),
    FIELD_TEXT(struct config_result, what, 0, 65536, 0, "Key and change, or the error",
               "gateway.access_log: true -> false"),
};
static FIELD_TABLE(config_result);

struct results {
    struct config_result items[ROWS_MAX];
    size_t count, refused;
};

static void add_result(struct results *self, const char *daemon, const char *state,
                       const char *what)
{
    if (self->count < ROWS_MAX)
        self->items[self->count++] = (struct config_result){daemon, state, what};
    self->refused += strcmp(state, "refused") == 0;
}

static void add_changes(struct ctl *ctl, struct results *self, const char *daemon,
                        const struct service_config_out *config)
{
    const struct config_entry *entries = config->entries.items;
    size_t before = self->count;

    for (size_t i = 0; i < config->entries.count; i++) {
        const struct config_entry *entry = &entries[i];

        if (entry->changed)
            add_result(self, daemon, entry->reload ? "reload" : "restart",
                       arena_printf(ctl->arena, "%s.%s: %s -> %s", entry->section, entry->key,
                                    entry->value ? entry->value : "(none)",
                                    entry->next ? entry->next : "(none)"));
    }
    if (config->error)
        add_result(self, daemon, "refused", config->error);
    else if (self->count == before)
        add_result(self, daemon, "ok", "the files match the configuration in use");
}

int config_check_command(struct ctl *ctl, struct error *err)
{
    static const char *const columns[] = {"daemon", "state", "what", NULL};
    const struct instances *all = find_wanted(ctl, err);
    struct results *results = arena_calloc(ctl->arena, 1, sizeof(*results));
    struct field_list list;

    if (!all)
        return -1;
    for (size_t i = 0; i < all->count; i++) {
        struct service_config_out config = {0};

        if (ask(ctl, &all->items[i], &config, err) < 0)
            return -1;
        add_changes(ctl, results, all->items[i].name, &config);
    }
    list = (struct field_list){results->items, results->count};
    output_list(ctl, &config_result_table, &list, columns);
    for (size_t i = 0; i < results->count; i++) {
        if (strcmp(results->items[i].state, "refused") == 0)
            output_note(ctl, "\n%s: %s", results->items[i].daemon, results->items[i].what);
    }
    return results->refused == 0
               ? 0
               : error_set(err, ERR_BAD_REQUEST, "%zu instances would reject these files",
                           results->refused);
}
