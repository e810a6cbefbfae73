/* metric_rows.c - see metric_rows.h. */
#include "common/service/metric_rows.h"

static const struct field metric_row_rows[] = {
    FIELD_TEXT(struct metric_row, name, 1, 128, FIELD_REQUIRED, "Name", "atrium_bus_calls_total"),
    FIELD_TEXT(struct metric_row, labels, 0, 512, 0, "Labels", "operation=\"login\""),
    FIELD_TEXT(struct metric_row, help, 0, 512, 0, "What it tells", "Calls answered."),
    FIELD_TEXT(struct metric_row, type, 1, 16, FIELD_REQUIRED, "Kind", "counter"),
    FIELD_INT(struct metric_row, value, INT64_MIN, INT64_MAX, 0, FIELD_REQUIRED, "Value", "42"),
};
FIELD_TABLE(metric_row);

struct row_list {
    struct metric_row *rows;
    size_t count;
};

static void row_add(void *arg, const struct metric *metric)
{
    struct row_list *list = arg;

    list->rows[list->count++] = (struct metric_row){.name = metric->name,
                                                    .labels = metric->labels,
                                                    .help = metric->help,
                                                    .type = metric->type,
                                                    .value = metric->value};
}

struct field_list metrics_rows(const struct metrics *self, struct arena *arena)
{
    struct row_list list = {
        .rows = arena_calloc(arena, metrics_count(self), sizeof(struct metric_row))};

    metrics_each(self, arena, row_add, &list);
    return (struct field_list){list.rows, list.count};
}
