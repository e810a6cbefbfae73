/*
 * image_header.c - see image_header.h. GIF is missing, because libnsgif opens images of any size.
 */
#include "docd/image/image_header.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "common/base/base.h"

enum {
    HEAD_SIZE = 8192,    /* contains a HEIF file's sizes */
    SEGMENTS_MAX = 4096, /* most segments before a JPEG's frame */
};

static uint64_t big(const uint8_t *at, size_t bytes)
{
    uint64_t number = 0;

    for (size_t i = 0; i < bytes; i++)
        number = number << 8 | at[i];
    return number;
}

static uint64_t little(const uint8_t *at, size_t bytes)
{
    uint64_t number = 0;

    while (bytes > 0)
        number = number << 8 | at[--bytes];
    return number;
}

/* Steps to the frame header, SOFn (ITU-T T.81, annex B). */
static uint64_t jpeg_pixels(int file)
{
    off_t offset = 2;

    for (int i = 0; i < SEGMENTS_MAX; i++) {
        uint8_t at[9];

        if (pread(file, at, sizeof(at), offset) != sizeof(at) || at[0] != 0xff)
            return 0;
        if (at[1] >= 0xc0 && at[1] <= 0xcf && !memchr("\xc4\xc8\xcc", at[1], 3))
            return big(at + 5, 2) * big(at + 7, 2);
        offset += at[1] == 0xff ? 1 : 2 + (off_t)big(at + 2, 2); /* 0xff: a fill byte */
    }
    return 0;
}

/* Reads the canvas, or the only frame (RFC 9649). */
static uint64_t webp_pixels(const uint8_t head[static 30])
{
    uint64_t bits = little(head + 21, 4);

    if (memcmp(head + 12, "VP8X", 4) == 0)
        return (little(head + 24, 3) + 1) * (little(head + 27, 3) + 1);
    if (memcmp(head + 12, "VP8L", 4) == 0)
        return ((bits & 0x3fff) + 1) * ((bits >> 14 & 0x3fff) + 1);
    return (little(head + 26, 2) & 0x3fff) * (little(head + 28, 2) & 0x3fff);
}

/* Returns the largest image: tiles and thumbnails have sizes too (ISO/IEC 23008-12, 6.5.3). */
static uint64_t heif_pixels(const uint8_t *head, size_t size)
{
    const uint8_t *at = head, *end = head + size;
    uint64_t most = 0;

    while ((at = memmem(at, (size_t)(end - at), "ispe", 4)) && end - at >= 16) {
        most = MAX(most, big(at + 8, 4) * big(at + 12, 4));
        at += 4;
    }
    return most;
}

uint64_t image_header_pixels(int file)
{
    uint8_t head[HEAD_SIZE] = {0};
    ssize_t size = pread(file, head, sizeof(head), 0);

    if (size < 30)
        return 0;
    if (memcmp(head, "\xff\xd8", 2) == 0)
        return jpeg_pixels(file);
    if (memcmp(head, "\x89PNG", 4) == 0)
        return big(head + 16, 4) * big(head + 20, 4);
    if (memcmp(head, "RIFF", 4) == 0)
        return webp_pixels(head);
    return memcmp(head + 4, "ftyp", 4) == 0 ? heif_pixels(head, (size_t)size) : 0;
}
