/*
 * test_docd_tenant_bytes.c - document content moved with its tenant: read from a store, added to a
 * document that waits for it.
 *
 * tier: fault
 */
#include <fcntl.h>
#include <libpq-fe.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "docd/bytes_api.h"
#include "docd/docd.h"
#include "docd/document/sniff.h"
#include "docd/sql_part.h"
#include "tests/support/db_kit.h"
#include "tests/support/http.h"
#include "tests/support/pg.h"
#include "tests/support/program.h"
#include "tests/support/unit.h"

extern const struct db_migration docd_migrations[];

#define SENDER "0190a000-0000-7000-8000-00000000000a"
#define RECEIVER "0190a000-0000-7000-8000-00000000000b"
#define FROM "0190a000-0000-7000-8000-000000000011"
#define TO "0190a000-0000-7000-8000-000000000012"

enum {
    CALL_MS = 20000,
    PIECE = TENANT_BYTES_MAX,
    SIZE = 2 * PIECE + 17,
    LARGE = 100 * 1024 * 1024,
    ROOM_KIB = 24 * 1024, /* memory limit, whatever the file's size */
};

static const char other[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

static struct pg *server;
static int schemas;

static struct program *s3_server;
static struct unit_dir s3_dir;
static char s3_door[128];
static bool s3; /* the store is a bucket */

/* A store with a file of `size` bytes that belongs to a document, and a document that waits for
 * such content. */
struct fixture {
    struct loop *loop;
    char schema[32];
    struct metrics *metrics;
    struct db_options db;
    struct unit_dir dir;
    struct seal_keys seal;
    struct offload *pool;
    struct request req;
    struct error err;
    struct docd d;
    char hash[TENANT_BYTES_HASH + 1];
    int64_t size;
};

static void renew(struct fixture *f)
{
    arena_destroy(&f->req.arena);
    f->req.arena = arena_new();
    f->req.deadline_mono_ms = clock_mono_ms() + CALL_MS;
    error_init(&f->err, f->req.arena);
}

static long run(const struct fixture *f, const char *sql)
{
    char text[2048];

    snprintf(text, sizeof(text), "set search_path to %s; %s", f->schema, sql);
    return pg_exec(server, text);
}

static void add_document(const struct fixture *f, const char *project, const char *object,
                         const char *missing)
{
    char sql[1024];

    snprintf(sql, sizeof(sql),
             "insert into object (project_id, id, document_id) values ('%s', '%s', '%s'); "
             "insert into document (project_id, id, author_type, author_id, author_display, "
             "file_name, content_type, uploads, updated_at, upload, object_id, size, etag, "
             "found_type, missing_at) values ('%s', '%s', 'Patient', '%s', 'A', 'a', 'text/plain', "
             "1, 1, 1, '%s', %lld, '\"sent\"', 'text/html', %s)",
             project, object, object, project, object, project, object, (long long)f->size,
             missing);
    run(f, sql);
}

/* Makes the bytes from `offset` on, different in each piece. */
static void fill(uint8_t *bytes, int64_t offset, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)("atrium "[(offset + (int64_t)i) % 7] + (offset + (int64_t)i) / PIECE);
}

static struct store_key key_of(const char *project, const char *object)
{
    struct store_key key;

    UNIT_CHECK(uuid_parse(project, &key.project) == 0 && uuid_parse(object, &key.object) == 0, "%s",
               object);
    return key;
}

static size_t keys(const char *prefix)
{
    HTTP_ANSWER answer = http_get(s3_door, "/-/keys", NULL);
    size_t i, count = 0;
    json_t *key;

    json_array_foreach(answer->json, i, key) count +=
        strncmp(json_string_value(key), prefix, strlen(prefix)) == 0;
    return count;
}

static void write_piece(struct fixture *f, struct store_key key, int64_t offset,
                        struct field_bytes bytes)
{
    const struct store_functions *functions = f->d.store->functions;
    int64_t have;
    int result =
        s3 ? functions->append(f->d.store, &f->req, key, offset, bytes, f->size, &have, &f->err)
           : functions->write(f->d.store, &f->req, key, offset, bytes, &f->err);

    UNIT_CHECK(result == 0, "%s %s", f->err.message, f->err.detail);
}

