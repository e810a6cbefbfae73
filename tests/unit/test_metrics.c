/*
 * test_metrics.c - cells, buckets and rows.
 */
#include <stdio.h>
#include <string.h>

#include "common/service/metric_rows.h"
#include "tests/support/unit.h"

static const struct metric_row *row_find(struct field_list list, const char *name,
                                         const char *labels)
{
    const struct metric_row *rows = list.items;

    for (size_t i = 0; i < list.count; i++)
        if (strcmp(rows[i].name, name) == 0 && strcmp(rows[i].labels, labels) == 0)
            return &rows[i];
    return NULL;
}

static int64_t row_value(struct field_list list, const char *name, const char *labels)
{
    const struct metric_row *row = row_find(list, name, labels);

    return row ? row->value : -1;
}

static int64_t read_seven(void *arg)
{
    return *(const int64_t *)arg;
}

static void test_counters_and_gauges(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct metrics *metrics = metrics_new();
    uint64_t *a = metrics_counter(metrics, "atrium_x_total", "kind=\"a\"", "X.");
    uint64_t *b = metrics_counter(metrics, "atrium_x_total", "kind=\"b\"", "X.");
    int64_t seven = 7, *level = metrics_gauge_cell(metrics, "atrium_l", "L.");
    struct field_list rows;

    CU_ASSERT(a != b && a == metrics_counter(metrics, "atrium_x_total", "kind=\"a\"", "X."));
    *a += 3;
    metrics_gauge(metrics, "atrium_g", "G.", read_seven, &seven);
    CU_ASSERT(*level == 0 && level == metrics_gauge_cell(metrics, "atrium_l", "L."));
    *level = -9;
    rows = metrics_rows(metrics, arena);
    CU_ASSERT(rows.count == 4);
    CU_ASSERT(row_value(rows, "atrium_l", "") == -9);
    CU_ASSERT_STRING_EQUAL(row_find(rows, "atrium_l", "")->type, "gauge");
    CU_ASSERT(row_value(rows, "atrium_x_total", "kind=\"a\"") == 3);
    CU_ASSERT(row_value(rows, "atrium_x_total", "kind=\"b\"") == 0);
    CU_ASSERT(row_value(rows, "atrium_g", "") == 7);
    CU_ASSERT_STRING_EQUAL(row_find(rows, "atrium_g", "")->type, "gauge");
    metrics_destroy(&metrics);
    CU_ASSERT_PTR_NULL(metrics);
}

static void test_buckets_are_cumulative(void)
{
    static const struct {
        int64_t us;
        const char *first; /* smallest bucket with the value */
    } rows[] = {
        {0, "64"},          {-5, "64"},
        {1, "64"},          {63, "64"},
        {64, "64"},         {65, "128"},
        {128, "128"},       {129, "256"},
        {1000, "1024"},     {16777216, "16777216"},
        {16777217, "+Inf"}, {INT64_MAX / 2, "+Inf"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        struct metrics *metrics = metrics_new();
        struct field_list list;
        bool reached = false;

        histogram_add(metrics_histogram(metrics, "h_us", "op=\"x\"", "H."), rows[i].us);
        list = metrics_rows(metrics, arena);
        for (size_t j = 0; j < list.count; j++) {
            const struct metric_row *row = (const struct metric_row *)list.items + j;
            char labels[64];

            if (strcmp(row->name, "h_us_bucket") != 0)
                continue;
            snprintf(labels, sizeof(labels), "op=\"x\",le=\"%s\"", rows[i].first);
            reached = reached || strcmp(row->labels, labels) == 0;
            UNIT_CHECK(row->value == (reached ? 1 : 0), "%lld us in %s", (long long)rows[i].us,
                       row->labels);
        }
        CU_ASSERT(reached && row_value(list, "h_us_count", "op=\"x\"") == 1);
        CU_ASSERT(row_value(list, "h_us_sum", "op=\"x\"") == MAX(rows[i].us, (int64_t)1));
        metrics_destroy(&metrics);
    }
}

static void test_beyond_the_limit_one_cell_is_shared(void)
{
    static char names[600][16];
    struct metrics *metrics = metrics_new();
    uint64_t *first, *late, *later;

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        snprintf(names[i], sizeof(names[i]), "c%zu", i);
        metrics_counter(metrics, names[i], "", "C.");
    }
    first = metrics_counter(metrics, "c0", "", "C.");
    late = metrics_counter(metrics, "late", "", "C.");
    later = metrics_counter(metrics, "later", "", "C.");
    CU_ASSERT(late == later && late != first);
    metrics_destroy(&metrics);
}

static const struct unit_case cases[] = {
    CASE(test_counters_and_gauges),
    CASE(test_buckets_are_cumulative),
    CASE(test_beyond_the_limit_one_cell_is_shared),
};

int main(void)
{
    return unit_run("metrics", cases, ARRAY_SIZE(cases));
}
