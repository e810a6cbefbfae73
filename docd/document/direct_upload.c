/*
 * direct_upload.c - see direct_upload.h. Each adoption has its own fiber, because a server can copy
 * a large file for longer than a client waits.
 */
#include "docd/document/direct_upload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "authd/authd_api.h"
#include "authd/operation_api.h"
#include "common/base/memory.h"
#include "common/runtime/fiber_sem.h"
#include "common/runtime/flight.h"
#include "docd/docd.h"
#include "docd/document/fiber_each.h"
#include "docd/sql/upload.h"

enum {
    ADOPT_MS = 30 * 60 * 1000, /* longest adoption: 5 GiB in parts */
    ADOPTIONS_MAX = 32,
    LOOKERS = 16,      /* fibers that look up documents */
    PENDING_MAX = 200, /* forms per request */
    LISTED_MAX = 1000, /* forms per page */
    RESERVE_MS = 300,  /* part of the deadline that is kept for the response */
    DRAIN_MS = 5000,
    NOTE_MS = 10000, /* time to record a failure */
};

/* An adoption failed, and its row records that. */
enum { NOTED = -2 };

struct form_key {
    char text[2 * sizeof(struct uuid)];
};

struct adoption {
    struct direct_uploads *owner;
    struct store_key form;
    struct form_key key;
    struct flight_call call;
};

struct direct_uploads {
    struct docd *d;
    struct flight running; /* adoptions, by form */
    struct fiber_sem slots;
    uint64_t *adopted, *failed, *given_up;
};

/* ---- one adoption ---- */

/* Removes a failed adoption's object. `may_come`: the server may still be copying, so the row stays
 * for the sweep. */
static void give_up(struct docd *d, const struct request *req, struct store_key key, bool may_come)
{
    struct error ignored;

    error_init(&ignored, NULL);
    if (may_come)
        (void)!d->store->functions->remove(d->store, req, key, &ignored);
    else
        (void)!object_sweep(d, req, key.project, key.object, &ignored);
}

/* True when the file arrived after its session ended. The store's clock has whole seconds. */
static int came_too_late(struct docd *d, const struct request *req, struct store_key form,
                         struct uuid session, bool *ret, struct error *err)
{
    struct session_end_get_in in = {.project = form.project, .session = session};
    struct session_end_get_out end = {0};
    int64_t came_ms;

    *ret = false;
    if (!uuid_is_set(&session)) /* the form is from an older release */
        return 0;
    if (authd_session_end_get(d->svc.bus, req, &in, &end, err) < 0)
        return -1;
    if (end.known && end.endedAt == 0)
        return 0;
    if (d->store->functions->arrived(d->store, req, form, &came_ms, err) < 0)
        return -1;
    *ret = came_ms == 0 || came_ms > end.endedAt;
    return 0;
}

/* Removes a file that must not be adopted, and its object. */
static int turn_away(struct docd *d, const struct request *req, struct store_key form,
                     struct store_key key, struct error *err)
{
    if (d->store->functions->forget(d->store, req, form, err) < 0)
        return -1;
    return object_sweep(d, req, key.project, key.object, err);
}

/* Returns 0 when another instance has adopted the file. */
static int taken_meanwhile(struct error *err)
{
    if (err->code != ERR_NOT_FOUND)
        return -1;
    error_clear(err);
    return 0;
}

static int adopt(struct docd *d, const struct request *req, struct store_key form,
                 struct error *err)
{
    struct store_key key = {form.project, uuid_random()};
    const struct sql_upload_begin_in begin = {.project = form.project,
                                              .id = form.object,
                                              .direct = true,
                                              .object = key.object,
                                              .now = req->now_ms,
                                              .sweep_at = req->now_ms + SWEEP_AFTER_MS};
    struct sql_upload_begin_row begun;
    struct stored stored;
    enum upload_end end;
    bool late;
    int rows = sql_upload_begin(d->svc.db, req, &begin, &begun, err);

    if (rows < 0)
        return -1;
    if (rows == 0) /* the form was sent again, or its document deleted */
        return d->store->functions->forget(d->store, req, form, err);
    if (begun.held)
        return refuse_read_only(err);
    if (came_too_late(d, req, form, begun.session, &late, err) < 0) {
        give_up(d, req, key, false);
        return taken_meanwhile(err);
    }
    if (late || (begun.bytes_left && *begun.bytes_left <= 0))
        return turn_away(d, req, form, key, err);
    if (d->store->functions->adopt(d->store, req, form, key, &stored, err) < 0) {
        give_up(d, req, key, err->code == ERR_UNCERTAIN);
        return taken_meanwhile(err);
    }
    if (upload_finish(d, req, true, key, form.object, &stored, &end, err) < 0)
        return -1;
    return d->store->functions->forget(d->store, req, form, err);
}

