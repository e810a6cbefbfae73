/*
 * rotation.c - see rotation.h.
 *
 * The first renewal that finds room leads: it waits for one turn of the loop, takes those that
 * wait, runs the statement for all and tells each what came of it. When it has ended, the first of
 * those that have come meanwhile leads.
 */
#include "authd/session/rotation.h"

#include <stdlib.h>
#include <sys/queue.h>

#include "authd/authd.h"
#include "authd/session/session.h"
#include "common/base/log.h"

enum {
    TOGETHER_MAX = 32, /* renewals in one statement */
    RUNNING_MAX = 2,   /* statements; while they run, renewals gather */
    SEALED_MAX = 512,  /* bytes of a sealed token */
};

enum waiting_state { WAITING, TAKEN, DONE };

enum outcome { OUTCOME_NONE, OUTCOME_ROTATED, OUTCOME_FAILED };

struct waiting {
    TAILQ_ENTRY(waiting) link;
    const struct rotation *in;
    struct fiber *fiber;
    struct waiting **place; /* in the leader's list, once taken */
    enum waiting_state state;
    enum outcome outcome;
    struct error failure; /* the leader's, with OUTCOME_FAILED */
    bool leads;
};
TAILQ_HEAD(waiting_list, waiting);

struct rotations {
    struct waiting_list list;
    size_t running;
    bool gathering; /* there is a leader that has not begun */
};

struct rotations *rotations_new(void)
{
    struct rotations *self = calloc(1, sizeof(*self));

    if (!self)
        log_die("refresh", "out of memory");
    TAILQ_INIT(&self->list);
    return self;
}

void rotations_destroy(struct rotations **self_p)
{
    free(*self_p);
    *self_p = NULL;
}

static int query(struct authd *d, const struct request *req, struct waiting *const *items,
                 size_t count, struct db_result **ret, struct error *err)
{
    const size_t id = sizeof(items[0]->in->session.text);
    struct db_array projects = db_array_new(req->arena, count, id);
    struct db_array sessions = db_array_new(req->arena, count, id);
    struct db_array hashes = db_array_new(req->arena, count, DB_ARRAY_BYTES(SECRET_HASH_SIZE));
    struct db_array next_hashes = db_array_new(req->arena, count, DB_ARRAY_BYTES(SECRET_HASH_SIZE));
    struct db_array successors = db_array_new(req->arena, count, DB_ARRAY_BYTES(SEALED_MAX));

    for (size_t i = 0; i < count; i++) {
        const struct rotation *in = items[i]->in;

        db_array_add(&projects, in->project.text);
        db_array_add(&sessions, in->session.text);
        db_array_add_bytes(&hashes, in->hash, SECRET_HASH_SIZE);
        db_array_add_bytes(&next_hashes, in->next_hash, SECRET_HASH_SIZE);
        db_array_add_bytes(&successors, in->successor.bytes, in->successor.size);
    }
    return db_query(d->svc.db, req, SQL_REFRESH_ROTATE, ret, err, DB_TEXT(projects.text),
                    DB_TEXT(sessions.text), DB_TEXT(hashes.text), DB_TEXT(next_hashes.text),
                    DB_TEXT(successors.text), DB_INT(req->now_ms),
                    DB_INT(req->now_ms + SESSION_IDLE_LIFE));
}

/* Copies why the statement failed, without the lists, whose memory is the leader's. */
static void copy_failure(struct error *to, const struct error *from)
{
    *to = *from;
    to->arena = NULL;
    to->problems = to->members = NULL;
    to->problems_tail = to->members_tail = NULL;
    to->problem_count = 0;
}

/* Gives each of the items its outcome, and the error if there is one. One whose renewal has given
 * up meanwhile is NULL. */
static void rotate(struct authd *d, const struct request *req, struct waiting **items, size_t count,
                   struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    enum outcome outcome = OUTCOME_NONE;

    if (query(d, req, items, count, &res, err) < 0)
        outcome = OUTCOME_FAILED;
    for (size_t i = 0; i < count; i++) {
        if (!items[i])
            continue;
        items[i]->outcome = outcome;
        if (outcome == OUTCOME_FAILED)
            copy_failure(&items[i]->failure, err);
    }
    for (size_t row = 0; res && row < db_rows(res); row++) {
        struct waiting *item = items[db_int(res, row, 0) - 1];

        if (item)
            item->outcome = OUTCOME_ROTATED;
    }
}

