/*
 * bytes_api.c - field tables of bytes_api.h. See docd_api.c.
 */
#include "docd/bytes_api.h"

#include "docd/document_api.h"

enum { CURSOR_MAX = 2048 };

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
    FIELD_TEXT(struct objects_verify_in, cursor, 1, CURSOR_MAX, 0, "Where the page before ended.",
               ""),
    FIELD_BOOL(struct objects_verify_in, repair, false, 0, "Have them swept."),
};
FIELD_TABLE(objects_verify_in);

static const struct field objects_verified_rows[] = {
    FIELD_INT(struct objects_verified, checked, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Objects of the page.", "200"),
    FIELD_INT(struct objects_verified, orphans, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Those without a document.", "0"),
    FIELD_TEXT(struct objects_verified, cursor, 1, CURSOR_MAX, 0, "Where the next page begins.",
               ""),
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
