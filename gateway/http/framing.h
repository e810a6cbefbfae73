/*
 * framing.h - checks requests (RFC 9112) before libmicrohttpd sees them.
 *
 * libmicrohttpd 0.9.75 misreads NUL, lone CR or LF and spaces, so a proxy could see other requests.
 * mhd_socket.c passes all bytes through this state machine. It rejects what RFC 9112 rejects, and
 * drops ignored bytes: white space after values (section 5.1) and chunk extensions (section 7.1.1).
 */
#ifndef ATRIUM_GATEWAY_HTTP_FRAMING_H
#define ATRIUM_GATEWAY_HTTP_FRAMING_H

#include "common/base/base.h"

/* Limits of a value's consecutive white space and of a chunk extension. */
enum { FRAMING_GAP_MAX = 64, FRAMING_EXTENSION_MAX = 256 };

struct framing {
    uint8_t state;
    uint8_t position;   /* in the version or a framing field */
    uint8_t candidates; /* framing fields whose name still matches */
    uint8_t field;      /* the value's framing field; 0: another */
    uint8_t fields;     /* framing fields of the request */
    bool old;           /* HTTP/1.0 */
    bool unclear;       /* it is unclear where the request ends */
    bool trailers;      /* the fields follow the last chunk */
    bool gap;           /* in white space that is dropped at a value's end */
    bool gap_lost;      /* the white space was too long to keep, so the value must end */
    uint16_t extension; /* bytes of the chunk extension */
    uint16_t held_size;
    uint16_t status;   /* 0, 400, or 413 for a size above 64 bits */
    uint64_t body;     /* left of the body or chunk */
    uint64_t requests; /* requests passed on completely */
    uint8_t held[FRAMING_GAP_MAX];
};

/* Checks `size` bytes received at bytes[self->held_size]; white space held back goes before them.
 * Returns how many bytes libmicrohttpd gets, from bytes[0] on. With `status` set they precede the
 * malformed request, unless parts of it were passed earlier. Receive nothing more then. */
size_t framing_filter(struct framing *self, uint8_t *bytes, size_t size);

#endif
