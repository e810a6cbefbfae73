/*
 * test_docd_variant.c - resized images on disk: made once, shared by instances, bounded, removed
 * with their object.
 */
#include <fcntl.h>
#include <ftw.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vips/vips.h>

#include "common/base/clock.h"
#include "common/runtime/fiber.h"
#include "docd/image/image_process.h"
#include "docd/image/image_vips.h"
#include "docd/image/variant.h"
#include "docd/image/variant_files.h"
#include "tests/support/unit.h"

enum { INSTANCES = 2, MANY = 10, DEADLINE_MS = 100000, FILE_MAX = 1 << 20, POOL_THREADS = 2 };

static const struct image_size small = {30, 20, IMAGE_COVER};

struct fixture {
    struct loop *loop;
    struct unit_dir dir;
    struct arena *arena;
    struct request req;
    struct error err;
    struct seal_keys seal;
    struct offload *pool;
    struct store *store;
    struct metrics *metrics[INSTANCES];
    struct variants *variants[INSTANCES];
    struct store_key key; /* an image of 400 x 300 pixels */
};

static const char *variants_dir(const struct fixture *f)
{
    return arena_printf(f->arena, "%s/variants", f->dir.path);
}

static void open_instance(struct fixture *f, int instance, int64_t bytes_max, size_t queue)
{
    struct variants_options options = {.dir = variants_dir(f),
                                       .bytes_max = bytes_max,
                                       .image_threads = 1,
                                       .image_queue = queue,
                                       .image_memory = 1 << 30,
                                       .image_bytes = FILE_MAX};

    f->metrics[instance] = metrics_new();
    f->variants[instance] =
        variants_new(f->loop, f->metrics[instance], f->pool, f->store, &options, &f->err);
    CU_ASSERT_PTR_NOT_NULL(f->variants[instance]);
}

static void close_instance(struct fixture *f, int instance)
{
    variants_destroy(&f->variants[instance]);
    metrics_destroy(&f->metrics[instance]);
}

static struct store_key put_bytes(struct fixture *f, const void *bytes, size_t size)
{
    struct store_key key = {uuid_random(), uuid_random()};
    struct stored stored;

    CU_ASSERT(f->store->functions->begin(f->store, &f->req, key, &f->err) == 0);
    CU_ASSERT(f->store->functions->write(f->store, &f->req, key, 0,
                                         (struct field_bytes){bytes, size}, &f->err) == 0);
    CU_ASSERT(
        f->store->functions->finish(f->store, &f->req, key, (int64_t)size, &stored, &f->err) == 0);
    return key;
}

static struct store_key put_picture(struct fixture *f, int width, int height)
{
    VipsImage *image = NULL;
    struct store_key key;
    void *bytes = NULL;
    size_t size;

    CU_ASSERT(vips_black(&image, width, height, "bands", 3, NULL) == 0);
    CU_ASSERT(vips_pngsave_buffer(image, &bytes, &size, NULL) == 0);
    key = put_bytes(f, bytes, size);
    g_free(bytes);
    g_object_unref(image);
    return key;
}

static void open_fixture(struct fixture *f, struct loop *loop)
{
    struct store_local_options options = {.bucket = "b", .seal = &f->seal};

    *f = (struct fixture){.loop = loop, .dir = unit_dir_make(), .arena = arena_new()};
    f->req = (struct request){.arena = f->arena, .deadline_mono_ms = clock_mono_ms() + DEADLINE_MS};
    error_init(&f->err, f->arena);
    f->seal = unit_seal_keys(0);
    f->pool = offload_new(loop, POOL_THREADS, 256);
    options.dir = f->dir.path;
    f->store = store_local_new(loop, &options, &f->err);
    CU_ASSERT_PTR_NOT_NULL(f->store);
    f->key = put_picture(f, 400, 300);
}

