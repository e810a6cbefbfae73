/* metrics_text.c - metrics rows as Prometheus text. */
#include <inttypes.h>

#include <czmq.h>

#include "common/service/metric_rows.h"
#include "gateway/endpoint/admin.h"

struct sample {
    const char *family;
    size_t family_length;
    const struct metrics_part *part;
    const struct metric_row *row;
    size_t order; /* keeps histogram buckets in order */
};

/* Returns the length of the family's name: "x_bucket", "x_sum" and "x_count" belong to the family
 * "x". */
static size_t family_length(const struct metric_row *row)
{
    static const char *const endings[] = {"_bucket", "_sum", "_count"};
    size_t length = strlen(row->name);

    if (strcmp(row->type, "histogram") != 0)
        return length;
    for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
        size_t ending = strlen(endings[i]);

        if (length > ending && strcmp(row->name + length - ending, endings[i]) == 0)
            return length - ending;
    }
    return length;
}

static bool same_family(const struct sample *a, const struct sample *b)
{
    return a->family_length == b->family_length &&
           memcmp(a->family, b->family, a->family_length) == 0;
}

static int compare(const void *left, const void *right)
{
    const struct sample *a = left, *b = right;
    int order = memcmp(a->family, b->family, MIN(a->family_length, b->family_length));

    if (order == 0)
        order = (a->family_length > b->family_length) - (a->family_length < b->family_length);
    if (order == 0)
        order = (a->order > b->order) - (a->order < b->order);
    return order;
}

/* Prefixes own labels named service or instance with "exported_", as Prometheus does. */
static const char *label_prefix(const char *labels)
{
    return strncmp(labels, "service=", 8) == 0 || strncmp(labels, "instance=", 9) == 0
               ? ",exported_"
           : labels[0] != '\0' ? ","
                               : "";
}

static void write_sample(zchunk_t *text, const struct sample *sample, bool first)
{
    const struct metric_row *row = sample->row;
    const char *labels = row->labels ? row->labels : "";
    char *line;

    if (first) {
        line = zsys_sprintf("# HELP %.*s %s\n# TYPE %.*s %s\n", (int)sample->family_length,
                            sample->family, row->help ? row->help : "", (int)sample->family_length,
                            sample->family, row->type);
        zchunk_extend(text, line, strlen(line));
        zstr_free(&line);
    }
    line = zsys_sprintf("%s{service=\"%s\",instance=\"%s\"%s%s} %" PRId64 "\n", row->name,
                        sample->part->service, sample->part->instance, label_prefix(labels), labels,
                        row->value);
    zchunk_extend(text, line, strlen(line));
    zstr_free(&line);
}

char *metrics_text(const struct metrics_part *parts, size_t count, struct arena *arena)
{
    zchunk_t *text = zchunk_new(NULL, 64 * 1024);
    struct sample *samples;
    size_t total = 0, next = 0;
    char *result;

    for (size_t i = 0; i < count; i++)
        total += parts[i].rows.count;
    samples = arena_calloc(arena, total, sizeof(*samples));
    for (size_t i = 0; i < count; i++) {
        const struct metric_row *rows = parts[i].rows.items;

        for (size_t r = 0; r < parts[i].rows.count; r++, next++)
            samples[next] =
                (struct sample){rows[r].name, family_length(&rows[r]), &parts[i], &rows[r], next};
    }
    qsort(samples, total, sizeof(*samples), compare);
    for (size_t i = 0; i < total; i++)
        write_sample(text, &samples[i], i == 0 || !same_family(&samples[i - 1], &samples[i]));
    result = arena_strndup(arena, (const char *)zchunk_data(text), zchunk_size(text));
    zchunk_destroy(&text);
    return result;
}