static void add_file(struct fixture *f)
{
    const struct store_functions *functions = f->d.store->functions;
    struct store_key key = key_of(SENDER, FROM);
    uint8_t *bytes = malloc(PIECE), hash[TENANT_BYTES_HASH / 2];
    crypto_generichash_state state;
    struct stored stored;

    crypto_generichash_init(&state, NULL, 0, sizeof(hash));
    UNIT_CHECK(s3 || functions->begin(f->d.store, &f->req, key, &f->err) == 0, "%s",
               f->err.message);
    for (int64_t at = 0; at < f->size; at += PIECE) {
        size_t size = (size_t)MIN(f->size - at, PIECE);

        fill(bytes, at, size);
        crypto_generichash_update(&state, bytes, size);
        write_piece(f, key, at, (struct field_bytes){bytes, size});
        renew(f);
    }
    crypto_generichash_final(&state, hash, sizeof(hash));
    sodium_bin2hex(f->hash, sizeof(f->hash), hash, sizeof(hash));
    UNIT_CHECK((s3 ? functions->keep(f->d.store, &f->req, key, f->size, f->hash, &stored, &f->err)
                   : functions->finish(f->d.store, &f->req, key, f->size, &stored, &f->err)) == 0,
               "%s %s", f->err.message, f->err.detail);
    free(bytes);
    add_document(f, SENDER, FROM, "null");
    add_document(f, RECEIVER, TO, "5");
}

static const char *setting(const char *name, const char *fallback)
{
    const char *value = getenv(name);

    return value ? value : fallback;
}

static struct store *open_store(struct fixture *f)
{
    const struct store_local_options local = {.dir = f->dir.path, .bucket = "b", .seal = &f->seal};
    const struct store_s3_options bucket = {
        .s3 = {.url = s3_door,
               .bucket = setting("ATRIUM_S3_BUCKET", "documents"),
               .signer = {setting("ATRIUM_S3_KEY", "S3RVER"), setting("ATRIUM_S3_SECRET", "S3RVER"),
                          setting("ATRIUM_S3_REGION", "us-east-1")}},
        .part_size = 5 * 1024 * 1024,
        .dir = f->dir.path,
        .pool = f->pool};

    return s3 ? store_s3_new(f->loop, &bucket) : store_local_new(f->loop, &local, &f->err);
}

static bool setup(struct fixture *f, struct loop *loop, int64_t size)
{
    *f = (struct fixture){.loop = loop, .dir = unit_dir_make(), .size = size};
    f->req = (struct request){.arena = arena_new(), .service = "ctl", .now_ms = 1};
    renew(f);
    f->seal = unit_seal_keys(1);
    f->pool = offload_new(loop, 2, 64);
    f->metrics = metrics_new();
    snprintf(f->schema, sizeof(f->schema), "bytes%d", ++schemas);
    pg_make_schema(server, f->schema);
    f->db = (struct db_options){.conninfo = server->conninfo,
                                .schema = f->schema,
                                .program = f->schema,
                                .sql = docd_sql,
                                .migrations = docd_migrations,
                                .read_connections = 1,
                                .write_connections = 2,
                                .statement_timeout_ms = CALL_MS,
                                .queue_max = 64};
    f->d.svc.db = db_new(loop, f->metrics, &f->db);
    f->d.svc.loop = loop;
    f->d.store = open_store(f);
    f->d.sniffer = sniffer_new(loop, f->pool, &f->err);
    if (!UNIT_CHECK(f->d.store && f->d.sniffer && db_kit_prepare(f->d.svc.db, &f->err) == 0,
                    "%s %s", f->err.message, f->err.detail))
        return false;
    add_file(f);
    return true;
}

static void teardown(struct fixture *f)
{
    const char *const projects[] = {SENDER, RECEIVER}, *const objects[] = {FROM, TO};

    renew(f);
    for (size_t i = 0; i < ARRAY_SIZE(projects); i++)
        UNIT_CHECK(f->d.store->functions->remove(f->d.store, &f->req,
                                                 key_of(projects[i], objects[i]), &f->err) == 0,
                   "%s %s", f->err.message, f->err.detail);
    UNIT_CHECK(!s3 || keys("") == 0, "all was removed");
    db_destroy(&f->d.svc.db);
    metrics_destroy(&f->metrics);
    store_destroy(&f->d.store);
    sniffer_destroy(&f->d.sniffer);
    offload_destroy(&f->pool);
    unit_dir_remove(&f->dir);
    arena_destroy(&f->req.arena);
}

