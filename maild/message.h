/* message.h - an email's text as sent to a server or written to a file (RFC 5322, MIME). */
#ifndef ATRIUM_MAILD_MESSAGE_H
#define ATRIUM_MAILD_MESSAGE_H

#include "common/base/arena.h"
#include "common/base/uuid.h"

struct message {
    struct uuid id;  /* Message-ID, the same in every attempt */
    int64_t date_ms; /* real time of queueing */
    const char *to;
    const char *from_address, *from_name; /* name can be "" */
    const char *subject;
    const char *text;
    const char *html;     /* NULL: text only */
    const char *language; /* "": none */
};

/* Returns CRLF lines of at most 998 bytes. No value can add a header: control characters become
 * spaces. */
char *message_build(struct arena *arena, const struct message *message);

#endif
