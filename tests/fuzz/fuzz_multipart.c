/*
 * fuzz_multipart.c - forms with a file, whole and in pieces. Input: a line with the Content-Type,
 * then the body.
 */
#include <string.h>

#include "common/wire/codec.h"
#include "gateway/http/multipart.h"
#include "tests/fuzz/fuzz.h"

/* A form's stored texts; each doubles its buffer while it grows. */
enum { KEPT_MAX = 8 * FORM_TEXT_MAX };

struct reading {
    struct arena *arena; /* only the form uses it */
    struct multipart form;
    struct codec_buffer file;
    struct error err;
    bool refused;
};

static void take_file(void *arg, const uint8_t *bytes, size_t size)
{
    struct reading *reading = arg;

    codec_write(&reading->file, (const char *)bytes, size);
}

/* Feeds pieces of `step` bytes, each freed before the next. */
static void feed(struct reading *self, const uint8_t *data, size_t size, size_t step)
{
    for (size_t at = 0; at < size && !self->refused; at += step) {
        size_t length = MIN(step, size - at);
        CLEANUP(memory_free) uint8_t *piece = fuzz_bytes(data + at, length);

        self->refused = multipart_feed(&self->form, piece, length, &self->err) < 0;
    }
}

static void check_fields(const struct multipart *form)
{
    FUZZ_REQUIRE(form->field_count <= FORM_FIELDS_MAX);
    for (size_t i = 0; i < form->field_count; i++) {
        FUZZ_REQUIRE(codec_is_text(form->fields[i].name, strlen(form->fields[i].name)));
        FUZZ_REQUIRE(codec_is_text(form->fields[i].value, strlen(form->fields[i].value)));
        FUZZ_REQUIRE(strcmp(form->fields[i].name, "file") != 0);
    }
}

static void require_same(const struct reading *a, const struct reading *b)
{
    const struct multipart *one = &a->form, *other = &b->form;

    FUZZ_REQUIRE(a->refused == b->refused && strcmp(a->err.message, b->err.message) == 0);
    FUZZ_REQUIRE(one->file_begun == other->file_begun && one->file_ended == other->file_ended);
    FUZZ_REQUIRE(one->field_count == other->field_count && one->state == other->state);
    for (size_t i = 0; i < one->field_count; i++)
        FUZZ_REQUIRE(strcmp(one->fields[i].name, other->fields[i].name) == 0 &&
                     strcmp(one->fields[i].value, other->fields[i].value) == 0);
    FUZZ_REQUIRE(a->file.size == b->file.size);
    FUZZ_REQUIRE(a->file.size == 0 || memcmp(a->file.bytes, b->file.bytes, a->file.size) == 0);
}

static void read_form(struct reading *self, struct arena *arena, const char *type,
                      const uint8_t *data, size_t size, size_t step)
{
    *self = (struct reading){.arena = arena_new()};
    codec_buffer_init(&self->file, arena);
    error_init(&self->err, arena);
    self->refused = multipart_init(&self->form, type, self->arena, &self->err) < 0;
    self->form.on_file = take_file;
    self->form.arg = self;
    feed(self, data, size, step);
    if (self->refused)
        fuzz_require_error(&self->err);
    check_fields(&self->form);
    FUZZ_REQUIRE(arena_used(self->arena) <= KEPT_MAX + 2 * strlen(type));
}

int fuzz_multipart(const uint8_t *data, size_t size)
{
    CLEANUP(memory_free) char *type = fuzz_line(&data, &size);
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct reading whole, pieces;

    read_form(&whole, arena, type, data, size, MAX(size, (size_t)1));
    for (size_t step = 1; step <= 64; step *= 4) {
        read_form(&pieces, arena, type, data, size, step + size % 3);
        require_same(&whole, &pieces);
        arena_destroy(&pieces.arena);
    }
    arena_destroy(&whole.arena);
    return 0;
}
