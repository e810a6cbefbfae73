/* message.h - the text of one mail as it goes to a server or a file (RFC 5322, MIME). */
#ifndef ATRIUM_MAILD_MESSAGE_H
#define ATRIUM_MAILD_MESSAGE_H

#include "common/base/arena.h"
#include "common/base/uuid.h"

struct message {
    struct uuid id;                       /* Message-ID, the same in every attempt */
    int64_t date_ms;                      /* real time of the enqueue: Date */
    const char *to;                       /* e-mail address */
    const char *from_address, *from_name; /* from_name may be "" */
    const char *subject;
    const char *text;
    const char *html;     /* NULL: text only */
    const char *language; /* Content-Language, "" for none */
};

/* The complete text with CRLF, no line over 998 bytes, NUL-terminated, from the arena. Control
 * characters in headers become spaces, so that no field adds a header. */
char *message_build(struct arena *arena, const struct message *message);

#endif
