/*
 * test_docd_image_start.c - libvips fails to start: images are refused, with one log line, and docd
 * continues.
 */
#include <stdio.h>
#include <string.h>
#include <vips/vips.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/service/metric_rows.h"
#include "docd/image/image_process.h"
#include "docd/image/variant.h"
#include "tests/support/unit.h"

/* Replaces libvips' function, which no environment makes fail reliably. */
int vips_init(const char *name UNUSED)
{
    return -1;
}

static int64_t unusable(const struct metrics *metrics, struct arena *arena)
{
    struct field_list list = metrics_rows(metrics, arena);
    const struct metric_row *rows = list.items;

    for (size_t i = 0; i < list.count; i++)
        if (strcmp(rows[i].name, "atrium_doc_images_unusable") == 0)
            return rows[i].value;
    return -1;
}

static void refuse(struct loop *loop, void *arg UNUSED)
{
    struct unit_dir dir = unit_dir_make();
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct request req = {.arena = arena, .deadline_mono_ms = clock_mono_ms() + 20000};
    struct seal_keys keys = unit_seal_keys(0);
    struct offload *pool = offload_new(loop, 1, 8);
    struct metrics *metrics = metrics_new();
    struct store_local_options local = {.dir = dir.path, .bucket = "b", .seal = &keys};
    struct variants_options options = {.dir = arena_printf(arena, "%s/variants", dir.path),
                                       .bytes_max = 1 << 20,
                                       .image_threads = 2,
                                       .image_queue = 8,
                                       .image_memory = 1 << 30,
                                       .image_bytes = 1 << 20};
    struct image_size size = {30, 20, IMAGE_COVER};
    struct store_key object = {uuid_random(), uuid_random()};
    struct variant variant;
    struct stored stored;
    struct error err;

    error_init(&err, arena);
    struct store *store = store_local_new(loop, &local, &err);
    struct variants *variants = variants_new(loop, metrics, pool, store, &options, &err);
    CU_ASSERT_EQUAL(store->functions->begin(store, &req, object, &err), 0);
    CU_ASSERT_EQUAL(store->functions->finish(store, &req, object, 0, &stored, &err), 0);
    CU_ASSERT_EQUAL(unusable(metrics, arena), 0);
    unit_expect_log(1);
    for (int i = 0; i < 3; i++) {
        error_clear(&err);
        CU_ASSERT_EQUAL(variant_get(variants, &req, object, 0, &size, &variant, &err), -1);
        CU_ASSERT_EQUAL(err.code, ERR_UNAVAILABLE);
        CU_ASSERT_EQUAL(err.retry_after_s, 60);
        CU_ASSERT_STRING_EQUAL(err.message,
                               "Images can't be resized right now. Please try again later.");
    }
    CU_ASSERT_EQUAL(unusable(metrics, arena), 1);
    variants_destroy(&variants);
    store_destroy(&store);
    metrics_destroy(&metrics);
    offload_destroy(&pool);
    unit_dir_remove(&dir);
}

static void test_every_image_is_refused_and_it_is_logged_once(void)
{
    unit_on_fiber(refuse, NULL);
    CU_ASSERT_EQUAL(log_count(LOG_WARNING), 1);
}

static const struct unit_case cases[] = {
    CASE(test_every_image_is_refused_and_it_is_logged_once),
};

int main(int argc, char **argv)
{
    if (image_program_wanted(argc, argv)) /* this program is also docd's child */
        return image_program();
    return unit_run("docd image start", cases, ARRAY_SIZE(cases));
}
