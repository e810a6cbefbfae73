/*
 * docd_api.h - the inputs and outputs of docd, for itself, the gateway and the daemons that ask it.
 */
#ifndef ATRIUM_DOCD_DOCD_API_H
#define ATRIUM_DOCD_DOCD_API_H

#include "common/bus/method.h"
#include "common/domain/content.h"
#include "common/domain/reference.h"
#include "common/service/audit_events.h"
#include "common/service/erasure.h"
#include "common/service/purge.h"
#include "common/wire/fields.h"

enum { FILE_NAME_MAX = 255, MEDIA_TYPE_MAX = 255, VERIFY_PAGE_MAX = 200 };

/* ---- routes ---- */

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

/* What _sort says. */
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

extern const char *const image_fit_names[]; /* "cover" ...; NULL-ended */
struct storage_post_in {
    const char *bucket; /* path */
    const struct form *form;
};
FIELD_DECLARE(storage_post_in);

/* ---- exports of a person's data ---- */

struct account_export {
    struct uuid id, account;
    const char *state; /* "pending", "ready", "failed" */
    int64_t createdAt;
    int64_t size;      /* bytes of the file; -1: it is not there yet */
    int64_t expiresAt; /* 0: it is not there yet */
};
FIELD_DECLARE(account_export);

struct account_exports {
    struct field_list resources; /* struct account_export */
};
FIELD_DECLARE(account_exports);

struct export_content_in {
    struct uuid id; /* path */
};
FIELD_DECLARE(export_content_in);

struct project_account_export_in {
    struct uuid id; /* path */
    const char *reason;
};
FIELD_DECLARE(project_account_export_in);

/* ---- mapped content ---- */

enum { CMS_NAME_MAX = 100, CMS_SECTIONS_MAX = 100, CMS_IMPORT_MAX = 100 };

struct cms_section {
    const char *title, *text; /* title NULL: none */
};
FIELD_DECLARE(cms_section);

/* An entry in one language. */
struct cms_entry {
    const char *type, *key, *language, *title;
    struct field_list sections; /* struct cms_section */
    const char *author, *code;  /* NULL: none */
    int64_t lastUpdated;
    const char *etag; /* the ETag header, quoted */
};
FIELD_DECLARE(cms_entry);

struct cms_in {
    const char *type, *key, *language; /* path */
};
FIELD_DECLARE(cms_in);

struct cms_put_in {
    const char *type, *key, *language; /* path */
    const char *title;
    struct field_list sections; /* struct cms_section */
    const char *author, *code;
    const char *ifMatch, *ifNoneMatch; /* headers */
};
FIELD_DECLARE(cms_put_in);

struct cms_map_in {
    const char *type, *language; /* path */
    const char *search, *code;   /* NULL or "": whatever */
    int64_t _count, _offset;
};
FIELD_DECLARE(cms_map_in);

struct cms_side {
    const char *title, *language, *key;
};
FIELD_DECLARE(cms_side);

struct cms_pair {
    const struct cms_side *source,
        *target; /* in the default language, in that asked for; NULL: none */
};
FIELD_DECLARE(cms_pair);

struct cms_map {
    int64_t total;
    struct field_list resources; /* struct cms_pair */
};
FIELD_DECLARE(cms_map);

/* ---- between daemons ---- */

/* Stores entries, all or none. Of those that are the same the last one counts. */
struct cms_import_in {
    struct uuid projectId;
    struct field_list
        entries; /* struct cms_entry, at most CMS_IMPORT_MAX; lastUpdated is not looked at */
};
FIELD_DECLARE(cms_import_in);

struct cms_imported {
    int64_t entries, changed; /* given, and of those stored because they were new or different */
};
FIELD_DECLARE(cms_imported);

/* Compares a page of documents with the store. */
struct documents_verify_in {
    struct uuid projectId;             /* absent: of all projects */
    struct uuid afterProject, afterId; /* where the page before ended; absent: from the start */
    bool hash;                         /* the bytes are compared too, not only their number */
    bool repair; /* what is found is written down: documents without bytes answer 404 */
};
FIELD_DECLARE(documents_verify_in);

/* A document whose bytes are not as they should be. */
struct document_problem {
    struct uuid projectId, id;
    const char *fileName;
    int64_t size; /* that it should have */
    const char *
        problem; /* "missing", "size", "changed"; "found": it was marked, and its bytes are there */
};
FIELD_DECLARE(document_problem);

