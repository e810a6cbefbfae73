/*
 * scim_api.h - provisioning by a directory (SCIM 2.0): its tokens and mappings for admins, and its
 * own requests.
 */
#ifndef ATRIUM_AUTHD_FEDERATION_SCIM_API_H
#define ATRIUM_AUTHD_FEDERATION_SCIM_API_H

#include "common/wire/fields.h"

#define SCIM_TOKEN_PREFIX "scim_"
enum {
    SCIM_TOKENS_MAX = 2, /* valid ones per project, see scim_token_insert.sql */
    SCIM_MAPPINGS_MAX = 200,
    SCIM_GROUPS_MAX = 1000, /* per project, see scim_group_insert.sql */
    SCIM_REQUESTS_MAX = 50, /* as in scim_request_note.sql */
    SCIM_BODY_MAX = 1024 * 1024,
};

struct scim_token_create_in {
    const char *name;
    int64_t days;                 /* until expiry */
    struct field_texts addresses; /* networks; empty: any */
};
FIELD_DECLARE(scim_token_create_in);

struct scim_token_id_in {
    struct uuid id;
};
FIELD_DECLARE(scim_token_id_in);

struct scim_token {
    struct uuid id;
    const char *name;
    const char *addresses; /* JSON array of texts */
    int64_t createdAt, expiresAt, lastUsedAt;
    const char *token; /* only in the answer of the creation */
};
FIELD_DECLARE(scim_token);

struct scim_token_list {
    struct field_list resources; /* struct scim_token */
};
FIELD_DECLARE(scim_token_list);

struct scim_mapping {
    const char *group;        /* id or externalId */
    const char *accessPolicy; /* "AccessPolicy/<id>" */
};
FIELD_DECLARE(scim_mapping);

struct scim_mapping_list {
    struct field_list resources; /* struct scim_mapping, in the order of preference */
};
FIELD_DECLARE(scim_mapping_list);

struct scim_preview_row {
    const char *accessPolicy;       /* NULL: none */
    int64_t before, after, changed; /* people; `changed` have another one before */
};
FIELD_DECLARE(scim_preview_row);

struct scim_preview {
    struct field_list resources; /* struct scim_preview_row, most people first */
};
FIELD_DECLARE(scim_preview);

struct scim_sent_group {
    struct uuid id;
    const char *displayName, *externalId;
    int64_t members;
};
FIELD_DECLARE(scim_sent_group);

struct scim_sent_group_list {
    struct field_list resources; /* struct scim_sent_group, by name */
};
FIELD_DECLARE(scim_sent_group_list);

struct scim_request {
    int64_t requestedAt;
    const char *method, *resource;
    int64_t status;        /* -1: it succeeded */
    const char *detail;    /* NULL: it succeeded */
    struct uuid accountId; /* the user's, if a member */
};
FIELD_DECLARE(scim_request);

struct scim_request_list {
    struct field_list resources; /* struct scim_request, newest first */
};
FIELD_DECLARE(scim_request_list);

/* A request of the directory, see common/domain/endpoint.h. */
struct scim_in {
    const char *tenantCode;
    const char *id; /* NULL: a list, or a new resource */
    const char *filter, *startIndex, *count, *attributes, *excludedAttributes;
    const char *body; /* JSON object, or NULL */
    const struct endpoint_visit *visit;
};
FIELD_DECLARE(scim_in);

#endif
