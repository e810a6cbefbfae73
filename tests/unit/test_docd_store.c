/*
 * test_docd_store.c - the file store: writes in any order, invisible until complete, and repeatable
 * steps after a kill.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "docd/store/store.h"
#include "tests/support/unit.h"

enum { PIECE = 256 * 1024, SIZE = 3 * PIECE + 12345 };

static const char empty_hash[] =
    "\"0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8\""; /* BLAKE2b-256 */

struct fixture {
    struct unit_dir dir;
    struct seal_keys keys;
    struct store *store;
    struct request req;
    struct error err;
    struct store_key object;
    uint8_t *bytes;
};

static void open_store(struct fixture *self, struct loop *loop)
{
    struct store_local_options options = {
        .dir = self->dir.path, .bucket = "documents", .seal = &self->keys};

    self->store = store_local_new(loop, &options, &self->err);
}

static bool setup(struct fixture *self, struct loop *loop)
{
    *self = (struct fixture){.dir = unit_dir_make(), .keys = unit_seal_keys(0)};
    self->req = (struct request){
        .arena = arena_new(), .now_ms = 1790000000000, .deadline_mono_ms = clock_mono_ms() + 20000};
    error_init(&self->err, self->req.arena);
    self->object = (struct store_key){uuid_random(), uuid_random()};
    self->bytes = malloc(SIZE);
    for (size_t i = 0; i < SIZE; i++)
        self->bytes[i] = (uint8_t)(i * 7 + i / 251);
    open_store(self, loop);
    return UNIT_CHECK(self->store != NULL, "%s", self->err.message);
}

static void teardown(struct fixture *self)
{
    store_destroy(&self->store);
    free(self->bytes);
    arena_destroy(&self->req.arena);
    unit_dir_remove(&self->dir);
}

static int write_at(struct fixture *self, size_t offset, size_t size)
{
    return self->store->functions->write(self->store, &self->req, self->object, (int64_t)offset,
                                         (struct field_bytes){self->bytes + offset, size},
                                         &self->err);
}

static int begin(struct fixture *self)
{
    return self->store->functions->begin(self->store, &self->req, self->object, &self->err);
}

static int finish(struct fixture *self, int64_t size, struct stored *ret)
{
    return self->store->functions->finish(self->store, &self->req, self->object, size, ret,
                                          &self->err);
}

static ssize_t read_at(struct fixture *self, int64_t offset, void *bytes, size_t size)
{
    size_t count = 0;

    return self->store->functions->read(self->store, &self->req, self->object, offset, bytes, size,
                                        &count, &self->err) < 0
               ? -1
               : (ssize_t)count;
}

static int drop(struct fixture *self)
{
    return self->store->functions->remove(self->store, &self->req, self->object, &self->err);
}

static void writes_come_in_any_order(struct loop *loop, void *arg UNUSED)
{
    static const size_t order[] = {3, 0, 2, 1, 0}; /* the first one twice */
    struct fixture f;
    struct stored stored;
    uint8_t *back = malloc(SIZE + 10);

    if (!setup(&f, loop))
        return;
    CU_ASSERT_EQUAL(begin(&f), 0);
    for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
        size_t offset = order[i] * PIECE;

        CU_ASSERT_EQUAL(read_at(&f, 0, back, 1), -1); /* readers see no partial file */
        CU_ASSERT_EQUAL(f.err.code, ERR_NOT_FOUND);
        CU_ASSERT_EQUAL(write_at(&f, offset, MIN((size_t)PIECE, SIZE - offset)), 0);
    }
    CU_ASSERT_EQUAL(finish(&f, SIZE, &stored), 0);
    CU_ASSERT_EQUAL(stored.size, SIZE);
    CU_ASSERT_EQUAL(stored.head.size, STORE_HEAD_MAX);
    CU_ASSERT_EQUAL(memcmp(stored.head.bytes, f.bytes, STORE_HEAD_MAX), 0);
    CU_ASSERT_EQUAL(read_at(&f, 0, back, SIZE + 10), SIZE);
    CU_ASSERT_EQUAL(memcmp(back, f.bytes, SIZE), 0);
    CU_ASSERT_EQUAL(read_at(&f, SIZE - 5, back, 100), 5);
    CU_ASSERT_EQUAL(memcmp(back, f.bytes + SIZE - 5, 5), 0);
    CU_ASSERT_EQUAL(read_at(&f, SIZE, back, 100), 0);
    CU_ASSERT_EQUAL(drop(&f), 0);
    CU_ASSERT_EQUAL(read_at(&f, 0, back, 1), -1);
    CU_ASSERT_EQUAL(drop(&f), 0);
    free(back);
    teardown(&f);
}

