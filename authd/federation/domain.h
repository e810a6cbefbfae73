/*
 * domain.h - verified domains: a DNS record proves that a project speaks for the addresses of a
 * domain.
 *
 * The TXT record `_atrium.<domain>` holds a random token of this project and domain. A domain
 * belongs to the project that verified it last. Subdomains are domains of their own.
 */
#ifndef ATRIUM_AUTHD_FEDERATION_DOMAIN_H
#define ATRIUM_AUTHD_FEDERATION_DOMAIN_H

#include "authd/authd.h"
#include "common/service/check.h"

/* Reports whether the project has verified the domain, in lower case and ASCII. Parks. */
int domain_is_verified(struct authd *d, const struct request *req, struct uuid project,
                       const char *domain, bool *ret, struct error *err) MUST_USE;

/* Looks up the records of domains that were not looked up for a day. A domain whose record is
 * missing for seven days is lost; admins get an email on the first day and at the end. If no name
 * server answers, nothing changes. */
int domain_check_run(void *daemon, const struct request *req, struct error *err);

/* `atriumctl doctor`: domains whose record is missing. */
int domain_health_check(void *daemon, const struct request *req, struct finding *ret,
                        struct error *err);

#endif
