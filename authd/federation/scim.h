/*
 * scim.h - requests of a project's directory (SCIM 2.0, RFC 7643 and 7644) below
 * {public_url}/t/{tenantCode}/scim/v2.
 *
 * A token belongs to the project, and each request looks it up, so every gateway rejects a
 * deleted one immediately. Users are the practitioners who are members or invited, by the id of
 * their membership, which an invitation has, too.
 */
#ifndef ATRIUM_AUTHD_FEDERATION_SCIM_H
#define ATRIUM_AUTHD_FEDERATION_SCIM_H

#include <jansson.h>

#include "authd/authd.h"
#include "authd/federation/scim_filter.h"
#include "authd/mail.h"
#include "settingsd/tenant_api.h"

#define SCIM_LIST_SCHEMA "urn:ietf:params:scim:api:messages:2.0:ListResponse"

enum { SCIM_PAGE_MAX = 200 };

struct scim_in;
struct endpoint_answer;

struct scim {
    struct authd *d;
    struct request req; /* its caller is the token */
    struct caller caller;
    struct tenant tenant;
    struct uuid created_by; /* membership that made the token */
    const char *base;       /* "https://id.example.org/t/north/scim/v2" */
    const struct scim_in *in;
    json_t *body;            /* or NULL */
    struct uuid made;        /* user that the request has created */
    const struct error *err; /* the request's; NULL: its token is unknown */
};

/* Checks the token, its networks and its tenant, and reads the body. Fails: UNAUTHORIZED,
 * FORBIDDEN. Parks. */
int scim_open(struct authd *d, const struct request *req, const struct scim_in *in,
              struct scim *ret, struct error *err) MUST_USE;

/* Also notes the request, if it changed something or was refused (scim_requests). Parks. */
void scim_close(struct scim *self);

/* Fails: NOT_FOUND. */
int scim_not_found(struct error *err);

/* Answers with a resource, as `attributes` and `excludedAttributes` ask (RFC 7644, section 3.9).
 * Consumes it. status 201: with its Location. */
void scim_answer(const struct scim *self, int status, json_t *resource,
                 struct endpoint_answer *out);

/* A page of results (RFC 7644, section 3.4.2). */
struct scim_page {
    int64_t start, count; /* start: from 1 */
    int64_t total;        /* matches */
    json_t *resources;
};

/* Reads startIndex and count; out of range is the nearest allowed value. */
struct scim_page scim_page_read(const struct scim *self);

/* Counts a match, and keeps it if it is on the page. Consumes it. */
void scim_page_add(struct scim_page *self, json_t *resource);

void scim_answer_page(const struct scim *self, struct scim_page *page, struct endpoint_answer *out);

/* Returns `meta` (RFC 7643, section 3.1). */
json_t *scim_meta(const struct scim *self, const char *type, const char *id, int64_t created);

/* ---- users and groups ---- */

/* Locks the names of users and groups of the project until the end of the transaction. */
int scim_lock(const struct scim *self, struct db_tx *tx, struct error *err) MUST_USE;

/* Emails all admins of the project, at most once in `period_ms` for each subject. A failure is only
 * logged. Parks. */
void scim_tell_admins(const struct scim *self, struct uuid project, const char *template,
                      const char *subject, int64_t period_ms,
                      const struct mail_variable variables[static 2]);

#endif
