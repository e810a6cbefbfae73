/*
 * fhir_server.h - a project's registered FHIR servers, which accept its issuer's tokens (SMART App
 * Launch 2.2). Applications name their base URL in `aud` or `resource`.
 */
#ifndef ATRIUM_AUTHD_OAUTH_FHIR_SERVER_H
#define ATRIUM_AUTHD_OAUTH_FHIR_SERVER_H

#include "authd/authd.h"

/* Returns 1 if the base URL is registered, otherwise 0. Changes apply from the next request.
 * Parks. */
int fhir_server_find(struct authd *d, const struct request *req, struct uuid project,
                     const char *base, struct fhir_server *ret, struct error *err) MUST_USE;

/* Reads a server by its id. Fails: NOT_FOUND. Parks. */
int fhir_server_read(struct authd *d, const struct request *req, struct uuid project,
                     struct uuid id, struct fhir_server *ret, struct error *err) MUST_USE;

#endif