static int get(struct fixture *f, int64_t offset, struct tenant_bytes_got *ret)
{
    struct store_key key = key_of(SENDER, FROM);
    const struct tenant_bytes_get_in in = {key.project, key.object, offset};

    error_clear(&f->err);
    return tenant_bytes_get(&f->d, &f->req, &in, ret, &f->err);
}

static int put(struct fixture *f, int64_t offset, struct field_bytes bytes, const char *hash,
               struct tenant_bytes_put_out *ret)
{
    struct store_key key = key_of(RECEIVER, TO);
    const struct tenant_bytes_put_in in = {key.project, key.object, offset, bytes, hash};

    *ret = (struct tenant_bytes_put_out){.have = -1};
    error_clear(&f->err);
    return tenant_bytes_put(&f->d, &f->req, &in, ret, &f->err);
}

static struct tenant_bytes_put_out move_piece(struct fixture *f, int64_t offset, const char *hash)
{
    struct tenant_bytes_put_out out = {.have = -1};
    struct tenant_bytes_got got;

    renew(f);
    if (UNIT_CHECK(get(f, offset, &got) == 0, "%s %s", f->err.message, f->err.detail)) {
        UNIT_CHECK(got.size == f->size && (int64_t)got.bytes.size == MIN(f->size - offset, PIECE),
                   "%zu bytes of %lld", got.bytes.size, (long long)got.size);
        UNIT_CHECK(put(f, offset, got.bytes, hash, &out) == 0, "%s %s", f->err.message,
                   f->err.detail);
    }
    return out;
}

static struct tenant_bytes_put_out move_on(struct fixture *f, const char *hash)
{
    struct tenant_bytes_put_out out;
    int pieces = 0;

    renew(f);
    UNIT_CHECK(put(f, 0, (struct field_bytes){NULL, 0}, NULL, &out) == 0, "%s", f->err.message);
    while (!out.done && out.have >= 0 && pieces++ <= f->size / PIECE)
        out = move_piece(f, out.have, out.have + PIECE >= f->size ? hash : NULL);
    return out;
}

static bool is_missing(const struct fixture *f)
{
    return run(f, "select count(*) from document where object_id = '" TO
                  "' and missing_at is not null") == 1;
}

/* True when a file exists, in "incoming" or complete. */
static bool is_file(const struct fixture *f, const char *folder)
{
    char path[512];

    if (s3)
        return keys(strcmp(folder, "incoming") == 0 ? "arriving/" RECEIVER "/" TO
                                                    : RECEIVER "/" TO) > 0;
    snprintf(path, sizeof(path), "%s/%s/%s", f->dir.path, folder, TO);
    return access(path, F_OK) == 0;
}

static void check_whole(struct fixture *f, const char *label)
{
    char sql[512];

    snprintf(sql, sizeof(sql),
             "select count(*) from document where object_id = '%s' and missing_at is null "
             "and found_type = 'text/plain' and (%s or etag = '\"%s\"') and etag <> '\"sent\"' "
             "and size = %lld",
             TO, s3 ? "true" : "false", f->hash, (long long)f->size);
    UNIT_CHECK(run(f, sql) == 1, "%s: the document has its file", label);
    UNIT_CHECK(is_file(f, "01") && !is_file(f, "incoming"), "%s: the file is complete", label);
    for (int64_t at = 0; at < f->size; at += PIECE) {
        size_t wanted = (size_t)MIN(f->size - at, PIECE), size = 0;
        uint8_t *want = malloc(PIECE), *have = malloc(PIECE);

        fill(want, at, wanted);
        UNIT_CHECK(f->d.store->functions->read(f->d.store, &f->req, key_of(RECEIVER, TO), at, have,
                                               wanted, &size, &f->err) == 0 &&
                       size == wanted && memcmp(want, have, wanted) == 0,
                   "%s: bytes from %lld on", label, (long long)at);
        free(want);
        free(have);
    }
}

