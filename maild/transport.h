/*
 * transport.h - how a finished mail leaves maild.
 *
 * Two kinds: transport_smtp.c for service, transport_file.c for development.  deliver.c knows this struct only.
 */
#ifndef ATRIUM_MAILD_TRANSPORT_H
#define ATRIUM_MAILD_TRANSPORT_H

#include "maild/maild.h"

enum transport_outcome {
    TRANSPORT_SENT,    /* the receiver took responsibility */
    TRANSPORT_RETRY,   /* not now: unreachable, busy, refused for the time being */
    TRANSPORT_REFUSED, /* never: the receiver will not take this message */
};

enum { TRANSPORT_REASON_MAX = 96 };

/* A finished mail. */
struct mail {
    struct uuid id;
    int64_t created_at; /* real time of the enqueue, ms */
    const char *from, *to;
    const char *text; /* see message.h */
};

struct transport {
    /* Sends and parks until that is decided. On anything but TRANSPORT_SENT `reason` says what failed, in words
     * that hold no address and no content. */
    enum transport_outcome (*send)(struct transport *self, const struct mail *mail,
                                   int64_t deadline_mono_ms, char reason[TRANSPORT_REASON_MAX]);
    /* Does all that a mail needs but sending one, and says what came of it (common/check.h). Parks. */
    int (*check)(struct transport *self, const struct request *req, struct finding *ret,
                 struct error *err);
    void (*destroy)(struct transport *self);
};

/* SMTP (RFC 5321) through libcurl, by the smtp_ keys of the configuration. NULL when they make no sense. */
struct transport *transport_smtp_new(struct loop *loop, const struct maild_config *config,
                                     struct error *err);

/* One file a mail in `dir`, which is made when it is missing. */
struct transport *transport_file_new(struct offload *offload, const char *dir, struct error *err);

/* Frees the transport; NULL and *NULL are fine. */
void transport_destroy(struct transport **self_p);

#endif
