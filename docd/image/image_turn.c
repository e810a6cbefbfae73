/* image_turn.c - see image_turn.h. */
#include "docd/image/image_turn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/runtime/fiber_sem.h"

enum { LANES = 2, FAST = 0, SLOW = 1, MINUTE_MS = 60000, RETRY_AFTER_S = 10, NAME_SIZE = 64 };

struct image_client {
    LIST_ENTRY(image_client) entry;
    char name[NAME_SIZE];
    int64_t factor; /* multiplies the limits; 0: no limits */
    struct fiber_sem under_way;
    size_t decodes;
    int64_t pixels;      /* left in the bucket; below 0: over the limit */
    int64_t refilled_ms; /* monotonic time of the last refill */
};

struct waiter {
    TAILQ_ENTRY(waiter) entry;
    struct image_turn *turn;
    struct fiber *fiber;
    bool given;
};

struct image_scheduler {
    struct loop *loop;
    size_t free[LANES];
    size_t queue_max, share;
    size_t waiting;
    TAILQ_HEAD(, waiter) lanes[LANES];
    LIST_HEAD(, image_client) clients;
};

struct image_scheduler *image_scheduler_new(struct loop *loop, size_t fast, size_t slow,
                                            size_t queue_max, size_t share)
{
    struct image_scheduler *self = memory_new(sizeof(*self));

    *self = (struct image_scheduler){
        .loop = loop, .free = {fast, slow}, .queue_max = queue_max, .share = share};
    for (int i = 0; i < LANES; i++)
        TAILQ_INIT(&self->lanes[i]);
    LIST_INIT(&self->clients);
    return self;
}

void image_scheduler_destroy(struct image_scheduler **self_p)
{
    struct image_scheduler *self = *self_p;
    struct image_client *client;

    if (!self)
        return;
    while ((client = LIST_FIRST(&self->clients))) {
        LIST_REMOVE(client, entry);
        free(client);
    }
    free(self);
    *self_p = NULL;
}

size_t image_scheduler_waiting(const struct image_scheduler *self)
{
    return self->waiting;
}

/* ---- clients ---- */

/* Refills the bucket, which holds one minute's pixels. */
static void refill(struct image_client *client, int64_t now_ms)
{
    int64_t most = client->factor * IMAGE_CLIENT_PIXELS;
    int64_t passed_ms = MIN(now_ms - client->refilled_ms, (int64_t)MINUTE_MS * MINUTE_MS);

    client->pixels = MIN(client->pixels + passed_ms * most / MINUTE_MS, most);
    client->refilled_ms = now_ms;
}

/* Finds or adds a client, and frees idle clients whose bucket is full. */
static struct image_client *client_find(struct image_scheduler *self, const char *name,
                                        int64_t factor)
{
    int64_t now_ms = clock_mono_ms();
    struct image_client *each = LIST_FIRST(&self->clients), *next, *found = NULL;

    for (; each; each = next) {
        next = LIST_NEXT(each, entry);
        refill(each, now_ms);
        if (strcmp(each->name, name) == 0) {
            found = each;
        } else if (fiber_sem_is_idle(&each->under_way) &&
                   each->pixels == each->factor * IMAGE_CLIENT_PIXELS) {
            LIST_REMOVE(each, entry);
            free(each);
        }
    }
    if (found)
        return found;
    found = memory_new(sizeof(*found));
    snprintf(found->name, sizeof(found->name), "%s", name);
    found->factor = factor;
    found->pixels = factor * IMAGE_CLIENT_PIXELS;
    found->refilled_ms = now_ms;
    fiber_sem_init(&found->under_way, self->loop,
                   factor > 0 ? (size_t)factor * self->share : SIZE_MAX, FIBER_SEM_UNBOUNDED);
    LIST_INSERT_HEAD(&self->clients, found, entry);
    return found;
}

static void subjects_of(const struct request *req, struct address_subjects *ret)
{
    if (req && !req->caller && req->address && *req->address) {
        address_subjects_of(req->address, ret);
        return;
    }
    *ret = (struct address_subjects){.count = 1};
    if (req && req->caller)
        snprintf(ret->items[0].text, sizeof(ret->items[0].text), "%s", req->caller->account.text);
}

static bool has_limits(const struct image_turn *self)
{
    return self->clients[0]->factor > 0;
}

int64_t image_turn_until(const struct image_turn *self, int64_t deadline_mono_ms)
{
    return deadline_mono_ms - (has_limits(self) ? IMAGE_RESERVE_MS : 0);
}

int image_turn_throttled(struct error *err)
{
    return error_retry(err, ERR_THROTTLED, RETRY_AFTER_S,
                       "Too many large images. Try again in a moment.");
}

bool image_turn_over(const struct image_turn *self)
{
    int64_t now_ms = clock_mono_ms();

    for (size_t i = 0; i < self->client_count; i++) {
        struct image_client *client = self->clients[i];

        if (client->factor == 0)
            continue;
        refill(client, now_ms);
        if (client->pixels < 0)
            return true;
    }
    return false;
}

/* ---- admission ---- */

