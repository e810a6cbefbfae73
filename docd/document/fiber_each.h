/* fiber_each.h - the same work for each of many items, several at a time, each on a fiber. */
#ifndef ATRIUM_DOCD_DOCUMENT_FIBER_EACH_H
#define ATRIUM_DOCD_DOCUMENT_FIBER_EACH_H

#include "common/base/error.h"
#include "common/runtime/loop.h"

struct fiber_each {
    size_t count;          /* items, 0 to count - 1 */
    size_t most;           /* at a time, the caller's fiber among them; at least 1 */
    bool past_failure;     /* the items behind one that failed are begun, too */
    int64_t until_mono_ms; /* from then on none is begun but the first; 0: all are */
    int (*run)(void *arg, size_t item, struct error *err);
    void *arg;
};

/* Runs the items in order and parks until all that were begun have ended; run() has its own
 * deadline. Where no fiber can be started, the caller's does the work. *ret_begun (may be NULL):
 * how many were begun. -1: the first failure is in err. */
int fiber_each(struct loop *loop, const struct fiber_each *each, size_t *ret_begun,
               struct error *err) MUST_USE;

#endif
