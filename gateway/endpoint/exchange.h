/*
 * exchange.h - one HTTP request and its answer.
 *
 * It lives until the answer's last byte and is recycled. Its body is kept, bounded; its endpoint
 * answers at once, or on a fiber while the connection is suspended.
 */
#ifndef ATRIUM_GATEWAY_ENDPOINT_EXCHANGE_H
#define ATRIUM_GATEWAY_ENDPOINT_EXCHANGE_H

#include <microhttpd.h>

#include "gateway/gateway.h"
#include "gateway/http/answer.h"
#include "gateway/http/head.h"

enum {
    SLOW_ERROR_MS = 1000, /* R_SLOW_ERRORS */
    TARGET_SHORT = 512,   /* targets up to this size need no allocation */
};

struct endpoint_visit;

/* What a 415 says of a Content-Encoding. */
#define UNENCODED "The body must be sent without a content encoding."

struct exchange {
    struct exchange *next; /* in the list of spare ones */
    struct site *site;
    struct gateway *gateway;
    struct arena *arena; /* kept when the rest is zeroed for reuse: all before `mhd` is */
    struct MHD_Connection *mhd;
    struct connection *connection;
    struct endpoint *endpoint; /* NULL: none, see match.allow */
    const char *method;
    int64_t arrived_us;                /* monotonic */
    int64_t dispatched_us, replied_us; /* monotonic; 0: not yet */
    uint8_t *body;
    size_t body_size, body_capacity;
    struct http_client *body_client; /* that the body counts for; NULL: its sender is known */
    uint64_t received;               /* bytes of body, kept or not */
    struct MHD_Response *response;
    size_t answer_size; /* bytes that lie ready for the client */
    unsigned status;
    struct loop_timer *floor;
    struct upload *upload;      /* of an R_FORM route; NULL when refused */
    struct download *download;  /* that the answer is read from */
    struct cached_file *cached; /* the cached file of this target; NULL: none */
    bool file_place;            /* it has one of the places for open files */
    bool opened;                /* the header was looked at */
    bool dispatched;            /* the answer is being made, or is there */
    bool released;              /* the answer may go out */
    bool suspended, on_fiber, ended;
    bool paused;  /* suspended in mid-body or mid-answer, until there is more to do */
    bool refused; /* err says why; the body is dropped */
    bool close;   /* the connection cannot be used for another request */
    struct head head;
    char *target;
    struct target parts;
    struct path path; /* this and all below: valid once set, not zeroed */
    struct route_match match;
    struct error err;
    char trace[TRACE_SIZE];
    struct activity activity;
    struct span span;  /* the server's */
    char trace_id[33]; /* in hex, when it is traced */
    char target_short[TARGET_SHORT], path_short[TARGET_SHORT];
};

/* The callbacks of a site's http_open(), whose arg is the struct site. */
void *exchange_on_begin(void *arg, const char *target, struct MHD_Connection *mhd);
enum MHD_Result exchange_on_request(void *arg, struct MHD_Connection *mhd, const char *url,
                                    const char *method, const char *version, const char *upload,
                                    size_t *upload_size, void **request);
void exchange_on_end(void *arg, struct MHD_Connection *mhd, void **request,
                     enum MHD_RequestTerminationCode why);
void exchange_on_connection(void *arg, struct MHD_Connection *mhd, void **socket_context,
                            enum MHD_ConnectionNotificationCode what);

/* Those of struct connections: these answers go past libmicrohttpd. */
void exchange_on_refused(struct connection *connection, int status);
bool exchange_on_unfinished(struct connection *connection);

/* Gives the answer, once. answer->body must be the exchange's arena's or live for ever. */
void exchange_reply(struct exchange *self, struct answer *answer);

/* What an error looks like on a route with these flags. */
void exchange_answer_error(unsigned flags, const struct error *err, struct arena *arena,
                           struct answer *ret);

/* Answers with an error; NULL: with self->err. */
void exchange_fail(struct exchange *self, const struct error *err);

/* Stops libmicrohttpd's callbacks for further bytes, from within one, until unpause(). */
void exchange_pause(struct exchange *self);
void exchange_unpause(struct exchange *self);

/* What a token is shown with: address, method, path, token, proof. Authorization is as it came. */
void exchange_describe(const struct exchange *self, struct endpoint_visit *ret);

/* A header of the request; NULL: it has none. */
const char *exchange_header(const struct exchange *self, const char *name);

/* The client's address (see address.h). */
struct address exchange_client(const struct exchange *self);

/* Frees the exchanges kept for reuse. */
void exchange_free_spare(struct gateway *gateway);

#endif
