/* routes.c - see routes.h. */
#include "gateway/endpoint/routes.h"

#include "authd/authd_api.h"
#include "botd/botd_api.h"
#include "common/domain/endpoint.h"
#include "docd/docd_api.h"
#include "maild/maild_api.h"
#include "settingsd/settingsd_api.h"

#define DOC(handler, tag_, description_, ...) \
    static const struct route_doc doc_##handler = {tag_, description_, {__VA_ARGS__}};
#define EXAMPLE(...)
#include "authd/authd_docs.def"
#define DOC(handler, tag_, description_, ...) \
    static const struct route_doc doc_##handler = {tag_, description_, {__VA_ARGS__}};
#define EXAMPLE(...)
#include "settingsd/settingsd_docs.def"
#define DOC(handler, tag_, description_, ...) \
    static const struct route_doc doc_##handler = {tag_, description_, {__VA_ARGS__}};
#define EXAMPLE(...)
#include "maild/maild_docs.def"
#define DOC(handler, tag_, description_, ...) \
    static const struct route_doc doc_##handler = {tag_, description_, {__VA_ARGS__}};
#define EXAMPLE(...)
#include "docd/docd_docs.def"
#define DOC(handler, tag_, description_, ...) \
    static const struct route_doc doc_##handler = {tag_, description_, {__VA_ARGS__}};
#define EXAMPLE(...)
#include "botd/botd_docs.def"

static const struct route_example examples[] = {
#define DOC(...)
#define EXAMPLE(handler, input_, answer_) {#handler, input_, answer_},
#include "authd/authd_docs.def"
#define DOC(...)
#define EXAMPLE(handler, input_, answer_) {#handler, input_, answer_},
#include "settingsd/settingsd_docs.def"
#define DOC(...)
#define EXAMPLE(handler, input_, answer_) {#handler, input_, answer_},
#include "maild/maild_docs.def"
#define DOC(...)
#define EXAMPLE(handler, input_, answer_) {#handler, input_, answer_},
#include "docd/docd_docs.def"
#define DOC(...)
#define EXAMPLE(handler, input_, answer_) {#handler, input_, answer_},
#include "botd/botd_docs.def"
};

