/* tenant_walk.c - see tenant_walk.h. */
#include "ctl/tenant/tenant_walk.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ctl/files.h"
#include "ctl/tenant/tenant_bytes.h"

int tenant_walk(struct ctl *ctl, struct uuid project, const struct tenant_bytes_place *bytes,
                const struct tenant_sink *sink, struct progress *progress, struct error *err)
{
    if (tenant_rows_walk(ctl, project, sink, progress, err) < 0)
        return -1;
    if (!bytes)
        return 0;
    return sink->table(sink->arg, TENANT_BYTES_TABLE, err) < 0
               ? -1
               : tenant_bytes_walk(ctl, project, *bytes, sink, progress, err);
}

struct sums {
    struct tenant_summing *made;
    struct tenant_invited *except; /* NULL: none */
};

static int sum_table(void *arg, const char *name, struct error *err)
{
    const struct sums *self = arg;

    return tenant_summing_table(self->made, name, strlen(name)) < 0
               ? error_set(err, ERR_INTERNAL, "%s is not the name of a table", name)
               : 0;
}

static int sum_row(void *arg, const void *bytes, size_t size, struct error *err UNUSED)
{
    const struct sums *self = arg;
    const struct tenant_sums *made = &self->made->sums;

    if (!self->except ||
        !tenant_invited_skips(self->except, made->items[made->count - 1].table, bytes, size))
        tenant_summing_row(self->made, bytes, size);
    return 0;
}

int tenant_walk_sums(struct ctl *ctl, struct uuid project, bool bytes,
                     struct tenant_invited *except, struct tenant_summing *ret,
                     struct progress *progress, struct error *err)
{
    const struct tenant_bytes_place start = {.offset = 0};
    struct sums sums = {ret, except};
    const struct tenant_sink sink = {.table = sum_table, .row = sum_row, .arg = &sums};

    *ret = (struct tenant_summing){.sums = {.count = 0}};
    if (tenant_walk(ctl, project, bytes ? &start : NULL, &sink, progress, err) < 0)
        return -1;
    tenant_summing_end(ret);
    return 0;
}

const struct tenant_sum *tenant_sums_find(const struct tenant_sums *self, const char *table)
{
    for (size_t i = 0; i < self->count; i++)
        if (strcmp(self->items[i].table, table) == 0)
            return &self->items[i];
    return NULL;
}

bool tenant_sum_same(const struct tenant_sum *one, const struct tenant_sum *two)
{
    return one->rows == two->rows && one->bytes == two->bytes &&
           memcmp(one->hash, two->hash, sizeof(one->hash)) == 0;
}

int tenant_keys_load(struct ctl *ctl, struct seal_keys *ret, struct error *err)
{
    return seal_keys_load(files_seal_key(ctl->arena, arguments_get(&ctl->args, "--keys"), ctl->dir,
                                         "settingsd"),
                          ret, err);
}

void tenant_sums_show(struct ctl *ctl, const struct tenant_sums *sums, json_t *json)
{
    json_t *tables = json_array();

    for (size_t i = 0; i < sums->count; i++) {
        const struct tenant_sum *sum = &sums->items[i];

        json_array_append_new(tables,
                              json_pack("{s:s, s:I, s:I}", "table", sum->table, "rows",
                                        (json_int_t)sum->rows, "bytes", (json_int_t)sum->bytes));
        if (!ctl->json)
            printf("%-28s %10" PRIu64 " rows %12" PRIu64 " bytes\n", sum->table, sum->rows,
                   sum->bytes);
    }
    json_object_set_new(json, "tables", tables);
}
