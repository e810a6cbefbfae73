/*
 * submission.c - see submission.h.
 */
#include "authd/page/submission.h"

#include <string.h>

#include "authd/sql/page.h"
#include "common/base/clock.h"
#include "common/domain/page.h"
#include "common/runtime/fiber.h"
#include "common/wire/codec.h"

enum {
    SLOTS = 8192, /* 256 MiB if all hold the largest answer */
    ANSWER_MAX = 32 * 1024,
    FIRST_WAIT_MS = 20,
    LAST_WAIT_MS = 250,
};

#define KEEP_LIFE MINUTES(1)
#define HOLD_LIFE SECONDS(10) /* the gateway's deadline for a page */

struct submission {
    struct authd *d;
    const struct request *req;
    const struct page_visit *visit;
    uint8_t id[SECRET_HASH_SIZE];
    int64_t slot;
};

static const struct page_visit *visit_of(const struct field_table *table, const void *in)
{
    const struct page_visit *visit = NULL;

    for (size_t i = 0; i < table->count; i++)
        if (table->rows[i].table == &page_visit_table)
            memcpy(&visit, (const char *)in + table->rows[i].offset, sizeof(visit));
    return visit;
}

/* Fails if it isn't a form, or the gateway didn't identify it. */
static bool submission_init(struct submission *self, struct authd *d, const struct request *req,
                            const struct page_visit *visit)
{
    size_t size;

    *self = (struct submission){.d = d, .req = req, .visit = visit};
    if (!visit || !visit->own || !visit->submission ||
        secret_decode(visit->submission, self->id, sizeof(self->id), &size) < 0 ||
        size != sizeof(self->id))
        return false;
    self->slot = (self->id[0] << 8 | self->id[1]) % SLOTS;
    return true;
}

static struct field_bytes id_of(const struct submission *self)
{
    return (struct field_bytes){self->id, sizeof(self->id)};
}

static const char *purpose(const struct submission *self)
{
    return arena_printf(self->req->arena, "page answer %s %s", self->visit->submission,
                        self->visit->cookie);
}

/* Answers sealed by a deleted key don't count. */
static bool answer_open(const struct submission *self, struct field_bytes kept,
                        struct page_answer *ret)
{
    struct arena *arena = self->req->arena;
    msgpack_object object;
    struct error err;
    uint8_t *plain;
    size_t size;

    error_init(&err, arena);
    return seal_open(arena, &self->d->svc.seal, purpose(self),
                     (struct sealed){kept.bytes, kept.size}, &plain, &size) == 0 &&
           codec_unpack(plain, size, arena, &object, &err) == 0 &&
           fields_unpack(&page_answer_table, &object, arena, ret, &err) == 0;
}

/* If the answer isn't stored, the next call handles the form. This call answers either way. */
static void answer_keep(const struct submission *self, const struct page_answer *answer)
{
    struct sql_submission_keep_in keep = {.slot = self->slot, .id = id_of(self)};
    struct codec_buffer buffer;
    struct sealed sealed;
    struct error err;

    error_init(&err, self->req->arena);
    codec_buffer_init(&buffer, self->req->arena);
    fields_pack(&page_answer_table, answer, &buffer);
    sealed =
        seal_value(self->req->arena, &self->d->svc.seal, purpose(self), buffer.bytes, buffer.size);
    keep.answer = (struct field_bytes){sealed.bytes, sealed.size};
    (void)!sql_submission_keep(self->d->svc.db, self->req, &keep, &err);
}

/* If PostgreSQL fails, HOLD_LIFE ends the claim. */
static void release(const struct submission *self)
{
    const struct sql_submission_release_in in = {.slot = self->slot, .id = id_of(self)};
    struct error err;

    error_init(&err, self->req->arena);
    (void)!sql_submission_release(self->d->svc.db, self->req, &in, &err);
}

static bool is_kept(const struct page_answer *answer)
{
    return answer->status < 500 && answer->status != 429 && !answer->content &&
           (!answer->html || strlen(answer->html) <= ANSWER_MAX);
}

static int claim_once(const struct submission *self, struct sql_submission_claim_row *ret,
                      struct error *err)
{
    int64_t now = clock_now_ms(self->d->svc.clock);
    const struct sql_submission_claim_in in = {.slot = self->slot,
                                               .id = id_of(self),
                                               .now = now,
                                               .held_until = now + HOLD_LIFE,
                                               .until = now + KEEP_LIFE};

    return MIN(sql_submission_claim(self->d->svc.db, self->req, &in, ret, err), 0);
}

/* Returns 1 if this call must handle the form, 0 with its answer in *ret. */
static int claim(const struct submission *self, struct page_answer *ret, struct error *err)
{
    struct sql_submission_claim_row row = {.claimed = false};

    for (int64_t wait_ms = FIRST_WAIT_MS;; wait_ms = MIN(2 * wait_ms, (int64_t)LAST_WAIT_MS)) {
        int64_t until_ms = clock_mono_ms() + wait_ms;

        if (claim_once(self, &row, err) < 0)
            return -1;
        if (row.claimed)
            return 1;
        if (row.answer.bytes)
            return answer_open(self, row.answer, ret) ? 0 : 1;
        if (until_ms >= self->req->deadline_mono_ms)
            return error_set(err, ERR_UNAVAILABLE, "The form is being processed.");
        if (fiber_sleep_until(self->d->svc.loop, until_ms, err) < 0)
            return -1;
    }
}

int submission_run(struct authd *d, const struct request *req, const struct field_table *table,
                   const void *in, page_handler *handler, struct page_answer *out,
                   struct error *err)
{
    struct submission self;
    int result;

    if (!submission_init(&self, d, req, visit_of(table, in)))
        return handler(d, req, in, out, err);
    result = claim(&self, out, err);
    if (result <= 0)
        return result;
    result = handler(d, req, in, out, err);
    if (result == 0 && is_kept(out))
        answer_keep(&self, out);
    else
        release(&self);
    return result;
}
