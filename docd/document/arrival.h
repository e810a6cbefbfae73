/*
 * arrival.h - what clients have posted to a store that takes forms itself (store.h), and that
 * nobody told us of: looked for whenever a document is asked for that may have it, and in every
 * sweep.
 *
 * It is adopted in the order of uploads (upload.c): the row of the object, its bytes, the document,
 * and only then what came is forgotten. So whoever is killed in between, somebody else begins anew,
 * and what was half done is swept. Two that adopt the same at the same time make two objects, of
 * which the document takes one.
 *
 * What cannot be adopted is tried again in every sweep, and its document is kept meanwhile; after
 * ARRIVAL_FAILURES times only there, and who reads the document is shown what it had before. When
 * that has gone on for GIVE_UP_AFTER_MS it is removed: the document stays as it was, or goes as one
 * that nothing came for. The first failure and the end are logged, the end is in the audit trail,
 * all are counted.
 */
#ifndef ATRIUM_DOCD_DOCUMENT_ARRIVAL_H
#define ATRIUM_DOCD_DOCUMENT_ARRIVAL_H

#include "common/base/uuid.h"
#include "common/domain/request.h"

struct docd;
struct arrivals;
struct metrics;

/* The counters stand at 0 where no file comes to a store: an alert tells "none" from "no
 * metric". */
void arrivals_make_metrics(struct metrics *metrics);

struct arrivals *arrivals_new(struct docd *d);

/* Waits up to five seconds for adoptions that are under way, and lets those go on who wait for
 * them. Parks. */
void arrivals_drain(struct arrivals *self);

/* Gives up the adoptions that are under way. Nobody waits for one. Parks, for as long as they take
 * to unwind. */
void arrivals_destroy(struct arrivals **self_p);

/* Looks for what has come for documents of a project, each with a form that may still come back,
 * and adopts it. *ret_changed: a document shows something else now. Parks. Fails with
 * ERR_UNAVAILABLE when the store cannot tell, or a large file is still being copied. */
int arrivals_look(struct arrivals *self, const struct request *req, struct uuid project,
                  const struct uuid *documents, size_t count, bool *ret_changed,
                  struct error *err) MUST_USE;

/* Adopts all that has come, and removes what has come for nobody: a part of the sweep. Parks. Fails
 * when it is not known what has come: the store cannot tell, or something is still being copied.
 * What could not be adopted is no failure, once its form says so. */
int arrivals_sweep(struct arrivals *self, const struct request *req, struct error *err) MUST_USE;

#endif