static void close_fixture(struct fixture *f)
{
    for (int i = 0; i < INSTANCES; i++)
        if (f->variants[i])
            close_instance(f, i);
    store_destroy(&f->store);
    offload_destroy(&f->pool);
    unit_dir_remove(&f->dir);
    arena_destroy(&f->arena);
}

static uint64_t count(struct fixture *f, int instance, const char *labels)
{
    return *metrics_counter(f->metrics[instance], "atrium_doc_variants_total", labels, "");
}

static uint64_t decodes(struct fixture *f)
{
    uint64_t sum = 0;

    for (int i = 0; i < INSTANCES; i++)
        if (f->metrics[i])
            sum += *metrics_counter(f->metrics[i], "atrium_doc_image_decodes_total", "", "");
    return sum;
}

static size_t files_found;
static int64_t bytes_found;

static int count_file(const char *path UNUSED, const struct stat *status, int kind,
                      struct FTW *place UNUSED)
{
    files_found += kind == FTW_F;
    bytes_found += kind == FTW_F ? status->st_blocks * 512 : 0;
    return 0;
}

static size_t files(const struct fixture *f)
{
    files_found = 0;
    bytes_found = 0;
    nftw(variants_dir(f), count_file, 16, FTW_PHYS);
    return files_found;
}

static char only_path[256];

static int note_file(const char *path, const struct stat *status UNUSED, int kind,
                     struct FTW *place UNUSED)
{
    if (kind == FTW_F)
        snprintf(only_path, sizeof(only_path), "%s", path);
    return 0;
}

static const char *only_file(const struct fixture *f)
{
    only_path[0] = '\0';
    nftw(variants_dir(f), note_file, 16, FTW_PHYS);
    return only_path;
}

static int get(struct fixture *f, int instance, struct store_key key, struct image_size size,
               struct variant *ret)
{
    error_clear(&f->err);
    return variant_get(f->variants[instance], &f->req, key, 1000, &size, ret, &f->err);
}

static void variants_survive_a_restart(struct loop *loop, void *arg UNUSED)
{
    struct variant first = {0}, second = {0}, third = {0};
    struct fixture f;
    uint8_t some[16];
    size_t size;

    open_fixture(&f, loop);
    open_instance(&f, 0, 1 << 20, 8);
    CU_ASSERT(get(&f, 0, f.key, small, &first) == 0);
    CU_ASSERT_STRING_EQUAL(first.contentType, "image/png");
    CU_ASSERT_EQUAL(first.size, (int64_t)first.bytes.size);
    CU_ASSERT(memcmp(first.bytes.bytes, "\x89PNG", 4) == 0);
    CU_ASSERT(get(&f, 0, f.key, small, &second) == 0);
    CU_ASSERT_EQUAL(decodes(&f), 1);
    CU_ASSERT_EQUAL(count(&f, 0, "result=\"made\""), 1);
    CU_ASSERT_EQUAL(count(&f, 0, "result=\"kept\""), 1);
    CU_ASSERT(second.size == first.size &&
              memcmp(second.bytes.bytes, first.bytes.bytes, first.bytes.size) == 0);
    CU_ASSERT_EQUAL(files(&f), 1);
    CU_ASSERT_TRUE(variant_is_handle(first.handle));
    CU_ASSERT_FALSE(variant_is_handle("0b7f/5f0c"));
    CU_ASSERT(variant_read(f.variants[0], &f.req, first.handle, first.size - 8, some, sizeof(some),
                           &size, &f.err) == 0);
    CU_ASSERT(size == 8 && memcmp(some, first.bytes.bytes + first.size - 8, 8) == 0);
    /* restart, with the other instance's variants */
    close_instance(&f, 0);
    open_instance(&f, 1, 1 << 20, 8);
    CU_ASSERT(get(&f, 1, f.key, small, &third) == 0);
    CU_ASSERT(third.size == first.size && decodes(&f) == 0);
    close_fixture(&f);
}

