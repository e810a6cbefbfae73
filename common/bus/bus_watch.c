/*
 * bus_watch.c - finds instances by watching the upstreams' directories, then scanning them, so that
 * none is missed. "<own service>.<instance>" is a socket for this service.
 */
#include <errno.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/bus/bus_private.h"

enum { RESCAN_MS = 1000 /* after a failed watch */ };

static void consider(struct bus *self, struct bus_upstream *upstream, const char *name)
{
    size_t length = strlen(self->options->service);

    if (strncmp(name, self->options->service, length) == 0 && name[length] == '.' &&
        bus_name_ok(name + length + 1, strlen(name + length + 1)))
        bus_peer_found(self, upstream, name + length + 1);
}

static int watch_and_scan(struct bus *self, struct bus_upstream *upstream)
{
    CLEANUP(file_close_directory) DIR *directory = NULL;
    char path[BUS_PATH_SIZE];
    struct error err;

    error_init(&err, NULL);
    if (bus_make_directory(self->options->run_dir, upstream->service, &err) < 0)
        return -1;
    snprintf(path, sizeof(path), "%s/bus/%s", self->options->run_dir, upstream->service);
    upstream->watch = inotify_add_watch(
        self->inotify, path, IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR);
    directory = opendir(path);
    if (upstream->watch < 0 || !directory)
        return -1;
    for (struct dirent *entry; (entry = readdir(directory));)
        consider(self, upstream, entry->d_name);
    return 0;
}

static void rescan(void *arg)
{
    struct bus *self = arg;
    bool again = false;

    self->rescan = NULL;
    for (size_t i = 0; i < self->upstream_count; i++)
        if (watch_and_scan(self, &self->upstreams[i]) < 0)
            again = true;
    if (again)
        self->rescan = loop_at(self->loop, clock_mono_ms() + RESCAN_MS, rescan, self);
}

static void rescan_soon(struct bus *self)
{
    if (!self->rescan)
        self->rescan = loop_at(self->loop, clock_mono_ms(), rescan, self);
}

static void on_event(struct bus *self, const struct inotify_event *event)
{
    /* An overflow lost the names of files. The other events mean that the directory and its watch
     * are gone. */
    if (event->mask & (IN_Q_OVERFLOW | IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF)) {
        rescan_soon(self);
        return;
    }
    for (size_t i = 0; i < self->upstream_count && event->len > 0; i++)
        if (self->upstreams[i].watch == event->wd)
            consider(self, &self->upstreams[i], event->name);
}

static void on_readable(void *arg, short revents UNUSED)
{
    struct bus *self = arg;
    char buffer[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
    ssize_t size = read(self->inotify, buffer, sizeof(buffer));

    for (ssize_t at = 0; at < size;) {
        const struct inotify_event *event =
            (const struct inotify_event *)(const void *)(buffer + at);

        on_event(self, event);
        at += (ssize_t)(sizeof(*event) + event->len);
    }
}

/* Includes this host's instances: bus_peer.c tries their local socket first. */
static void take_list(struct bus *self, struct bus_upstream *upstream)
{
    const struct bus_hosts *hosts = self->hosts;

    for (size_t i = 0; hosts && i < hosts->count; i++) {
        const struct bus_host *host = &hosts->rows[i];

        if (host->endpoint && strcmp(host->service, upstream->service) == 0)
            bus_peer_found(self, upstream, host->instance);
    }
}

void bus_watch_hosts(struct bus *self)
{
    for (size_t i = 0; i < self->upstream_count; i++)
        take_list(self, &self->upstreams[i]);
}

int bus_watch_start(struct bus *self, struct error *err)
{
    if (self->upstream_count == 0)
        return 0;
    self->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (self->inotify < 0)
        return error_set(err, ERR_INTERNAL, "inotify: %s.", strerror(errno));
    loop_watch(self->loop, self->inotify, ZMQ_POLLIN, on_readable, self);
    rescan(self);
    bus_watch_hosts(self);
    return 0;
}

void bus_watch_stop(struct bus *self)
{
    loop_cancel(self->loop, &self->rescan);
    if (self->inotify >= 0) {
        loop_unwatch(self->loop, self->inotify);
        close(self->inotify);
    }
    self->inotify = -1;
}
