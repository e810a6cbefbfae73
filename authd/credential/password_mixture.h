/*
 * password_mixture.h - dummy hashes, so that time doesn't distinguish unknown from imported
 * accounts.
 *
 * Verifying an imported hash takes longer. So as many unknown addresses get an imported scheme as
 * accounts have one. A keyed hash of the address selects them, so repeated attempts reveal nothing.
 * Counts are updated after imports, and regularly, because sign-ins replace hashes.
 */
#ifndef ATRIUM_AUTHD_CREDENTIAL_PASSWORD_MIXTURE_H
#define ATRIUM_AUTHD_CREDENTIAL_PASSWORD_MIXTURE_H

#include "authd/authd.h"

#define PASSWORD_MIXTURE_POLL SECONDS(5)    /* between checks for a new import */
#define PASSWORD_MIXTURE_PERIOD MINUTES(10) /* between counts without a new import */
#define PASSWORD_MIXTURE_PAUSE 3 /* minimum pause, as a multiple of the last count's duration */

void password_mixture_open(struct authd *d);
void password_mixture_close(struct authd *d);

/* Counts if it is due; for service_every(). Parks. */
int password_mixture_run(void *daemon, const struct request *req, struct error *err) MUST_USE;

/* `age_ms`, `took_ms`: age and duration of the last count. `changed`: there was an import since the
 * last count. Limits counting to a quarter of an instance's time. */
bool password_mixture_is_due(int64_t age_ms, int64_t took_ms, bool changed);

/* Returns a dummy of the scheme drawn for the address; NULL for own hashes. Only patients have a
 * `project`. */
const char *password_mixture_dummy(const struct authd *d, const struct request *req, enum role role,
                                   struct uuid project, const char *email);

/* Keeps scheme, parameters and length of the hash. Up to PASSWORD_SCHEME_TEXT_MAX bytes. */
void password_mixture_scramble(char *hash);

#endif
