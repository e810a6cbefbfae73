/*
 * routes.h - a tree of path segments for each listener.
 *
 * A literal segment wins over a parameter if it has the method. {*} matches the rest of a path. The
 * pages "/" and "/{*}" are for browsers; programs get 404 there.
 */
#ifndef ATRIUM_GATEWAY_ENDPOINT_ROUTES_H
#define ATRIUM_GATEWAY_ENDPOINT_ROUTES_H

#include "common/bus/bus.h"
#include "common/domain/request.h"
#include "gateway/http/decode.h"

struct exchange;

enum { ROUTE_PARAMETERS_MAX = 4, ROUTE_CODES_MAX = 8, ALLOW_SIZE = 64 };

struct route_doc {
    const char *tag, *description;
    enum error_code codes[ROUTE_CODES_MAX]; /* ended by ERR_NONE */
};

/* How an operation's examples differ from those of its tables; see common/bus/method.h. */
struct route_example {
    const char *operation, *input, *answer;
};

struct endpoint {
    struct route route;                       /* path: template, also in logs and metrics */
    void (*serve)(struct exchange *exchange); /* calls exchange_reply() or exchange_fail() */
    bool on_fiber;                            /* may park */
    const struct route_doc *doc;              /* NULL: not in /openapi.json */
    const struct route_example *example;      /* NULL: its tables' examples */
    struct bus_method method;
    bool takes_body;                              /* input members from the JSON body */
    bool secret_in, secret_out;                   /* wipe the request body, the answer */
    bool unencoded;                               /* not compressed; see may_hold_secret() */
    const char *parameters[ROUTE_PARAMETERS_MAX]; /* in path order, set by router_new() */
    uint64_t *answers[6];                         /* counters by status class, made on first use */
    const char *span_name;                        /* made on first use */
};

struct route_parameter {
    const char *name, *value; /* `value` points into the decoded path */
};
struct route_match {
    struct endpoint *endpoint; /* NULL: unknown path or method */
    size_t count;
    struct route_parameter parameters[ROUTE_PARAMETERS_MAX];
    char allow[ALLOW_SIZE]; /* methods of the path; "": unknown path */
    unsigned flags;         /* if there is no endpoint: flags of all methods of this path */
};

struct router;

/* Borrows `endpoints`. Fails for a malformed path or duplicate method. */
struct router *router_new(struct endpoint *endpoints, size_t count, struct error *err);
void router_destroy(struct router **self_p);

/* Finds the endpoint of a request; HEAD matches GET. If there is none, `allow` has the path's
 * methods. */
void router_match(const struct router *self, const char *method, const struct path *path,
                  struct route_match *ret);

/* Returns the front page at "/", otherwise the 404 page. NULL: the router has no pages. */
struct endpoint *router_browser_page(const struct router *self, const char *path);

/* Returns all daemons' routes, without `serve`. */
struct endpoint *routes_all(struct arena *arena, size_t *ret_count);

#endif
