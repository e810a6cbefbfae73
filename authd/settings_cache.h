/*
 * settings_cache.h - what settingsd answered about tenants and client applications, kept while
 * none of them changes.
 *
 * settingsd publishes each change of a project, of its client applications and of its policies
 * before it answers it, as a row of the table change. An answer holds for the number of the last
 * such row (the part settings_change) that was read before settingsd was asked. A call reads that
 * number anew, those of several requests in one statement (common/runtime/batch.h): a change is in
 * force from the next request on, as if settingsd were asked, on every instance.
 *
 * A request that asks for several answers has a view: all of them hold for one number. It begins
 * with a guess, the number of the first answer that is kept, which the request's own statement
 * returns as it is then, so that no statement is run for the number alone. Where it was another
 * one, or no statement has returned it, the request is done again with answers for a number that
 * is read first:
 *
 *     struct settings_view view = {.change = 0};
 *     int result;
 *
 *     do {
 *         result = answer(d, req, &view, in, out, err);
 *     } while (settings_view_again(&view, result, err));
 *
 * While a view is a guess, nothing is answered, counted, spent or fetched by it: what has an effect
 * calls settings_view_settle() before, or is a statement that has it for that number only.
 */
#ifndef ATRIUM_AUTHD_SETTINGS_CACHE_H
#define ATRIUM_AUTHD_SETTINGS_CACHE_H

#include "authd/authd.h"

/* How many answers are kept, up to which size as msgpack, each for CHANGE_ANSWER_LIFE. */
enum { SETTINGS_CACHE_MAX = 4096, SETTINGS_ANSWER_MAX = 16 * 1024 };

void settings_cache_open(struct authd *d);
void settings_cache_close(struct authd *d);

/* What a request has seen of the settings. NULL, wherever one is taken: each call reads the number
 * anew. */
struct settings_view {
    int64_t change; /* the number that its answers hold for; 0: it has none */
    bool settled;   /* that was the number since the request came: no guess */
    bool reads;     /* the number is read first */
};

/* As bus_call(), of a method of settingsd whose answer depends on `in` alone, and changes only
 * with what is published. Failures are not kept. Parks. */
int settings_cache_call(struct authd *d, const struct request *req, struct settings_view *view,
                        const struct bus_method *method, const void *in, void *out,
                        struct error *err) MUST_USE;

/* Compares the guess with the number that a statement of the request has returned. Fails: CONFLICT,
 * which settings_view_again() takes away. */
int settings_view_compare(struct settings_view *view, int64_t change, struct error *err) MUST_USE;

/* The same with the number that it reads, unless that was done. Parks. */
int settings_view_settle(struct authd *d, const struct request *req, struct settings_view *view,
                         struct error *err) MUST_USE;

/* Whether the request must be done again, since its result rests on a guess; at most once. Then
 * *err is clear. A failure of PostgreSQL, of the bus or of the daemon stays as it is: it is no
 * matter of settings, and a write whose outcome is not known must not be repeated. */
bool settings_view_again(struct settings_view *view, int result, struct error *err);

#endif
