/*
 * document.h - documents, browser upload forms, and a suite's stored files.
 */
#ifndef ATRIUM_TESTS_SUPPORT_DOCUMENT_H
#define ATRIUM_TESTS_SUPPORT_DOCUMENT_H

#include "tests/support/suite.h"

struct form_body {
    char *bytes;
    size_t size;
    char type[96];
    FILE *out;
};
void form_body_begin(struct form_body *self);
void form_body_field(struct form_body *self, const char *name, const char *value);
void form_body_file(struct form_body *self, const char *name, const void *bytes, size_t size);
void form_body_end(struct form_body *self);
void form_body_free(struct form_body *self);

/* Makes the form of `uploadOptions.fields` and a file. Free it. */
struct form_body form_body_of(const json_t *fields, const void *bytes, size_t size);

/* Posts such a body; path NULL: "/storage/documents". */
struct http_answer *form_post(const struct suite *suite, const char *path,
                              const struct form_body *form);

/* Posts the fields and a file to an S3 server as a browser does. Returns the status, 0 for none. */
long form_post_to(const char *url, json_t *fields, const char *bytes, size_t size);

/* These functions do this step by step: form_open() connects and sends the header (`framing` NULL:
 * Content-Length), form_send() sends bytes, form_answer() closes and returns the status, 0 after 30
 * s. */
int form_open(const struct suite *suite, const struct form_body *form, const char *framing);
void form_send(int connection, const void *bytes, size_t size);
int form_answer(int connection);

struct http_answer *document_make(const struct suite *suite, const char *access, const char *name,
                                  const char *type);

/* Uploads bytes with the form from document_make()'s response. */
struct http_answer *document_upload(const struct suite *suite, const struct http_answer *made,
                                    const void *bytes, size_t size);

/* Makes and uploads a document and returns its id, which the caller frees, or fails the case. */
char *document_put(const struct suite *suite, const char *access, const char *name,
                   const char *type, const void *bytes, size_t size);

/* document_path() returns "/document/<id>" in a static buffer. */
const char *document_path(const char *id);
struct http_answer *document_get(const struct suite *suite, const char *access, const char *id);

/* Gets a document with another method (NULL: GET) and a header line (NULL: none). */
struct http_answer *document_get_with(const struct suite *suite, const char *access, const char *id,
                                      const char *method, const char *header);

char *document_object(struct suite *suite, const char *id);
char *document_file(struct suite *suite, const char *id);

#define CHECK_BYTES(answer, bytes, size) check_bytes((answer), (bytes), (size), __FILE__, __LINE__)
bool check_bytes(const struct http_answer *answer, const void *bytes, size_t size, const char *file,
                 int line);

/* Makes `size` bytes that depend on the seed (caller frees). */
char *test_bytes(size_t size, unsigned seed);

/* Make an uncompressed PNG, RGB gradients or black and white (caller frees). */
char *test_png(int width, int height, size_t *ret_size);
char *test_png_bits(int width, int height, size_t *ret_size);
void test_png_sides(const struct http_answer *answer, int *ret_width, int *ret_height);

size_t stored_files(const struct suite *suite);

/* Waits for that count. Returns false after timeout_ms. */
bool stored_files_become(const struct suite *suite, size_t count, int timeout_ms);

#endif
