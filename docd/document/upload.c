/*
 * upload.c - receives an upload form's bytes from the gateway, in pieces (common/domain/content.h).
 *
 * docd can be killed at any time, because of the order: first the object's row, due for the sweep;
 * then the bytes; once they are durable, the document points to them and the object is no longer
 * due.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "docd/docd.h"
#include "docd/document/sniff.h"
#include "docd/document_api.h"
#include "docd/sql/upload.h"

static const int64_t replaced_ms = MINUTES(10); /* keeps replaced bytes for reads in progress */

/* A ticket's content: "<project>/<upload>/<object>/<max bytes>". The gateway returns it with each
 * piece. */
struct ticket {
    struct store_key key;
    struct uuid upload;
    int64_t size_max;
};

int document_over_quota(struct error *err)
{
    return error_set(err, ERR_QUOTA_EXCEEDED,
                     "The account or project has reached its limit of documents or bytes.");
}

static const char *ticket_write(struct arena *arena, const struct ticket *ticket)
{
    return arena_printf(arena, "%s/%s/%s/%lld", ticket->key.project.text, ticket->upload.text,
                        ticket->key.object.text, (long long)ticket->size_max);
}

static int ticket_read(const struct docd *d, struct arena *arena, const char *text,
                       struct ticket *ret, struct error *err)
{
    char *copy = arena_strdup(arena, text), *rest = NULL, *end = NULL;
    const char *project = strtok_r(copy, "/", &rest), *upload = strtok_r(NULL, "/", &rest);
    const char *object = strtok_r(NULL, "/", &rest), *size = strtok_r(NULL, "/", &rest);

    if (d->store->functions->accept && size && uuid_parse(project, &ret->key.project) == 0 &&
        uuid_parse(upload, &ret->upload) == 0 && uuid_parse(object, &ret->key.object) == 0) {
        ret->size_max = strtoll(size, &end, 10);
        if (end > size && *end == '\0' && ret->size_max >= 0)
            return 0;
    }
    return error_set(err, ERR_BAD_REQUEST, "Upload not found.");
}

static int overtaken(struct error *err)
{
    error_clear(err);
    return error_set(err, ERR_FORBIDDEN,
                     "The upload form is invalid or has expired. Request a new one.");
}

int storage_post(struct docd *d, const struct request *req, const struct storage_post_in *in,
                 struct form_ticket *out, struct error *err)
{
    struct ticket ticket = {.key.object = uuid_random()};
    struct sql_upload_begin_in begin;
    struct sql_upload_begin_row row;
    struct store_form form;
    int rows;

    if (!d->store->functions->accept || !in->form)
        return error_set(err, ERR_NOT_FOUND, "Bucket not found.");
    if (d->store->functions->accept(d->store, req, in->bucket, in->form, &form, err) < 0)
        return -1;
    ticket.key.project = form.key.project;
    ticket.upload = form.key.object;
    ticket.size_max = form.size_max;
    begin = (struct sql_upload_begin_in){.project = ticket.key.project,
                                         .id = ticket.upload,
                                         .object = ticket.key.object,
                                         .now = req->now_ms,
                                         .sweep_at = req->now_ms + SWEEP_AFTER_MS};
    rows = sql_upload_begin(d->svc.db, req, &begin, &row, err);
    if (rows <= 0)
        return rows < 0 ? -1 : overtaken(err);
    if (row.held)
        return refuse_read_only(err);
    out->session = row.session;
    out->quotaLeft = row.bytes_left ? MAX(*row.bytes_left, 0) : FORM_NO_QUOTA;
    if (out->quotaLeft == 0)
        return document_over_quota(err);
    if (d->store->functions->begin(d->store, req, ticket.key, err) < 0)
        return -1;
    out->ticket = ticket_write(req->arena, &ticket);
    out->sizeMax = form.size_max;
    return 0;
}

int form_write(struct docd *d, const struct request *req, const struct form_write_in *in,
               struct nothing *out UNUSED, struct error *err)
{
    struct ticket ticket;

    if (ticket_read(d, req->arena, in->ticket, &ticket, err) < 0)
        return -1;
    if (in->offset > ticket.size_max - (int64_t)in->bytes.size)
        return error_set(err, ERR_ENTITY_TOO_LARGE, "The file is too large.");
    if (d->store->functions->write(d->store, req, ticket.key, in->offset, in->bytes, err) < 0)
        return err->code == ERR_NOT_FOUND ? overtaken(err) : -1;
    return 0;
}

int upload_finish(struct docd *d, const struct request *req, bool direct, struct store_key key,
                  struct uuid upload, const struct stored *stored, enum upload_end *ret,
                  struct error *err)
{
    struct sql_upload_finish_in finish = {
        .project = key.project,
        .id = upload,
        .direct = direct,
        .object = key.object,
        .size = stored->size,
        .etag = stored->etag,
        .now = req->now_ms,
        .sweep_at = req->now_ms + replaced_ms,
        .audit =
            audit_row(req, &(struct audit){.action = "document.upload", .project = key.project})};
    struct sql_upload_finish_row row;
    int rows;

    if (sniff(d->sniffer, req, stored->head, &finish.found_type, err) < 0)
        return -1;
    rows = sql_upload_finish(d->svc.db, req, &finish, &row, err);
    if (rows < 0)
        return -1;
    *ret = rows == 0                    ? UPLOAD_OVERTAKEN
           : uuid_is_set(&row.document) ? UPLOAD_SHOWN
                                        : UPLOAD_TOO_MUCH;
    if (*ret != UPLOAD_SHOWN) {
        (void)!object_sweep(d, req, key.project, key.object, err);
        error_clear(err);
    }
    return 0;
}

/* Completes an upload; can be repeated. FORBIDDEN: a later upload won, or the document was
 * deleted. */
int form_end(struct docd *d, const struct request *req, const struct form_end_in *in,
             struct nothing *out UNUSED, struct error *err)
{
    struct ticket ticket;
    struct stored stored;
    enum upload_end end;

    if (ticket_read(d, req->arena, in->ticket, &ticket, err) < 0)
        return -1;
    if (d->store->functions->finish(d->store, req, ticket.key, in->size, &stored, err) < 0)
        return err->code == ERR_NOT_FOUND ? overtaken(err) : -1;
    if (upload_finish(d, req, false, ticket.key, ticket.upload, &stored, &end, err) < 0)
        return -1;
    if (end == UPLOAD_TOO_MUCH)
        return document_over_quota(err);
    return end == UPLOAD_SHOWN ? 0 : overtaken(err);
}

int form_abort(struct docd *d, const struct request *req, const struct form_abort_in *in,
               struct nothing *out UNUSED, struct error *err)
{
    struct ticket ticket;

    if (ticket_read(d, req->arena, in->ticket, &ticket, err) < 0)
        return -1;
    return object_sweep(d, req, ticket.key.project, ticket.key.object, err);
}
