/*
 * fuzz_framing.c - request bytes before libmicrohttpd. Input: what one connection receives.
 */
#include <stdlib.h>
#include <string.h>

#include "gateway/http/framing.h"
#include "tests/fuzz/fuzz.h"

/* Returns libmicrohttpd's input when `data` comes in segments of that size; *ret_size bytes (caller
 * frees). */
static uint8_t *filter(struct framing *framing, const uint8_t *data, size_t size, size_t segment,
                       size_t *ret_size)
{
    uint8_t *all = malloc(size + 1);

    *framing = (struct framing){0};
    *ret_size = 0;
    for (size_t at = 0; at < size && !framing->status; at += segment) {
        size_t came = MIN(segment, size - at), held = framing->held_size, kept;
        CLEANUP(memory_free) uint8_t *bytes = malloc(held + came);

        memcpy(bytes + held, data + at, came);
        kept = framing_filter(framing, bytes, came);
        FUZZ_REQUIRE(kept <= held + came && *ret_size + kept <= size);
        memcpy(all + *ret_size, bytes, kept);
        *ret_size += kept;
    }
    return all;
}

/* Checks that segments make no difference, except in how much of a malformed request passes. */
static void check_segments(const uint8_t *data, size_t size, const struct framing *whole,
                           const uint8_t *want, size_t want_size, size_t segment)
{
    struct framing framing;
    size_t got_size;
    CLEANUP(memory_free) uint8_t *got = filter(&framing, data, size, segment, &got_size);

    FUZZ_REQUIRE(framing.status == whole->status && framing.requests == whole->requests);
    FUZZ_REQUIRE(whole->status ? got_size >= want_size : got_size == want_size);
    FUZZ_REQUIRE(memcmp(got, want, want_size) == 0);
}

int fuzz_framing(const uint8_t *data, size_t size)
{
    struct framing whole, again;
    size_t kept_size, again_size;
    CLEANUP(memory_free)
    uint8_t *kept = filter(&whole, data, size, MAX(size, (size_t)1), &kept_size);
    CLEANUP(memory_free) uint8_t *twice = NULL;

    FUZZ_REQUIRE(whole.status == 0 || whole.status == 400 || whole.status == 413);
    check_segments(data, size, &whole, kept, kept_size, 1);
    check_segments(data, size, &whole, kept, kept_size, 7);
    /* Bytes that passed once pass again unchanged. */
    twice = filter(&again, kept, kept_size, MAX(kept_size, (size_t)1), &again_size);
    FUZZ_REQUIRE(again.status == 0 && again.requests == whole.requests);
    FUZZ_REQUIRE(again_size == kept_size && memcmp(kept, twice, kept_size) == 0);
    return 0;
}