/* After a kill, the next process completes or removes the killed one's work. */
static void steps_may_be_repeated(struct loop *loop, void *arg UNUSED)
{
    struct fixture f;
    struct stored first, second;

    if (!setup(&f, loop))
        return;
    CU_ASSERT_EQUAL(begin(&f), 0);
    CU_ASSERT_EQUAL(write_at(&f, 0, 1000), 0);
    store_destroy(&f.store);
    open_store(&f, loop);
    CU_ASSERT_EQUAL(begin(&f), 0); /* keeps existing content */
    CU_ASSERT_EQUAL(write_at(&f, 1000, 500), 0);
    CU_ASSERT_EQUAL(finish(&f, 1500, &first), 0);
    CU_ASSERT_EQUAL(finish(&f, 1500, &second), 0);
    CU_ASSERT_STRING_EQUAL(first.etag, second.etag);
    CU_ASSERT_EQUAL(second.head.size, 1500);
    CU_ASSERT_EQUAL(memcmp(second.head.bytes, f.bytes, 1500), 0);
    CU_ASSERT_TRUE(write_at(&f, 0, 10) < 0); /* an object never changes */
    CU_ASSERT_EQUAL(drop(&f), 0);
    CU_ASSERT_EQUAL(begin(&f), 0);
    CU_ASSERT_EQUAL(drop(&f), 0);
    CU_ASSERT_TRUE(write_at(&f, 0, 10) < 0);
    CU_ASSERT_EQUAL(f.err.code, ERR_NOT_FOUND);
    teardown(&f);
}

static void the_whole_file_or_none(struct loop *loop, void *arg UNUSED)
{
    struct fixture f;
    struct stored stored;
    uint8_t byte;

    if (!setup(&f, loop))
        return;
    CU_ASSERT_TRUE(finish(&f, 0, &stored) < 0); /* never started */
    CU_ASSERT_EQUAL(f.err.code, ERR_NOT_FOUND);
    CU_ASSERT_EQUAL(begin(&f), 0);
    CU_ASSERT_EQUAL(write_at(&f, 0, 1000), 0);
    for (int64_t size = 999; size <= 1001; size += 2) {
        CU_ASSERT_TRUE(finish(&f, size, &stored) < 0);
        CU_ASSERT_EQUAL(f.err.code, ERR_BAD_REQUEST);
        CU_ASSERT_EQUAL(read_at(&f, 0, &byte, 1), -1);
    }
    CU_ASSERT_EQUAL(finish(&f, 1000, &stored), 0);
    CU_ASSERT_EQUAL(drop(&f), 0);
    CU_ASSERT_EQUAL(begin(&f), 0);
    CU_ASSERT_EQUAL(finish(&f, 0, &stored), 0);
    CU_ASSERT_STRING_EQUAL(stored.etag, empty_hash);
    CU_ASSERT_EQUAL(stored.head.size, 0);
    CU_ASSERT_EQUAL(read_at(&f, 0, &byte, 1), 0);
    teardown(&f);
}

static void a_full_disk_is_reported(struct loop *loop, void *arg UNUSED)
{
    struct rlimit limit = {PIECE, RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};
    struct fixture f;
    struct stored stored;

    if (!setup(&f, loop))
        return;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    CU_ASSERT_EQUAL(begin(&f), 0);
    CU_ASSERT_EQUAL(write_at(&f, 0, PIECE), 0);
    CU_ASSERT_TRUE(write_at(&f, PIECE, PIECE) < 0);
    CU_ASSERT_EQUAL(f.err.code, ERR_UNAVAILABLE);
    setrlimit(RLIMIT_FSIZE, &none);
    CU_ASSERT_EQUAL(write_at(&f, PIECE, PIECE), 0);
    CU_ASSERT_EQUAL(finish(&f, 2 * PIECE, &stored), 0);
    teardown(&f);
}

/* A missing file is not an error in either of an object's two places, and does not hide an error in
 * the other place. */