static int client_enter(struct image_client *client, int64_t deadline_mono_ms, bool *ret_parked,
                        struct error *err)
{
    if (fiber_sem_try(&client->under_way, 1))
        return 0;
    *ret_parked = true;
    if (fiber_sem_acquire(&client->under_way, 1, deadline_mono_ms, err) == 0)
        return 0;
    return err->code == ERR_DEADLINE ? image_turn_throttled(err) : -1;
}

int image_turn_enter(struct image_scheduler *scheduler, const struct request *req,
                     struct image_turn *ret, bool *ret_parked, struct error *err)
{
    int64_t until_ms = req ? req->deadline_mono_ms - IMAGE_RESERVE_MS : INT64_MAX;
    struct address_subjects subjects;

    *ret = (struct image_turn){.scheduler = scheduler, .lane = -1};
    *ret_parked = false;
    subjects_of(req, &subjects);
    for (size_t i = 0; i < subjects.count; i++) {
        /* An idle client may have been freed. */
        struct image_client *client =
            client_find(scheduler, subjects.items[i].text, subjects.items[i].factor);

        if (client_enter(client, until_ms, ret_parked, err) < 0) {
            image_turn_leave(ret);
            return -1;
        }
        ret->clients[ret->client_count++] = client;
    }
    return 0;
}

void image_turn_leave(struct image_turn *self)
{
    if (!self->scheduler)
        return;
    image_turn_end(self);
    for (size_t i = 0; i < self->client_count; i++) {
        fiber_sem_release(&self->clients[i]->under_way, 1);
    }
    self->scheduler = NULL;
}

/* ---- decoders ---- */

int64_t image_turn_pixels(const struct image_turn *self)
{
    if (!has_limits(self))
        return IMAGE_FAST_PIXELS;
    return image_turn_over(self) ? 0 : IMAGE_FAST_PIXELS_PUBLIC;
}

void image_turn_charge(struct image_turn *self, int64_t pixels)
{
    for (size_t i = 0; i < self->client_count; i++)
        if (self->clients[i]->factor > 0)
            self->clients[i]->pixels -= pixels;
}

void image_turn_enlarge(struct image_turn *self, int64_t pixels)
{
    self->large = true;
    image_turn_charge(self, pixels);
}

/* Prefers clients with fewer decodes; INT64_MAX: not now. */
static int64_t rank(const struct image_turn *turn)
{
    int64_t rank = 0;

    for (size_t i = 0; i < turn->client_count; i++) {
        const struct image_client *client = turn->clients[i];
        int64_t decodes = (int64_t)client->decodes;

        if (client->factor > 0 && decodes >= client->factor * IMAGE_CLIENT_DECODES)
            return INT64_MAX;
        rank = MAX(rank, client->factor > 0 ? decodes / client->factor : decodes);
    }
    return image_turn_over(turn) ? INT32_MAX + rank : rank;
}

static void give(struct image_scheduler *self, int lane)
{
    while (self->free[lane] > 0) {
        struct waiter *each, *best = NULL;
        int64_t best_rank = INT64_MAX;

        TAILQ_FOREACH(each, &self->lanes[lane], entry)
        {
            int64_t its = rank(each->turn);

            if (its < best_rank) {
                best_rank = its;
                best = each;
            }
        }
        if (!best)
            return;
        TAILQ_REMOVE(&self->lanes[lane], best, entry);
        self->waiting--;
        self->free[lane]--;
        best->given = true;
        best->turn->lane = lane;
        for (size_t i = 0; i < best->turn->client_count; i++)
            best->turn->clients[i]->decodes++;
        fiber_wake(best->fiber);
    }
}

int image_turn_begin(struct image_turn *self, int64_t deadline_mono_ms, struct error *err)
{
    struct image_scheduler *scheduler = self->scheduler;
    struct waiter waiter = {.turn = self, .fiber = fiber_self(scheduler->loop)};
    enum fiber_wake wake = FIBER_WOKEN;
    int lane = self->large ? SLOW : FAST;

    image_turn_end(self);
    TAILQ_INSERT_TAIL(&scheduler->lanes[lane], &waiter, entry);
    scheduler->waiting++;
    give(scheduler, lane);
    if (!waiter.given && scheduler->waiting > scheduler->queue_max) {
        TAILQ_REMOVE(&scheduler->lanes[lane], &waiter, entry);
        scheduler->waiting--;
        return error_retry(err, ERR_OVERLOADED, 1, "The service is busy. Try again in a moment.");
    }
    while (!waiter.given && wake == FIBER_WOKEN)
        wake = fiber_park(scheduler->loop, deadline_mono_ms);
    if (waiter.given)
        return 0;
    TAILQ_REMOVE(&scheduler->lanes[lane], &waiter, entry);
    scheduler->waiting--;
    if (wake == FIBER_CANCELLED)
        return fiber_wake_error(FIBER_CANCELLED, err);
    return rank(self) >= INT32_MAX
               ? image_turn_throttled(err)
               : error_set(err, ERR_DEADLINE,
                           "The service took too long to respond. Please try again.");
}

void image_turn_end(struct image_turn *self)
{
    if (self->lane < 0)
        return;
    self->scheduler->free[self->lane]++;
    self->lane = -1;
    for (size_t i = 0; i < self->client_count; i++)
        self->clients[i]->decodes--;
    /* A client's images can wait in either lane. */
    for (int lane = 0; lane < LANES; lane++)
        give(self->scheduler, lane);
}
