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
                          "The directory must be there, be this daemon's user's and have room; see "
                          "also whether its file system is mounted, and for writing.",
                          "%s: %s", job.dir, strerror(job.error));
    room = size_text(req->arena, job.room);
    if (job.room < ROOM_WARN * d->config->max_upload)
        return check_say(req, ret, job.room < d->config->max_upload ? "fail" : "warn", NULL,
                         "%s has room for %s, the largest file may have %s", job.dir, room,
                         size_text(req->arena, d->config->max_upload));
    return check_ok(req, ret, "%s has room for %s", job.dir, room);
}

static const char *bucket_advice(const struct error *err)
{
    static const struct {
        const char *word, *advice;
    } rows[] = {
        {"RequestTimeTooSkewed",
         "Let NTP set this host's clock: the server refuses its signatures."},
        {"InvalidAccessKeyId", "Correct s3_key; the server does not know it."},
        {"SignatureDoesNotMatch", "Correct s3_secret_file, or s3_region."},
        {"NoSuchBucket", "Make the bucket, or correct s3_bucket."},
        {"403", "The key needs the rights that docs/operations.md names, on this bucket."},
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
        return check_ok(req, ret, "none is known to lack its bytes");
    return check_warn(req, ret, NULL,
                      "%lld%s marked as lacking their bytes, %llu reads in vain since the start",
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
                          "nothing here confines what decodes images: none is "
                          "resized");
    return check_ok(req, ret, "images are decoded confined by %s", means);
}

const struct check docd_checks[] = {
    {"disk", 0,
     "Make room below storage_dir (delete documents, a larger disk), or move the bytes to S3.",
     check_disk},
    {"bucket", 0, "Start the server of S3; see that this host reaches s3_url.", check_bucket},
    {"documents", CHECK_DATABASE,
     "Bring the files back from the archive of the same back-up, then `atriumctl documents verify "
     "--repair`.",
     check_documents},
    {"sandbox", 0,
     "A kernel with Landlock (5.13), or bubblewrap where user namespaces are allowed; look at this "
     "daemon's log, and at its unit for what forbids them.",
     check_sandbox},
    {.name = NULL},
};