static void a_handle_is_good_for_as_long_as_it_takes(struct loop *loop, void *arg UNUSED)
{
    static const char *const bad[] = {
        /* each is an invalid path after project and object */
        "/0x0/cover", "/1x1/crop", "/6001x1/cover", "/-1x1/cover", "/1x1", "/../1x1/cover", "/"};
    struct variant variant = {0};
    struct fixture f;
    uint8_t byte;
    size_t size;

    open_fixture(&f, loop);
    open_instance(&f, 0, 1 << 20, 8);
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        char handle[128];

        error_clear(&f.err);
        snprintf(handle, sizeof(handle), "%s/%s%s", f.key.project.text, f.key.object.text, bad[i]);
        UNIT_CHECK(variant_read(f.variants[0], &f.req, handle, 0, &byte, 1, &size, &f.err) < 0 &&
                       f.err.code == ERR_BAD_REQUEST,
                   "%s", handle);
    }
    /* a variant removed during sending is made again */
    error_clear(&f.err);
    CU_ASSERT(get(&f, 0, f.key, (struct image_size){0, 9, IMAGE_INSIDE}, &variant) == 0);
    unlink(only_file(&f));
    CU_ASSERT(variant_read(f.variants[0], &f.req, variant.handle, 1, &byte, 1, &size, &f.err) == 0);
    CU_ASSERT(size == 1 && byte == 'P');
    CU_ASSERT_EQUAL(decodes(&f), 2);
    close_fixture(&f);
}

/* The first docd stored WebP variants with metadata, with only libvips' version in the name. */
static void a_variant_of_an_earlier_docd_is_not_served(struct loop *loop, void *arg UNUSED)
{
    static const char gps[] = "GPS";
    struct variant_head head = {.magic = "ATRIUM-", .size = sizeof(gps), .type = "image/webp"};
    const char *version = vips_version_string(), *old_text;
    struct variant variant = {0};
    struct fixture f;
    char path[256], handle[128], digits[9];
    uint8_t hash[32], byte;
    size_t size;
    FILE *file;

    open_fixture(&f, loop);
    open_instance(&f, 0, 1 << 20, 8);
    head.magic[7] = '1';
    crypto_generichash(hash, crypto_generichash_BYTES_MIN, (const uint8_t *)version,
                       strlen(version), NULL, 0);
    sodium_bin2hex(digits, sizeof(digits), hash, 4);
    snprintf(path, sizeof(path), "%s/%.2s/%s-30x20-cover-%s", variants_dir(&f), f.key.object.text,
             f.key.object.text, digits);
    file = fopen(path, "w");
    CU_ASSERT_FATAL(file && fwrite(&head, sizeof(head), 1, file) == 1 &&
                    fwrite(gps, sizeof(gps), 1, file) == 1);
    fclose(file);
    CU_ASSERT(get(&f, 0, f.key, small, &variant) == 0);
    CU_ASSERT_STRING_EQUAL(variant.contentType, "image/png");
    CU_ASSERT_EQUAL(decodes(&f), 1);
    /* caches and gateways must not revalidate it either */
    old_text = arena_printf(f.arena, "\"a\" 30x20 cover %s", version);
    crypto_generichash(hash, sizeof(hash), (const uint8_t *)old_text, strlen(old_text), NULL, 0);
    snprintf(digits, sizeof(digits), "%02x%02x%02x%02x", hash[0], hash[1], hash[2], hash[3]);
    CU_ASSERT(strncmp(variant_etag(f.arena, "\"a\"", &small) + 1, digits, 8) != 0);
    snprintf(handle, sizeof(handle), "%s/%s/30x20/cover", f.key.project.text, f.key.object.text);
    CU_ASSERT_STRING_NOT_EQUAL(variant.handle, handle);
    CU_ASSERT(variant_read(f.variants[0], &f.req, handle, 0, &byte, 1, &size, &f.err) < 0);
    CU_ASSERT_EQUAL(f.err.code, ERR_BAD_REQUEST);
    /* removed with its object */
    CU_ASSERT(variants_remove(f.variants[0], &f.req, f.key.object, &f.err) == 0);
    CU_ASSERT_EQUAL(files(&f), 0);
    close_fixture(&f);
}