#define NONE ((struct field_bytes){NULL, 0})

static void whole(struct loop *loop, void *arg UNUSED)
{
    struct fixture f;
    struct tenant_bytes_put_out out;

    if (setup(&f, loop, SIZE)) {
        out = move_on(&f, f.hash);
        UNIT_CHECK(out.done, "done");
        check_whole(&f, "at once");
        UNIT_CHECK(put(&f, 0, NONE, NULL, &out) == 0 && out.done && out.have == SIZE, "again");
        UNIT_CHECK(run(&f, "select count(*) from audit where event->>'action' = 'document.found' "
                           "and entity = 'DocumentReference/" TO "'") == 1,
                   "the trail says so once");
        check_whole(&f, "again");
    }
    teardown(&f);
}

static void empty(struct loop *loop, void *arg UNUSED)
{
    struct fixture f;
    struct tenant_bytes_put_out out;
    struct tenant_bytes_got got;

    if (setup(&f, loop, 0)) {
        UNIT_CHECK(get(&f, 0, &got) == 0 && got.size == 0 && got.bytes.size == 0, "%s",
                   f.err.message);
        UNIT_CHECK(put(&f, 0, NONE, f.hash, &out) == 0 && out.done && !is_missing(&f), "%s",
                   f.err.message);
    }
    teardown(&f);
}

/* Each call is repeated, comes too early, and comes again after a crash. */
static void in_any_order(struct loop *loop, void *arg UNUSED)
{
    struct fixture f;
    struct tenant_bytes_put_out out;
    char path[512];

    if (setup(&f, loop, SIZE)) {
        out = move_piece(&f, PIECE, NULL);
        UNIT_CHECK(out.have == 0 && !is_file(&f, "incoming"), "behind the end: %lld",
                   (long long)out.have);
        out = move_piece(&f, 2 * PIECE, f.hash);
        UNIT_CHECK(out.have == 0 && !out.done && is_missing(&f), "the end alone");
        for (int i = 0; i < 2; i++) {
            out = move_piece(&f, 0, NULL);
            UNIT_CHECK(out.have == PIECE && is_missing(&f), "the first: %lld", (long long)out.have);
        }
        out = move_piece(&f, 2 * PIECE, f.hash);
        UNIT_CHECK(out.have == PIECE && !out.done && is_missing(&f), "one is left out");
        snprintf(path, sizeof(path), "%s/incoming/%s", f.dir.path, TO);
        UNIT_CHECK(s3 || truncate(path, PIECE / 2) == 0, "half of it was written");
        out = move_on(&f, f.hash);
        UNIT_CHECK(out.done, "it goes on");
        check_whole(&f, "in any order");
    }
    teardown(&f);
}

/* docd was killed after the last piece, before recording it. */
static void killed(struct loop *loop, void *arg UNUSED)
{
    struct fixture f;
    struct tenant_bytes_put_out out;

    if (setup(&f, loop, SIZE)) {
        (void)move_on(&f, f.hash);
        run(&f, "update document set missing_at = 5, etag = '\"x\"', found_type = 'x/y' "
                "where object_id = '" TO "'");
        UNIT_CHECK(put(&f, 0, NONE, NULL, &out) == 0 && !out.done && out.have == SIZE, "%lld",
                   (long long)out.have);
        UNIT_CHECK(!is_file(&f, "incoming"), "nothing is begun");
        UNIT_CHECK(put(&f, SIZE, NONE, other, &out) < 0 && f.err.code == ERR_BAD_REQUEST &&
                       is_missing(&f),
                   "another hash: %s", f.err.message);
        UNIT_CHECK(put(&f, SIZE, NONE, f.hash, &out) == 0 && out.done, "%s", f.err.message);
        check_whole(&f, "killed");
    }
    teardown(&f);
}

