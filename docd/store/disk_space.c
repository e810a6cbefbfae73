/*
 * disk_space.c - measures free space for documents or variants, for /metrics.
 */
#include <sys/statvfs.h>

#include "docd/docd.h"

enum {
    PERIOD_MS = 2000,
    OLD_MS = 5000 /* older values count as unknown: the disk hangs */
};

struct disk_space {
    const char *folder;
    int64_t bytes; /* -1: unknown */
};

/* Runs on a thread: a disk that hangs must not block the loop. */
static void look(void *arg)
{
    struct disk_space *space = arg;
    struct statvfs disk;

    if (statvfs(space->folder, &disk) == 0)
        space->bytes = (int64_t)disk.f_bavail * (int64_t)disk.f_frsize;
}

static int disk_space_measure(void *daemon, const struct request *req, struct error *err)
{
    struct docd *d = daemon;
    struct disk_space space = {.folder = d->config->storage_dir, .bytes = -1};

    if (offload_run(d->svc.offload, look, &space, req->deadline_mono_ms, err) < 0)
        return -1;
    if (space.bytes < 0) {
        (void)error_set(err, ERR_INTERNAL, "The free space of the disk cannot be read.");
        return error_detail(err, "%s", space.folder);
    }
    d->disk_space_bytes = space.bytes;
    d->disk_space_mono_ms = clock_mono_ms();
    return 0;
}

static int64_t read_room(void *arg)
{
    const struct docd *d = arg;
    bool fresh = d->disk_space_mono_ms > 0 && clock_mono_ms() - d->disk_space_mono_ms < OLD_MS;

    return fresh ? d->disk_space_bytes : -1;
}

void disk_space_start(struct docd *d)
{
    metrics_gauge(d->svc.metrics, "atrium_doc_storage_free_bytes",
                  "Free space on the disk of storage_dir; -1 if unknown.", read_room, d);
    service_every(&d->svc, "room", PERIOD_MS, disk_space_measure);
}
