/*
 * scim_api.c - shapes of provisioning by a directory. See authd_api.c.
 */
#include "authd/federation/scim_api.h"

#include "authd/federation/scim_filter.h"
#include "authd/member/api_key_api.h"
#include "common/domain/endpoint.h"
#include "common/domain/name.h"

enum { DAYS_MAX = 365, NETWORKS_MAX = 32, TOKEN_SIZE_MAX = 64, NUMBER_MAX = 20, KEY_MAX = 256 };

#define POLICY_EXAMPLE "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"

static const struct field scim_token_create_in_rows[] = {
    FIELD_CHECKED(struct scim_token_create_in, name, 1, 200, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Name of the token.", "Microsoft Entra"),
    FIELD_INT(struct scim_token_create_in, days, 1, DAYS_MAX, 180, 0, "Days until it expires.",
              "180"),
    FIELD_TEXTS(struct scim_token_create_in, addresses, 1, API_KEY_NETWORK_MAX, NETWORKS_MAX, 0,
                "Networks from which the token is accepted; if absent or empty, any.",
                "192.0.2.0/24"),
};
FIELD_TABLE(scim_token_create_in);

static const struct field scim_token_id_in_rows[] = {
    FIELD_UUID(struct scim_token_id_in, id, FIELD_PATH | FIELD_REQUIRED, "ID of the token."),
};
FIELD_TABLE(scim_token_id_in);

static const struct field scim_token_rows[] = {
    FIELD_UUID(struct scim_token, id, FIELD_REQUIRED, "ID of the token.",
               "019a9e6b-5d20-7c41-8f39-7e0d2c6b4a18"),
    FIELD_TEXT(struct scim_token, name, 1, 200, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Name of the token.", "Microsoft Entra"),
    FIELD_JSON_TEXTS(struct scim_token, addresses, 8192, FIELD_REQUIRED,
                     "Networks from which the token is accepted; if empty, any.",
                     "[\"192.0.2.0/24\"]"),
    FIELD_TIME(struct scim_token, createdAt, FIELD_REQUIRED, "When it was created.",
               "2026-11-29T08:00:00.000Z"),
    FIELD_TIME(struct scim_token, expiresAt, FIELD_REQUIRED, "When the token expires.",
               "2027-05-28T08:00:00.000Z"),
    FIELD_TIME(struct scim_token, lastUsedAt, FIELD_NULLABLE,
               "When the token was last used, up to an hour early; null if never."),
    FIELD_TEXT(struct scim_token, token, 1, TOKEN_SIZE_MAX, FIELD_SECRET,
               "The token. It is not stored and not shown again.",
               "scim_kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE"),
};
FIELD_TABLE(scim_token);

static const struct field scim_token_list_rows[] = {
    FIELD_OBJECTS(struct scim_token_list, resources, scim_token, 50, FIELD_REQUIRED,
                  "Tokens of the project, oldest first."),
};
FIELD_TABLE(scim_token_list);

static const struct field scim_mapping_rows[] = {
    FIELD_TEXT(struct scim_mapping, group, 1, KEY_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "`id` or `externalId` of a group of the directory.",
               "0d7f4c52-3c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_TEXT(struct scim_mapping, accessPolicy, 1, 128, FIELD_REQUIRED,
               "Access policy of its members.", POLICY_EXAMPLE),
};
FIELD_TABLE(scim_mapping);

static const struct field scim_mapping_list_rows[] = {
    FIELD_OBJECTS(struct scim_mapping_list, resources, scim_mapping, SCIM_MAPPINGS_MAX,
                  FIELD_REQUIRED,
                  "Mappings; for a member of several groups, the first one counts."),
};
FIELD_TABLE(scim_mapping_list);

static const struct field scim_preview_row_rows[] = {
    FIELD_TEXT(struct scim_preview_row, accessPolicy, 1, 128, FIELD_NULLABLE,
               "An access policy; null for people who have none.", POLICY_EXAMPLE),
    FIELD_INT(struct scim_preview_row, before, 0, INT32_MAX, 0, FIELD_REQUIRED,
              "How many people have it.", "12"),
    FIELD_INT(struct scim_preview_row, after, 0, INT32_MAX, 0, FIELD_REQUIRED,
              "How many people would have it.", "14"),
    FIELD_INT(struct scim_preview_row, changed, 0, INT32_MAX, 0, FIELD_REQUIRED,
              "How many people would get it instead of another one.", "2"),
};
FIELD_TABLE(scim_preview_row);

static const struct field scim_preview_rows[] = {
    FIELD_OBJECTS(struct scim_preview, resources, scim_preview_row, SCIM_GROUPS_MAX, FIELD_REQUIRED,
                  "Access policies of the members of groups, by how many would have each."),
};
FIELD_TABLE(scim_preview);

static const struct field scim_sent_group_rows[] = {
    FIELD_UUID(struct scim_sent_group, id, FIELD_REQUIRED, "ID of the group.",
               "019a9e6b-5d20-7c41-8f39-7e0d2c6b4a18"),
    FIELD_TEXT(struct scim_sent_group, displayName, 1, KEY_MAX, FIELD_REQUIRED,
               "Name of the group.", "Nurses"),
    FIELD_TEXT(struct scim_sent_group, externalId, 1, KEY_MAX, FIELD_NULLABLE,
               "The directory's own identifier.", "0d7f4c52-3c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_INT(struct scim_sent_group, members, 0, INT32_MAX, 0, FIELD_REQUIRED,
              "How many members it has.", "12"),
};
FIELD_TABLE(scim_sent_group);

static const struct field scim_sent_group_list_rows[] = {
    FIELD_OBJECTS(struct scim_sent_group_list, resources, scim_sent_group, SCIM_GROUPS_MAX,
                  FIELD_REQUIRED, "Groups of the directory, by name."),
};
FIELD_TABLE(scim_sent_group_list);

static const struct field scim_request_rows[] = {
    FIELD_TIME(struct scim_request, requestedAt, FIELD_REQUIRED, "When it was sent.",
               "2026-11-29T08:00:00.000Z"),
    FIELD_TEXT(struct scim_request, method, 1, 16, FIELD_REQUIRED, "HTTP method.", "POST"),
    FIELD_TEXT(struct scim_request, resource, 1, 64, FIELD_REQUIRED, "Kind of resource.", "Users"),
    FIELD_INT(struct scim_request, status, 400, 599, 0, FIELD_NULLABLE | FIELD_OMIT_NEGATIVE,
              "Status of the refusal; null if the request succeeded.", "409"),
    FIELD_TEXT(struct scim_request, detail, 1, 256, FIELD_NULLABLE,
               "Why it was refused; null if the request succeeded.",
               "Another user has this userName."),
    FIELD_UUID(struct scim_request, accountId, FIELD_NULLABLE,
               "The user's account; null if the request concerned no member."),
};
FIELD_TABLE(scim_request);

static const struct field scim_request_list_rows[] = {
    FIELD_OBJECTS(struct scim_request_list, resources, scim_request, SCIM_REQUESTS_MAX,
                  FIELD_REQUIRED, "Latest requests of the directory, newest first."),
};
FIELD_TABLE(scim_request_list);

#define QUERY_ROW(member, max) \
    FIELD_TEXT(struct scim_in, member, 0, max, FIELD_QUERY, "A parameter of the request.", "")

static const struct field scim_in_rows[] = {
    FIELD_TEXT(struct scim_in, tenantCode, 1, 256, FIELD_PATH | FIELD_REQUIRED,
               "The tenant's code.", "north"),
    FIELD_TEXT(struct scim_in, id, 1, 256, FIELD_PATH, "ID of the resource.", ""),
    QUERY_ROW(filter, SCIM_FILTER_MAX),
    QUERY_ROW(startIndex, NUMBER_MAX),
    QUERY_ROW(count, NUMBER_MAX),
    QUERY_ROW(attributes, 2048),
    QUERY_ROW(excludedAttributes, 2048),
    FIELD_JSON_OBJECT(struct scim_in, body, SCIM_BODY_MAX, FIELD_BODY, "The body.", "{}"),
    FIELD_ENDPOINT(struct scim_in),
};
FIELD_TABLE(scim_in);