struct crowd {
    struct fixture *f;
    struct fiber *starter;
    struct store_key key;
    int next, left, good, invalid, busy;
};

static void one_of_many(void *arg)
{
    struct crowd *crowd = arg;
    struct fixture *f = crowd->f;
    int number = crowd->next++;
    struct variant variant = {0};
    struct error err;

    error_init(&err, f->arena);
    if (variant_get(f->variants[number % INSTANCES], &f->req, crowd->key, 1000, &small, &variant,
                    &err) == 0)
        crowd->good++;
    else if (err.code == ERR_VALIDATION && strcmp(err.problems->name, "width") == 0)
        crowd->invalid++;
    else if (err.code == ERR_OVERLOADED)
        crowd->busy++;
    if (--crowd->left == 0)
        fiber_wake(crowd->starter);
}

static struct crowd run_crowd(struct fixture *f, struct store_key key)
{
    struct crowd crowd = {.f = f, .starter = fiber_self(f->loop), .key = key, .left = MANY};

    for (int i = 0; i < MANY; i++)
        CU_ASSERT(fiber_start(f->loop, one_of_many, &crowd, &f->err) == 0);
    while (crowd.left > 0 && fiber_park(f->loop, clock_mono_ms() + DEADLINE_MS) == FIBER_WOKEN)
        ;
    CU_ASSERT_EQUAL(crowd.left, 0);
    return crowd;
}

static void equal_requests_of_two_instances_decode_once(struct loop *loop, void *arg UNUSED)
{
    struct fixture f;
    struct crowd crowd;

    open_fixture(&f, loop);
    open_instance(&f, 0, 1 << 20, 1);
    open_instance(&f, 1, 1 << 20, 1);
    crowd = run_crowd(&f, put_picture(&f, 3000, 2000));
    CU_ASSERT_EQUAL(crowd.good, MANY);
    CU_ASSERT_EQUAL(decodes(&f), 1);
    CU_ASSERT_EQUAL(files(&f), 1);
    /* a failure is not repeated for each */
    crowd = run_crowd(&f, put_bytes(&f, "<svg/>", 6));
    CU_ASSERT_EQUAL(crowd.invalid, MANY);
    CU_ASSERT_EQUAL(decodes(&f), 1);
    CU_ASSERT_EQUAL(files(&f), 1);
    close_fixture(&f);
}

static void one_of_different(void *arg)
{
    struct crowd *crowd = arg;
    struct fixture *f = crowd->f;
    struct image_size size = {100 + crowd->next++, 0, IMAGE_COVER};
    struct variant variant = {0};
    struct error err;

    error_init(&err, f->arena);
    if (variant_get(f->variants[0], &f->req, crowd->key, 1000, &size, &variant, &err) == 0)
        crowd->good++;
    else if (err.code == ERR_OVERLOADED && err.retry_after_s > 0)
        crowd->busy++;
    if (--crowd->left == 0)
        fiber_wake(crowd->starter);
}

static void excess_distinct_variants_are_refused(struct loop *loop, void *arg UNUSED)
{
    struct fixture f;
    struct crowd crowd = {.left = MANY};

    open_fixture(&f, loop);
    open_instance(&f, 0, 1 << 20, 2);
    crowd.f = &f;
    crowd.starter = fiber_self(loop);
    crowd.key = f.key;
    for (int i = 0; i < MANY; i++)
        CU_ASSERT(fiber_start(loop, one_of_different, &crowd, &f.err) == 0);
    while (crowd.left > 0 && fiber_park(loop, clock_mono_ms() + DEADLINE_MS) == FIBER_WOKEN)
        ;
    /* One request runs and two wait, unless the first starts slowly. */
    UNIT_CHECK(crowd.good >= 2 && crowd.good <= 3 && crowd.good + crowd.busy == MANY,
               "%d made, %d sent away", crowd.good, crowd.busy);
    close_fixture(&f);
}