static void other_bytes(struct loop *loop, void *arg UNUSED)
{
    struct fixture f;
    struct tenant_bytes_put_out out;
    uint8_t *bytes = calloc(1, PIECE);

    if (setup(&f, loop, SIZE)) {
        (void)move_piece(&f, 0, NULL);
        UNIT_CHECK(put(&f, PIECE, (struct field_bytes){bytes, PIECE}, NULL, &out) == 0, "%s",
                   f.err.message);
        UNIT_CHECK(put(&f, 2 * PIECE, (struct field_bytes){bytes, 18}, f.hash, &out) < 0 &&
                       f.err.code == ERR_CONFLICT,
                   "too many: %s", f.err.message);
        UNIT_CHECK(put(&f, 2 * PIECE, (struct field_bytes){bytes, 17}, f.hash, &out) < 0 &&
                       f.err.code == ERR_BAD_REQUEST,
                   "of another hash: %s", f.err.message);
        UNIT_CHECK(is_missing(&f) && !is_file(&f, "01") && !is_file(&f, "incoming"),
                   "all were dropped");
        UNIT_CHECK(move_on(&f, f.hash).done, "the export starts again");
        check_whole(&f, "anew");
    }
    free(bytes);
    teardown(&f);
}

static void two_at_once(struct loop *loop, void *arg UNUSED)
{
    struct fixture f;
    struct tenant_bytes_put_out out;

    if (setup(&f, loop, SIZE)) {
        for (int64_t at = 0; at < SIZE; at += PIECE) {
            (void)move_piece(&f, at, NULL);
            out = move_piece(&f, at, at + PIECE > SIZE ? f.hash : NULL);
        }
        UNIT_CHECK(out.done, "one is done");
        out = move_piece(&f, 0, NULL);
        UNIT_CHECK(out.done && !is_file(&f, "incoming"), "the other leaves nothing");
        run(&f, "update document set missing_at = 5 where object_id = '" TO "'");
        out = move_piece(&f, 0, NULL);
        UNIT_CHECK(!out.done && out.have == SIZE && !is_file(&f, "incoming"),
                   "one that came between leaves nothing");
    }
    teardown(&f);
}

static void of_others(struct loop *loop, void *arg UNUSED)
{
    struct fixture f;
    struct tenant_bytes_put_out out;
    struct tenant_bytes_got got;
    struct store_key from = key_of(RECEIVER, FROM), to = key_of(SENDER, TO);

    if (setup(&f, loop, SIZE)) {
        UNIT_CHECK(tenant_bytes_get(&f.d, &f.req,
                                    &(struct tenant_bytes_get_in){from.project, from.object, 0},
                                    &got, &f.err) < 0 &&
                       f.err.code == ERR_NOT_FOUND,
                   "a file of another project is not read");
        error_clear(&f.err);
        UNIT_CHECK(
            tenant_bytes_put(&f.d, &f.req,
                             &(struct tenant_bytes_put_in){to.project, to.object, 0, NONE, NULL},
                             &out, &f.err) < 0 &&
                f.err.code == ERR_NOT_FOUND && !is_file(&f, "incoming"),
            "nor written");
        run(&f, "delete from document where object_id = '" TO "'");
        UNIT_CHECK(put(&f, 0, NONE, NULL, &out) < 0 && f.err.code == ERR_NOT_FOUND &&
                       !is_file(&f, "incoming"),
                   "nor that of a document which is gone");
    }
    teardown(&f);
}

static const struct store_functions *real;
static const struct fixture *deleting;

static int append_behind_deletion(struct store *store, const struct request *req,
                                  struct store_key key, int64_t offset, struct field_bytes bytes,
                                  int64_t size, int64_t *ret_have, struct error *err)
{
    run(deleting, "delete from document where object_id = '" TO "'");
    return real->append(store, req, key, offset, bytes, size, ret_have, err);
}

static int append_then_drop(struct store *store, const struct request *req, struct store_key key,
                            int64_t offset, struct field_bytes bytes, int64_t size,
                            int64_t *ret_have, struct error *err)
{
    return real->append(store, req, key, offset, bytes, size, ret_have, err) < 0 ||
                   real->remove(store, req, key, err) < 0
               ? -1
               : 0;
}

