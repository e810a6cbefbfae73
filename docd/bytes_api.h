/*
 * bytes_api.h - the bytes of documents: compared with the store, and as they travel with their
 * tenant.
 */
#ifndef ATRIUM_DOCD_BYTES_API_H
#define ATRIUM_DOCD_BYTES_API_H

#include "common/wire/fields.h"

enum { VERIFY_PAGE_MAX = 200 }; /* documents of a page of documents_verify */

struct documents_verify_in {
    struct uuid projectId;             /* absent: of all projects */
    struct uuid afterProject, afterId; /* where the page before ended; absent: from the start */
    bool hash;                         /* the bytes are compared too, not only their number */
    bool repair; /* what is found is written down: documents without bytes answer 404 */
};
FIELD_DECLARE(documents_verify_in);

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

enum { TENANT_BYTES_MAX = 1024 * 1024, TENANT_BYTES_HASH = 64 };

/* Reads a piece of a document's file, named by its object_id. ERR_NOT_FOUND: no document of the
 * project has it, or its bytes are lost; the document then travels without them. */
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

/* Adds a piece to the file of an imported document: next to what is there, or again what is there
 * already. Other pieces are left out. A call without bytes at offset 0 asks how many there are. The
 * last piece brings the hash of the file, which makes it readable. Idempotent. ERR_NOT_FOUND: no
 * document of the project waits for it. ERR_BAD_REQUEST: wrong hash, everything is dropped.
 * ERR_CONFLICT: more bytes than the document has. */
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

#endif
