/*
 * transport.h - sends emails: transport_smtp.c, or transport_file.c in development.
 */
#ifndef ATRIUM_MAILD_TRANSPORT_H
#define ATRIUM_MAILD_TRANSPORT_H

#include "maild/breaker.h"
#include "maild/maild.h"

enum transport_outcome {
    TRANSPORT_SENT,    /* the receiver took responsibility */
    TRANSPORT_RETRY,   /* temporary refusal */
    TRANSPORT_REFUSED, /* permanent refusal */
    /* no receiver, or it takes no email */
    TRANSPORT_UNREACHED,
    TRANSPORT_UNKNOWN, /* no answer: the receiver may have it */
};

enum { TRANSPORT_REASON_MAX = 96 };

struct mail {
    struct uuid id;
    int64_t created_at; /* real time of queueing, ms */
    const char *from, *to;
    const char *text; /* see message.h */
};

/* Asked once, before a receiver may keep the email. False: do not send. Parks. */
struct transport_gate {
    bool (*open)(void *arg);
    void *arg;
};

struct transport {
    /* Parks until the outcome. `reason` contains no address or content. */
    enum transport_outcome (*send)(struct transport *self, const struct mail *mail,
                                   int64_t deadline_mono_ms, const struct transport_gate *gate,
                                   char reason[TRANSPORT_REASON_MAX]);
    /* Copies the server. NULL: no server. */
    void (*use_server)(struct transport *self, const struct smtp_server *server);
    /* Returns how many more emails the transport takes now. NULL: as configured. */
    int64_t (*room)(struct transport *self, int64_t active);
    /* Returns the state of the breaker, which tells if the transport takes email. NULL: it always
     * does. */
    enum breaker_state (*state)(const struct transport *self);
    /* True once after the receiver has recovered. NULL: never. */
    bool (*is_back)(struct transport *self);
    /* Retries with the next email. NULL: no effect. */
    void (*hurry)(struct transport *self);
    /* Cancels what is not handed over; the second time, all. NULL: no effect. */
    void (*cancel)(struct transport *self);
    /* Checks the transport without sending anything (common/service/check.h). Parks. */
    int (*check)(struct transport *self, const struct request *req, struct finding *ret,
                 struct error *err);
    /* Reports on the last deliveries. NULL: nothing. */
    int (*check_state)(struct transport *self, const struct request *req, struct finding *ret);
    void (*destroy)(struct transport *self);
};

/* Copies the server; sends `deliveries` emails in parallel. */
struct transport *transport_smtp_new(struct loop *loop, const struct smtp_server *server,
                                     int64_t deliveries);

/* Creates `dir` if missing. */
struct transport *transport_file_new(struct offload *offload, const char *dir, struct error *err);

/* Accepts NULL and *NULL. */
void transport_destroy(struct transport **self_p);

#endif
