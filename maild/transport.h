/*
 * transport.h - how a finished mail leaves maild.
 *
 * Two kinds: transport_smtp.c for service, transport_file.c for development.  deliver.c knows this
 * struct only.
 */
#ifndef ATRIUM_MAILD_TRANSPORT_H
#define ATRIUM_MAILD_TRANSPORT_H

#include "maild/breaker.h"
#include "maild/maild.h"

enum transport_outcome {
    TRANSPORT_SENT,    /* the receiver took responsibility */
    TRANSPORT_RETRY,   /* the receiver answered: not now */
    TRANSPORT_REFUSED, /* the receiver answered: never */
    /* no receiver, or one that takes no mail at all: nothing was handed over */
    TRANSPORT_UNREACHED,
    TRANSPORT_UNKNOWN, /* handed over, but not answered: the receiver may have it */
};

enum { TRANSPORT_REASON_MAX = 96 };

/* A finished mail. */
struct mail {
    struct uuid id;
    int64_t created_at; /* real time of the enqueue, ms */
    const char *from, *to;
    const char *text; /* see message.h */
};

/* Asked once on the sending fiber before a receiver gets what it may keep without an answer. False:
 * do not send. Parks. */
struct transport_gate {
    bool (*open)(void *arg);
    void *arg;
};

struct transport {
    /* Sends; parks until the outcome. `reason`: what failed, without address or content. */
    enum transport_outcome (*send)(struct transport *self, const struct mail *mail,
                                   int64_t deadline_mono_ms, const struct transport_gate *gate,
                                   char reason[TRANSPORT_REASON_MAX]);
    /* New mails use this server, which is copied. NULL: there is none. */
    void (*use_server)(struct transport *self, const struct smtp_server *server);
    /* How many more mails it takes now. NULL: as many as configured. */
    int64_t (*room)(struct transport *self, int64_t active);
    /* Whether the receiver takes mail. NULL: it does. */
    enum breaker_state (*state)(const struct transport *self);
    /* True once after the receiver is back or replaced. NULL: never. */
    bool (*is_back)(struct transport *self);
    /* Retries an unreachable receiver with the next mail. NULL: nothing to do. */
    void (*hurry)(struct transport *self);
    /* Cancels what was not handed over yet; the second time, everything. NULL: nothing to do. */
    void (*cancel)(struct transport *self);
    /* Does everything but sending a mail (common/service/check.h). Parks. */
    int (*check)(struct transport *self, const struct request *req, struct finding *ret,
                 struct error *err);
    /* Says what the last deliveries were like. NULL: nothing to say. */
    int (*check_state)(struct transport *self, const struct request *req, struct finding *ret);
    void (*destroy)(struct transport *self);
};

/* SMTP (RFC 5321) to this server, which is copied, `deliveries` mails at the same time. */
struct transport *transport_smtp_new(struct loop *loop, const struct smtp_server *server,
                                     int64_t deliveries);

/* One file a mail in `dir`, which is made when it is missing. */
struct transport *transport_file_new(struct offload *offload, const char *dir, struct error *err);

/* Frees the transport; NULL and *NULL are fine. */
void transport_destroy(struct transport **self_p);

#endif
