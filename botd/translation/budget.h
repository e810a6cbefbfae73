/*
 * budget.h - limits the characters that a project sends to the provider per day (UTC, contract
 * time). They are reserved by one statement, so instances together never exceed the limit, and
 * unused ones are returned (translation_record.sql). A crash costs them until the day ends.
 */
#ifndef ATRIUM_BOTD_TRANSLATION_BUDGET_H
#define ATRIUM_BOTD_TRANSLATION_BUDGET_H

#include "botd/botd.h"

/* Returns the request's day, counted from the epoch. */
int64_t budget_day(const struct request *req);

/* Reserves characters. THROTTLED: none were reserved; Retry-After is the next day. Parks. */
int budget_reserve(struct botd *d, const struct request *req, int64_t characters,
                   struct error *err) MUST_USE;

int budget_sweep(struct botd *d, const struct request *req, struct error *err) MUST_USE;

#endif
