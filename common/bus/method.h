/*
 * method.h - the macros of the rows in <daemon>_routes.def, which undefines them at its end.
 *
 *   ROUTE, ALIAS(method, path, handler, input, output, access, reach, flags, since, summary)
 *                                      an HTTP route and its operation; an old path of a ROUTE
 *   PAGE(method, path, handler, input, reach, flags)    a page for people (common/domain/page.h)
 *   ENDPOINT(method, path, handler, input, flags)       a standard's (common/domain/endpoint.h)
 *   OP(handler, input, output, callers, flags)          between daemons
 *   PROJECT_OP(name, handler, input, output, flags)     atriumctl's, on a given project
 *                                      (request_project()); a route's handler answers it
 *   DOC(handler, tag, description, code...)             in <daemon>_docs.def, for /openapi.json: a
 *                                      tag of openapi_text.c, Markdown, codes of errors.def
 *   EXAMPLE(handler, input, answer)    beside it, where the rows' examples contradict each other:
 *                                      JSON Merge Patches (RFC 7396) of them, or NULL; of an answer
 *                                      with variants, by their names
 *
 * A route needs its DOC to compile, and a DOC its route. `since` is the route's first version;
 * `summary` is a short imperative sentence without a full stop.
 *
 * operations.def expands the rows: OPERATION_CALLS, typed calls (OP), and all tables, in
 * <daemon>_api.h; OPERATION_METHODS (OP), their descriptors, in <daemon>_api.c; OPERATION_HANDLERS,
 * prototypes, in <daemon>.h; OPERATION_TABLE, operations[], in <daemon>.c; OPERATION_ROUTES, rows
 * of SERVICE_ROUTE(), SERVICE_PAGE() and SERVICE_ENDPOINT(), in gateway/endpoint/routes.c.
 */
#ifndef ATRIUM_COMMON_BUS_METHOD_H
#define ATRIUM_COMMON_BUS_METHOD_H

#include "common/bus/bus.h"

#define OPERATION_CALLS 1
#define OPERATION_METHODS 2
#define OPERATION_HANDLERS 3
#define OPERATION_TABLE 4
#define OPERATION_ROUTES 5

/* The prototype of a handler. The handler's file includes the shapes; its daemon need not. */
#define HANDLER(daemon_type, handler, input, output)                                    \
    struct input;                                                                       \
    struct output;                                                                      \
    int handler(daemon_type *daemon, const struct request *req, const struct input *in, \
                struct output *out, struct error *err) MUST_USE;

/* A handler's untyped entry, and its row in the operation table. */
#define HANDLER_CALL(daemon_type, handler)                                                        \
    static int call_##handler(void *daemon, const struct request *req, const void *in, void *out, \
                              struct error *err)                                                  \
    {                                                                                             \
        return handler((daemon_type *)daemon, req, in, out, err);                                 \
    }
#define HANDLER_ROW(handler, input, output, callers, access, reach, flags) \
    {#handler, callers, access, reach, flags, &input##_table, &output##_table, call_##handler},

#define HANDLER_PROJECT_ROW(name, handler, input, output, flags)                          \
    {#name,          "ctl",           ACCESS_INTERNAL, REACH_PUBLIC, (flags) | R_PROJECT, \
     &input##_table, &output##_table, call_##handler},

/* Declares the structs and field tables of a row. A file that fills a struct includes the header of
 * the struct's subject. */
#define METHOD_SHAPES(input, output) \
    struct input;                    \
    struct output;                   \
    FIELD_DECLARE(input);            \
    FIELD_DECLARE(output);

/* <service>_<handler>(bus, req, in, out, err) parks as bus_call() does. Also declares the outbox's
 * descriptor. */
#define METHOD_DECLARE(...) METHOD_DECLARE_(__VA_ARGS__)
#define METHOD_DEFINE(...) METHOD_DEFINE_(__VA_ARGS__)
#define METHOD_DECLARE_(service, handler, input, output)                                       \
    extern const struct bus_method service##_##handler##_method;                               \
    MUST_USE static inline int service##_##handler(struct bus *bus, const struct request *req, \
                                                   const struct input *in, struct output *out, \
                                                   struct error *err)                          \
    {                                                                                          \
        return bus_call(bus, &service##_##handler##_method, req, in, out, err);                \
    }
#define METHOD_DEFINE_(service, handler, input, output, flags)                         \
    const struct bus_method service##_##handler##_method = {#service, #handler, flags, \
                                                            &input##_table, &output##_table};

#endif
