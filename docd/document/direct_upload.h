/*
 * direct_upload.h - what clients have posted to a store that takes forms itself (store.h), and that
 * no request has announced: looked for whenever a document is asked for that may have it, and in
 * every sweep.
 *
 * It is adopted in the order of uploads (upload.c): the row of the object, its bytes, the document,
 * and only then the file that came is deleted. So when a process is killed in between, another one
 * begins anew, and the object that was begun is swept. Two that adopt the same file at the same
 * time make two objects, of which the document takes one.
 *
 * A file that cannot be adopted is tried again in every sweep, and its document is kept meanwhile;
 * after 10 failures (docd/sql/upload/upload_fail.sql) only there, and a reader of the document gets
 * the file that it had before. When that has gone on for GIVE_UP_AFTER_MS the file is removed: the
 * document stays as it was, or is deleted as one that no file was uploaded to. The first failure
 * and the end are logged, the end is in the audit trail, all are counted.
 */
#ifndef ATRIUM_DOCD_DOCUMENT_DIRECT_UPLOAD_H
#define ATRIUM_DOCD_DOCUMENT_DIRECT_UPLOAD_H

#include "common/base/uuid.h"
#include "common/domain/request.h"

struct docd;
struct direct_uploads;
struct metrics;

/* The counters stand at 0 where no file comes to a store: an alert tells "none" from "no
 * metric". */
void direct_uploads_make_metrics(struct metrics *metrics);

struct direct_uploads *direct_uploads_new(struct docd *d);

/* Waits up to five seconds for adoptions that are under way, then ends the wait of the requests
 * that wait for them. Parks. */
void direct_uploads_drain(struct direct_uploads *self);

/* Gives up the adoptions that are under way. No request waits for one. Parks, for as long as they
 * take to unwind. */
void direct_uploads_destroy(struct direct_uploads **self_p);

/* Looks for what has come for documents of a project, each with a form that may still come back,
 * and adopts it. *ret_changed: a document shows something else now. Parks. Fails with
 * ERR_UNAVAILABLE when the store cannot tell, or a large file is still being copied. */
int direct_uploads_scan(struct direct_uploads *self, const struct request *req, struct uuid project,
                        const struct uuid *documents, size_t count, bool *ret_changed,
                        struct error *err) MUST_USE;

/* Adopts all that has come, and removes what belongs to no document: a part of the sweep. Parks.
 * Fails when it is not known what has come: the store cannot tell, or something is still being
 * copied. What could not be adopted is no failure, once its form says so. */
int direct_uploads_sweep(struct direct_uploads *self, const struct request *req,
                         struct error *err) MUST_USE;

#endif