static void a_removal_that_fails_says_why(struct loop *loop, void *arg UNUSED)
{
    struct fixture f;
    char path[256];

    if (!setup(&f, loop))
        return;
    snprintf(path, sizeof(path), "%s/incoming/%s", f.dir.path, f.object.object.text);
    CU_ASSERT_EQUAL(mkdir(path, 0700), 0); /* a directory is not removed */
    CU_ASSERT_TRUE(f.store->functions->remove(f.store, &f.req, f.object, &f.err) < 0);
    CU_ASSERT_EQUAL(f.err.code, ERR_INTERNAL);
    UNIT_CHECK(strstr(f.err.detail, "Is a directory"), "%s %s", f.err.message, f.err.detail);
    CU_ASSERT_EQUAL(rmdir(path), 0);
    CU_ASSERT_EQUAL(f.store->functions->remove(f.store, &f.req, f.object, &f.err), 0);
    teardown(&f);
}

static void files_are_readable_by_their_owner_only(struct loop *loop, void *arg UNUSED)
{
    struct fixture f;
    struct stat status;
    char path[256];

    if (!setup(&f, loop))
        return;
    CU_ASSERT_EQUAL(begin(&f), 0);
    snprintf(path, sizeof(path), "%s/incoming/%s", f.dir.path, f.object.object.text);
    CU_ASSERT_EQUAL(stat(path, &status), 0);
    CU_ASSERT_EQUAL(status.st_mode & 0777, 0600);
    snprintf(path, sizeof(path), "%s/ff", f.dir.path);
    CU_ASSERT_EQUAL(stat(path, &status), 0);
    CU_ASSERT_EQUAL(status.st_mode & 0777, 0700);
    teardown(&f);
}

static void a_directory_that_cannot_be_is_refused(struct loop *loop, void *arg UNUSED)
{
    struct seal_keys keys = unit_seal_keys(0);
    struct store_local_options options = {
        .dir = "/proc/self/nowhere", .bucket = "documents", .seal = &keys};
    struct error err;

    error_init(&err, NULL);
    CU_ASSERT_PTR_NULL(store_local_new(loop, &options, &err));
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "/proc/self/nowhere"));
}

static void forms_are_posted_to_us(struct loop *loop, void *arg UNUSED)
{
    static const struct {
        const char *public_url, *host, *want; /* want NULL: refused */
    } rows[] = {
        {NULL, "localhost:8080", "http://localhost:8080/storage/documents"},
        {NULL, "[::1]:8080", "http://[::1]:8080/storage/documents"},
        {"https://api.example.org", "localhost", "https://api.example.org/storage/documents"},
        {"https://api.example.org", NULL, "https://api.example.org/storage/documents"},
        {NULL, NULL, NULL},
        {NULL, "", NULL},
        {NULL, "a/b", NULL},
        {NULL, "a b", NULL},
        {NULL, "user@host", NULL},
    };
    struct fixture f;

    if (!setup(&f, loop))
        return;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct store_local_options options = {.dir = f.dir.path,
                                              .bucket = "documents",
                                              .public_url = rows[i].public_url,
                                              .seal = &f.keys};
        struct store_form form = {.key = f.object,
                                  .content_type = "a/b",
                                  .size_max = 10,
                                  .expires_ms = f.req.now_ms + 1000,
                                  .host = rows[i].host};
        struct store_form_made made = {.url = NULL};
        int result;

        store_destroy(&f.store);
        f.store = store_local_new(loop, &options, &f.err);
        result = f.store->functions->form(f.store, &f.req, &form, &made, &f.err);
        if (rows[i].want)
            CU_ASSERT_STRING_EQUAL(made.url, rows[i].want);
        CU_ASSERT_EQUAL(result, rows[i].want ? 0 : -1);
    }
    teardown(&f);
}

#define ON_FIBER(fn_)             \
    static void test_##fn_(void)  \
    {                             \
        unit_on_fiber(fn_, NULL); \
    }
ON_FIBER(writes_come_in_any_order)
ON_FIBER(steps_may_be_repeated)
ON_FIBER(the_whole_file_or_none)
ON_FIBER(a_full_disk_is_reported)
ON_FIBER(a_removal_that_fails_says_why)
ON_FIBER(files_are_readable_by_their_owner_only)
ON_FIBER(a_directory_that_cannot_be_is_refused)
ON_FIBER(forms_are_posted_to_us)

static const struct unit_case cases[] = {
    CASE(test_writes_come_in_any_order),
    CASE(test_steps_may_be_repeated),
    CASE(test_the_whole_file_or_none),
    CASE(test_a_full_disk_is_reported),
    CASE(test_a_removal_that_fails_says_why),
    CASE(test_files_are_readable_by_their_owner_only),
    CASE(test_a_directory_that_cannot_be_is_refused),
    CASE(test_forms_are_posted_to_us),
};

int main(void)
{
    return unit_run("docd store", cases, ARRAY_SIZE(cases));
}
