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

/* Registers the counters even where no file comes to a store, so that alerts tell "none" from "no
 * metric". */
void direct_uploads_make_metrics(struct metrics *metrics);

struct direct_uploads *direct_uploads_new(struct docd *d);

/* Waits up to five seconds for adoptions, then cancels the requests that wait for them. Parks. */
void direct_uploads_drain(struct direct_uploads *self);

/* Cancels the running adoptions, for which no request waits. Parks until they have unwound. */
void direct_uploads_destroy(struct direct_uploads **self_p);

/* Adopts what has arrived for documents of a project, each with a form that is still valid.
 * *ret_changed: a document has new content. Parks. ERR_UNAVAILABLE: the store fails, or a large
 * file is still being copied. */
int direct_uploads_scan(struct direct_uploads *self, const struct request *req, struct uuid project,
                        const struct uuid *documents, size_t count, bool *ret_changed,
                        struct error *err) MUST_USE;

/* Adopts everything that has arrived, removes what belongs to no document; part of the sweep.
 * Parks. Fails when it is not known what has arrived. A recorded failure to adopt is none. */
int direct_uploads_sweep(struct direct_uploads *self, const struct request *req,
                         struct error *err) MUST_USE;

#endif
