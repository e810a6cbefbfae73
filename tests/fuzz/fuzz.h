/*
 * fuzz.h - shared by the fuzz targets. A target is a function over an attacker's bytes that calls
 * the real code and asserts what must hold for every input: printed values read back the same, and
 * refusals have a sendable message. `make fuzz` runs it with libFuzzer; test_fuzz_corpus.c with the
 * files of tests/fuzz/corpus/<target> and tests/fuzz/regression/<target>.
 */
#ifndef ATRIUM_TESTS_FUZZ_FUZZ_H
#define ATRIUM_TESTS_FUZZ_FUZZ_H

#include "common/base/arena.h"
#include "common/base/error.h"
#include "common/wire/fields.h"

int fuzz_address(const uint8_t *data, size_t size);
int fuzz_attestation(const uint8_t *data, size_t size);
int fuzz_auth_data(const uint8_t *data, size_t size);
int fuzz_body(const uint8_t *data, size_t size);
int fuzz_client_data(const uint8_t *data, size_t size);
int fuzz_config(const uint8_t *data, size_t size);
int fuzz_email(const uint8_t *data, size_t size);
int fuzz_fields(const uint8_t *data, size_t size);
int fuzz_fold(const uint8_t *data, size_t size);
int fuzz_frame(const uint8_t *data, size_t size);
int fuzz_framing(const uint8_t *data, size_t size);
int fuzz_header(const uint8_t *data, size_t size);
int fuzz_mask(const uint8_t *data, size_t size);
int fuzz_msgpack(const uint8_t *data, size_t size);
int fuzz_multipart(const uint8_t *data, size_t size);
int fuzz_page(const uint8_t *data, size_t size);
int fuzz_password_filter(const uint8_t *data, size_t size);
int fuzz_password_list(const uint8_t *data, size_t size);
int fuzz_password_scheme(const uint8_t *data, size_t size);
int fuzz_post_policy(const uint8_t *data, size_t size);
int fuzz_scim(const uint8_t *data, size_t size);
int fuzz_target(const uint8_t *data, size_t size);
int fuzz_template(const uint8_t *data, size_t size);
int fuzz_token(const uint8_t *data, size_t size);
int fuzz_token_search(const uint8_t *data, size_t size);

/* Ends the process with the failed condition, and the input's file if any. */
#define FUZZ_REQUIRE(condition)                          \
    do {                                                 \
        if (!(condition))                                \
            fuzz_failed(#condition, __FILE__, __LINE__); \
    } while (0)

void fuzz_failed(const char *condition, const char *file, int line) NORETURN;

/* Sets the file of the next inputs for fuzz_failed(). Borrowed, NULL: none. */
void fuzz_input_from(const char *path);

/* Copy to exactly this size, so that AddressSanitizer reports reads past the end. The text ends at
 * the first U+0000. Free with CLEANUP(memory_free). */
void *fuzz_bytes(const uint8_t *data, size_t size);
char *fuzz_text(const uint8_t *data, size_t size);

/* Copies the next line without its newline, "" after the last, and advances *data and *size. */
char *fuzz_line(const uint8_t **data, size_t *size);

/* Checks that a client's error has a message in UTF-8. */
void fuzz_require_error(const struct error *err);

/* Returns a table of all types, or a route's input or output table, by name, otherwise by the
 * bytes. */
const struct field_table *fuzz_field_table(struct arena *arena, const char *name);

msgpack_object fuzz_pack(struct arena *arena, const struct field_table *table, const void *in,
                         struct field_bytes *ret_bytes);

#endif
