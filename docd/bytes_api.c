/*
 * bytes_api.c - field tables of bytes_api.h. See docd_api.c.
 */
#include "docd/bytes_api.h"

#include "docd/document_api.h"

enum { CURSOR_MAX = 2048 };

static const struct field documents_verify_in_rows[] = {
    FIELD_UUID(struct documents_verify_in, projectId, 0, "Verify only documents of this project."),
    FIELD_UUID(struct documents_verify_in, afterProject, 0,
               "Project of the last document on the previous page."),
    FIELD_UUID(struct documents_verify_in, afterId, 0, "Last document on the previous page."),
    FIELD_BOOL(struct documents_verify_in, hash, false, 0,
               "Whether to verify the content too, not only the size."),
    FIELD_BOOL(struct documents_verify_in, repair, false, 0,
               "Whether to mark documents whose file is missing."),
};
FIELD_TABLE(documents_verify_in);

static const struct field document_problem_rows[] = {
    FIELD_UUID(struct document_problem, projectId, FIELD_REQUIRED, "Project of the document."),
    FIELD_UUID(struct document_problem, id, FIELD_REQUIRED, "ID of the document."),
    FIELD_TEXT(struct document_problem, fileName, 0, FILE_NAME_MAX, FIELD_REQUIRED,
               "File name of the document.", "report.pdf"),
    FIELD_INT(struct document_problem, size, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Expected size in bytes.", "48213"),
    FIELD_TEXT(struct document_problem, problem, 1, 16, FIELD_REQUIRED,
               "missing, size, changed, or found.", "missing"),
};
FIELD_TABLE(document_problem);

static const struct field documents_verified_rows[] = {
    FIELD_INT(struct documents_verified, checked, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of documents on this page.", "200"),
    FIELD_INT(struct documents_verified, marked, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of documents whose mark was set or removed.", "1"),
    FIELD_OBJECTS(struct documents_verified, problems, document_problem, VERIFY_PAGE_MAX, 0,
                  "Documents with a problem."),
    FIELD_UUID(struct documents_verified, lastProject, 0,
               "Project of the last document on this page."),
    FIELD_UUID(struct documents_verified, lastId, 0, "Last document on this page."),
    FIELD_BOOL(struct documents_verified, more, false, 0, "Whether there are more documents."),
};
FIELD_TABLE(documents_verified);

static const struct field objects_verify_in_rows[] = {
    FIELD_TEXT(struct objects_verify_in, cursor, 1, CURSOR_MAX, 0,
               "`cursor` of the previous page; absent for the first page.", ""),
    FIELD_BOOL(struct objects_verify_in, repair, false, 0,
               "Whether the sweep removes objects without a document."),
};
FIELD_TABLE(objects_verify_in);

static const struct field objects_verified_rows[] = {
    FIELD_INT(struct objects_verified, checked, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of objects on this page.", "200"),
    FIELD_INT(struct objects_verified, orphans, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of objects without a document.", "0"),
    FIELD_TEXT(struct objects_verified, cursor, 1, CURSOR_MAX, 0,
               "Cursor of the next page; absent on the last page.", ""),
};
FIELD_TABLE(objects_verified);

static const struct field tenant_bytes_get_in_rows[] = {
    FIELD_UUID(struct tenant_bytes_get_in, projectId, FIELD_REQUIRED, "Project of the document."),
    FIELD_UUID(struct tenant_bytes_get_in, objectId, FIELD_REQUIRED, "ID of the document's file."),
    FIELD_INT(struct tenant_bytes_get_in, offset, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Offset of the first byte.", "0"),
};
FIELD_TABLE(tenant_bytes_get_in);

static const struct field tenant_bytes_got_rows[] = {
    FIELD_INT(struct tenant_bytes_got, size, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Size of the file in bytes.", "48213"),
    FIELD_BYTES(struct tenant_bytes_got, bytes, TENANT_BYTES_MAX, FIELD_REQUIRED,
                "Bytes of the file."),
};
FIELD_TABLE(tenant_bytes_got);

static const struct field tenant_bytes_put_in_rows[] = {
    FIELD_UUID(struct tenant_bytes_put_in, projectId, FIELD_REQUIRED, "Project of the document."),
    FIELD_UUID(struct tenant_bytes_put_in, objectId, FIELD_REQUIRED, "ID of the document's file."),
    FIELD_INT(struct tenant_bytes_put_in, offset, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Offset of the first byte.", "0"),
    FIELD_BYTES(struct tenant_bytes_put_in, bytes, TENANT_BYTES_MAX, 0, "Bytes of the file."),
    FIELD_TEXT(struct tenant_bytes_put_in, hash, TENANT_BYTES_HASH, TENANT_BYTES_HASH, 0,
               "Hash of the whole file, with its last piece.", ""),
};
FIELD_TABLE(tenant_bytes_put_in);

static const struct field tenant_bytes_put_out_rows[] = {
    FIELD_INT(struct tenant_bytes_put_out, have, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of stored bytes.", "0"),
    FIELD_BOOL(struct tenant_bytes_put_out, done, false, 0, "Whether the document has its file."),
};
FIELD_TABLE(tenant_bytes_put_out);
