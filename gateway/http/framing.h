/*
 * framing.h - checks the bytes of HTTP/1.1 requests (RFC 9112) before libmicrohttpd sees them.
 *
 * libmicrohttpd 0.9.75 misreads NUL, lone CR or LF and spaces, so a proxy could see other requests
 * than it. mhd_socket.c therefore passes all bytes through one state machine for request line,
 * fields, chunks and trailers. It rejects what RFC 9112 rejects and removes what is ignored: white
 * space after a value (section 5.1) and chunk extensions (section 7.1.1).
 */
#ifndef ATRIUM_GATEWAY_HTTP_FRAMING_H
#define ATRIUM_GATEWAY_HTTP_FRAMING_H

#include "common/base/base.h"

/* Bytes of consecutive white space in a value, and of a chunk extension. More is malformed. */
enum { FRAMING_GAP_MAX = 64, FRAMING_EXTENSION_MAX = 256 };

struct framing {
    uint8_t state;
    uint8_t position;   /* in the version, or in a framing field's name or value */
    uint8_t candidates; /* bits of the framing fields that match the name so far */
    uint8_t field;      /* bit of the current framing field, or 0 */
    uint8_t fields;     /* bits of the request's framing fields */
    bool old;           /* HTTP/1.0 */
    bool unclear;       /* the request's end is unclear */
    bool trailers;      /* reading fields after the last chunk */
    bool gap;           /* in white space that is removed if it ends the value */
    bool gap_lost;      /* above FRAMING_GAP_MAX, so the value must end */
    uint16_t extension; /* bytes of the chunk extension */
    uint16_t held_size;
    uint16_t status;   /* 400, or 413 for a size above 64 bits; 0: no error */
    uint64_t body;     /* remaining bytes of the body or chunk */
    uint64_t requests; /* completely passed on */
    uint8_t held[FRAMING_GAP_MAX];
};

/* Checks `size` received bytes at bytes[self->held_size]; the space before is for held white space.
 * Returns how many bytes from bytes[0] on to give to libmicrohttpd. If this sets `status`, they
 * precede the malformed request, unless parts of it were passed earlier. Receive nothing more
 * then. */
size_t framing_filter(struct framing *self, uint8_t *bytes, size_t size);

#endif
