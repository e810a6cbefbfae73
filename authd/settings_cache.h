/*
 * settings_cache.h - a cache of settingsd's answers about tenants and client applications.
 *
 * settingsd records each change of a project, client or policy as a row before it answers the
 * write. A cached answer is valid for the number of the last row (the part settings_change), read
 * before settingsd was called. Each call compares that number, in one statement for concurrent
 * requests (common/runtime/batch.h), so every instance applies a change from the next request on.
 *
 * A request that needs several answers uses a view. It starts with a guess: the first cached
 * answer's number. The request's own statement returns the current number, which saves a statement.
 * If they differ, or no statement has returned one, the request runs again and reads the number
 * first:
 *
 *     struct settings_view view = {.change = 0};
 *     int result;
 *
 *     do {
 *         result = answer(d, req, &view, in, out, err);
 *     } while (settings_view_again(&view, result, err));
 *
 * A guess must not answer, count, spend or fetch anything. Before an effect, call
 * settings_view_settle(), or use a statement whose effect depends on that number.
 */
#ifndef ATRIUM_AUTHD_SETTINGS_CACHE_H
#define ATRIUM_AUTHD_SETTINGS_CACHE_H

#include "authd/authd.h"

/* Cached answers, and the largest in bytes of msgpack. They expire after CHANGE_ANSWER_LIFE. */
enum { SETTINGS_CACHE_MAX = 4096, SETTINGS_ANSWER_MAX = 16 * 1024 };

void settings_cache_open(struct authd *d);
void settings_cache_close(struct authd *d);

/* Functions accept NULL: each call then reads the number. */
struct settings_view {
    int64_t change; /* change number of the view's answers; 0: none yet */
    bool settled;   /* the number was read, not guessed */
    bool reads;     /* read the number first */
};

/* Like bus_call(), for a method of settingsd that depends only on `in` and published changes. Does
 * not cache failures. Parks. */
int settings_cache_call(struct authd *d, const struct request *req, struct settings_view *view,
                        const struct bus_method *method, const void *in, void *out,
                        struct error *err) MUST_USE;

/* Compares the guess with the number that a statement returned. Fails: CONFLICT, which
 * settings_view_again() clears. */
int settings_view_compare(struct settings_view *view, int64_t change, struct error *err) MUST_USE;

/* Reads the number and compares it, unless the view is settled. Fails like settings_view_compare().
 * Parks. */
int settings_view_settle(struct authd *d, const struct request *req, struct settings_view *view,
                         struct error *err) MUST_USE;

/* Returns true, once, if the request must run again because its result rests on a guess, and clears
 * *err. Failures of PostgreSQL, bus or daemon stay: they don't depend on settings, and a write with
 * an unknown outcome must not be repeated. */
bool settings_view_again(struct settings_view *view, int result, struct error *err);

#endif
