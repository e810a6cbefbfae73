/*
 * framing.h - the bytes of HTTP/1.1 requests (RFC 9112), checked before libmicrohttpd sees them.
 *
 * libmicrohttpd 0.9.75 misreads NUL, lone CR or LF and spaces: a proxy would see other requests. So
 * mhd_socket.c passes all through one state machine over request line, fields, chunks and trailers.
 * It refuses what RFC 9112 refuses and removes what is ignored: white space after a value (section
 * 5.1) and chunk extensions (section 7.1.1).
 */
#ifndef ATRIUM_GATEWAY_HTTP_FRAMING_H
#define ATRIUM_GATEWAY_HTTP_FRAMING_H

#include "common/base/base.h"

/* White space within a value, in a row, and bytes of an extension. More is malformed. */
enum { FRAMING_GAP_MAX = 64, FRAMING_EXTENSION_MAX = 256 };

/* Zeroed for a new connection. */
struct framing {
    uint8_t state;
    uint8_t position;   /* in the version, or in the name or value of a field that frames */
    uint8_t candidates; /* bits of the fields whose name the bytes since the line began can be */
    uint8_t field;      /* bit of the field whose value comes; 0: one that frames nothing */
    uint8_t fields;     /* bits of those that the request has */
    bool old;           /* HTTP/1.0 */
    bool unclear;       /* where the request ends */
    bool trailers;      /* the fields are those behind the last chunk */
    bool gap;           /* in white space that is taken out when nothing follows */
    bool gap_lost;      /* more of it than may stand within a value, so that nothing may follow */
    uint16_t extension; /* bytes of a chunk's extension */
    uint16_t held_size;
    uint16_t status;   /* what is wrong: 400, or 413 for a size beyond 64 bits; 0: nothing so far */
    uint64_t body;     /* bytes of the body or chunk that are to come */
    uint64_t requests; /* that were passed on to their last byte */
    uint8_t held[FRAMING_GAP_MAX];
};

/* Checks `size` received bytes from bytes[self->held_size] on; the room before is for held white
 * space. Returns how many from bytes[0] on are libmicrohttpd's. With status set these precede the
 * malformed request, unless parts were passed before; receive nothing more. */
size_t framing_filter(struct framing *self, uint8_t *bytes, size_t size);

#endif
