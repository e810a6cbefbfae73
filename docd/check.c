/*
 * check.c - docd's part of `atriumctl doctor`: can bytes be stored?
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "docd/docd.h"
#include "docd/sql/document.h"

enum { ROOM_WARN = 10 /* times the largest file */, MISSING_COUNTED = 10000 };

struct disk {
    const char *dir, *probe;
    int64_t room;
    int error; /* errno; 0: a test file was written and synced */
};

static void write_probe(void *arg)
{
    struct disk *job = arg;
    int file = open(job->probe, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    struct statvfs status;

    if (file < 0) {
        job->error = errno;
        return;
    }
    if (write(file, "doctor\n", 7) != 7 || fsync(file) < 0)
        job->error = errno != 0 ? errno : ENOSPC;
    close(file);
    unlink(job->probe);
    if (job->error == 0 && statvfs(job->dir, &status) < 0)
        job->error = errno;
    if (job->error == 0)
        job->room = (int64_t)(status.f_bavail * status.f_frsize);
}

static const char *size_text(struct arena *arena, int64_t bytes)
{
    if (bytes >= (int64_t)10 << 30)
        return arena_printf(arena, "%lld GiB", (long long)(bytes >> 30));
    return arena_printf(arena, "%lld MiB", (long long)(bytes >> 20));
}

static int check_disk(void *daemon, const struct request *req, struct finding *ret,
                      struct error *err)
{
    const struct docd *d = daemon;
    struct disk job = {.dir = d->config->storage_dir};
    const char *room;

    job.probe = arena_printf(req->arena, "%s/.doctor-%s", job.dir, uuid_random().text);
    if (offload_run(d->svc.offload, write_probe, &job, req->deadline_mono_ms, err) < 0)
        return -1;
    if (job.error != 0)
        return check_fail(req, ret,
                          "The directory must exist, belong to this daemon's user and have space; "
                          "also check whether its file system is mounted and writable.",
                          "%s: %s", job.dir, strerror(job.error));
    room = size_text(req->arena, job.room);
    if (job.room < ROOM_WARN * d->config->max_upload)
        return check_say(req, ret, job.room < d->config->max_upload ? "fail" : "warn", NULL,
                         "%s has space for %s, but the largest file can have %s", job.dir, room,
                         size_text(req->arena, d->config->max_upload));
    return check_ok(req, ret, "%s has space for %s", job.dir, room);
}

static const char *bucket_advice(const struct error *err)
{
    static const struct {
        const char *word, *advice;
    } rows[] = {
        {"RequestTimeTooSkewed",
         "Set this host's clock with NTP: the S3 server rejects its signatures."},
        {"InvalidAccessKeyId", "Correct s3_key: the S3 server does not know it."},
        {"SignatureDoesNotMatch", "Correct s3_secret_file, or s3_region."},
        {"NoSuchBucket", "Create the bucket, or correct s3_bucket."},
        {"403", "Give the key the rights on this bucket that docs/operations.md lists."},
        {"401", "Correct s3_key and s3_secret_file."},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (strstr(err->detail, rows[i].word))
            return rows[i].advice;
    }
    return NULL;
}

static int check_bucket(void *daemon, const struct request *req, struct finding *ret,
                        struct error *err)
{
    const struct docd *d = daemon;

    if (!d->store->functions->probe)
        return 0;
    if (d->store->functions->probe(d->store, req, err) < 0)
        return check_fail(req, ret, bucket_advice(err), "%s %s: %s", d->config->s3_url,
                          d->config->s3_bucket, err->detail[0] ? err->detail : err->message);
    return check_ok(req, ret, "%s %s: put, read, listed and deleted", d->config->s3_url,
                    d->config->s3_bucket);
}

static int check_documents(void *daemon, const struct request *req, struct finding *ret,
                           struct error *err)
{
    const struct sql_document_count_missing_in in = {.most = MISSING_COUNTED};
    struct sql_document_count_missing_row marked;
    const struct docd *d = daemon;

    if (sql_document_count_missing(d->svc.db, req, &in, &marked, err) < 0)
        return -1;
    if (marked.count == 0 && *d->bytes_missing == 0)
        return check_ok(req, ret, "no document is known to lack its bytes");
    return check_warn(
        req, ret, NULL,
        "%lld%s marked as lacking their bytes; %llu reads have failed since the start",
        (long long)marked.count, marked.count == MISSING_COUNTED ? " or more" : "",
        (unsigned long long)*d->bytes_missing);
}

static int check_sandbox(void *daemon, const struct request *req, struct finding *ret,
                         struct error *err UNUSED)
{
    struct docd *d = daemon;
    const char *means = variants_means(d->variants);

    d->svc.sandbox = means ? means : "none";
    if (!means)
        return check_fail(req, ret, NULL,
                          "no sandbox works for decoding images, so no image is resized");
    return check_ok(req, ret, "image decoding is confined by %s", means);
}

const struct check docd_checks[] = {
    {"disk", 0,
     "Free space below storage_dir (delete documents, enlarge the disk), or move the bytes to S3.",
     check_disk},
    {"bucket", 0, "Start the S3 server; check s3_url and whether this host can reach it.",
     check_bucket},
    {"documents", CHECK_DATABASE,
     "Restore the files from the archive of the same backup, then run `atriumctl documents verify "
     "--repair`.",
     check_documents},
    {"sandbox", 0,
     "Use a kernel with Landlock (5.13), or bubblewrap with user namespaces allowed; check this "
     "daemon's log and what its unit forbids.",
     check_sandbox},
    {.name = NULL},
};
