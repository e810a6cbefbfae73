/* fiber_each.h - runs a function for many items on several fibers. */
#ifndef ATRIUM_DOCD_DOCUMENT_FIBER_EACH_H
#define ATRIUM_DOCD_DOCUMENT_FIBER_EACH_H

#include "common/base/error.h"
#include "common/runtime/loop.h"

struct fiber_each {
    size_t count;
    size_t most;           /* items in parallel, at least 1 */
    bool past_failure;     /* continues after a failure */
    int64_t until_mono_ms; /* after this time, starts no item but the first; 0: no limit */
    int (*run)(void *arg, size_t item, struct error *err);
    void *arg;
};

/* Parks until all started items have ended; run() has its own deadline. If no fiber is free, the
 * caller's fiber does the work. *ret_begun (may be NULL): started items. -1: err is the first
 * failure. */
int fiber_each(struct loop *loop, const struct fiber_each *each, size_t *ret_begun,
               struct error *err) MUST_USE;

#endif
