/*
 * fhir_server.h - the FHIR servers that a project has registered, which take tokens of its issuer
 * (SMART App Launch 2.2). An application names one by its base address, in `aud` or `resource`.
 */
#ifndef ATRIUM_AUTHD_OAUTH_FHIR_SERVER_H
#define ATRIUM_AUTHD_OAUTH_FHIR_SERVER_H

#include "authd/authd.h"

/* The server at a base address. 1: it is registered; 0: it is not; -1: err is set. It is read each
 * time, so what an administrator changes counts from the next request on. Parks. */
int fhir_server_find(struct authd *d, const struct request *req, struct uuid project,
                     const char *base, struct fhir_server *ret, struct error *err) MUST_USE;

/* The server of an id. Fails: NOT_FOUND. Parks. */
int fhir_server_read(struct authd *d, const struct request *req, struct uuid project,
                     struct uuid id, struct fhir_server *ret, struct error *err) MUST_USE;

#endif
