/* metrics.c - see metrics.h. */
#include "common/base/metrics.h"

#include "common/base/memory.h"

/* Buckets up to 64 us, 128 us, ... 16.8 s (2^24 us), and one for longer times. */
enum {
    CELLS_MAX = 512,
    BUCKET_FIRST = 6,
    BUCKET_LAST = 24,
    BUCKETS = BUCKET_LAST - BUCKET_FIRST + 2
};

struct histogram {
    uint64_t buckets[BUCKETS], count;
    int64_t sum_us;
};

enum cell_kind { CELL_COUNTER, CELL_GAUGE, CELL_HISTOGRAM };

struct cell {
    struct cell *next;
    enum cell_kind kind;
    const char *name, *labels, *help;
    uint64_t counter;
    int64_t level;
    int64_t (*read)(void *arg); /* reads a gauge; NULL: `level` is its value */
    const char *(*read_labels)(void *arg, struct arena *arena); /* NULL: `labels` applies */
    void *arg;
    struct histogram *histogram;
};

struct metrics {
    struct arena *arena; /* the cells, whose addresses callers keep */
    struct cell *first, **tail;
    size_t count;
};

struct metrics *metrics_new(void)
{
    struct metrics *self = memory_new(sizeof(*self));

    self->arena = arena_new();
    self->tail = &self->first;
    return self;
}

void metrics_destroy(struct metrics **self_p)
{
    if (!*self_p)
        return;
    arena_destroy(&(*self_p)->arena);
    free(*self_p);
    *self_p = NULL;
}

static struct cell *cell_find(struct metrics *self, enum cell_kind kind, const char *name,
                              const char *labels)
{
    for (struct cell *cell = self->first; cell; cell = cell->next)
        if (cell->kind == kind && strcmp(cell->name, name) == 0 &&
            strcmp(cell->labels, labels) == 0)
            return cell;
    return NULL;
}

static struct cell *cell_get(struct metrics *self, enum cell_kind kind, const char *name,
                             const char *labels, const char *help)
{
    static const char overflow[] = "atrium_metrics_overflow_total";
    struct cell *cell = cell_find(self, kind, name, labels);

    if (!cell && self->count >= CELLS_MAX) {
        cell = cell_find(self, kind, overflow, "");
        name = overflow;
        labels = "";
        help = "Metrics for which no cell was left.";
    }
    if (cell)
        return cell;
    cell = arena_alloc(self->arena, sizeof(*cell));
    *cell = (struct cell){.kind = kind, .name = name, .labels = labels, .help = help};
    *self->tail = cell;
    self->tail = &cell->next;
    self->count++;
    return cell;
}

uint64_t *metrics_counter(struct metrics *self, const char *name, const char *labels,
                          const char *help)
{
    return &cell_get(self, CELL_COUNTER, name, labels, help)->counter;
}

void metrics_gauge(struct metrics *self, const char *name, const char *help,
                   int64_t (*read)(void *arg), void *arg)
{
    struct cell *cell = cell_get(self, CELL_GAUGE, name, "", help);

    cell->read = read;
    cell->arg = arg;
}

void metrics_gauge_labelled(struct metrics *self, const char *name, const char *help,
                            int64_t (*read)(void *arg),
                            const char *(*labels)(void *arg, struct arena *arena), void *arg)
{
    metrics_gauge(self, name, help, read, arg);
    cell_get(self, CELL_GAUGE, name, "", help)->read_labels = labels;
}

int64_t *metrics_gauge_cell(struct metrics *self, const char *name, const char *help)
{
    return &cell_get(self, CELL_GAUGE, name, "", help)->level;
}

struct histogram *metrics_histogram(struct metrics *self, const char *name, const char *labels,
                                    const char *help)
{
    struct cell *cell = cell_get(self, CELL_HISTOGRAM, name, labels, help);

    if (!cell->histogram)
        cell->histogram = arena_alloc(self->arena, sizeof(*cell->histogram));
    return cell->histogram;
}

void histogram_add(struct histogram *self, int64_t us)
{
    int64_t bounded = MAX(us, (int64_t)1);
    int power = bounded == 1 ? 0 : 64 - __builtin_clzll((unsigned long long)bounded - 1);
    int bucket = MAX(power, (int)BUCKET_FIRST) - BUCKET_FIRST;

    self->buckets[MIN(bucket, BUCKETS - 1)]++;
    self->count++;
    self->sum_us += bounded;
}

static int64_t cell_value(const struct cell *cell)
{
    if (cell->kind == CELL_COUNTER)
        return (int64_t)cell->counter;
    return cell->read ? cell->read(cell->arg) : cell->level;
}

static size_t cell_row_count(const struct cell *cell)
{
    return cell->kind == CELL_HISTOGRAM ? BUCKETS + 2 : 1;
}

size_t metrics_count(const struct metrics *self)
{
    size_t count = 0;

    for (const struct cell *cell = self->first; cell; cell = cell->next)
        count += cell_row_count(cell);
    return count;
}

/* Writes cumulative buckets with label "le", sum and count. */
static void each_of_histogram(const struct cell *cell, struct arena *arena, metrics_each_fn *each,
                              void *arg)
{
    struct metric metric = {.labels = cell->labels, .help = cell->help, .type = "histogram"};
    const char *comma = cell->labels[0] != '\0' ? "," : "";

    metric.name = arena_printf(arena, "%s_bucket", cell->name);
    for (int i = 0; i < BUCKETS; i++) {
        metric.labels = i == BUCKETS - 1
                            ? arena_printf(arena, "%s%sle=\"+Inf\"", cell->labels, comma)
                            : arena_printf(arena, "%s%sle=\"%d\"", cell->labels, comma,
                                           1 << (BUCKET_FIRST + i));
        metric.value += (int64_t)cell->histogram->buckets[i];
        each(arg, &metric);
    }
    metric.labels = cell->labels;
    metric.name = arena_printf(arena, "%s_sum", cell->name);
    metric.value = cell->histogram->sum_us;
    each(arg, &metric);
    metric.name = arena_printf(arena, "%s_count", cell->name);
    metric.value = (int64_t)cell->histogram->count;
    each(arg, &metric);
}

void metrics_each(const struct metrics *self, struct arena *arena, metrics_each_fn *each, void *arg)
{
    for (const struct cell *cell = self->first; cell; cell = cell->next) {
        struct metric metric = {.name = cell->name, .labels = cell->labels, .help = cell->help};

        if (cell->kind == CELL_HISTOGRAM) {
            each_of_histogram(cell, arena, each, arg);
            continue;
        }
        if (cell->read_labels)
            metric.labels = cell->read_labels(cell->arg, arena);
        metric.type = cell->kind == CELL_COUNTER ? "counter" : "gauge";
        metric.value = cell_value(cell);
        each(arg, &metric);
    }
}
