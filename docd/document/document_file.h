/*
 * document_file.h - the file of a document, read for several requests in one statement
 * (common/runtime/batch.h).
 */
#ifndef ATRIUM_DOCD_DOCUMENT_DOCUMENT_FILE_H
#define ATRIUM_DOCD_DOCUMENT_DOCUMENT_FILE_H

#include "common/runtime/batch.h"
#include "common/wire/fields.h"

struct docd;
struct request;

struct document_file {
    struct uuid project, id;
    struct uuid object; /* unset until the upload, like etag, size and foundType */
    const char *etag;
    int64_t size;
    const char *foundType; /* detected, whatever contentType says */
    const char *fileName, *contentType;
    int64_t lastUpdated;
    bool missing; /* known to be missing from the store */
    bool pending; /* the store may have a new file */
};
FIELD_DECLARE(document_file);

extern const struct batch_kind document_file_batch;

/* Finds a document's file; `author` unset: of any author. Returns 1, or 0: not found. Parks. */
int document_file_get(struct docd *d, const struct request *req, const struct uuid *id,
                      const struct uuid *author, struct document_file *ret,
                      struct error *err) MUST_USE;

#endif
