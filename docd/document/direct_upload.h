/*
 * direct_upload.h - adopts files that clients post directly to a store. The store does not notify
 * docd of them, so docd looks for them when a document is requested, and in every sweep.
 *
 * The order is: the object's row, its bytes, the document, then the arrived file is deleted. After
 * a crash another process starts again. If two adopt the same file, one wins, and the sweep removes
 * what the other made.
 *
 * A failed adoption is retried in every sweep and, for its first 10 failures
 * (docd/sql/upload/upload_fail.sql), also when the document is requested. After GIVE_UP_AFTER_MS
 * the file is removed, and its document if it never had a file. The first and the final failure are
 * logged; the final one is also in the audit log.
 */
#ifndef ATRIUM_DOCD_DOCUMENT_DIRECT_UPLOAD_H
#define ATRIUM_DOCD_DOCUMENT_DIRECT_UPLOAD_H

#include "common/base/uuid.h"
#include "common/domain/request.h"

struct docd;
struct direct_uploads;
struct metrics;

/* Registers the counters for every store: alerts need zero, not a missing metric. */
void direct_uploads_make_metrics(struct metrics *metrics);

struct direct_uploads *direct_uploads_new(struct docd *d);

/* Waits up to 5 s for adoptions, then cancels their waiters. Parks. */
void direct_uploads_drain(struct direct_uploads *self);

/* Cancels adoptions, which no request may wait for. Parks. */
void direct_uploads_destroy(struct direct_uploads **self_p);

/* Adopts arrived files of a project's documents. *ret_changed: a document has new content. Parks.
 * ERR_UNAVAILABLE: the store fails, or a large file is still being copied. */
int direct_uploads_scan(struct direct_uploads *self, const struct request *req, struct uuid project,
                        const struct uuid *documents, size_t count, bool *ret_changed,
                        struct error *err) MUST_USE;

/* Adopts all arrived files and removes those without a document. Does not return failures that a
 * row records. Parks. */
int direct_uploads_sweep(struct direct_uploads *self, const struct request *req,
                         struct error *err) MUST_USE;

#endif
