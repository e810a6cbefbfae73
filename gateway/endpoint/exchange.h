/*
 * exchange.h - one HTTP request and its response.
 *
 * Reused after the response's last byte. An endpoint answers immediately, or on a fiber while the
 * connection is suspended.
 */
#ifndef ATRIUM_GATEWAY_ENDPOINT_EXCHANGE_H
#define ATRIUM_GATEWAY_ENDPOINT_EXCHANGE_H

#include <microhttpd.h>

#include "gateway/gateway.h"
#include "gateway/http/answer.h"
#include "gateway/http/head.h"

enum {
    SLOW_ERROR_MS = 1000, /* R_SLOW_ERRORS */
    TARGET_SHORT = 512,   /* shorter targets need no allocation */
};

struct endpoint_visit;

#define UNENCODED "The body must be sent without a content encoding."

struct exchange {
    struct exchange *next;
    struct site *site;
    struct gateway *gateway;
    struct arena *arena; /* kept for reuse, like all members before `mhd` */
    struct MHD_Connection *mhd;
    struct connection *connection;
    struct endpoint *endpoint; /* NULL: none; see match.allow */
    const char *method;
    int64_t arrived_us;                /* monotonic */
    int64_t dispatched_us, replied_us; /* monotonic; 0: not yet */
    uint8_t *body;
    size_t body_size, body_capacity;
    struct http_client *body_client; /* its limits count this body; NULL: known sender */
    uint64_t received;               /* bytes of the body, kept or not */
    struct MHD_Response *response;
    size_t answer_size; /* bytes ready to send */
    unsigned status;
    struct loop_timer *floor;
    struct upload *upload;     /* body of an R_FORM route; NULL: refused */
    struct download *download; /* source of the answer's bytes */
    struct cached_file *cached;
    bool file_place; /* holds one of file_receiver.h's places */
    bool opened;
    bool dispatched; /* the endpoint was called */
    bool released;   /* the answer can go out */
    bool suspended, on_fiber, ended;
    bool paused;  /* suspended in mid-body or mid-answer */
    bool refused; /* `err` says why; the body is dropped */
    bool close;   /* the connection can't be reused */
    struct head head;
    char *target;
    struct target parts;
    struct path path; /* from here on: set before use, not zeroed */
    struct route_match match;
    struct error err;
    char trace[TRACE_SIZE];
    struct activity activity;
    struct span span;
    char trace_id[33];
    char target_short[TARGET_SHORT], path_short[TARGET_SHORT];
};

/* For http_open(); `arg` is the struct site. */
void *exchange_on_begin(void *arg, const char *target, struct MHD_Connection *mhd);
enum MHD_Result exchange_on_request(void *arg, struct MHD_Connection *mhd, const char *url,
                                    const char *method, const char *version, const char *upload,
                                    size_t *upload_size, void **request);
void exchange_on_end(void *arg, struct MHD_Connection *mhd, void **request,
                     enum MHD_RequestTerminationCode why);
void exchange_on_connection(void *arg, struct MHD_Connection *mhd, void **socket_context,
                            enum MHD_ConnectionNotificationCode what);

/* For struct connections. The answers bypass libmicrohttpd. */
void exchange_on_refused(struct connection *connection, int status);
bool exchange_on_unfinished(struct connection *connection);

/* Sends the answer; call it once. answer->body must be static or in the exchange's arena. */
void exchange_reply(struct exchange *self, struct answer *answer);

void exchange_answer_error(unsigned flags, const struct error *err, struct arena *arena,
                           struct answer *ret);
void exchange_fail(struct exchange *self, const struct error *err);

/* For use in libmicrohttpd's callbacks: stops them until exchange_unpause(). */
void exchange_pause(struct exchange *self);
void exchange_unpause(struct exchange *self);

/* Describes how the token was presented. `authorization` isn't validated. */
void exchange_describe(const struct exchange *self, struct endpoint_visit *ret);

const char *exchange_header(const struct exchange *self, const char *name);

/* Returns Strict-Transport-Security (RFC 6797) for pages. NULL: no TLS. */
const char *exchange_transport(const struct exchange *self);

struct address exchange_client(const struct exchange *self);
void exchange_free_spare(struct gateway *gateway);

#endif
