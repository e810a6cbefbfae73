/*
 * document_api.h - documents: their routes and upload forms.
 */
#ifndef ATRIUM_DOCD_DOCUMENT_API_H
#define ATRIUM_DOCD_DOCUMENT_API_H

#include "common/domain/content.h"
#include "common/domain/reference.h"
#include "common/wire/fields.h"

enum { FILE_NAME_MAX = 255 /* characters */, MEDIA_TYPE_MAX = 255 /* bytes */ };

struct upload_options {
    const char *url;
    const char *fields; /* JSON object of texts */
};
FIELD_DECLARE(upload_options);

struct document_meta {
    int64_t lastUpdated;
};
FIELD_DECLARE(document_meta);

struct document {
    struct uuid id;
    int64_t lastUpdated;              /* 0: left out */
    const struct document_meta *meta; /* NULL: left out */
    const struct reference *author;
    const char *fileName, *contentType;
    int64_t size; /* -1: not uploaded yet */
    const char *publicToken;
    const struct upload_options *uploadOptions; /* NULL: left out */
};
FIELD_DECLARE(document);

struct document_create_in {
    const char *fileName, *contentType;
    enum tristate isPublic;
    const char *host, *scheme; /* as the client sent them; NULL: "http" */
};
FIELD_DECLARE(document_create_in);

struct document_replace_in {
    struct uuid id;
    const char *fileName, *contentType;
    const char *host, *scheme;
};
FIELD_DECLARE(document_replace_in);

struct document_search_in {
    int64_t _count, _offset;
    const char *_sort;
    const char *search, *kind; /* NULL: any; search "": any */
};
FIELD_DECLARE(document_search_in);

enum { DOCUMENT_SORT_MAX = 3 };
struct document_sort {
    const char *keys[DOCUMENT_SORT_MAX]; /* such as "-fileName"; NULL: end */
};
struct documents {
    int64_t total;
    struct field_list resources; /* struct document */
};
FIELD_DECLARE(documents);

struct document_update_in {
    struct uuid id;
    const char *fileName;
    enum tristate isPublic;
};
FIELD_DECLARE(document_update_in);

struct document_delete_in {
    struct uuid id;
};
FIELD_DECLARE(document_delete_in);

struct document_deleted {
    const char *message;
};
FIELD_DECLARE(document_deleted);

struct document_content_in {
    struct uuid id;
    const char *etag, *ifNoneMatch;
    const char *kept;      /* handle of the file that the gateway has cached */
    const char *fileTo;    /* receiver of open files, see content.h */
    int64_t width, height; /* 0: not set */
    const char *fit;       /* NULL: the default, the first */
};
FIELD_DECLARE(document_content_in);

struct document_public_in {
    const char *token;
    const char *etag, *ifNoneMatch, *kept, *fileTo;
    int64_t width, height;
    const char *fit;
};
FIELD_DECLARE(document_public_in);

struct storage_post_in {
    const char *bucket;
    const struct form *form;
};
FIELD_DECLARE(storage_post_in);

/* Parses a comma-separated list. -1: an unknown or repeated key. */
int document_sort_parse(const char *text, struct document_sort *ret) MUST_USE;

#endif
