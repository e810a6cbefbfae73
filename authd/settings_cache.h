/*
 * settings_cache.h - what settingsd answered about tenants and client applications, kept while
 * none of them changes.
 *
 * settingsd publishes each change of a project, of its client applications and of its policies
 * before it answers it, as a row of the table change. An answer holds for the number of the last
 * such row (the part settings_change) that was read before settingsd was asked. Each call reads
 * that number anew, those of several requests in one statement (common/runtime/batch.h): a change
 * is in force from the next request on, as if settingsd were asked, on every instance.
 */
#ifndef ATRIUM_AUTHD_SETTINGS_CACHE_H
#define ATRIUM_AUTHD_SETTINGS_CACHE_H

#include "authd/authd.h"

/* How many answers are kept, up to which size as msgpack, each for CHANGE_ANSWER_LIFE. */
enum { SETTINGS_CACHE_MAX = 4096, SETTINGS_ANSWER_MAX = 16 * 1024 };

/* d->settings_changes */
extern const struct batch_kind settings_change_batch;

void settings_cache_open(struct authd *d);
void settings_cache_close(struct authd *d);

/* As bus_call(), of a method of settingsd whose answer depends on `in` alone, and changes only
 * with what is published. Failures are not kept. Parks. */
int settings_cache_call(struct authd *d, const struct request *req, const struct bus_method *method,
                        const void *in, void *out, struct error *err) MUST_USE;

#endif
