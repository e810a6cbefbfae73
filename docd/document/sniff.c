/*
 * sniff.c - see sniff.h. A libmagic handle serves one caller and takes some MiB, so there is one,
 * and files queue for it: each takes less than a millisecond.
 */
#include "docd/document/sniff.h"

#include <magic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/memory.h"
#include "common/runtime/fiber_sem.h"

struct sniffer {
    struct offload *pool;
    magic_t magic;
    struct fiber_sem handle;
};

struct job {
    magic_t magic;
    struct field_bytes head;
    char type[128];
};

struct sniffer *sniffer_new(struct loop *loop, struct offload *pool, struct error *err)
{
    struct sniffer *self = memory_new(sizeof(*self));

    self->pool = pool;
    fiber_sem_init(&self->handle, loop, 1, FIBER_SEM_UNBOUNDED);
    /* Parses only the signature. */
    self->magic = magic_open(MAGIC_MIME_TYPE | MAGIC_NO_CHECK_COMPRESS | MAGIC_NO_CHECK_TAR |
                             MAGIC_NO_CHECK_ELF | MAGIC_NO_CHECK_CDF | MAGIC_NO_CHECK_JSON |
                             MAGIC_NO_CHECK_CSV);
    if (self->magic && magic_load(self->magic, NULL) == 0)
        return self;
    (void)error_set(err, ERR_INTERNAL, "libmagic has no database: %s",
                    self->magic ? magic_error(self->magic) : "out of memory");
    sniffer_destroy(&self);
    return NULL;
}

void sniffer_destroy(struct sniffer **self_p)
{
    if (!*self_p)
        return;
    if ((*self_p)->magic)
        magic_close((*self_p)->magic);
    free(*self_p);
    *self_p = NULL;
}

static void work(void *arg)
{
    struct job *job = arg;
    const char *type = magic_buffer(job->magic, job->head.bytes, job->head.size);

    if (type && strlen(type) < sizeof(job->type))
        strcpy(job->type, type);
}

int sniff(struct sniffer *self, const struct request *req, struct field_bytes head,
          const char **ret, struct error *err)
{
    struct job job = {self->magic, head, "application/octet-stream"};
    int result;

    if (fiber_sem_acquire(&self->handle, 1, req->deadline_mono_ms, err) < 0)
        return -1;
    result = offload_run(self->pool, work, &job, req->deadline_mono_ms, err);
    fiber_sem_release(&self->handle, 1);
    *ret = arena_strdup(req->arena, job.type);
    return result;
}

static bool ends_with(const char *type, size_t length, const char *end)
{
    size_t size = strlen(end);

    return length >= size && strncasecmp(type + length - size, end, size) == 0;
}

bool media_type_is_active(const char *type)
{
    static const char *const active[] = {
        "/html", "/xml", "+xml", "/svg", "/xhtml", "/xsl", "/x-shockwave-flash"};
    size_t length = strcspn(type, "; \t");

    for (size_t i = 0; i < ARRAY_SIZE(active); i++)
        if (ends_with(type, length, active[i]))
            return true;
    return false;
}
