/*
 * qr.c - see qr.h.
 */
#include "authd/credential/qr.h"

#include <png.h>
#include <qrencode.h>
#include <sodium.h>
#include <string.h>

enum { QR_SCALE = 4 /* pixels per module */, QR_QUIET = 4 /* white modules around the code */ };

/* Returns grey pixels, one byte each. */
static uint8_t *paint(struct arena *arena, const QRcode *code, size_t side)
{
    uint8_t *pixels = arena_alloc(arena, side * side);

    memset(pixels, 0xff, side * side);
    for (size_t y = QR_QUIET * QR_SCALE; y < side - QR_QUIET * QR_SCALE; y++) {
        for (size_t x = QR_QUIET * QR_SCALE; x < side - QR_QUIET * QR_SCALE; x++) {
            size_t row = y / QR_SCALE - QR_QUIET, column = x / QR_SCALE - QR_QUIET;

            if (code->data[row * (size_t)code->width + column] & 1)
                pixels[y * side + x] = 0;
        }
    }
    return pixels;
}

static const char *encode(struct arena *arena, const uint8_t *png, size_t size)
{
    static const char prefix[] = "data:image/png;base64,";
    size_t room = sodium_base64_ENCODED_LEN(size, sodium_base64_VARIANT_ORIGINAL);
    char *out = arena_alloc(arena, sizeof(prefix) - 1 + room);

    memcpy(out, prefix, sizeof(prefix) - 1);
    sodium_bin2base64(out + sizeof(prefix) - 1, room, png, size, sodium_base64_VARIANT_ORIGINAL);
    return out;
}

const char *qr_data_url(struct arena *arena, const char *text)
{
    QRcode *code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M);
    png_image image = {.version = PNG_IMAGE_VERSION, .format = PNG_FORMAT_GRAY};
    png_alloc_size_t size;
    uint8_t *pixels, *png;
    size_t side;

    if (!code)
        return NULL;
    side = ((size_t)code->width + 2 * QR_QUIET) * QR_SCALE;
    image.width = image.height = (png_uint_32)side;
    pixels = paint(arena, code, side);
    QRcode_free(code);
    size = PNG_IMAGE_PNG_SIZE_MAX(image);
    png = arena_alloc(arena, size);
    if (!png_image_write_to_memory(&image, png, &size, 0, pixels, 0, NULL))
        return NULL;
    return encode(arena, png, size);
}
