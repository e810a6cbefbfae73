/*
 * docd_api.c - the shapes of docd's inputs and outputs: bounds, names on the wire, words for
 * OpenAPI.
 *
 * Linked into every program: the gateway validates and documents by these tables, the daemons pack
 * by them.
 */
#include "docd/docd_api.h"

#include <stdio.h>
#include <string.h>

#include "common/domain/language.h"
#include "common/domain/name.h"

enum {
    URL_MAX = 2048,
    FORM_JSON_MAX = 16 * 1024,
    TOKEN_MAX = 4096, /* one that is too long is not found, like any unknown one */
    SORT_MAX = 100,
    SEARCH_MAX = 1000,
    HEADER_MAX = 2048,
    HOST_MAX = 255,
    SCHEME_MAX = 8,
    CMS_TITLE_MAX = 500,
    CMS_TEXT_MAX = 100000,
    CMS_SEARCH_MAX = 200,
};

static const char token[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                            "!#$%&'*+-.^_`|~";
static const char blank[] = " \t";

/* Behind a quoted string (RFC 9110, section 5.6.4), or NULL. */
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

/* Behind "; name=value", or "; " alone; NULL when it is neither. */
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

/* type/subtype, and parameters behind it (RFC 9110, section 8.3.1); MEDIA_TYPE_PATTERN says the
 * same. */
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

/* The static text of one key, NULL when it is none. */
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

static int check_cms_name(const char *value, char why[static 96])
{
    if (value[strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0')
        return 0;
    snprintf(why, 96, "must consist of lower-case letters, digits and hyphens");
    return -1;
}

/* "map" is a path of its own. */
static int check_cms_key(const char *value, char why[static 96])
{
    if (strcmp(value, "map") != 0)
        return check_cms_name(value, why);
    snprintf(why, 96, "must not be map");
    return -1;
}

static int check_language(const char *value, char why[static 96])
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    if (value[0] && language_tag(arena, value))
        return 0;
    snprintf(why, 96, "must be a language tag such as en or pt-BR");
    return -1;
}

/* ---- routes ---- */

#define TOKEN_PATTERN "[!#$%&'*+.^_`|~A-Za-z0-9-]+"
#define QUOTED_PATTERN "\"([ !#-\\[\\]-~]|\\\\[ -~])*\""
#define MEDIA_TYPE_PATTERN                                                                   \
    "^" TOKEN_PATTERN "/" TOKEN_PATTERN "([ \\t]*;[ \\t]*(" TOKEN_PATTERN "=(" TOKEN_PATTERN \
    "|" QUOTED_PATTERN "))?)*$"

/* Every request has one: no parameter that a client would set. */
#define FIELD_HOST(s)                                                                    \
    FIELD_ROW(s, host, FIELD_TYPE_TEXT, const char *, .header = "Host", .max = HOST_MAX, \
              .flags = FIELD_HEADER | FIELD_UNLISTED,                                    \
              .doc = "Where the form is posted to, unless a public address is configured.")
#define FIELD_SCHEME(s)                                                                \
    FIELD_ROW(s, scheme, FIELD_TYPE_TEXT, const char *, .header = "X-Forwarded-Proto", \
              .max = SCHEME_MAX, .flags = FIELD_HEADER | FIELD_UNLISTED,               \
              .doc = "By which scheme, as a trusted proxy says.")

static const struct field upload_options_rows[] = {
    FIELD_TEXT(struct upload_options, url, 1, URL_MAX, FIELD_REQUIRED, "Where to post the form to.",
               "https://api.lakeside.example/storage/documents"),
    FIELD_JSON_MAP(struct upload_options, fields, FORM_JSON_MAX, FIELD_REQUIRED,
                   "Its fields, each to be sent as it is, before the field `file`.",
                   "{\"key\":\"5f0c4a52\",\"Content-Type\":\"image/png\"}"),
};
FIELD_TABLE(upload_options);

static const struct field document_meta_rows[] = {
    FIELD_TIME(struct document_meta, lastUpdated, FIELD_REQUIRED, "When it was last changed."),
};
FIELD_TABLE(document_meta);

static const struct field document_rows[] = {
    FIELD_UUID(struct document, id, FIELD_REQUIRED, "Identifier of the document."),
    FIELD_TIME(struct document, lastUpdated, 0, "When it was last changed."),
    FIELD_OBJECT(struct document, meta, document_meta, 0,
                 "In the answer to a change, instead of lastUpdated."),
    FIELD_OBJECT(struct document, author, reference, FIELD_REQUIRED, "Who made it."),
    FIELD_TEXT(struct document, fileName, 1, FILE_NAME_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Name of the file.", "x-ray.png"),
    FIELD_TEXT(struct document, contentType, 1, MEDIA_TYPE_MAX, FIELD_REQUIRED, "Its MIME type.",
               "image/png"),
    FIELD_INT(struct document, size, 0, INT64_MAX, -1, FIELD_NULLABLE | FIELD_OMIT_NEGATIVE,
              "Bytes; null while nothing was uploaded.", "48213"),
    FIELD_TEXT(struct document, publicToken, 0, 256, FIELD_NULLABLE,
               "Whoever has it can read the file at /document/public/{token}; null: nobody.",
               "d9yUQhv0xZSn3eHh1QZ8Qk1pWm0c8fJb2TtXoY7rA5M"),
    FIELD_OBJECT(struct document, uploadOptions, upload_options, 0,
                 "The form that brings its bytes, good for an hour."),
};
FIELD_TABLE(document);

static const struct field document_create_in_rows[] = {
    FIELD_CHECKED(struct document_create_in, fileName, 1, FILE_NAME_MAX, check_file_name,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Name of the file.", "x-ray.png"),
    FIELD_PATTERN(struct document_create_in, contentType, 1, MEDIA_TYPE_MAX, check_media_type,
                  MEDIA_TYPE_PATTERN, FIELD_REQUIRED, "Its MIME type.", "image/png"),
    FIELD_TRISTATE(struct document_create_in, isPublic, FIELD_LOOSE_BOOL | FIELD_NULLABLE,
                   "Give it a public token."),
    FIELD_HOST(struct document_create_in),
    FIELD_SCHEME(struct document_create_in),
};
FIELD_TABLE(document_create_in);

static const struct field document_replace_in_rows[] = {
    FIELD_UUID(struct document_replace_in, id, FIELD_PATH | FIELD_REQUIRED, "The document."),
    FIELD_CHECKED(struct document_replace_in, fileName, 1, FILE_NAME_MAX, check_file_name,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Name of the new file.", "x-ray-2.png"),
    FIELD_PATTERN(struct document_replace_in, contentType, 1, MEDIA_TYPE_MAX, check_media_type,
                  MEDIA_TYPE_PATTERN, FIELD_REQUIRED, "Its MIME type.", "image/png"),
    FIELD_HOST(struct document_replace_in),
    FIELD_SCHEME(struct document_replace_in),
};
FIELD_TABLE(document_replace_in);

static const struct field document_search_in_rows[] = {
    FIELD_INT(struct document_search_in, _count, 1, SEARCH_MAX, 100, FIELD_QUERY,
              "Documents at most.", "100"),
    FIELD_INT(struct document_search_in, _offset, 0, INT32_MAX, 0, FIELD_QUERY,
              "Documents to skip.", "0"),
    FIELD_CHECKED(
        struct document_search_in, _sort, 0, SORT_MAX, check_sort, FIELD_QUERY,
        "What to sort by: _lastUpdated, fileName, contentType, a list of them; - before one "
        "reverses it. By default -_lastUpdated.",
        "fileName,-_lastUpdated"),
};
FIELD_TABLE(document_search_in);

static const struct field documents_rows[] = {
    FIELD_INT(struct documents, total, 0, INT64_MAX, 0, FIELD_REQUIRED, "Documents that there are.",
              "12"),
    FIELD_OBJECTS(struct documents, resources, document, SEARCH_MAX, FIELD_REQUIRED,
                  "Those of this page."),
};
FIELD_TABLE(documents);

static const struct field document_update_in_rows[] = {
    FIELD_UUID(struct document_update_in, id, FIELD_PATH | FIELD_REQUIRED, "The document."),
    FIELD_CHECKED(struct document_update_in, fileName, 1, FILE_NAME_MAX, check_file_name,
                  FIELD_CHARACTERS | FIELD_NULLABLE, "New name of the file.", "x-ray.png"),
    FIELD_TRISTATE(struct document_update_in, isPublic, FIELD_LOOSE_BOOL | FIELD_NULLABLE,
                   "True gives it a public token, unless it has one; false ends that for good."),
};
FIELD_TABLE(document_update_in);

static const struct field document_delete_in_rows[] = {
    FIELD_UUID(struct document_delete_in, id, FIELD_PATH | FIELD_REQUIRED, "The document."),
};
FIELD_TABLE(document_delete_in);

static const struct field document_deleted_rows[] = {
    FIELD_TEXT(struct document_deleted, message, 1, 256, FIELD_REQUIRED, "That it is gone.",
               "Document deleted successfully"),
};
FIELD_TABLE(document_deleted);

const char *const image_fit_names[] = {"cover", "contain", "fill", "inside", "outside", NULL};

#define IMAGE_SIZE(s)                                                                             \
    FIELD_INT(s, width, 1, 6000, 0, FIELD_QUERY | FIELD_OMIT_ZERO,                                \
              "Width in pixels that an image is resized to (JPEG, PNG, WebP; GIF, HEIF and AVIF " \
              "become PNG or JPEG).",                                                             \
              "300"),                                                                             \
        FIELD_INT(s, height, 1, 6000, 0, FIELD_QUERY | FIELD_OMIT_ZERO,                           \
                  "Height in pixels. The one of both that is not given follows from the other.",  \
                  "200"),                                                                         \
        FIELD_CHOICE(s, fit, image_fit_names, FIELD_QUERY,                                        \
                     "How both go together: fill them and cut (cover, the default), fit in and "  \
                     "pad (contain), stretch (fill), fit in (inside), be as small as covers "     \
                     "them (outside).",                                                           \
                     "cover")

#define KEPT(s)                                                \
    FIELD_TEXT(s, kept, 1, CONTENT_HANDLE_MAX, FIELD_INTERNAL, \
               "The file that the gateway has: its bytes need not come again.", "")
#define FILE_TO(s)                                                                      \
    FIELD_TEXT(s, fileTo, CONTENT_RECEIVER_SIZE, CONTENT_RECEIVER_SIZE, FIELD_INTERNAL, \
               "Gets the file open, where that can be.", "")

static const struct field document_content_in_rows[] = {
    FIELD_UUID(struct document_content_in, id, FIELD_PATH | FIELD_REQUIRED, "The document."),
    FIELD_HEADER_TEXT(struct document_content_in, etag, "ETag", HEADER_MAX,
                      "Entity tag of what the client has: 304 while it is the same."),
    FIELD_HEADER_TEXT(struct document_content_in, ifNoneMatch, "If-None-Match", HEADER_MAX,
                      "Entity tags of what the client has: 304 when one is the same."),
    KEPT(struct document_content_in),
    FILE_TO(struct document_content_in),
    IMAGE_SIZE(struct document_content_in),
};
FIELD_TABLE(document_content_in);

static const struct field document_public_in_rows[] = {
    FIELD_TEXT(struct document_public_in, token, 1, TOKEN_MAX, FIELD_PATH | FIELD_REQUIRED,
               "Public token of a document.", "d9yUQhv0xZSn3eHh1QZ8Qk1pWm0c8fJb2TtXoY7rA5M"),
    FIELD_HEADER_TEXT(struct document_public_in, etag, "ETag", HEADER_MAX,
                      "Entity tag of what the client has: 304 while it is the same."),
    FIELD_HEADER_TEXT(struct document_public_in, ifNoneMatch, "If-None-Match", HEADER_MAX,
                      "Entity tags of what the client has: 304 when one is the same."),
    KEPT(struct document_public_in),
    FILE_TO(struct document_public_in),
    IMAGE_SIZE(struct document_public_in),
};
FIELD_TABLE(document_public_in);

static const struct field storage_post_in_rows[] = {
    FIELD_TEXT(struct storage_post_in, bucket, 1, 255, FIELD_PATH | FIELD_REQUIRED,
               "As in uploadOptions.url.", "documents"),
    FIELD_OBJECT(struct storage_post_in, form, form, FIELD_INTERNAL, "The fields of the form."),
};
FIELD_TABLE(storage_post_in);

/* ---- mapped content ---- */

#define CMS_NAME_PATTERN "^[a-z0-9-]{1,100}$"
#define CMS_TYPE(s, flags_)                                                             \
    FIELD_PATTERN(s, type, 1, CMS_NAME_MAX, check_cms_name, CMS_NAME_PATTERN, (flags_), \
                  "Type of the content: article, faq, exercise and the like.", "article")
#define CMS_KEY(s, flags_)                                                                \
    FIELD_PATTERN(s, key, 1, CMS_NAME_MAX, check_cms_key, CMS_NAME_PATTERN, (flags_),     \
                  "Names the entry among those of its type, the same in every language.", \
                  "back-pain-basics")
#define CMS_LANGUAGE(s, flags_)                                                                 \
    FIELD_PATTERN(s, language, 1, LANGUAGE_TAG_MAX, check_language, LANGUAGE_PATTERN, (flags_), \
                  "Language (BCP 47).", "de")
#define CMS_TITLE(s, flags_)                                                                       \
    FIELD_TEXT(s, title, 1, CMS_TITLE_MAX, (flags_) | FIELD_CHARACTERS, "Title in that language.", \
               "Back pain: the basics")
#define CMS_BODY(s, flags_)                                                                      \
    FIELD_OBJECTS(s, sections, cms_section, CMS_SECTIONS_MAX, 0, "Text, in sections."),          \
        FIELD_TEXT(s, author, 1, CMS_NAME_MAX * 2, (flags_) | FIELD_CHARACTERS, "Who wrote it.", \
                   "Dr. Ana Ruiz"),                                                              \
        FIELD_TEXT(s, code, 1, CMS_NAME_MAX, (flags_) | FIELD_CHARACTERS,                        \
                   "Code of the content, of whatever system.", "M54.5")

static const struct field cms_section_rows[] = {
    FIELD_TEXT(struct cms_section, title, 0, CMS_TITLE_MAX, FIELD_CHARACTERS, "Heading.",
               "When to see a doctor"),
    FIELD_TEXT(struct cms_section, text, 0, CMS_TEXT_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Text.", "Most back pain goes away within weeks."),
};
FIELD_TABLE(cms_section);

static const struct field cms_entry_rows[] = {
    CMS_TYPE(struct cms_entry, FIELD_REQUIRED),
    CMS_KEY(struct cms_entry, FIELD_REQUIRED),
    CMS_LANGUAGE(struct cms_entry, FIELD_REQUIRED),
    CMS_TITLE(struct cms_entry, FIELD_REQUIRED),
    CMS_BODY(struct cms_entry, 0),
    FIELD_TIME(struct cms_entry, lastUpdated, 0, "When it was last changed."),
    FIELD_ETAG(struct cms_entry),
};
FIELD_TABLE(cms_entry);

static const struct field cms_in_rows[] = {
    CMS_TYPE(struct cms_in, FIELD_PATH | FIELD_REQUIRED),
    CMS_KEY(struct cms_in, FIELD_PATH | FIELD_REQUIRED),
    CMS_LANGUAGE(struct cms_in, FIELD_PATH | FIELD_REQUIRED),
};
FIELD_TABLE(cms_in);

static const struct field cms_put_in_rows[] = {
    CMS_TYPE(struct cms_put_in, FIELD_PATH | FIELD_REQUIRED),
    CMS_KEY(struct cms_put_in, FIELD_PATH | FIELD_REQUIRED),
    CMS_LANGUAGE(struct cms_put_in, FIELD_PATH | FIELD_REQUIRED),
    CMS_TITLE(struct cms_put_in, FIELD_REQUIRED),
    CMS_BODY(struct cms_put_in, FIELD_NULLABLE),
    FIELD_IF_MATCH(struct cms_put_in, "the entry"),
    FIELD_IF_NONE_MATCH(struct cms_put_in, "the entry"),
};
FIELD_TABLE(cms_put_in);

static const struct field cms_map_in_rows[] = {
    CMS_TYPE(struct cms_map_in, FIELD_PATH | FIELD_REQUIRED),
    CMS_LANGUAGE(struct cms_map_in, FIELD_PATH | FIELD_REQUIRED),
    FIELD_TEXT(struct cms_map_in, search, 0, CMS_SEARCH_MAX, FIELD_QUERY | FIELD_CHARACTERS,
               "Words to look for in title, section text, author and key, in either language; "
               "misspelt ones are found too. The best come first.",
               "bakc pain"),
    FIELD_TEXT(struct cms_map_in, code, 0, CMS_NAME_MAX, FIELD_QUERY | FIELD_CHARACTERS,
               "Entries of that code only.", "M54.5"),
    FIELD_INT(struct cms_map_in, _count, 1, 100, 10, FIELD_QUERY, "Entries at most.", "10"),
    FIELD_INT(struct cms_map_in, _offset, 0, INT32_MAX, 0, FIELD_QUERY, "Entries to skip.", "0"),
};
FIELD_TABLE(cms_map_in);

static const struct field cms_side_rows[] = {
    FIELD_TEXT(struct cms_side, title, 1, CMS_TITLE_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Title in that language.", "Back pain: the basics"),
    FIELD_TEXT(struct cms_side, language, 1, LANGUAGE_TAG_MAX, FIELD_REQUIRED, "Language (BCP 47).",
               "en"),
    FIELD_TEXT(struct cms_side, key, 1, CMS_NAME_MAX, FIELD_REQUIRED, "Key of the entry.",
               "back-pain-basics"),
};
FIELD_TABLE(cms_side);

static const struct field cms_pair_rows[] = {
    FIELD_OBJECT(struct cms_pair, source, cms_side, 0,
                 "The entry in the project's default language; absent when there is none."),
    FIELD_OBJECT(struct cms_pair, target, cms_side, 0,
                 "The entry in the language asked for; absent while it is not translated."),
};
FIELD_TABLE(cms_pair);

static const struct field cms_map_rows[] = {
    FIELD_INT(struct cms_map, total, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Entries that there are; of a search at most 500, those that were compared.", "12"),
    FIELD_OBJECTS(struct cms_map, resources, cms_pair, 100, FIELD_REQUIRED, "Those of this page."),
};
FIELD_TABLE(cms_map);

/* ---- between daemons ---- */

static const struct field cms_import_in_rows[] = {
    FIELD_UUID(struct cms_import_in, projectId, FIELD_REQUIRED, "Project that gets them."),
    FIELD_OBJECTS(struct cms_import_in, entries, cms_entry, CMS_IMPORT_MAX, FIELD_REQUIRED,
                  "Entries, each in one language."),
};
FIELD_TABLE(cms_import_in);

static const struct field cms_imported_rows[] = {
    FIELD_INT(struct cms_imported, entries, 0, INT64_MAX, 0, FIELD_REQUIRED, "Entries given.", "2"),
    FIELD_INT(struct cms_imported, changed, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Those that were new or different.", "1"),
};
FIELD_TABLE(cms_imported);

static const struct field documents_verify_in_rows[] = {
    FIELD_UUID(struct documents_verify_in, projectId, 0, "Only of this project."),
    FIELD_UUID(struct documents_verify_in, afterProject, 0, "Project of the last document before."),
    FIELD_UUID(struct documents_verify_in, afterId, 0, "The last document before."),
    FIELD_BOOL(struct documents_verify_in, hash, false, 0, "Compare the bytes too."),
    FIELD_BOOL(struct documents_verify_in, repair, false, 0, "Write down what is found."),
};
FIELD_TABLE(documents_verify_in);

static const struct field document_problem_rows[] = {
    FIELD_UUID(struct document_problem, projectId, FIELD_REQUIRED, "Project of the document."),
    FIELD_UUID(struct document_problem, id, FIELD_REQUIRED, "The document."),
    FIELD_TEXT(struct document_problem, fileName, 0, FILE_NAME_MAX, FIELD_REQUIRED,
               "Name of its file.", "report.pdf"),
    FIELD_INT(struct document_problem, size, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Bytes that it should have.", "48213"),
    FIELD_TEXT(struct document_problem, problem, 1, 16, FIELD_REQUIRED,
               "missing, size, changed, or found.", "missing"),
};
FIELD_TABLE(document_problem);

static const struct field documents_verified_rows[] = {
    FIELD_INT(struct documents_verified, checked, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Documents of the page.", "200"),
    FIELD_INT(struct documents_verified, marked, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Documents whose mark was changed.", "1"),
    FIELD_OBJECTS(struct documents_verified, problems, document_problem, VERIFY_PAGE_MAX, 0,
                  "What is wrong."),
    FIELD_UUID(struct documents_verified, lastProject, 0, "Project of the last document."),
    FIELD_UUID(struct documents_verified, lastId, 0, "The last document."),
    FIELD_BOOL(struct documents_verified, more, false, 0, "There are more."),
};
FIELD_TABLE(documents_verified);

static const struct field objects_verify_in_rows[] = {
    FIELD_TEXT(struct objects_verify_in, cursor, 1, URL_MAX, 0, "Where the page before ended.", ""),
    FIELD_BOOL(struct objects_verify_in, repair, false, 0, "Have them swept."),
};
FIELD_TABLE(objects_verify_in);

static const struct field objects_verified_rows[] = {
    FIELD_INT(struct objects_verified, checked, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Objects of the page.", "200"),
    FIELD_INT(struct objects_verified, orphans, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Those without a document.", "0"),
    FIELD_TEXT(struct objects_verified, cursor, 1, URL_MAX, 0, "Where the next page begins.", ""),
};
FIELD_TABLE(objects_verified);

static const struct field tenant_bytes_get_in_rows[] = {
    FIELD_UUID(struct tenant_bytes_get_in, projectId, FIELD_REQUIRED, "Project of the document."),
    FIELD_UUID(struct tenant_bytes_get_in, objectId, FIELD_REQUIRED, "Its file."),
    FIELD_INT(struct tenant_bytes_get_in, offset, 0, INT64_MAX, 0, FIELD_REQUIRED, "First byte.",
              "0"),
};
FIELD_TABLE(tenant_bytes_get_in);

static const struct field tenant_bytes_got_rows[] = {
    FIELD_INT(struct tenant_bytes_got, size, 0, INT64_MAX, 0, FIELD_REQUIRED, "Bytes of the file.",
              "48213"),
    FIELD_BYTES(struct tenant_bytes_got, bytes, TENANT_BYTES_MAX, FIELD_REQUIRED, "The bytes."),
};
FIELD_TABLE(tenant_bytes_got);

static const struct field tenant_bytes_put_in_rows[] = {
    FIELD_UUID(struct tenant_bytes_put_in, projectId, FIELD_REQUIRED, "Project of the document."),
    FIELD_UUID(struct tenant_bytes_put_in, objectId, FIELD_REQUIRED, "Its file."),
    FIELD_INT(struct tenant_bytes_put_in, offset, 0, INT64_MAX, 0, FIELD_REQUIRED, "First byte.",
              "0"),
    FIELD_BYTES(struct tenant_bytes_put_in, bytes, TENANT_BYTES_MAX, 0, "The bytes."),
    FIELD_TEXT(struct tenant_bytes_put_in, hash, TENANT_BYTES_HASH, TENANT_BYTES_HASH, 0,
               "Hash of all bytes, with the last ones.", ""),
};
FIELD_TABLE(tenant_bytes_put_in);

static const struct field tenant_bytes_put_out_rows[] = {
    FIELD_INT(struct tenant_bytes_put_out, have, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Bytes that are there.", "0"),
    FIELD_BOOL(struct tenant_bytes_put_out, done, false, 0, "The document has its file."),
};
FIELD_TABLE(tenant_bytes_put_out);

static const struct field logo_make_in_rows[] = {
    FIELD_UUID(struct logo_make_in, projectId, FIELD_REQUIRED, "Project that it is for."),
    FIELD_BYTES(struct logo_make_in, image, LOGO_INPUT_MAX, FIELD_REQUIRED, "The picture."),
};
FIELD_TABLE(logo_make_in);

static const struct field logo_made_rows[] = {
    FIELD_BYTES(struct logo_made, png, LOGO_BYTES_MAX, FIELD_REQUIRED, "The logo."),
};
FIELD_TABLE(logo_made);

static const struct field exports_delete_in_rows[] = {
    FIELD_UUID(struct exports_delete_in, key, FIELD_REQUIRED,
               "Names the call when it is repeated."),
    FIELD_UUID(struct exports_delete_in, account, FIELD_REQUIRED, "The account that is gone."),
    FIELD_BOOL(struct exports_delete_in, counted, false, 0,
               "Whether it is counted for the erasure of the account."),
};
FIELD_TABLE(exports_delete_in);

/* ---- exports ---- */

static const char *const export_states[] = {"pending", "ready", "failed", NULL};

static const struct field account_export_rows[] = {
    FIELD_UUID(struct account_export, id, FIELD_REQUIRED, "The export."),
    FIELD_UUID(struct account_export, account, FIELD_REQUIRED, "The account whose data it is."),
    FIELD_CHOICE(struct account_export, state, export_states, FIELD_REQUIRED,
                 "Whether the file is there.", "ready"),
    FIELD_TIME(struct account_export, createdAt, FIELD_REQUIRED, "When it was asked for."),
    FIELD_INT(struct account_export, size, 0, INT64_MAX, -1, FIELD_OMIT_NEGATIVE | FIELD_NULLABLE,
              "Bytes of the file; null while it is not there.", "52428"),
    FIELD_TIME(struct account_export, expiresAt, FIELD_NULLABLE,
               "When the file is removed; null while it is not there."),
};
FIELD_TABLE(account_export);

static const struct field account_exports_rows[] = {
    FIELD_OBJECTS(struct account_exports, resources, account_export, 100, FIELD_REQUIRED,
                  "The newest first."),
};
FIELD_TABLE(account_exports);

static const struct field export_content_in_rows[] = {
    FIELD_UUID(struct export_content_in, id, FIELD_PATH | FIELD_REQUIRED, "The export."),
};
FIELD_TABLE(export_content_in);

static const struct field project_account_export_in_rows[] = {
    FIELD_UUID(struct project_account_export_in, id, FIELD_PATH | FIELD_REQUIRED, "The account."),
    FIELD_CHECKED(struct project_account_export_in, reason, 1, 500, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Why; it is kept in the audit trail.",
                  "Ticket 4711: asked for by letter"),
};
FIELD_TABLE(project_account_export_in);

static const struct field visitor_export_in_rows[] = {
    FIELD_OBJECT(struct visitor_export_in, caller, caller, FIELD_REQUIRED, "Who asks."),
    FIELD_UUID(struct visitor_export_in, id, 0, "The export."),
};
FIELD_TABLE(visitor_export_in);

#define SERVICE docd
#define SERVICE_OPERATIONS OPERATION_METHODS
#include "common/bus/operations.def"
