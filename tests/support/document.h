/*
 * document.h - documents as the tests make them: a form as browsers send it, and what is on the
 * disk of a suite.
 */
#ifndef ATRIUM_TESTS_SUPPORT_DOCUMENT_H
#define ATRIUM_TESTS_SUPPORT_DOCUMENT_H

#include "tests/support/suite.h"

/* A body of multipart/form-data, part by part. */
struct form_body {
    char *bytes;
    size_t size;
    char type[96]; /* its Content-Type */
    FILE *out;
};
void form_body_begin(struct form_body *self);
void form_body_field(struct form_body *self, const char *name, const char *value);
void form_body_file(struct form_body *self, const char *name, const void *bytes, size_t size);
void form_body_end(struct form_body *self);
void form_body_free(struct form_body *self);

/* The whole form of `uploadOptions.fields` and a file. Free it. */
struct form_body form_body_of(const json_t *fields, const void *bytes, size_t size);

/* POST of such a body; path NULL: "/storage/documents". */
struct http_answer *form_post(const struct suite *suite, const char *path,
                              const struct form_body *form);

/* The fields and a file as a browser sends them to a server of S3; the status of the answer, 0 when
 * there is none. */
long form_post_to(const char *url, json_t *fields, const char *bytes, size_t size);

/* The same by hand: a connection on which the header was sent (`framing` NULL: Content-Length),
 * bytes of the body, and the status of the answer, 0 when none comes within 30 s; which closes
 * it. */
int form_open(const struct suite *suite, const struct form_body *form, const char *framing);
void form_send(int connection, const void *bytes, size_t size);
int form_answer(int connection);

/* POST /document. */
struct http_answer *document_make(const struct suite *suite, const char *access, const char *name,
                                  const char *type);

/* Sends bytes with the form of such an answer. */
struct http_answer *document_upload(const struct suite *suite, const struct http_answer *made,
                                    const void *bytes, size_t size);

/* Both; the id of the document (caller frees). Fails the running case when it cannot be done. */
char *document_put(const struct suite *suite, const char *access, const char *name,
                   const char *type, const void *bytes, size_t size);

/* "/document/<id>" in a static buffer, until the next call. */
const char *document_path(const char *id);
struct http_answer *document_get(const struct suite *suite, const char *access, const char *id);

/* The same by another method (NULL: GET) and with a header line (NULL: none). */
struct http_answer *document_get_with(const struct suite *suite, const char *access, const char *id,
                                      const char *method, const char *header);

/* The id of a document's object, and the file that it is in docd's store (caller frees). */
char *document_object(struct suite *suite, const char *id);
char *document_file(struct suite *suite, const char *id);

/* 200 with exactly these bytes. */
#define CHECK_BYTES(answer, bytes, size) check_bytes((answer), (bytes), (size), __FILE__, __LINE__)
bool check_bytes(const struct http_answer *answer, const void *bytes, size_t size, const char *file,
                 int line);

/* `size` bytes that differ from seed to seed (caller frees). */
char *test_bytes(size_t size, unsigned seed);

/* A PNG of so many pixels, RGB in slopes of colour, not compressed (caller frees); and the sides
 * that one says it has. */
char *test_png(int width, int height, size_t *ret_size);
char *test_png_bits(int width, int height, size_t *ret_size); /* black and white */
void test_png_sides(const struct http_answer *answer, int *ret_width, int *ret_height);

/* Files in the suite's storage directory, complete or not. */
size_t stored_files(const struct suite *suite);

/* Waits until there are that many; false after timeout_ms. */
bool stored_files_become(const struct suite *suite, size_t count, int timeout_ms);

#endif
