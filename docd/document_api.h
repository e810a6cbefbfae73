/*
 * document_api.h - the documents of a project: their routes, and the form that brings their bytes.
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
    const char *host, *scheme; /* that the client called; scheme NULL: "http" */
};
FIELD_DECLARE(document_create_in);

struct document_replace_in {
    struct uuid id; /* path */
    const char *fileName, *contentType;
    const char *host, *scheme;
};
FIELD_DECLARE(document_replace_in);

struct document_search_in {
    int64_t _count, _offset;
    const char *_sort;
};
FIELD_DECLARE(document_search_in);

enum { DOCUMENT_SORT_MAX = 3 };
struct document_sort {
    const char
        *keys[DOCUMENT_SORT_MAX]; /* static texts, "fileName" or "-fileName"; NULL: no more */
};
struct documents {
    int64_t total;
    struct field_list resources; /* struct document */
};
FIELD_DECLARE(documents);

struct document_update_in {
    struct uuid id; /* path */
    const char *fileName;
    enum tristate isPublic;
};
FIELD_DECLARE(document_update_in);

struct document_delete_in {
    struct uuid id; /* path */
};
FIELD_DECLARE(document_delete_in);

struct document_deleted {
    const char *message;
};
FIELD_DECLARE(document_deleted);

struct document_content_in {
    struct uuid id;                 /* path */
    const char *etag, *ifNoneMatch; /* headers */
    const char *kept;               /* handle of the file that the gateway has; NULL: none */
    const char *fileTo;             /* gets open files, see content.h; NULL: wants none */
    int64_t width, height;          /* 0: not asked for */
    const char *fit;                /* NULL: the first */
};
FIELD_DECLARE(document_content_in);

struct document_public_in {
    const char *token; /* path */
    const char *etag, *ifNoneMatch, *kept, *fileTo;
    int64_t width, height;
    const char *fit;
};
FIELD_DECLARE(document_public_in);

struct storage_post_in {
    const char *bucket; /* path */
    const struct form *form;
};
FIELD_DECLARE(storage_post_in);

/* Reads a comma-separated list. -1: an unknown or repeated key. */
int document_sort_parse(const char *text, struct document_sort *ret) MUST_USE;

#endif
