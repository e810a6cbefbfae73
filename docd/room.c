/*
 * room.c - how much room the disk has that documents, or only variants of images, are kept on: for /metrics.
 */
#include <sys/statvfs.h>

#include "docd/docd.h"

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
    *d->free_bytes = room.bytes;
    return 0;
}

void room_start(struct docd *d)
{
    d->free_bytes = metrics_level(d->svc.metrics, "atrium_doc_storage_free_bytes",
                                  "Room on the disk that storage_dir is on.");
    service_every(&d->svc, "room", ROOM_PERIOD_MS, room_look);
}
