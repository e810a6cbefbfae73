/*
 * transport_file.c - emails as files, for development: <dir>/<queueing time, ms, 13
 * digits>-<id>.eml. A file appears whole. A repeated delivery replaces it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/memory.h"
#include "maild/transport.h"

struct transport_file {
    struct transport base;
    struct offload *offload;
    char *dir;
};

struct file_job {
    char *temporary, *path;
    const char *text;
    int error;
};

static void file_write(void *arg)
{
    struct file_job *job = arg;
    int fd = open(job->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (fd < 0) {
        job->error = errno;
        return;
    }
    if (file_write_all(fd, job->text, strlen(job->text), -1) < 0)
        job->error = errno;
    if (close(fd) < 0 && job->error == 0)
        job->error = errno;
    if (job->error == 0 && rename(job->temporary, job->path) < 0)
        job->error = errno;
    if (job->error != 0)
        unlink(job->temporary);
}

static enum transport_outcome file_send(struct transport *base, const struct mail *mail,
                                        int64_t deadline_mono_ms,
                                        const struct transport_gate *gate UNUSED,
                                        char reason[TRANSPORT_REASON_MAX])
{
    struct transport_file *self = (struct transport_file *)base;
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct uuid once = uuid_random();
    struct file_job job = {.text = mail->text};
    struct error err;

    error_init(&err, arena);
    job.temporary = arena_printf(arena, "%s/.%s.%s", self->dir, mail->id.text, once.text);
    job.path = arena_printf(arena, "%s/%013lld-%s.eml", self->dir, (long long)mail->created_at,
                            mail->id.text);
    if (offload_run(self->offload, file_write, &job, deadline_mono_ms, &err) < 0) {
        snprintf(reason, TRANSPORT_REASON_MAX, "%.*s", TRANSPORT_REASON_MAX - 1, err.message);
        return TRANSPORT_UNREACHED;
    }
    if (job.error != 0) {
        snprintf(reason, TRANSPORT_REASON_MAX, "file: %s", strerror(job.error));
        return TRANSPORT_UNREACHED;
    }
    return TRANSPORT_SENT;
}

static void file_try(void *arg)
{
    struct file_job *job = arg;

    file_write(job);
    unlink(job->path);
}

static int file_check(struct transport *base, const struct request *req, struct finding *ret,
                      struct error *err)
{
    struct transport_file *self = (struct transport_file *)base;
    const struct uuid name = uuid_random();
    struct file_job job = {.text = "doctor\n",
                           .temporary =
                               arena_printf(req->arena, "%s/.%s.new", self->dir, name.text),
                           .path = arena_printf(req->arena, "%s/.%s", self->dir, name.text)};

    if (offload_run(self->offload, file_try, &job, req->deadline_mono_ms, err) < 0)
        return -1;
    if (job.error != 0)
        return check_fail(req, ret,
                          "mail_dir must be there, be this daemon's user's and have room.",
                          "%s: %s", self->dir, strerror(job.error));
    return check_ok(req, ret, "files in %s: for development only", self->dir);
}

static void file_destroy(struct transport *base)
{
    struct transport_file *self = (struct transport_file *)base;

    free(self->dir);
    free(self);
}

struct transport *transport_file_new(struct offload *offload, const char *dir, struct error *err)
{
    struct transport_file *self;

    if (mkdir(dir, 0700) < 0 && errno != EEXIST) {
        error_set(err, ERR_INTERNAL, "mail_dir %s: %s", dir, strerror(errno));
        return NULL;
    }
    self = memory_new(sizeof(*self));
    self->base =
        (struct transport){.send = file_send, .check = file_check, .destroy = file_destroy};
    self->offload = offload;
    self->dir = memory_text(dir);
    return &self->base;
}