static void log_failure(const struct request *req, const char *message, struct uuid document,
                        const struct error *why)
{
    log_event(LOG_WARNING, "arrival", message, "trace", req->trace, "document", document.text,
              "error", why->message, "detail", why->detail, NULL);
}

/* Deletes the row first: the sweep removes files without a row. */
static int give_up_file(struct direct_uploads *self, const struct request *req,
                        struct store_key form, struct error *err)
{
    const struct sql_upload_give_up_in in = {
        .project = form.project,
        .id = form.object,
        .audit = audit_row(req, &(struct audit){.action = "document.upload",
                                                .failure = true,
                                                .project = form.project,
                                                .detail = "given up"})};
    int rows = sql_upload_give_up(self->d->svc.db, req, &in, err);

    if (rows < 0)
        return -1;
    *self->given_up += (uint64_t)rows;
    return self->d->store->functions->forget(self->d->store, req, form, err);
}

static int note_failure(struct direct_uploads *self, struct store_key form, const struct error *why)
{
    CLEANUP(service_request_destroy)
    struct request *req = service_request_new(&self->d->svc, NOTE_MS);
    const struct sql_upload_fail_in in = {.project = form.project,
                                          .id = form.object,
                                          .now = req->now_ms,
                                          .given_up_at = req->now_ms - GIVE_UP_AFTER_MS};
    struct sql_upload_fail_row row;
    struct error err;
    int rows;

    error_init(&err, req->arena);
    rows = sql_upload_fail(self->d->svc.db, req, &in, &row, &err);
    if (rows <= 0)
        return rows;
    if (row.is_first)
        log_failure(req, "an uploaded file cannot be copied into the store", row.document, why);
    if (!row.is_given_up)
        return 0;
    log_failure(req, "an uploaded file was given up", row.document, why);
    return give_up_file(self, req, form, &err);
}

static void end(struct adoption *adoption, bool noted, const struct error *why)
{
    struct error err;

    if (why->code == ERR_NONE) {
        flight_end(&adoption->call, 0, NULL);
        return;
    }
    error_init(&err, NULL);
    (void)error_retry(&err, ERR_UNAVAILABLE, 2,
                      "The document store is not available. Please try again later.");
    (void)error_detail(&err, "%s", why->detail);
    flight_end(&adoption->call, noted ? NOTED : -1, &err);
}

static void adoption_fiber(void *arg)
{
    struct adoption *adoption = arg;
    struct direct_uploads *self = adoption->owner;
    CLEANUP(service_request_destroy)
    struct request *req = service_request_new(&self->d->svc, ADOPT_MS);
    struct error err;
    bool noted = false;

    error_init(&err, req->arena);
    if (adopt(self->d, req, adoption->form, &err) == 0) {
        error_clear(&err);
        ++*self->adopted;
    } else if (err.code == ERR_PROJECT_READ_ONLY) {
        noted = true; /* the file waits in the store: not a failure */
    } else {
        ++*self->failed;
        noted = note_failure(self, adoption->form, &err) == 0;
    }
    end(adoption, noted, &err);
    free(adoption);
    fiber_sem_release(&self->slots, 1);
}

static struct form_key key_of(struct store_key form)
{
    struct form_key key;

    snprintf(key.text, sizeof(key.text), "%s/%s", form.project.text, form.object.text);
    return key;
}

/* Begins an adoption on a fiber. The caller holds a slot, which the fiber releases. */
static struct flight_call *begin(struct direct_uploads *self, struct store_key form,
                                 struct error *err)
{
    struct adoption *made = memory_new(sizeof(*made));

    *made = (struct adoption){.owner = self, .form = form, .key = key_of(form)};
    if (fiber_start(self->d->svc.loop, adoption_fiber, made, err) < 0) {
        free(made);
        return NULL;
    }
    flight_lead(&self->running, made->key.text, &made->call);
    return &made->call;
}

