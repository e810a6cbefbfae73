/*
 * document_file.h - the file of a document: read for several requests in one statement
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
    struct uuid object; /* unset: not uploaded yet; then etag, size and foundType are unset too */
    const char *etag;
    int64_t size;
    const char *foundType; /* what the bytes are, whatever contentType says */
    const char *fileName, *contentType;
    int64_t lastUpdated;
    bool missing; /* the store is known not to have the bytes */
    bool pending; /* a file may have come to the store */
};
FIELD_DECLARE(document_file);

/* d->document_files */
extern const struct batch_kind document_file_batch;

/* Finds the file of a document of the caller's project and this author (unset: anyone's). 1; 0: not
 * found. Texts are in the request's arena. Parks. */
int document_file_get(struct docd *d, const struct request *req, const struct uuid *id,
                      const struct uuid *author, struct document_file *ret,
                      struct error *err) MUST_USE;

#endif