/* Another transfer with another hash dropped the content that the last piece completes. */
static void dropped_meanwhile(struct loop *loop, void *arg UNUSED)
{
    struct fixture f;
    struct store_functions functions;
    struct tenant_bytes_put_out out;

    if (setup(&f, loop, SIZE)) {
        out = move_on(&f, NULL);
        UNIT_CHECK(out.have == SIZE && !out.done, "%lld", (long long)out.have);
        real = f.d.store->functions;
        functions = *real;
        functions.append = append_then_drop;
        f.d.store->functions = &functions;
        out = move_piece(&f, 2 * PIECE, f.hash);
        f.d.store->functions = real;
        UNIT_CHECK(!out.done && out.have == 0 && is_missing(&f), "%lld", (long long)out.have);
        UNIT_CHECK(move_on(&f, f.hash).done, "the export starts again");
        check_whole(&f, "dropped");
    }
    teardown(&f);
}

static void deleted_meanwhile(struct loop *loop, void *arg UNUSED)
{
    struct fixture f;
    struct store_functions functions;
    struct tenant_bytes_put_out out;
    uint8_t *bytes = calloc(1, PIECE);

    if (setup(&f, loop, SIZE)) {
        real = f.d.store->functions;
        deleting = &f;
        functions = *real;
        functions.append = append_behind_deletion;
        f.d.store->functions = &functions;
        UNIT_CHECK(put(&f, 0, (struct field_bytes){bytes, PIECE}, NULL, &out) < 0 &&
                       f.err.code == ERR_NOT_FOUND,
                   "%s", f.err.message);
        UNIT_CHECK(!is_file(&f, "incoming"), "nothing is left");
        f.d.store->functions = real;
    }
    free(bytes);
    teardown(&f);
}

/* The sender's file is too short, so the document moves without content. */
static void cut_at_the_sender(struct loop *loop, void *arg UNUSED)
{
    struct fixture f;
    struct tenant_bytes_got got;
    char path[512];

    if (setup(&f, loop, SIZE)) {
        snprintf(path, sizeof(path), "%s/01/%s", f.dir.path, FROM);
        UNIT_CHECK(truncate(path, SIZE - 1) == 0, "%s", path);
        UNIT_CHECK(get(&f, 2 * PIECE, &got) < 0 && f.err.code == ERR_NOT_FOUND, "cut");
        UNIT_CHECK(get(&f, SIZE + 1, &got) < 0 && f.err.code == ERR_NOT_FOUND, "behind the end");
        UNIT_CHECK(unlink(path) == 0 && get(&f, 0, &got) < 0 && f.err.code == ERR_NOT_FOUND,
                   "gone");
        run(&f, "update document set missing_at = 5");
        UNIT_CHECK(get(&f, 0, &got) < 0 && f.err.code == ERR_NOT_FOUND, "known to be gone");
    }
    teardown(&f);
}

static void large(struct loop *loop, void *arg UNUSED)
{
    struct fixture f;
    struct rusage before, after;
    struct tenant_bytes_put_out out;

    if (setup(&f, loop, LARGE)) {
        (void)move_piece(&f, 0, NULL);
        getrusage(RUSAGE_SELF, &before);
        out = move_on(&f, NULL);
        UNIT_CHECK(!out.done && out.have == LARGE, "%lld", (long long)out.have);
        UNIT_CHECK(put(&f, LARGE, NONE, other, &out) < 0 && f.err.code == ERR_BAD_REQUEST &&
                       !is_file(&f, "01") && !is_file(&f, "incoming"),
                   "another hash: %s", f.err.message);
        UNIT_CHECK(move_on(&f, f.hash).done, "done");
        getrusage(RUSAGE_SELF, &after);
        UNIT_CHECK(after.ru_maxrss - before.ru_maxrss < ROOM_KIB + UNIT_KEPT_KIB, "%ld KiB more",
                   after.ru_maxrss - before.ru_maxrss);
        check_whole(&f, "large");
    }
    teardown(&f);
}

#define ON_FIBER(name_, fn_)      \
    static void name_(void)       \
    {                             \
        unit_on_fiber(fn_, NULL); \
    }
#define ON_S3(name_, fn_)         \
    static void name_(void)       \
    {                             \
        s3 = true;                \
        unit_on_fiber(fn_, NULL); \
        s3 = false;               \
    }