#define SERVICE_ROUTE(...) ROW(__VA_ARGS__)
#define ROW(service_, alias_, method_, path_, handler_, input_, output_, access_, reach_, flags_, \
            since_, summary_)                                                                     \
    {{#method_, path_, #service_, #handler_, access_, reach_, flags_, &input_##_table,            \
      &output_##_table, since_, summary_, alias_},                                                \
     &doc_##handler_}, /* undeclared: add a DOC row to <service>_docs.def */
#define SERVICE_PAGE(...) PAGE_ROW(__VA_ARGS__)
#define PAGE_ROW(service_, method_, path_, handler_, input_, reach_, flags_)           \
    {{#method_, path_, #service_, #handler_, ACCESS_PUBLIC, reach_, (flags_) | R_PAGE, \
      &input_##_table, &page_answer_table, NULL, NULL, false},                         \
     NULL},
#define SERVICE_ENDPOINT(...) ENDPOINT_ROW(__VA_ARGS__)
#define ENDPOINT_ROW(service_, method_, path_, handler_, input_, flags_)                         \
    {{#method_, path_, #service_, #handler_, ACCESS_PUBLIC, REACH_PUBLIC, (flags_) | R_ENDPOINT, \
      &input_##_table, &endpoint_answer_table, NULL, NULL, false},                               \
     NULL},

static const struct {
    struct route route;
    const struct route_doc *doc;
} rows[] = {
#define SERVICE authd
#define SERVICE_OPERATIONS OPERATION_ROUTES
#include "common/bus/operations.def"
#define SERVICE settingsd
#define SERVICE_OPERATIONS OPERATION_ROUTES
#include "common/bus/operations.def"
#define SERVICE maild
#define SERVICE_OPERATIONS OPERATION_ROUTES
#include "common/bus/operations.def"
#define SERVICE docd
#define SERVICE_OPERATIONS OPERATION_ROUTES
#include "common/bus/operations.def"
#define SERVICE botd
#define SERVICE_OPERATIONS OPERATION_ROUTES
#include "common/bus/operations.def"
};

enum { METHODS_MAX = 6 };

/* A list of children is enough: no node has more than a dozen. */
struct node {
    struct node *next, *children, *parameter;
    struct node *rest; /* child for {*} */
    const char *text;  /* NULL: a parameter */
    struct endpoint *endpoints[METHODS_MAX];
    size_t count;
};

struct router {
    struct arena *arena;
    struct node root;
    struct endpoint *front, *missing;
};

static struct node *node_child(struct router *self, struct node *node, const char *segment)
{
    struct node **place = &node->children;

    while (*place && strcmp((*place)->text, segment) != 0)
        place = &(*place)->next;
    if (!*place) {
        *place = arena_alloc(self->arena, sizeof(**place));
        (*place)->text = arena_strdup(self->arena, segment);
    }
    return *place;
}

static struct node *node_rest(struct router *self, struct node *node)
{
    if (!node->rest)
        node->rest = arena_alloc(self->arena, sizeof(*node->rest));
    return node->rest;
}

static struct node *node_parameter(struct router *self, struct node *node)
{
    if (!node->parameter)
        node->parameter = arena_alloc(self->arena, sizeof(*node->parameter));
    return node->parameter;
}

static struct node *node_make(struct router *self, struct endpoint *endpoint)
{
    char *text = arena_strdup(self->arena, endpoint->route.path), *rest = NULL;
    struct node *node = &self->root;
    size_t parameters = 0;

    for (char *part = strtok_r(text, "/", &rest); part; part = strtok_r(NULL, "/", &rest)) {
        size_t length = strlen(part);

        if (part[0] != '{') {
            node = node_child(self, node, part);
            continue;
        }
        if (strcmp(part, "{*}") == 0) {
            node = node_rest(self, node);
            continue;
        }
        if (length < 3 || part[length - 1] != '}' || parameters == ROUTE_PARAMETERS_MAX)
            return NULL;
        endpoint->parameters[parameters++] = arena_strndup(self->arena, part + 1, length - 2);
        node = node_parameter(self, node);
    }
    return node == &self->root || node->count == METHODS_MAX ? NULL : node;
}

/* Returns a slot for "/" and "/{*}", which only browsers see, otherwise NULL. */
static struct endpoint **browser_page(struct router *self, const struct route *route)
{
    if (!(route->flags & R_PAGE))
        return NULL;
    if (strcmp(route->path, "/") == 0)
        return &self->front;
    return strcmp(route->path, "/{*}") == 0 ? &self->missing : NULL;
}

static int router_add(struct router *self, struct endpoint *endpoint, struct error *err)
{
    const struct route *route = &endpoint->route;
    struct endpoint **page = browser_page(self, route);
    struct node *node;

    if (page) {
        *page = endpoint;
        return 0;
    }
    node = node_make(self, endpoint);
    if (!node)
        return error_set(err, ERR_INTERNAL, "route %s %s cannot be placed", route->method,
                         route->path);
    for (size_t i = 0; i < node->count; i++)
        if (strcmp(node->endpoints[i]->route.method, route->method) == 0)
            return error_set(err, ERR_INTERNAL, "route %s %s stands twice", route->method,
                             route->path);
    node->endpoints[node->count++] = endpoint;
    return 0;
}

struct router *router_new(struct endpoint *endpoints, size_t count, struct error *err)
{
    struct arena *arena = arena_new();
    struct router *self = arena_alloc(arena, sizeof(*self));

    self->arena = arena;
    for (size_t i = 0; i < count; i++) {
        if (router_add(self, &endpoints[i], err) < 0) {
            router_destroy(&self);
            return NULL;
        }
    }
    return self;
}

void router_destroy(struct router **self_p)
{
    if (*self_p) {
        struct arena *arena = (*self_p)->arena;

        *self_p = NULL;
        arena_destroy(&arena);
    }
}

static void allow_add(char allow[static ALLOW_SIZE], const char *method)
{
    size_t length = strlen(allow);

    if (!strstr(allow, method))
        snprintf(allow + length, ALLOW_SIZE - length, "%s%s", length > 0 ? ", " : "", method);
}

/* Finds the method, or lists the node's methods for Allow. */
static bool node_select(const struct node *node, const char *method, struct route_match *match)
{
    for (size_t i = 0; i < node->count; i++) {
        const char *own = node->endpoints[i]->route.method;

        if (strcmp(own, method) == 0) {
            match->endpoint = node->endpoints[i];
            return true;
        }
        match->flags |= node->endpoints[i]->route.flags;
        allow_add(match->allow, own);
        if (strcmp(own, "GET") == 0)
            allow_add(match->allow, "HEAD");
    }
    return false;
}

static bool is_page_with_slash(const struct node *node, const struct path *path, size_t index)
{
    return index + 1 == path->count && path->segments[index][0] == '\0' && node->count > 0 &&
           node->endpoints[0]->route.flags & R_PAGE;
}

static bool node_find(const struct node *node, const char *method, const struct path *path,
                      size_t index, struct route_match *match)
{
    const char *segment;

    if (index == path->count || is_page_with_slash(node, path, index))
        return node_select(node, method, match);
    segment = path->segments[index];
    for (const struct node *child = node->children; child; child = child->next)
        if (strcmp(child->text, segment) == 0 && node_find(child, method, path, index + 1, match))
            return true;
    if (node->parameter && segment[0] != '\0' && match->count < ROUTE_PARAMETERS_MAX) {
        match->parameters[match->count++].value = segment;
        if (node_find(node->parameter, method, path, index + 1, match))
            return true;
        match->count--;
    }
    return node->rest && node_select(node->rest, method, match);
}

void router_match(const struct router *self, const char *method, const struct path *path,
                  struct route_match *ret)
{
    ret->endpoint = NULL;
    ret->flags = 0;
    ret->count = 0;
    ret->allow[0] = '\0';
    if (strcmp(method, "HEAD") == 0)
        method = "GET";
    if (!path->too_deep && node_find(&self->root, method, path, 0, ret)) {
        for (size_t i = 0; i < ret->count; i++)
            ret->parameters[i].name = ret->endpoint->parameters[i];
        ret->allow[0] = '\0';
    } else if (ret->allow[0] != '\0') {
        allow_add(ret->allow, "OPTIONS");
    }
}

struct endpoint *router_browser_page(const struct router *self, const char *path)
{
    return strcmp(path, "/") == 0 ? self->front : self->missing;
}

static bool table_has(const struct field_table *table, unsigned flags)
{
    for (size_t i = 0; i < table->count; i++)
        if ((table->rows[i].flags & flags) ||
            (table->rows[i].table && table_has(table->rows[i].table, flags)))
            return true;
    return false;
}

/* True if a table has a token; a signed upload form counts as one. */
static bool table_has_token(const struct field_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcasestr(table->rows[i].name, "token") || strcasestr(table->rows[i].name, "secret") ||
            strcmp(table->rows[i].name, "uploadOptions") == 0 ||
            (table->rows[i].table && table_has_token(table->rows[i].table)))
            return true;
    return false;
}

/* True if compression could reveal a secret by its length. A bot's answer (FIELD_BODY) mixes
 * secrets and the caller's text. */
static bool may_hold_secret(const struct route *route)
{
    return table_has(route->output, FIELD_SECRET | FIELD_BODY) || table_has_token(route->output) ||
           (route->flags & R_SECRET) || strstr(route->path, "/auth/");
}

static const struct route_example *example_of(const struct route *route)
{
    for (size_t i = 0; i < ARRAY_SIZE(examples); i++)
        if (strcmp(examples[i].operation, route->operation) == 0)
            return &examples[i];
    return NULL;
}

struct endpoint *routes_all(struct arena *arena, size_t *ret_count)
{
    const unsigned not_body = FIELD_PATH | FIELD_QUERY | FIELD_HEADER | FIELD_INTERNAL;
    struct endpoint *all = arena_calloc(arena, ARRAY_SIZE(rows), sizeof(*all));

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct route *route = &rows[i].route;
        struct endpoint *endpoint = &all[i];

        endpoint->route = *route;
        endpoint->doc = rows[i].doc;
        endpoint->example = example_of(route);
        endpoint->on_fiber = true;
        endpoint->method = (struct bus_method){route->service, route->operation, route->flags,
                                               route->input, route->output};
        for (size_t f = 0; f < route->input->count; f++)
            if (!(route->input->rows[f].flags & not_body))
                endpoint->takes_body = true;
        endpoint->secret_in = table_has(route->input, FIELD_SECRET);
        endpoint->secret_out = table_has(route->output, FIELD_SECRET);
        endpoint->unencoded = may_hold_secret(route);
    }
    *ret_count = ARRAY_SIZE(rows);
    return all;
}
