/*
 * routes.h - which endpoint answers a method and a path: a tree of segments per listener.
 *
 * A literal segment wins over a parameter if it has the method; {*} takes all other paths below.
 * The pages "/" and "/{*}" are for browsers: programs get 404 there.
 */
#ifndef ATRIUM_GATEWAY_ENDPOINT_ROUTES_H
#define ATRIUM_GATEWAY_ENDPOINT_ROUTES_H

#include "common/bus/bus.h"
#include "common/domain/request.h"
#include "gateway/http/decode.h"

struct exchange;

enum { ROUTE_PARAMETERS_MAX = 4, ROUTE_CODES_MAX = 8, ALLOW_SIZE = 64 };

/* What /openapi.json says of an operation beyond its row; see common/bus/method.h. */
struct route_doc {
    const char *tag, *description;
    enum error_code codes[ROUTE_CODES_MAX]; /* ended by ERR_NONE */
};

/* How an operation's examples differ from those of its tables; see common/bus/method.h. */
struct route_example {
    const char *operation, *input, *answer;
};

struct endpoint {
    struct route route;                       /* path is the template, for logs and metrics */
    void (*serve)(struct exchange *exchange); /* answers with exchange_reply() or exchange_fail() */
    bool on_fiber;                            /* serve may park */
    const struct route_doc *doc;              /* NULL: not in /openapi.json */
    const struct route_example *example;      /* NULL: those of its tables */
    struct bus_method method;                 /* of the daemons' endpoints */
    bool takes_body;                          /* the input has members of the JSON body */
    bool secret_in, secret_out;               /* wipe the body, the answer */
    bool unencoded;                           /* its answers may hold a secret: never compressed */
    const char
        *parameters[ROUTE_PARAMETERS_MAX]; /* their names, in order; filled by router_new() */
    uint64_t *answers[6];                  /* metric by status class, made on first use */
    const char *span_name;                 /* made on first use */
};

struct route_parameter {
    const char *name, *value; /* value points into the decoded path */
};
struct route_match {
    struct endpoint *endpoint; /* NULL: the path is unknown, or known with other methods only */
    size_t count;
    struct route_parameter parameters[ROUTE_PARAMETERS_MAX];
    char allow[ALLOW_SIZE]; /* methods of the path, "" when the path is unknown */
    unsigned flags;         /* without an endpoint: of those that the path has */
};

struct router;

/* `endpoints` must live as long. NULL: err names a malformed path or a repeated method. */
struct router *router_new(struct endpoint *endpoints, size_t count, struct error *err);
void router_destroy(struct router **self_p);

/* HEAD finds GET. Without an endpoint, `allow` names the methods that the path has. */
void router_match(const struct router *self, const char *method, const struct path *path,
                  struct route_match *ret);

/* Returns the page for a browser at a path without an endpoint: the front page at "/", else the one
 * that says 404. NULL: this router has no pages. */
struct endpoint *router_browser_page(const struct router *self, const char *path);

/* All rows of all daemons, as endpoints without `serve`; from the arena. */
struct endpoint *routes_all(struct arena *arena, size_t *ret_count);

#endif