static void set_used(const char *path, int64_t seconds_ago)
{
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT},
                                      {.tv_sec = time(NULL) - seconds_ago}};

    CU_ASSERT(utimensat(AT_FDCWD, path, times, 0) == 0);
}

static void the_directory_is_bounded_what_is_used_stays(struct loop *loop, void *arg UNUSED)
{
    enum { ROOM = 20 * 4096 };
    struct variant variant = {0};
    struct fixture f;
    char first[256];

    open_fixture(&f, loop);
    open_instance(&f, 0, ROOM, 8);
    CU_ASSERT(get(&f, 0, f.key, small, &variant) == 0);
    snprintf(first, sizeof(first), "%s", only_file(&f));
    for (int i = 0; i < 30; i++) {
        set_used(first, 3000); /* oldest, but used occasionally */
        CU_ASSERT(get(&f, 0, f.key, small, &variant) == 0);
        CU_ASSERT(get(&f, 0, f.key, (struct image_size){40 + i, 0, IMAGE_COVER}, &variant) == 0);
        (void)files(&f);
        UNIT_CHECK(bytes_found <= ROOM, "%lld bytes", (long long)bytes_found);
    }
    CU_ASSERT(access(first, F_OK) == 0);
    CU_ASSERT_EQUAL(decodes(&f), 31);
    UNIT_CHECK(files(&f) > 10, "%zu files", files(&f));
    /* A variant larger than the limit is still sent. */
    close_instance(&f, 0);
    open_instance(&f, 0, 1, 8);
    CU_ASSERT(get(&f, 0, f.key, (struct image_size){7, 7, IMAGE_COVER}, &variant) == 0);
    CU_ASSERT(variants_sweep(f.variants[0], &f.req, &f.err) == 0);
    close_fixture(&f);
}

/* The size in the row is enough to refuse the file: this object does not exist, so fetching it
 * would fail otherwise. */
static void files_that_are_too_large_are_not_fetched(struct loop *loop, void *arg UNUSED)
{
    static const struct {
        struct image_size size;
        int64_t bytes;
        const char *path; /* NULL: it would be fetched */
    } rows[] = {
        {{30, 20, IMAGE_COVER}, FILE_MAX + 1LL, "width"},
        {{0, 20, IMAGE_COVER}, 5LL << 30, "height"},
        {{30, 20, IMAGE_COVER}, FILE_MAX, NULL},
    };
    struct store_key nothing = {uuid_random(), uuid_random()};
    struct variant variant = {0};
    struct fixture f;

    open_fixture(&f, loop);
    open_instance(&f, 0, 1 << 20, 8);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        error_clear(&f.err);
        UNIT_CHECK(variant_get(f.variants[0], &f.req, nothing, rows[i].bytes, &rows[i].size,
                               &variant, &f.err) < 0 &&
                       f.err.code == (rows[i].path ? ERR_VALIDATION : ERR_NOT_FOUND),
                   "row %zu: %d", i, f.err.code);
        if (!rows[i].path || !f.err.problems)
            continue;
        CU_ASSERT_STRING_EQUAL(f.err.problems->name, rows[i].path);
        CU_ASSERT_STRING_EQUAL(f.err.problems->value, "needs a file of at most 1048576 bytes");
    }
    close_fixture(&f);
}

/* Occupies the pool's threads with jobs that wait for a byte from the pipe. */
struct standstill {
    struct fixture *f;
    struct fiber *starter;
    int gate[2];
    int left;
};

static void wait_for_byte(void *arg)
{
    const struct standstill *still = arg;
    uint8_t byte;

    CU_ASSERT(read(still->gate[0], &byte, 1) == 1);
}