static struct flight_call *find_or_begin(struct direct_uploads *self, struct store_key form,
                                         int64_t until_ms, struct error *err)
{
    struct form_key key = key_of(form);
    struct flight_call *call = flight_find(&self->running, key.text), *made = NULL;

    if (call)
        return call;
    if (fiber_sem_acquire(&self->slots, 1, until_ms, err) < 0) {
        (void)error_retry(err, ERR_OVERLOADED, 1, "The service is busy. Try again in a moment.");
        return NULL;
    }
    call = flight_find(&self->running, key.text); /* another fiber began it meanwhile */
    if (!call)
        made = begin(self, form, err);
    if (!made)
        fiber_sem_release(&self->slots, 1);
    return made ? made : call;
}

/* Adopts a file. *ret_noted: the adoption failed, and its row records that. */
static int adopt_and_wait(struct direct_uploads *self, const struct request *req,
                          struct store_key form, bool *ret_noted, struct error *err)
{
    int64_t until_ms = req->deadline_mono_ms - RESERVE_MS;
    struct flight_call *call = find_or_begin(self, form, until_ms, err);
    int rc;

    *ret_noted = false;
    if (!call)
        return -1;
    rc = flight_wait(call, until_ms, err);
    if (rc < 0 && err->code == ERR_DEADLINE)
        return error_retry(err, ERR_UNAVAILABLE, 5, "The file is still being stored.");
    *ret_noted = rc == NOTED;
    return rc < 0 ? -1 : 0;
}

/* ---- several documents ---- */

/* One document's forms, newest first: the newest arrived one wins. */
struct lookup {
    const struct store_key *forms;
    size_t count;
    bool come;
};
struct look {
    struct direct_uploads *self;
    const struct request *req;
    const struct lookup *lookups;
    size_t count;
    bool changed;
};

static int look_up(void *arg, size_t item, struct error *err)
{
    struct look *look = arg;
    const struct lookup *lookup = &look->lookups[item];
    struct store *store = look->self->d->store;
    int64_t came_ms;
    bool noted;

    for (size_t i = 0; i < lookup->count; i++) {
        if (!lookup->come &&
            store->functions->arrived(store, look->req, lookup->forms[i], &came_ms, err) < 0) {
            if (err->code != ERR_NOT_FOUND)
                return -1;
            error_clear(err);
            continue;
        }
        if (adopt_and_wait(look->self, look->req, lookup->forms[i], &noted, err) < 0) {
            if (!lookup->come || !noted)
                return -1;
            error_clear(err);
        }
        look->changed = true;
        break;
    }
    return 0;
}

static int look_all(struct look *look, struct error *err)
{
    return fiber_each(look->self->d->svc.loop,
                      &(struct fiber_each){.count = look->count,
                                           .most = LOOKERS,
                                           .past_failure = true,
                                           .run = look_up,
                                           .arg = look},
                      NULL, err);
}

int direct_uploads_scan(struct direct_uploads *self, const struct request *req, struct uuid project,
                        const struct uuid *documents, size_t count, bool *ret_changed,
                        struct error *err)
{
    struct sql_upload_list_pending_in in = {.project = project,
                                            .documents = db_array_new(req->arena, count,
                                                                      sizeof(documents->text)),
                                            .most = PENDING_MAX};
    struct sql_upload_list_pending_rows pending, after;
    struct look look = {.self = self, .req = req};
    struct store_key *forms;
    struct lookup *lookups;
    int result;

    *ret_changed = false;
    for (size_t i = 0; i < count; i++)
        db_array_add(&in.documents, documents[i].text);
    if (sql_upload_list_pending(self->d->svc.db, req, &in, &pending, err) < 0)
        return -1;
    forms = arena_calloc(req->arena, pending.count, sizeof(*forms));
    look.lookups = lookups = arena_calloc(req->arena, pending.count, sizeof(*lookups));
    for (size_t i = 0; i < pending.count; i++) {
        forms[i] = (struct store_key){project, pending.items[i].id};
        if (i == 0 || !uuid_equal(&pending.items[i].document, &pending.items[i - 1].document))
            lookups[look.count++].forms = &forms[i];
        lookups[look.count - 1].count++;
    }
    result = look_all(&look, err);
    /* Another instance was faster. */
    *ret_changed = look.changed || look.count < count;
    if (result < 0 || *ret_changed)
        return result;
    /* A missing file may just have been adopted elsewhere. */
    if (sql_upload_list_pending(self->d->svc.db, req, &in, &after, err) < 0)
        return -1;
    *ret_changed = after.count < pending.count;
    return 0;
}

/* ---- the sweep ---- */