struct documents_verified {
    int64_t checked, marked;    /* marked: or no longer so */
    struct field_list problems; /* struct document_problem */
    struct uuid lastProject, lastId;
    bool more;
};
FIELD_DECLARE(documents_verified);

/* Looks for bytes without a document in a page of the store. */
struct objects_verify_in {
    const char *cursor; /* NULL: from the start */
    bool repair;        /* they are swept after ORPHAN_SWEEP_MS */
};
FIELD_DECLARE(objects_verify_in);

struct objects_verified {
    int64_t checked, orphans;
    const char *cursor; /* NULL: that was the last page */
};
FIELD_DECLARE(objects_verified);

/* ---- the bytes of documents that travel with their tenant (docd/document/tenant_bytes.c) ---- */

enum { TENANT_BYTES_MAX = 1024 * 1024, TENANT_BYTES_HASH = 64 };

/* Reads a piece of the file of a document, named by its object_id. ERR_NOT_FOUND: none of the
 * project's documents has it, or the store lacks it, wholly or in part; such a document travels
 * without its bytes. */
struct tenant_bytes_get_in {
    struct uuid projectId, objectId;
    int64_t offset;
};
FIELD_DECLARE(tenant_bytes_get_in);

struct tenant_bytes_got {
    int64_t size;             /* of the file */
    struct field_bytes bytes; /* TENANT_BYTES_MAX of them, fewer only at the end */
};
FIELD_DECLARE(tenant_bytes_got);

/* Adds a piece to the file of a document whose row has come: at once behind what is there, or once
 * more what is there already; what is not so is left out. The last one, which may have no bytes,
 * brings the hash of the whole file, by which it becomes readable. To begin and to go on, a call
 * without bytes at offset 0 asks how many are there. Repeating a call is harmless.
 * ERR_NOT_FOUND: no document of the project waits for it. ERR_BAD_REQUEST: the hash is another, and
 * all was dropped. ERR_CONFLICT: it has more bytes than the document. */
struct tenant_bytes_put_in {
    struct uuid projectId, objectId;
    int64_t offset;
    struct field_bytes bytes; /* at most TENANT_BYTES_MAX */
    const char *hash;         /* BLAKE2b of 32 bytes, in hexadecimal digits; NULL: more follows */
};
FIELD_DECLARE(tenant_bytes_put_in);

struct tenant_bytes_put_out {
    int64_t have; /* bytes that are there from the start on: where the next piece begins */
    bool done;    /* the document has its file; else, behind the hash, some are not there yet */
};
FIELD_DECLARE(tenant_bytes_put_out);

enum {
    LOGO_WIDTH = 320,
    LOGO_HEIGHT = 96,
    LOGO_INPUT_MAX = 512 * 1024,
    LOGO_BYTES_MAX = 160 * 1024, /* 4 bytes of a pixel, and what PNG adds */
};

/* Makes a logo of a picture: as large as fits into LOGO_WIDTH x LOGO_HEIGHT, PNG, no metadata. It
 * is decoded like a document's image, by a decoder of that project. ERR_VALIDATION at "width": see
 * image_make(). */
struct logo_make_in {
    struct uuid projectId;
    struct field_bytes image; /* at most LOGO_INPUT_MAX */
};
FIELD_DECLARE(logo_make_in);

struct logo_made {
    struct field_bytes png; /* at most LOGO_BYTES_MAX */
};
FIELD_DECLARE(logo_made);

/* Removes the exports of an account that is gone, and those that it asked for. Repeating it is
 * fine. */
struct exports_delete_in {
    struct uuid key; /* of the caller's outbox row */
    struct uuid account;
    bool counted; /* for the erasure of the account */
};
FIELD_DECLARE(exports_delete_in);

/* An export as a person asks for it on the hosted pages: authd says who that is, by the cookie.
 * What is done is what the routes of exports do. */
struct visitor_export_in {
    const struct caller *caller;
    struct uuid id; /* which one; to fetch it alone */
};
FIELD_DECLARE(visitor_export_in);

/* Reads a list that is separated by commas. -1 when a word is none of what can be sorted by, or one
 * stands twice. */
int document_sort_parse(const char *text, struct document_sort *ret) MUST_USE;

#define SERVICE docd
#define SERVICE_OPERATIONS OPERATION_CALLS
#include "common/bus/operations.def"

#endif