static void occupy_thread(void *arg)
{
    struct standstill *still = arg;
    struct error err;

    error_init(&err, NULL);
    CU_ASSERT(offload_run(still->f->pool, wait_for_byte, still, clock_mono_ms() + DEADLINE_MS,
                          &err) == 0);
    if (--still->left == 0)
        fiber_wake(still->starter);
}

static void stand_still(struct standstill *still)
{
    struct fixture *f = still->f;

    CU_ASSERT(pipe2(still->gate, O_CLOEXEC) == 0);
    for (int i = 0; i < POOL_THREADS; i++)
        CU_ASSERT(fiber_start(f->loop, occupy_thread, still, &f->err) == 0);
    while (offload_running(f->pool) < POOL_THREADS)
        CU_ASSERT(fiber_sleep_until(f->loop, clock_mono_ms() + 1, &f->err) == 0);
}

static void go_on(struct standstill *still)
{
    CU_ASSERT(write(still->gate[1], "..", POOL_THREADS) == POOL_THREADS);
    while (still->left > 0 &&
           fiber_park(still->f->loop, clock_mono_ms() + DEADLINE_MS) == FIBER_WOKEN)
        ;
    close(still->gate[0]);
    close(still->gate[1]);
}

static void what_the_kernel_has_in_memory_waits_for_no_disk(struct loop *loop, void *arg UNUSED)
{
    struct variant variant = {0};
    struct fixture f;
    struct standstill still = {.f = &f, .starter = fiber_self(loop), .left = POOL_THREADS};

    open_fixture(&f, loop);
    open_instance(&f, 0, 1 << 20, 8);
    CU_ASSERT(get(&f, 0, f.key, small, &variant) == 0);
    stand_still(&still);
    f.req.deadline_mono_ms = clock_mono_ms() + 100;
    CU_ASSERT(get(&f, 0, f.key, small, &variant) == 0);
    CU_ASSERT_EQUAL(count(&f, 0, "result=\"kept\""), 1);
    /* recording its use can be slow */
    set_used(only_file(&f), 3000);
    CU_ASSERT(get(&f, 0, f.key, small, &variant) < 0 && f.err.code == ERR_DEADLINE);
    go_on(&still);
    f.req.deadline_mono_ms = clock_mono_ms() + DEADLINE_MS;
    CU_ASSERT(get(&f, 0, f.key, small, &variant) == 0);
    CU_ASSERT_EQUAL(decodes(&f), 1);
    close_fixture(&f);
}

