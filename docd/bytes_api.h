/*
 * bytes_api.h - documents' bytes: verified against the store, and moved with their tenant.
 */
#ifndef ATRIUM_DOCD_BYTES_API_H
#define ATRIUM_DOCD_BYTES_API_H

#include "common/wire/fields.h"

enum { VERIFY_PAGE_MAX = 200 };

struct documents_verify_in {
    struct uuid projectId;             /* absent: all projects */
    struct uuid afterProject, afterId; /* end of the previous page; absent: from the start */
    bool hash;                         /* also verifies the content, not only the size */
    bool repair;                       /* marks documents without bytes, which then answer 404 */
};
FIELD_DECLARE(documents_verify_in);

struct document_problem {
    struct uuid projectId, id;
    const char *fileName;
    int64_t size;        /* expected size */
    const char *problem; /* "missing", "size", "changed"; "found": no longer missing */
};
FIELD_DECLARE(document_problem);

struct documents_verified {
    int64_t checked, marked;    /* marked: documents that got the mark or lost it */
    struct field_list problems; /* struct document_problem */
    struct uuid lastProject, lastId;
    bool more;
};
FIELD_DECLARE(documents_verified);

struct objects_verify_in {
    const char *cursor; /* NULL: from the start */
    bool repair;        /* sweeps the orphans after ORPHAN_SWEEP_MS */
};
FIELD_DECLARE(objects_verify_in);

struct objects_verified {
    int64_t checked, orphans;
    const char *cursor; /* NULL: last page */
};
FIELD_DECLARE(objects_verified);

enum { TENANT_BYTES_MAX = 1024 * 1024, TENANT_BYTES_HASH = 64 };

/* Reads a piece of a document's file. ERR_NOT_FOUND: no document of the project has this file, or
 * its bytes are lost; the document is then moved without them. */
struct tenant_bytes_get_in {
    struct uuid projectId, objectId;
    int64_t offset;
};
FIELD_DECLARE(tenant_bytes_get_in);

struct tenant_bytes_got {
    int64_t size;
    struct field_bytes bytes; /* TENANT_BYTES_MAX bytes, fewer only at the end */
};
FIELD_DECLARE(tenant_bytes_got);

/* Appends a piece to an imported document's file. Repeated pieces are fine; pieces after a gap are
 * ignored. A call with offset 0 and no bytes returns how many are stored. The last piece carries
 * the hash, which makes the file readable. Idempotent. ERR_NOT_FOUND: no document waits for this
 * file. ERR_BAD_REQUEST: wrong hash; all bytes are dropped. ERR_CONFLICT: more bytes than the
 * document has. */
struct tenant_bytes_put_in {
    struct uuid projectId, objectId;
    int64_t offset;
    struct field_bytes bytes; /* at most TENANT_BYTES_MAX */
    const char *hash;         /* hexadecimal BLAKE2b-256; NULL: more pieces follow */
};
FIELD_DECLARE(tenant_bytes_put_in);

struct tenant_bytes_put_out {
    int64_t have; /* stored bytes; the next piece begins there */
    bool done;    /* the document has its file; false with a hash: bytes are missing */
};
FIELD_DECLARE(tenant_bytes_put_out);

#endif