ON_FIBER(a_file_comes_over, whole)
ON_FIBER(an_empty_file_comes_over, empty)
ON_FIBER(pieces_come_twice_too_early_and_after_a_crash, in_any_order)
ON_FIBER(what_was_not_written_down_is_written_down_later, killed)
ON_FIBER(other_bytes_are_never_readable, other_bytes)
ON_FIBER(two_transfers_at_once_are_harmless, two_at_once)
ON_FIBER(files_of_others_are_neither_read_nor_written, of_others)
ON_FIBER(a_document_that_is_deleted_meanwhile_leaves_no_file, deleted_meanwhile)
ON_FIBER(what_was_dropped_meanwhile_begins_anew, dropped_meanwhile)
ON_FIBER(a_file_that_is_damaged_is_not_sent, cut_at_the_sender)
ON_FIBER(a_large_file_takes_little_memory, large)
ON_S3(s3_a_file_comes_over, whole)
ON_S3(s3_an_empty_file_comes_over, empty)
ON_S3(s3_pieces_come_in_any_order, in_any_order)
ON_S3(s3_what_was_not_written_down_is_written_down_later, killed)
ON_S3(s3_other_bytes_are_never_readable, other_bytes)
ON_S3(s3_two_transfers_at_once_are_harmless, two_at_once)
ON_S3(s3_files_of_others_are_neither_read_nor_written, of_others)
ON_S3(s3_a_document_that_is_deleted_meanwhile_leaves_no_file, deleted_meanwhile)
ON_S3(s3_what_was_dropped_meanwhile_begins_anew, dropped_meanwhile)
ON_S3(s3_a_large_file_takes_little_memory, large)

static const struct unit_case cases[] = {
    CASE(a_file_comes_over),
    CASE(an_empty_file_comes_over),
    CASE(pieces_come_twice_too_early_and_after_a_crash),
    CASE(what_was_not_written_down_is_written_down_later),
    CASE(other_bytes_are_never_readable),
    CASE(two_transfers_at_once_are_harmless),
    CASE(files_of_others_are_neither_read_nor_written),
    CASE(a_document_that_is_deleted_meanwhile_leaves_no_file),
    CASE(what_was_dropped_meanwhile_begins_anew),
    CASE(a_file_that_is_damaged_is_not_sent),
    CASE(a_large_file_takes_little_memory),
};

static const struct unit_case s3_cases[] = {
    CASE(s3_a_file_comes_over),
    CASE(s3_an_empty_file_comes_over),
    CASE(s3_pieces_come_in_any_order),
    CASE(s3_what_was_not_written_down_is_written_down_later),
    CASE(s3_other_bytes_are_never_readable),
    CASE(s3_two_transfers_at_once_are_harmless),
    CASE(s3_files_of_others_are_neither_read_nor_written),
    CASE(s3_a_document_that_is_deleted_meanwhile_leaves_no_file),
    CASE(s3_what_was_dropped_meanwhile_begins_anew),
    CASE(s3_a_large_file_takes_little_memory),
};

static void left_out(void)
{
    unit_leave_out("there is no server of S3 (make npm)");
    CU_ASSERT_PTR_NULL(getenv("ATRIUM_REQUIRE_ALL"));
}

static int run_s3(void)
{
    static const struct unit_case none[] = {CASE(left_out)};
    const char *argv[] = {"/usr/bin/env", "node", "tests/s3/server.cjs", NULL, NULL};
    const char *at;
    int failed;

    if (access("build/npm/installed/s3", R_OK) != 0)
        return unit_run("docd tenant bytes, s3", none, ARRAY_SIZE(none));
    s3_dir = unit_dir_make();
    argv[3] = s3_dir.path;
    s3_server = program_start(argv, NULL);
    if (!program_wait_output(s3_server, "ready http", 30000)) {
        fprintf(stderr, "server: %s\n", s3_server->err);
        exit(1);
    }
    at = strstr(s3_server->out, "http");
    snprintf(s3_door, sizeof(s3_door), "%.*s", (int)strcspn(at, "\n"), at);
    failed = unit_run("docd tenant bytes, s3", s3_cases, ARRAY_SIZE(s3_cases));
    program_destroy(&s3_server);
    unit_dir_remove(&s3_dir);
    return failed;
}

int main(void)
{
    int failed;

    server = pg_new();
    failed = unit_run("docd tenant bytes", cases, ARRAY_SIZE(cases));
    failed |= run_s3();
    pg_destroy(&server);
    return failed;
}