static void incomplete_variants_are_rebuilt_or_swept(struct loop *loop, void *arg UNUSED)
{
    struct variant variant = {0};
    struct fixture f;
    char path[256], new_path[300];
    int file;

    open_fixture(&f, loop);
    open_instance(&f, 0, 1 << 20, 8);
    CU_ASSERT(get(&f, 0, f.key, small, &variant) == 0);
    snprintf(path, sizeof(path), "%s", only_file(&f));
    snprintf(new_path, sizeof(new_path), "%s.new", path);
    /* truncated, as after a power failure */
    CU_ASSERT(truncate(path, 60) == 0);
    CU_ASSERT(get(&f, 0, f.key, small, &variant) == 0);
    CU_ASSERT_EQUAL(decodes(&f), 2);
    unlink(path);
    /* started by a killed instance */
    file = open(new_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    CU_ASSERT(write(file, "rubbish that is longer than a head, really", 42) == 42);
    close(file);
    CU_ASSERT(get(&f, 0, f.key, small, &variant) == 0);
    CU_ASSERT(access(path, F_OK) == 0 && access(new_path, F_OK) < 0);
    /* the same for a variant that is never requested again */
    file = open(new_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    CU_ASSERT(variants_sweep(f.variants[0], &f.req, &f.err) == 0);
    CU_ASSERT(access(new_path, F_OK) == 0);
    set_used(new_path, 4000);
    CU_ASSERT(get(&f, 0, f.key, (struct image_size){3, 3, IMAGE_COVER}, &variant) == 0);
    flock(file, LOCK_EX); /* another process is still writing */
    CU_ASSERT(variants_sweep(f.variants[0], &f.req, &f.err) == 0);
    CU_ASSERT(access(new_path, F_OK) == 0);
    close(file);
    CU_ASSERT(get(&f, 0, f.key, (struct image_size){4, 4, IMAGE_COVER}, &variant) == 0);
    CU_ASSERT(variants_sweep(f.variants[0], &f.req, &f.err) == 0);
    CU_ASSERT(access(new_path, F_OK) < 0);
    close_fixture(&f);
}

/* An instance elsewhere holds the lock forever: requests wait until their deadline. */
static void no_request_waits_longer_than_its_deadline(struct loop *loop, void *arg UNUSED)
{
    struct variant variant = {0};
    struct fixture f;
    char path[300];
    int file;

    open_fixture(&f, loop);
    open_instance(&f, 0, 1 << 20, 8);
    CU_ASSERT(get(&f, 0, f.key, small, &variant) == 0);
    snprintf(path, sizeof(path), "%s", only_file(&f));
    unlink(path);
    strcat(path, ".new");
    file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    flock(file, LOCK_EX);
    f.req.deadline_mono_ms = clock_mono_ms() + 100;
    CU_ASSERT(get(&f, 0, f.key, small, &variant) < 0);
    CU_ASSERT_EQUAL(f.err.code, ERR_DEADLINE);
    f.req.deadline_mono_ms = clock_mono_ms() + DEADLINE_MS;
    close(file);
    CU_ASSERT(get(&f, 0, f.key, small, &variant) == 0);
    close_fixture(&f);
}

static void variants_are_removed_with_their_object(struct loop *loop, void *arg UNUSED)
{
    struct variant variant = {0};
    struct fixture f;
    struct store_key other;

    open_fixture(&f, loop);
    open_instance(&f, 0, 1 << 20, 8);
    other = put_picture(&f, 50, 50);
    CU_ASSERT(get(&f, 0, other, small, &variant) == 0);
    CU_ASSERT(get(&f, 0, f.key, small, &variant) == 0);
    CU_ASSERT(get(&f, 0, f.key, (struct image_size){9, 9, IMAGE_FILL}, &variant) == 0);
    CU_ASSERT_EQUAL(files(&f), 3);
    CU_ASSERT(f.store->functions->remove(f.store, &f.req, f.key, &f.err) == 0);
    CU_ASSERT(variants_remove(f.variants[0], &f.req, f.key.object, &f.err) == 0);
    CU_ASSERT_EQUAL(files(&f), 1);
    CU_ASSERT(variants_remove(f.variants[0], &f.req, f.key.object, &f.err) == 0);
    CU_ASSERT(get(&f, 0, f.key, small, &variant) < 0);
    CU_ASSERT_EQUAL(f.err.code, ERR_NOT_FOUND);
    CU_ASSERT_EQUAL(files(&f), 1);
    close_fixture(&f);
}

struct removal {
    struct fixture *f;
    struct store_key key;
    struct fiber *starter;
    int result;
    bool over;
};

static void make_meanwhile(void *arg)
{
    struct removal *removal = arg;
    struct variant variant = {0};
    struct error err;

    error_init(&err, removal->f->arena);
    removal->result = variant_get(removal->f->variants[0], &removal->f->req, removal->key, 1000,
                                  &small, &variant, &err);
    removal->over = true;
    fiber_wake(removal->starter);
}

/* An object is removed at any point of making its variant: none remains. */
static void unfinished_variants_are_removed_with_their_object(struct loop *loop, void *arg UNUSED)
{
    struct fixture f;
    int kept_none = 0;

    open_fixture(&f, loop);
    open_instance(&f, 0, 1 << 20, 8);
    for (int i = 0; i < 30; i++) {
        struct removal removal = {
            .f = &f, .key = put_picture(&f, 600, 400), .starter = fiber_self(loop)};

        CU_ASSERT(fiber_start(loop, make_meanwhile, &removal, &f.err) == 0);
        if (fiber_park(loop, clock_mono_ms() + i % 12) == FIBER_CANCELLED)
            break;
        CU_ASSERT(f.store->functions->remove(f.store, &f.req, removal.key, &f.err) == 0);
        CU_ASSERT(variants_remove(f.variants[0], &f.req, removal.key.object, &f.err) == 0);
        while (!removal.over && fiber_park(loop, clock_mono_ms() + DEADLINE_MS) == FIBER_WOKEN)
            ;
        kept_none += removal.result < 0;
        UNIT_CHECK(files(&f) == 0, "round %d: %zu files", i, files(&f));
    }
    CU_ASSERT(kept_none > 0);
    close_fixture(&f);
}

static void test_each_has_an_entity_tag_of_its_own(void)
{
    static const struct image_size sizes[] = {{0, 1, IMAGE_COVER},
                                              {1, 0, IMAGE_COVER},
                                              {1, 1, IMAGE_COVER},
                                              {1, 1, IMAGE_FILL},
                                              {11, 1, IMAGE_COVER}};
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    const char *tags[2 * ARRAY_SIZE(sizes)];

    for (size_t i = 0; i < ARRAY_SIZE(tags); i++) {
        tags[i] = variant_etag(arena, i % 2 ? "\"a\"" : "\"b\"", &sizes[i / 2]);
        CU_ASSERT(tags[i][0] == '"' && strlen(tags[i]) == 66 && tags[i][65] == '"');
        for (size_t j = 0; j < i; j++)
            CU_ASSERT_STRING_NOT_EQUAL(tags[i], tags[j]);
    }
}

#define ON_FIBER(name)             \
    static void test_##name(void)  \
    {                              \
        unit_on_fiber(name, NULL); \
    }
ON_FIBER(variants_survive_a_restart)
ON_FIBER(a_handle_is_good_for_as_long_as_it_takes)
ON_FIBER(a_variant_of_an_earlier_docd_is_not_served)
ON_FIBER(equal_requests_of_two_instances_decode_once)
ON_FIBER(excess_distinct_variants_are_refused)
ON_FIBER(the_directory_is_bounded_what_is_used_stays)
ON_FIBER(files_that_are_too_large_are_not_fetched)
ON_FIBER(what_the_kernel_has_in_memory_waits_for_no_disk)
ON_FIBER(incomplete_variants_are_rebuilt_or_swept)
ON_FIBER(no_request_waits_longer_than_its_deadline)
ON_FIBER(variants_are_removed_with_their_object)
ON_FIBER(unfinished_variants_are_removed_with_their_object)

static const struct unit_case cases[] = {
    CASE(test_each_has_an_entity_tag_of_its_own),
    CASE(test_variants_survive_a_restart),
    CASE(test_a_handle_is_good_for_as_long_as_it_takes),
    CASE(test_a_variant_of_an_earlier_docd_is_not_served),
    CASE(test_equal_requests_of_two_instances_decode_once),
    CASE(test_excess_distinct_variants_are_refused),
    CASE(test_the_directory_is_bounded_what_is_used_stays),
    CASE(test_files_that_are_too_large_are_not_fetched),
    CASE(test_what_the_kernel_has_in_memory_waits_for_no_disk),
    CASE(test_incomplete_variants_are_rebuilt_or_swept),
    CASE(test_no_request_waits_longer_than_its_deadline),
    CASE(test_variants_are_removed_with_their_object),
    CASE(test_unfinished_variants_are_removed_with_their_object),
};

int main(int argc, char **argv)
{
    if (image_program_wanted(argc, argv)) /* this program is also docd's child */
        return image_program();
    image_vips_prepare();
    if (!image_vips_start())
        return 1;
    return unit_run("docd variant", cases, ARRAY_SIZE(cases));
}
