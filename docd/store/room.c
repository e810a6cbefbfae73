/*
 * room.c - how much room the disk has that documents, or only variants of images, are kept on: for
 * /metrics.
 */
#include <sys/statvfs.h>

#include "docd/docd.h"

enum {
    PERIOD_MS = 2000,
    OLD_MS = 5000 /* what was seen before says nothing of now: a disk that hangs */
};

struct room {
    const char *folder;
    int64_t bytes; /* -1: not known */
};

/* On a thread: a disk that hangs must not hold up the loop. */
static void look(void *arg)
{
    struct room *room = arg;
    struct statvfs disk;

    if (statvfs(room->folder, &disk) == 0)
        room->bytes = (int64_t)disk.f_bavail * (int64_t)disk.f_frsize;
}

static int room_look(void *daemon, const struct request *req, struct error *err)
{
    struct docd *d = daemon;
    struct room room = {.folder = d->config->storage_dir, .bytes = -1};

    if (offload_run(d->svc.offload, look, &room, req->deadline_mono_ms, err) < 0)
        return -1;
    if (room.bytes < 0) {
        (void)error_set(err, ERR_INTERNAL, "The disk does not say what room it has.");
        return error_detail(err, "%s", room.folder);
    }
    d->room_bytes = room.bytes;
    d->room_mono_ms = clock_mono_ms();
    return 0;
}

/* -1: not known, or not any more. */
static int64_t read_room(void *arg)
{
    const struct docd *d = arg;
    bool fresh = d->room_mono_ms > 0 && clock_mono_ms() - d->room_mono_ms < OLD_MS;

    return fresh ? d->room_bytes : -1;
}

void room_start(struct docd *d)
{
    metrics_gauge(d->svc.metrics, "atrium_doc_storage_free_bytes",
                  "Room on the disk that storage_dir is on; -1: not known.", read_room, d);
    service_every(&d->svc, "room", PERIOD_MS, room_look);
}
