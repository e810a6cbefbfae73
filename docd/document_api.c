/*
 * document_api.c - field tables of document_api.h. See docd_api.c.
 */
#include "docd/document_api.h"

#include <stdio.h>
#include <string.h>

#include "docd/image_api.h"

enum {
    URL_MAX = 2048,
    FORM_JSON_MAX = 16 * 1024,
    TOKEN_MAX = 4096, /* a longer token is not found */
    SORT_MAX = 100,
    SEARCH_MAX = 1000,
    SEARCH_TEXT_MAX = 200,
    HEADER_MAX = 2048,
    HOST_MAX = 255,
    SCHEME_MAX = 8,
};

static const char token[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                            "!#$%&'*+-.^_`|~";
static const char blank[] = " \t";

/* Returns the end of a quoted string (RFC 9110, section 5.6.4), or NULL. */
static const char *skip_quoted(const char *at)
{
    for (at++; *at && *at != '"'; at++) {
        if (*at == '\\')
            at++;
        if (*at < ' ' || *at > '~')
            return NULL;
    }
    return *at == '"' ? at + 1 : NULL;
}

/* Returns the end of "; name=value" or "; ", or NULL. */
static const char *skip_parameter(const char *at)
{
    const char *name;

    at += strspn(at, blank);
    if (*at != ';')
        return NULL;
    name = at + 1 + strspn(at + 1, blank);
    at = name + strspn(name, token);
    if (at == name)
        return *at == ';' || *at == '\0' ? at : NULL;
    if (*at++ != '=')
        return NULL;
    if (*at == '"')
        return skip_quoted(at);
    return strspn(at, token) > 0 ? at + strspn(at, token) : NULL;
}

/* Checks by RFC 9110, section 8.3.1, like MEDIA_TYPE_PATTERN. */
static int check_media_type(const char *value, char why[static 96])
{
    size_t type = strspn(value, token);
    const char *subtype = value + type + (value[type] == '/');
    const char *rest = subtype + strspn(subtype, token);

    if (type == 0 || value[type] != '/' || rest == subtype)
        rest = NULL;
    while (rest && *rest)
        rest = skip_parameter(rest);
    if (rest)
        return 0;
    snprintf(why, 96, "must be a MIME type such as image/png");
    return -1;
}

static int check_file_name(const char *value, char why[static 96])
{
    for (const char *at = value; *at; at++) {
        if ((unsigned char)*at < ' ' || *at == 0x7f) {
            snprintf(why, 96, "must not contain control characters");
            return -1;
        }
    }
    return 0;
}

static const char *sort_key(const char *text, size_t length)
{
    static const char *const keys[] = {"_lastUpdated", "-_lastUpdated", "fileName",
                                       "-fileName",    "contentType",   "-contentType"};

    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        if (strlen(keys[i]) == length && memcmp(keys[i], text, length) == 0)
            return keys[i];
    return NULL;
}

int document_sort_parse(const char *text, struct document_sort *ret)
{
    size_t count = 0;

    *ret = (struct document_sort){{NULL}};
    while (*text) {
        size_t length = strcspn(text, ",");
        const char *key = sort_key(text, length);

        if (!key || count == DOCUMENT_SORT_MAX || (text[length] == ',' && !text[length + 1]))
            return -1;
        for (size_t i = 0; i < count; i++)
            if (strcmp(ret->keys[i] + (ret->keys[i][0] == '-'), key + (key[0] == '-')) == 0)
                return -1;
        ret->keys[count++] = key;
        text += length + (text[length] == ',');
    }
    return 0;
}

static int check_sort(const char *value, char why[static 96])
{
    struct document_sort sort;

    if (document_sort_parse(value, &sort) == 0)
        return 0;
    snprintf(why, 96,
             "must be a list of _lastUpdated, fileName, contentType, each with or without -");
    return -1;
}

#define TOKEN_PATTERN "[!#$%&'*+.^_`|~A-Za-z0-9-]+"
#define QUOTED_PATTERN "\"([ !#-\\[\\]-~]|\\\\[ -~])*\""
#define MEDIA_TYPE_PATTERN                                                                   \
    "^" TOKEN_PATTERN "/" TOKEN_PATTERN "([ \\t]*;[ \\t]*(" TOKEN_PATTERN "=(" TOKEN_PATTERN \
    "|" QUOTED_PATTERN "))?)*$"

/* Every request has a Host header: not documented as a parameter. */
#define FIELD_HOST(s)                                                                    \
    FIELD_ROW(s, host, FIELD_TYPE_TEXT, const char *, .header = "Host", .max = HOST_MAX, \
              .flags = FIELD_HEADER | FIELD_UNLISTED,                                    \
              .doc = "Host in the upload form's URL, unless a public URL is configured.")
#define FIELD_SCHEME(s)                                                                \
    FIELD_ROW(s, scheme, FIELD_TYPE_TEXT, const char *, .header = "X-Forwarded-Proto", \
              .max = SCHEME_MAX, .flags = FIELD_HEADER | FIELD_UNLISTED,               \
              .doc = "Scheme of the request, according to a trusted proxy.")

static const struct field upload_options_rows[] = {
    FIELD_TEXT(struct upload_options, url, 1, URL_MAX, FIELD_REQUIRED, "URL to post the form to.",
               "https://api.lakeside.example/storage/documents"),
    FIELD_JSON_MAP(struct upload_options, fields, FORM_JSON_MAX, FIELD_REQUIRED,
                   "Form fields. Send each one unchanged, before the field `file`.",
                   "{\"key\":\"5f0c4a52\",\"Content-Type\":\"image/png\"}"),
};
FIELD_TABLE(upload_options);

static const struct field document_meta_rows[] = {
    FIELD_TIME(struct document_meta, lastUpdated, FIELD_REQUIRED,
               "When the document was last changed."),
};
FIELD_TABLE(document_meta);

static const struct field document_rows[] = {
    FIELD_UUID(struct document, id, FIELD_REQUIRED, "ID of the document."),
    FIELD_TIME(struct document, lastUpdated, 0, "When the document was last changed."),
    FIELD_OBJECT(struct document, meta, document_meta, 0,
                 "In responses to changes, instead of `lastUpdated`.", ""),
    FIELD_OBJECT(struct document, author, reference, FIELD_REQUIRED,
                 "Profile that created the document."),
    FIELD_TEXT(struct document, fileName, 1, FILE_NAME_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Name of the file.", "x-ray.png"),
    FIELD_TEXT(struct document, contentType, 1, MEDIA_TYPE_MAX, FIELD_REQUIRED,
               "Media type, such as `image/png`.", "image/png"),
    FIELD_INT(struct document, size, 0, INT64_MAX, -1, FIELD_NULLABLE | FIELD_OMIT_NEGATIVE,
              "Size in bytes; null until a file is uploaded.", "48213"),
    FIELD_TEXT(struct document, publicToken, 0, 256, FIELD_NULLABLE,
               "Anyone with this token can read the file at `/document/public/{token}`; null if "
               "the document is not public.",
               "d9yUQhv0xZSn3eHh1QZ8Qk1pWm0c8fJb2TtXoY7rA5M"),
    FIELD_OBJECT(struct document, uploadOptions, upload_options, 0,
                 "Form to upload the file with, valid for an hour.", ""),
};
FIELD_TABLE(document);

static const struct field document_create_in_rows[] = {
    FIELD_CHECKED(struct document_create_in, fileName, 1, FILE_NAME_MAX, check_file_name,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Name of the file.", "x-ray.png"),
    FIELD_PATTERN(struct document_create_in, contentType, 1, MEDIA_TYPE_MAX, check_media_type,
                  MEDIA_TYPE_PATTERN, FIELD_REQUIRED, "Media type, such as `image/png`.",
                  "image/png"),
    FIELD_TRISTATE(struct document_create_in, isPublic, FIELD_LOOSE_BOOL | FIELD_NULLABLE,
                   "Whether the document gets a public token."),
    FIELD_HOST(struct document_create_in),
    FIELD_SCHEME(struct document_create_in),
};
FIELD_TABLE(document_create_in);

static const struct field document_replace_in_rows[] = {
    FIELD_UUID(struct document_replace_in, id, FIELD_PATH | FIELD_REQUIRED, "ID of the document."),
    FIELD_CHECKED(struct document_replace_in, fileName, 1, FILE_NAME_MAX, check_file_name,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Name of the new file.", "x-ray-2.png"),
    FIELD_PATTERN(struct document_replace_in, contentType, 1, MEDIA_TYPE_MAX, check_media_type,
                  MEDIA_TYPE_PATTERN, FIELD_REQUIRED, "Media type, such as `image/png`.",
                  "image/png"),
    FIELD_HOST(struct document_replace_in),
    FIELD_SCHEME(struct document_replace_in),
};
FIELD_TABLE(document_replace_in);

/* As in the SQL function document_kinds(). */
static const char *const document_kinds[] = {"image", "pdf",   "text", "audio",
                                             "video", "other", NULL};

static const struct field document_search_in_rows[] = {
    FIELD_INT(struct document_search_in, _count, 1, SEARCH_MAX, 100, FIELD_QUERY,
              "Maximum number of documents to return.", "100"),
    FIELD_INT(struct document_search_in, _offset, 0, INT32_MAX, 0, FIELD_QUERY,
              "Number of documents to skip.", "0"),
    FIELD_CHECKED(struct document_search_in, _sort, 0, SORT_MAX, check_sort, FIELD_QUERY,
                  "Sort order: a list of `_lastUpdated`, `fileName` and `contentType`, each with "
                  "`-` for descending. The default is `-_lastUpdated`.",
                  "fileName,-_lastUpdated"),
    FIELD_TEXT(struct document_search_in, search, 0, SEARCH_TEXT_MAX,
               FIELD_QUERY | FIELD_CHARACTERS,
               "Return only documents whose file name contains these words in this order. Case and "
               "accents are ignored. A word of one or two characters matches only the beginning of "
               "a word. At most 1,000 documents are found.",
               "x-ray"),
    FIELD_CHOICE(struct document_search_in, kind, document_kinds, FIELD_QUERY,
                 "Return only documents of this kind, by `contentType`: `text` includes JSON and "
                 "XML.",
                 "image"),
};
FIELD_TABLE(document_search_in);

static const struct field documents_rows[] = {
    FIELD_INT(struct documents, total, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of documents; with `search`, at most 1,000.", "12"),
    FIELD_OBJECTS(struct documents, resources, document, SEARCH_MAX, FIELD_REQUIRED,
                  "Entries on this page."),
};
FIELD_TABLE(documents);

static const struct field document_update_in_rows[] = {
    FIELD_UUID(struct document_update_in, id, FIELD_PATH | FIELD_REQUIRED, "ID of the document."),
    FIELD_CHECKED(struct document_update_in, fileName, 1, FILE_NAME_MAX, check_file_name,
                  FIELD_CHARACTERS | FIELD_NULLABLE, "New name of the file.", "x-ray.png"),
    FIELD_TRISTATE(struct document_update_in, isPublic, FIELD_LOOSE_BOOL | FIELD_NULLABLE,
                   "`true` creates a public token if there is none; `false` revokes it."),
};
FIELD_TABLE(document_update_in);

static const struct field document_delete_in_rows[] = {
    FIELD_UUID(struct document_delete_in, id, FIELD_PATH | FIELD_REQUIRED, "ID of the document."),
};
FIELD_TABLE(document_delete_in);

static const struct field document_deleted_rows[] = {
    FIELD_TEXT(struct document_deleted, message, 1, 256, FIELD_REQUIRED, "Confirmation.",
               "Document deleted successfully"),
};
FIELD_TABLE(document_deleted);

#define IMAGE_SIZE(s)                                                                              \
    FIELD_INT(s, width, 1, 6000, 0, FIELD_QUERY | FIELD_OMIT_ZERO,                                 \
              "Width in pixels to resize an image to (JPEG, PNG, WebP; GIF, HEIF and AVIF become " \
              "PNG or JPEG).",                                                                     \
              "300"),                                                                              \
        FIELD_INT(s, height, 1, 6000, 0, FIELD_QUERY | FIELD_OMIT_ZERO,                            \
                  "Height in pixels. If only one of width and height is present, the other "       \
                  "follows from it.",                                                              \
                  "200"),                                                                          \
        FIELD_CHOICE(s, fit, image_fit_names, FIELD_QUERY,                                         \
                     "How to fit the image into width and height: `cover` (the default) fills "    \
                     "and crops, `contain` fits and pads, `fill` stretches, `inside` fits, "       \
                     "`outside` covers without cropping.",                                         \
                     "cover")

#define KEPT(s)                                                                                 \
    FIELD_TEXT(s, kept, 1, CONTENT_HANDLE_MAX, FIELD_INTERNAL,                                  \
               "Handle of the file that the gateway has cached; docd can leave out its bytes.", \
               "")
#define FILE_TO(s)                                                                      \
    FIELD_TEXT(s, fileTo, CONTENT_RECEIVER_SIZE, CONTENT_RECEIVER_SIZE, FIELD_INTERNAL, \
               "Receiver to which docd can pass the open file.", "")

static const struct field document_content_in_rows[] = {
    FIELD_UUID(struct document_content_in, id, FIELD_PATH | FIELD_REQUIRED, "ID of the document."),
    FIELD_HEADER_TEXT(struct document_content_in, etag, "ETag", HEADER_MAX,
                      "ETag of your copy: 304 if it is still current."),
    FIELD_HEADER_TEXT(struct document_content_in, ifNoneMatch, "If-None-Match", HEADER_MAX,
                      "ETags of your copies: 304 if one is still current."),
    KEPT(struct document_content_in),
    FILE_TO(struct document_content_in),
    IMAGE_SIZE(struct document_content_in),
};
FIELD_TABLE(document_content_in);

static const struct field document_public_in_rows[] = {
    FIELD_TEXT(struct document_public_in, token, 1, TOKEN_MAX, FIELD_PATH | FIELD_REQUIRED,
               "Public token of a document.", "d9yUQhv0xZSn3eHh1QZ8Qk1pWm0c8fJb2TtXoY7rA5M"),
    FIELD_HEADER_TEXT(struct document_public_in, etag, "ETag", HEADER_MAX,
                      "ETag of your copy: 304 if it is still current."),
    FIELD_HEADER_TEXT(struct document_public_in, ifNoneMatch, "If-None-Match", HEADER_MAX,
                      "ETags of your copies: 304 if one is still current."),
    KEPT(struct document_public_in),
    FILE_TO(struct document_public_in),
    IMAGE_SIZE(struct document_public_in),
};
FIELD_TABLE(document_public_in);

static const struct field storage_post_in_rows[] = {
    FIELD_TEXT(struct storage_post_in, bucket, 1, 255, FIELD_PATH | FIELD_REQUIRED,
               "Bucket from `uploadOptions.url`.", "documents"),
    FIELD_OBJECT(struct storage_post_in, form, form, FIELD_INTERNAL, "The fields of the form."),
};
FIELD_TABLE(storage_post_in);
