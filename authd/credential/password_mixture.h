/*
 * password_mixture.h - what the password of an unknown account is verified against, so that time
 * does not tell it from one that was imported.
 *
 * Among a project's patients, and among all practitioners, some may have a hash of another system,
 * which takes another time than one made here. Of unknown addresses as many are verified against a
 * dummy of such a scheme. Which ones is drawn by a keyed hash of the address, so that asking again
 * does not average it out, and on every instance alike. How many have which scheme is counted after
 * an import, on every instance within seconds, and now and then, since sign-ins replace hashes.
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_PASSWORD_MIXTURE_H
#define ATRIUM_AUTHD_CREDENTIAL_PASSWORD_MIXTURE_H

#include "authd/authd.h"

#define PASSWORD_MIXTURE_POLL SECONDS(5)    /* looks whether an import has made accounts */
#define PASSWORD_MIXTURE_PERIOD MINUTES(10) /* counts in any case */
#define PASSWORD_MIXTURE_PAUSE 3 /* times as long as the last count has taken, before the next */

void password_mixture_open(struct authd *d);
void password_mixture_close(struct authd *d);

/* Counts, if it is time to; for service_every(). Parks. */
int password_mixture_run(void *daemon, const struct request *req, struct error *err) MUST_USE;

/* Whether to count again what was counted that long ago, in that time; `changed`: an import has
 * made accounts since. While one of millions runs, an instance counts for a quarter of the time. */
bool password_mixture_is_due(int64_t age_ms, int64_t took_ms, bool changed);

/* A hash that no password has, of a scheme drawn for this address, from the request's arena; NULL
 * for one made here. `project` counts for patients. */
const char *password_mixture_dummy(const struct authd *d, const struct request *req, enum role role,
                                   struct uuid project, const char *email);

/* Replaces a hash by one of the same scheme, parameters and length that no password has; text of
 * PASSWORD_SCHEME_TEXT_MAX at most. */
void password_mixture_scramble(char *hash);

#endif
