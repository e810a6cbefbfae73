/*
 * fuzz.h - what the fuzz targets share.
 *
 * A target is one function over bytes that an attacker may choose. It calls the real code and
 * asserts what must hold for every input: what was printed reads back as the same, what was refused
 * says why in words that can be sent. `make fuzz` gives it to libFuzzer; test_fuzz_corpus.c calls
 * it with each file of tests/fuzz/corpus/<target> and tests/fuzz/regression/<target>.
 */
#ifndef ATRIUM_TESTS_FUZZ_FUZZ_H
#define ATRIUM_TESTS_FUZZ_FUZZ_H

#include "common/base/arena.h"
#include "common/base/error.h"
#include "common/wire/fields.h"

/* ---- targets: each 0, whatever the bytes are ---- */

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
int fuzz_target(const uint8_t *data, size_t size);
int fuzz_template(const uint8_t *data, size_t size);
int fuzz_token(const uint8_t *data, size_t size);
int fuzz_token_search(const uint8_t *data, size_t size);

/* ---- what they share ---- */

/* Ends the process with the condition, and the input's file when it came from one, unless the
 * condition holds. */
#define FUZZ_REQUIRE(condition)                          \
    do {                                                 \
        if (!(condition))                                \
            fuzz_failed(#condition, __FILE__, __LINE__); \
    } while (0)

void fuzz_failed(const char *condition, const char *file, int line) NORETURN;

/* Tells fuzz_failed() which file the next inputs come from; borrowed, NULL: none. */
void fuzz_input_from(const char *path);

/* Copies of exactly this size, so that AddressSanitizer reports a read past the end; the text
 * ends at the first U+0000. The caller's, to be freed with CLEANUP(memory_free). */
void *fuzz_bytes(const uint8_t *data, size_t size);
char *fuzz_text(const uint8_t *data, size_t size);

/* The next line without its end, as a copy of its own; "" behind the last. *data and *size move
 * behind it. */
char *fuzz_line(const uint8_t **data, size_t *size);

/* An error that a client gets says something, in UTF-8. */
void fuzz_require_error(const struct error *err);

/* A table of all types, or one that a route has for its input or output: by its name, else by any
 * choice of the bytes. */
const struct field_table *fuzz_field_table(struct arena *arena, const char *name);

/* The struct as msgpack bytes, taken apart again. */
msgpack_object fuzz_pack(struct arena *arena, const struct field_table *table, const void *in,
                         struct field_bytes *ret_bytes);

#endif
