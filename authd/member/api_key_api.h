/*
 * api_key_api.h - API keys of a project.
 */
#ifndef ATRIUM_AUTHD_MEMBER_API_KEY_API_H
#define ATRIUM_AUTHD_MEMBER_API_KEY_API_H

#include "common/wire/fields.h"

#define API_KEY_PREFIX "atk_" /* no access token begins so */
enum {
    API_KEYS_MAX = 50,        /* of a project, see api_key_insert.sql */
    API_KEY_NETWORK_MAX = 64, /* bytes of a network as text */
};

struct api_keys_in {
    const char *_cursor;
    int64_t _count;
};
FIELD_DECLARE(api_keys_in);

struct api_key_create_in {
    const char *name, *accessPolicy; /* "AccessPolicy/<id>" */
    int64_t days;                    /* until it expires */
    struct field_texts addresses;    /* networks; empty: any */
};
FIELD_DECLARE(api_key_create_in);

struct api_key_id_in {
    struct uuid id; /* path */
};
FIELD_DECLARE(api_key_id_in);

struct api_key {
    struct uuid id;
    const char *name, *accessPolicy;
    const char *addresses; /* JSON array of texts */
    int64_t createdAt, expiresAt, lastUsedAt;
    const char *createdBy, *createdByName; /* "Practitioner/<id>"; NULL: is no member any more */
    const char *key;                       /* in the answer that makes it, alone */
};
FIELD_DECLARE(api_key);

struct api_key_list {
    struct field_list resources; /* struct api_key */
    const char *next;
};
FIELD_DECLARE(api_key_list);

/* For gateways: which key it is that has this SHA-256. */
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
    const char *addressRules; /* as policy_address_check() takes them; NULL: any address */
    int64_t expiresAt;
};
FIELD_DECLARE(api_key_rights);

#endif