/* Makes the first that waits the leader of the next statement, when there is room for one. */
static void appoint(struct rotations *self)
{
    struct waiting *first = TAILQ_FIRST(&self->list);

    if (!first || self->gathering || self->running == RUNNING_MAX)
        return;
    self->gathering = true;
    first->leads = true;
    fiber_wake(first->fiber);
}

/* Takes the first of those that wait, the leader among them. */
static size_t take(struct rotations *self, struct waiting *items[static TOGETHER_MAX])
{
    size_t count = 0;
    struct waiting *item;

    while (count < TOGETHER_MAX && (item = TAILQ_FIRST(&self->list))) {
        TAILQ_REMOVE(&self->list, item, link);
        item->state = TAKEN;
        item->place = &items[count];
        items[count++] = item;
    }
    return count;
}

/* Runs the statement for all that wait. */
static void lead(struct authd *d, const struct request *req, struct waiting *own, struct error *err)
{
    struct rotations *self = d->rotations;
    struct waiting *items[TOGETHER_MAX];
    size_t count = take(self, items);

    self->gathering = false;
    self->running++;
    appoint(self);
    rotate(d, req, items, count, err);
    self->running--;
    appoint(self);
    for (size_t i = 0; i < count; i++) {
        if (!items[i])
            continue;
        items[i]->state = DONE;
        if (items[i] != own)
            fiber_wake(items[i]->fiber);
    }
}

static int give_up(struct rotations *self, struct waiting *item, enum fiber_wake wake,
                   struct error *err)
{
    if (item->state == TAKEN) {
        *item->place = NULL;
        return error_set(err, ERR_UNCERTAIN, "It is not known whether the change was made.");
    }
    TAILQ_REMOVE(&self->list, item, link);
    if (item->leads) {
        self->gathering = false;
        appoint(self);
    }
    if (wake == FIBER_CANCELLED)
        return error_retry(err, ERR_UNAVAILABLE, 1, "The service is stopping.");
    return error_set(err, ERR_DEADLINE, "The request took too long.");
}

/* Until a leader has run the statement, or this one is to lead. */
static int wait_turn(struct authd *d, const struct request *req, struct waiting *item,
                     struct error *err)
{
    while (item->state != DONE && !item->leads) {
        enum fiber_wake wake = fiber_park(d->svc.loop, req->deadline_mono_ms);

        if (wake != FIBER_WOKEN && item->state != DONE)
            return give_up(d->rotations, item, wake, err);
    }
    return 0;
}

/* Lets those come that ask in this turn of the loop and at the beginning of the next. */
static int gather(struct authd *d, struct waiting *item, struct error *err)
{
    enum fiber_wake wake = fiber_park(d->svc.loop, loop_mono_ms(d->svc.loop));

    return wake == FIBER_CANCELLED ? give_up(d->rotations, item, wake, err) : 0;
}

/* What the statement of a leader came to. */
static int answer(const struct waiting *item, struct error *err)
{
    struct arena *arena = err->arena;

    if (item->outcome != OUTCOME_FAILED)
        return item->outcome == OUTCOME_ROTATED ? 1 : 0;
    *err = item->failure;
    err->arena = arena;
    return -1;
}

int rotation_run(struct authd *d, const struct request *req, const struct rotation *in,
                 struct error *err)
{
    struct rotations *self = d->rotations;
    struct waiting own = {.in = in, .fiber = fiber_self(d->svc.loop)};
    int rc;

    if (in->successor.size > SEALED_MAX)
        log_die("refresh", "a sealed token is larger than any can be");
    TAILQ_INSERT_TAIL(&self->list, &own, link);
    if (!self->gathering && self->running < RUNNING_MAX) {
        self->gathering = own.leads = true;
        rc = gather(d, &own, err);
    } else {
        rc = wait_turn(d, req, &own, err);
    }
    if (rc < 0)
        return -1;
    if (!own.leads)
        return answer(&own, err);
    lead(d, req, &own, err);
    return own.outcome <= OUTCOME_ROTATED ? answer(&own, err) : -1;
}
