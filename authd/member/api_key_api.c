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
    FIELD_CURSOR(struct api_keys_in, "`next` of the page before; good for a day."),
    FIELD_INT(struct api_keys_in, _count, 1, MEMBERS_MAX, 50, FIELD_QUERY, "Keys at most.", "50"),
};
FIELD_TABLE(api_keys_in);

static const struct field api_key_create_in_rows[] = {
    FIELD_CHECKED(struct api_key_create_in, name, 1, 200, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "What it is for.", "Laboratory import"),
    FIELD_TEXT(struct api_key_create_in, accessPolicy, 1, 128, FIELD_REQUIRED,
               "What it may do: a policy of the project.",
               "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_INT(struct api_key_create_in, days, 1, API_KEY_DAYS_MAX, 90, 0, "Days until it expires.",
              "90"),
    FIELD_TEXTS(struct api_key_create_in, addresses, 1, API_KEY_NETWORK_MAX, API_KEY_ADDRESSES_MAX,
                0, "Networks from which it may be used; absent or empty: any.", "192.0.2.0/24"),
};
FIELD_TABLE(api_key_create_in);

static const struct field api_key_id_in_rows[] = {
    FIELD_UUID(struct api_key_id_in, id, FIELD_PATH | FIELD_REQUIRED, "The key."),
};
FIELD_TABLE(api_key_id_in);

static const struct field api_key_rows[] = {
    FIELD_UUID(struct api_key, id, FIELD_REQUIRED, "Identifier of the key."),
    FIELD_TEXT(struct api_key, name, 1, 200, FIELD_REQUIRED | FIELD_CHARACTERS, "What it is for.",
               "Laboratory import"),
    FIELD_TEXT(struct api_key, accessPolicy, 1, 128, FIELD_REQUIRED, "What it may do.",
               "AccessPolicy/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_JSON_TEXTS(struct api_key, addresses, 8192, FIELD_REQUIRED,
                     "Networks from which it may be used; empty: any.", "[\"192.0.2.0/24\"]"),
    FIELD_TIME(struct api_key, createdAt, FIELD_REQUIRED, "When it was made."),
    FIELD_TIME(struct api_key, expiresAt, FIELD_REQUIRED, "From when on it is refused."),
    FIELD_TIME(struct api_key, lastUsedAt, FIELD_NULLABLE,
               "When it was used last, at most an hour too early; null: never."),
    FIELD_TEXT(struct api_key, createdBy, 1, REFERENCE_MAX, FIELD_REQUIRED,
               "Profile of the administrator who made it.",
               "Practitioner/5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
    FIELD_TEXT(struct api_key, createdByName, 0, DISPLAY_MAX, FIELD_NULLABLE,
               "Name of that person; null once they are no member of the project.", "Ana Lima"),
    FIELD_TEXT(struct api_key, key, 1, API_KEY_SIZE_MAX, FIELD_SECRET,
               "The key itself. It is shown this once and stored nowhere.",
               "atk_kP3vX9r2fQ7Yw0bT9s4KfVqLh8dRzJ1oNeA5mZ6tUcE"),
};
FIELD_TABLE(api_key);

static const struct field api_key_list_rows[] = {
    FIELD_OBJECTS(struct api_key_list, resources, api_key, MEMBERS_MAX, FIELD_REQUIRED,
                  "Keys of the project, the oldest first."),
    FIELD_NEXT(struct api_key_list),
};
FIELD_TABLE(api_key_list);

static const struct field api_key_find_in_rows[] = {
    FIELD_BYTES(struct api_key_find_in, hash, SECRET_HASH_SIZE, FIELD_REQUIRED, "Of the key."),
};
FIELD_TABLE(api_key_find_in);

static const struct field api_key_found_rows[] = {
    FIELD_UUID(struct api_key_found, project, FIELD_REQUIRED, "Project of the key."),
    FIELD_UUID(struct api_key_found, id, FIELD_REQUIRED, "The key."),
    FIELD_INT(struct api_key_found, expiresAt, 0, INT64_MAX, 0, FIELD_REQUIRED, "Until when.", "0"),
};
FIELD_TABLE(api_key_found);

static const struct field api_key_get_in_rows[] = {
    FIELD_UUID(struct api_key_get_in, project, FIELD_REQUIRED, "Project of the key."),
    FIELD_UUID(struct api_key_get_in, id, FIELD_REQUIRED, "The key."),
};
FIELD_TABLE(api_key_get_in);

static const struct field api_key_rights_rows[] = {
    FIELD_TEXT(struct api_key_rights, name, 1, 1200, FIELD_REQUIRED, "Its name.", "Import"),
    FIELD_UUID(struct api_key_rights, policy, FIELD_REQUIRED, "Its access policy."),
    FIELD_TEXT(struct api_key_rights, addressRules, 0, 16384, 0, "From where it may be used.",
               "[]"),
    FIELD_INT(struct api_key_rights, expiresAt, 0, INT64_MAX, 0, FIELD_REQUIRED, "Until when.",
              "0"),
};
FIELD_TABLE(api_key_rights);
