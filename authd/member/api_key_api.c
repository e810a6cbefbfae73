/*
 * api_key_api.c - shapes of API keys. See authd_api.c.
 */
#include "authd/member/api_key_api.h"

#include "authd/shape_api.h"
#include "common/base/secret.h"
#include "common/domain/name.h"
#include "common/domain/reference.h"
#include "common/service/page_cursor.h"

enum { API_KEY_DAYS_MAX = 365, API_KEY_ADDRESSES_MAX = 32, API_KEY_SIZE_MAX = 64 };

static const struct field api_keys_in_rows[] = {
    FIELD_CURSOR(struct api_keys_in, "`next` of the previous page; valid for a day."),
    FIELD_INT(struct api_keys_in, _count, 1, MEMBERS_MAX, 50, FIELD_QUERY,
              "Maximum number of keys to return.", "50"),
};
FIELD_TABLE(api_keys_in);

static const struct field api_key_create_in_rows[] = {
    FIELD_CHECKED(struct api_key_create_in, name, 1, 200, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Name of the API key.", "Laboratory import"),
    FIELD_TEXT(struct api_key_create_in, accessPolicy, 1, 128, FIELD_REQUIRED,
               "Access policy of the key.", "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_INT(struct api_key_create_in, days, 1, API_KEY_DAYS_MAX, 90, 0,
              "Days until the key expires.", "90"),
    FIELD_TEXTS(struct api_key_create_in, addresses, 1, API_KEY_NETWORK_MAX, API_KEY_ADDRESSES_MAX,
                0, "Networks from which the key is accepted; if absent or empty, any.",
                "192.0.2.0/24"),
};
FIELD_TABLE(api_key_create_in);

static const struct field api_key_id_in_rows[] = {
    FIELD_UUID(struct api_key_id_in, id, FIELD_PATH | FIELD_REQUIRED, "ID of the API key."),
};
FIELD_TABLE(api_key_id_in);

static const struct field api_key_rows[] = {
    FIELD_UUID(struct api_key, id, FIELD_REQUIRED, "ID of the API key.",
               "019a9e6b-5d20-7c41-8f39-7e0d2c6b4a18"),
    FIELD_TEXT(struct api_key, name, 1, 200, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Name of the API key.", "Laboratory import"),
    FIELD_TEXT(struct api_key, accessPolicy, 1, 128, FIELD_REQUIRED, "Access policy of the key.",
               "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_JSON_TEXTS(struct api_key, addresses, 8192, FIELD_REQUIRED,
                     "Networks from which the key is accepted; if empty, any.",
                     "[\"192.0.2.0/24\"]"),
    FIELD_TIME(struct api_key, createdAt, FIELD_REQUIRED, "When the key was created.",
               "2026-01-12T08:00:00.000Z"),
    FIELD_TIME(struct api_key, expiresAt, FIELD_REQUIRED, "When the key expires.",
               "2026-04-12T08:00:00.000Z"),
    FIELD_TIME(struct api_key, lastUsedAt, FIELD_NULLABLE,
               "When the key was last used, up to an hour early; null if never."),
    FIELD_TEXT(struct api_key, createdBy, 1, REFERENCE_MAX, FIELD_REQUIRED,
               "Profile of the admin who created the key.",
               "Practitioner/019a0b52-6e1d-7a34-9c87-5b2f1d8e6a09"),
    FIELD_TEXT(struct api_key, createdByName, 0, DISPLAY_MAX, FIELD_NULLABLE,
               "Name of that admin; null after the admin has left the project.", "Rui Costa"),
    FIELD_TEXT(struct api_key, key, 1, API_KEY_SIZE_MAX, FIELD_SECRET,
               "The API key. It is not stored and not shown again.",
               "atk_kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE"),
};
FIELD_TABLE(api_key);

static const struct field api_key_list_rows[] = {
    FIELD_OBJECTS(struct api_key_list, resources, api_key, MEMBERS_MAX, FIELD_REQUIRED,
                  "API keys of the project, oldest first."),
    FIELD_NEXT(struct api_key_list),
};
FIELD_TABLE(api_key_list);

static const struct field api_key_find_in_rows[] = {
    FIELD_BYTES(struct api_key_find_in, hash, SECRET_HASH_SIZE, FIELD_REQUIRED,
                "SHA-256 of the key."),
};
FIELD_TABLE(api_key_find_in);

static const struct field api_key_found_rows[] = {
    FIELD_UUID(struct api_key_found, project, FIELD_REQUIRED, "Project of the key."),
    FIELD_UUID(struct api_key_found, id, FIELD_REQUIRED, "ID of the API key."),
    FIELD_INT(struct api_key_found, expiresAt, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "When the key expires.", "0"),
};
FIELD_TABLE(api_key_found);

static const struct field api_key_get_in_rows[] = {
    FIELD_UUID(struct api_key_get_in, project, FIELD_REQUIRED, "Project of the key."),
    FIELD_UUID(struct api_key_get_in, id, FIELD_REQUIRED, "ID of the API key."),
};
FIELD_TABLE(api_key_get_in);

static const struct field api_key_rights_rows[] = {
    FIELD_TEXT(struct api_key_rights, name, 1, 1200, FIELD_REQUIRED, "Name of the API key.",
               "Import"),
    FIELD_UUID(struct api_key_rights, policy, FIELD_REQUIRED, "Access policy of the key."),
    FIELD_TEXT(struct api_key_rights, addressRules, 0, 16384, 0,
               "Networks from which the key is accepted.", "[]"),
    FIELD_INT(struct api_key_rights, expiresAt, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "When the key expires.", "0"),
};
FIELD_TABLE(api_key_rights);
