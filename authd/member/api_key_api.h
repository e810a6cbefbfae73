/*
 * api_key_api.h - API keys of a project.
 */
#ifndef ATRIUM_AUTHD_MEMBER_API_KEY_API_H
#define ATRIUM_AUTHD_MEMBER_API_KEY_API_H

#include "common/wire/fields.h"

#define API_KEY_PREFIX "atk_" /* access tokens never begin like this */
enum {
    API_KEYS_MAX = 50,        /* per project, see api_key_insert.sql */
    API_KEY_NETWORK_MAX = 64, /* bytes as text */
};

struct api_keys_in {
    const char *_cursor;
    int64_t _count;
};
FIELD_DECLARE(api_keys_in);

struct api_key_create_in {
    const char *name, *accessPolicy; /* "AccessPolicy/<id>" */
    int64_t days;                    /* until expiry */
    struct field_texts addresses;    /* networks; empty: any */
};
FIELD_DECLARE(api_key_create_in);

struct api_key_id_in {
    struct uuid id;
};
FIELD_DECLARE(api_key_id_in);

struct api_key {
    struct uuid id;
    const char *name, *accessPolicy;
    const char *addresses; /* JSON array of texts */
    int64_t createdAt, expiresAt, lastUsedAt;
    const char *createdBy, *createdByName; /* "Practitioner/<id>"; NULL: no longer a member */
    const char *key;                       /* only in the answer of the creation */
};
FIELD_DECLARE(api_key);

struct api_key_list {
    struct field_list resources; /* struct api_key */
    const char *next;
};
FIELD_DECLARE(api_key_list);

/* For gateways: finds a key by its SHA-256. */
struct api_key_find_in {
    struct field_bytes hash;
};
FIELD_DECLARE(api_key_find_in);

struct api_key_found {
    struct uuid project, id;
    int64_t expiresAt;
};
FIELD_DECLARE(api_key_found);

struct api_key_get_in {
    struct uuid project, id;
};
FIELD_DECLARE(api_key_get_in);

struct api_key_rights {
    const char *name;
    struct uuid policy;
    const char *addressRules; /* for policy_address_check(); NULL: any address */
    int64_t expiresAt;
};
FIELD_DECLARE(api_key_rights);

#endif
