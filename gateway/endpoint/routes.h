/*
 * routes.h - finds the endpoint of a method and path in a tree of segments, one per listener.
 *
 * A literal segment wins over a parameter if it has the method. {*} matches all other paths below
 * it. The pages "/" and "/{*}" are only for browsers; programs get 404 there.
 */
#ifndef ATRIUM_GATEWAY_ENDPOINT_ROUTES_H
#define ATRIUM_GATEWAY_ENDPOINT_ROUTES_H

#include "common/bus/bus.h"
#include "common/domain/request.h"
#include "gateway/http/decode.h"

struct exchange;

enum { ROUTE_PARAMETERS_MAX = 4, ROUTE_CODES_MAX = 8, ALLOW_SIZE = 64 };

/* OpenAPI texts of an operation; see common/bus/method.h. */
struct route_doc {
    const char *tag, *description;
    enum error_code codes[ROUTE_CODES_MAX]; /* ended by ERR_NONE */
};

struct endpoint {
    struct route route; /* its path is a template, also used in logs and metrics */
    void (*serve)(struct exchange *exchange); /* calls exchange_reply() or exchange_fail() */
    bool on_fiber;                            /* `serve` parks */
    const struct route_doc *doc;              /* NULL: not in /openapi.json */
    struct bus_method method;
    bool takes_body;            /* the input has members from the JSON body */
    bool secret_in, secret_out; /* wipe the request body, the answer */
    bool unencoded;             /* never compressed, because answers can hold a secret */
    const char *parameters[ROUTE_PARAMETERS_MAX]; /* names in path order, set by router_new() */
    uint64_t *answers[6];  /* counter by status class, created on first use */
    const char *span_name; /* created on first use */
};

struct route_parameter {
    const char *name, *value; /* `value` points into the decoded path */
};
struct route_match {
    struct endpoint *endpoint; /* NULL: unknown path or method */
    size_t count;
    struct route_parameter parameters[ROUTE_PARAMETERS_MAX];
    char allow[ALLOW_SIZE]; /* methods of the path; "": unknown path */
    unsigned flags;         /* without an endpoint: all flags at this path */
};

struct router;

/* Borrows `endpoints`. Returns NULL with an error that names a malformed path or a duplicate
 * method. */
struct router *router_new(struct endpoint *endpoints, size_t count, struct error *err);
void router_destroy(struct router **self_p);

/* HEAD matches GET. Without an endpoint, `allow` lists the path's methods. */
void router_match(const struct router *self, const char *method, const struct path *path,
                  struct route_match *ret);

/* Returns a browser's page for a path without an endpoint: the front page at "/", otherwise the 404
 * page. NULL: the router has no pages. */
struct endpoint *router_browser_page(const struct router *self, const char *path);

/* Returns all daemons' rows as endpoints without `serve`, from the arena. */
struct endpoint *routes_all(struct arena *arena, size_t *ret_count);

#endif
