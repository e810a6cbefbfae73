/* service_config.c - the configuration in use, and in the files (`atriumctl config`). */
#include "common/service/service_private.h"

enum { ENTRIES_MAX = 512 };

static const struct field config_entry_rows[] = {
    FIELD_TEXT(struct config_entry, section, 1, 64, FIELD_REQUIRED, "Section", "gateway"),
    FIELD_TEXT(struct config_entry, key, 1, 64, FIELD_REQUIRED, "Key", "access_log"),
    FIELD_TEXT(struct config_entry, value, 0, 65536, 0, "Value in use; absent if not set", "true"),
    FIELD_TEXT(struct config_entry, file, 0, 4096, 0,
               "File that it was read from; absent for the default", "/etc/atrium/atrium.conf"),
    FIELD_INT(struct config_entry, line, 0, INT64_MAX, 0, 0, "Line in that file", "12"),
    FIELD_BOOL(struct config_entry, reload, false, 0, "Whether a reload applies a change"),
    FIELD_BOOL(struct config_entry, changed, false, 0,
               "Whether the files have a different value now"),
    FIELD_TEXT(struct config_entry, next, 0, 65536, 0, "This different value; absent if not set",
               "false"),
};
FIELD_TABLE(config_entry);

static const struct field service_config_out_rows[] = {
    FIELD_OBJECTS(struct service_config_out, entries, config_entry, ENTRIES_MAX, 0, "All keys"),
    FIELD_TEXT(struct service_config_out, error, 0, 2048, 0,
               "Why a start or a reload would reject the files; absent if it would not",
               "/etc/atrium/atrium.conf:3: section \"gateway\" has no key \"listn\""),
};
FIELD_TABLE(service_config_out);

/* Returns the value as it is shown: a conninfo can hold a password, though it belongs in a
 * passfile. */
static const char *shown(const char *value)
{
    return value && strstr(value, "password=") ? "(has a password)" : value;
}

static struct config_entry entry_of(const struct config_section *section, size_t row,
                                    const struct config_section *now, struct arena *arena)
{
    const struct config_row *key = &section->rows[row];
    const char *value = config_value(key, section->out, arena),
               *next = now ? config_value(key, now->out, arena) : value;

    return (struct config_entry){
        .section = section->name,
        .key = key->key,
        .value = shown(value),
        .file = section->origins[row].file,
        .line = section->origins[row].line,
        .reload = (key->flags & CONFIG_RELOAD) != 0,
        .changed = value && next ? strcmp(value, next) != 0 : value != next,
        .next = shown(next),
    };
}

static struct field_list list_entries(const struct service *self, const struct service *fresh,
                                      struct arena *arena)
{
    struct config_section mine[SERVICE_SECTIONS], now[SERVICE_SECTIONS];
    struct config_entry *entries;
    size_t count = 0;

    service_sections(self, mine);
    if (fresh)
        service_sections(fresh, now);
    entries = arena_calloc(arena, mine[0].count + mine[1].count, sizeof(*entries));
    for (size_t s = 0; s < SERVICE_SECTIONS; s++)
        for (size_t i = 0; i < mine[s].count; i++)
            entries[count++] = entry_of(&mine[s], i, fresh ? &now[s] : NULL, arena);
    return (struct field_list){entries, count};
}

/* Copies the entries, because `fresh`'s arena ends. */
int service_config(struct service *self, const struct request *req, const struct nothing *in UNUSED,
                   struct service_config_out *out, struct error *err)
{
    CLEANUP(service_fresh_destroy) struct service *fresh = service_fresh_new(self);
    struct error refusal;
    bool good;

    error_init(&refusal, req->arena);
    if (service_fresh_read(self, fresh, req->deadline_mono_ms, &refusal, err) < 0)
        return -1;
    good = refusal.code == ERR_NONE;
    out->entries = list_entries(self, good ? fresh : NULL, req->arena);
    if (!good)
        out->error = arena_strdup(req->arena, refusal.message);
    for (size_t i = 0; i < out->entries.count; i++) {
        struct config_entry *entry = (struct config_entry *)(uintptr_t)out->entries.items + i;

        entry->next = entry->changed && entry->next ? arena_strdup(req->arena, entry->next) : NULL;
    }
    return 0;
}