static bool has_id(const struct sql_upload_list_paused_rows *rows, const struct uuid *id)
{
    for (size_t i = 0; i < rows->count; i++)
        if (uuid_equal(&rows->items[i].id, id))
            return true;
    return false;
}

/* Drops forms whose next try is later: failed files must not be copied every minute. */
static int leave_paused(const struct direct_uploads *self, const struct request *req,
                        struct store_key *forms, size_t *count, struct error *err)
{
    struct sql_upload_list_paused_in in = {
        .projects = db_array_new(req->arena, *count, sizeof(forms->project.text)),
        .ids = db_array_new(req->arena, *count, sizeof(forms->object.text)),
        .now = req->now_ms};
    struct sql_upload_list_paused_rows paused;
    size_t kept = 0;

    for (size_t i = 0; i < *count; i++) {
        db_array_add(&in.projects, forms[i].project.text);
        db_array_add(&in.ids, forms[i].object.text);
    }
    if (sql_upload_list_paused(self->d->svc.db, req, &in, &paused, err) < 0)
        return -1;
    for (size_t i = 0; i < *count; i++) {
        if (!has_id(&paused, &forms[i].object))
            forms[kept++] = forms[i];
    }
    *count = kept;
    return 0;
}

int direct_uploads_sweep(struct direct_uploads *self, const struct request *req, struct error *err)
{
    struct store *store = self->d->store;
    const char *cursor = NULL;
    struct error first, failure;

    error_init(&first, req->arena);
    do {
        struct look look = {.self = self, .req = req};
        struct store_key *forms = arena_calloc(req->arena, LISTED_MAX, sizeof(*forms));
        struct lookup *lookups = arena_calloc(req->arena, LISTED_MAX, sizeof(*lookups));

        if (store->functions->direct_uploads(store, req, &cursor, forms, LISTED_MAX, &look.count,
                                             err) < 0 ||
            leave_paused(self, req, forms, &look.count, err) < 0)
            return -1;
        for (size_t i = 0; i < look.count; i++)
            lookups[i] = (struct lookup){&forms[i], 1, true};
        look.lookups = lookups;
        error_init(&failure, req->arena);
        if (look_all(&look, &failure) < 0 && first.code == ERR_NONE)
            first = failure;
    } while (cursor);
    if (first.code == ERR_NONE)
        return 0;
    *err = first;
    return -1;
}

/* ---- start and end ---- */

static uint64_t *counter(struct metrics *metrics, const char *result)
{
    return metrics_counter(metrics, "atrium_doc_arrivals_total", result,
                           "Files uploaded to the bucket, by outcome.");
}

void direct_uploads_make_metrics(struct metrics *metrics)
{
    static const char *const results[] = {"result=\"done\"", "result=\"given_up\"",
                                          "result=\"failed\""};

    for (size_t i = 0; i < ARRAY_SIZE(results); i++)
        (void)counter(metrics, results[i]);
}

struct direct_uploads *direct_uploads_new(struct docd *d)
{
    struct direct_uploads *self = memory_new(sizeof(*self));

    self->d = d;
    flight_init(&self->running, d->svc.loop);
    fiber_sem_init(&self->slots, d->svc.loop, ADOPTIONS_MAX, FIBER_SEM_UNBOUNDED);
    self->adopted = counter(d->svc.metrics, "result=\"done\"");
    self->given_up = counter(d->svc.metrics, "result=\"given_up\"");
    self->failed = counter(d->svc.metrics, "result=\"failed\"");
    return self;
}

void direct_uploads_drain(struct direct_uploads *self)
{
    struct error ignored;

    error_init(&ignored, NULL);
    if (fiber_sem_acquire(&self->slots, ADOPTIONS_MAX, clock_mono_ms() + DRAIN_MS, &ignored) == 0)
        fiber_sem_release(&self->slots, ADOPTIONS_MAX);
    flight_refuse(&self->running);
}

void direct_uploads_destroy(struct direct_uploads **self_p)
{
    struct direct_uploads *self = *self_p;
    struct error ignored;

    if (!self)
        return;
    error_init(&ignored, NULL);
    if (!fiber_sem_is_idle(&self->slots))
        fiber_cancel_all(self->d->svc.loop);
    while (fiber_sem_acquire(&self->slots, ADOPTIONS_MAX, INT64_MAX, &ignored) < 0)
        error_clear(&ignored);
    free(self);
    *self_p = NULL;
}
