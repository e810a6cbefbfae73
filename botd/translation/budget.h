/*
 * budget.h - how many characters a project may have translated in a day, of those that go to the
 * provider.
 *
 * Days are UTC, by contract time.  Characters are taken before the provider is asked, by one
 * statement, so that the sum over all instances never exceeds the limit; those of texts that the
 * provider then did not translate are given back by the statement that ends the request
 * (translation_record.sql).  What a process takes and dies with stays taken until the day ends: too
 * little is granted then, never too much.
 */
#ifndef ATRIUM_BOTD_TRANSLATION_BUDGET_H
#define ATRIUM_BOTD_TRANSLATION_BUDGET_H

#include "botd/botd.h"

/* The day of a request, since the epoch. */
int64_t budget_day(const struct request *req);

/* Takes characters (> 0) from the project's budget, if there is one. THROTTLED: nothing is taken;
 * Retry-After is the next day. Parks. */
int budget_reserve(struct botd *d, const struct request *req, int64_t characters,
                   struct error *err) MUST_USE;

/* Forgets days of more than thirty days ago. Parks. */
int budget_sweep(struct botd *d, const struct request *req, struct error *err) MUST_USE;

#endif
