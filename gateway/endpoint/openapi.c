/* openapi.c - see openapi.h. */
#include "gateway/endpoint/openapi.h"

#include <ctype.h>

#include <sodium.h>

#include "common/base/log.h"
#include "common/wire/codec.h"
#include "gateway/endpoint/exchange.h"
#include "gateway/endpoint/openapi_private.h"
#include "gateway/http/encode.h"

struct openapi_any {
    const char *page;
};

static const struct field openapi_rows[] = {
    FIELD_JSON_OBJECT(struct openapi_any, page, 0, FIELD_REQUIRED | FIELD_BODY,
                      "OpenAPI description.", ""),
};
const struct field_table openapi_table = {.name = "openapi",
                                          .size = sizeof(struct openapi_any),
                                          .rows = openapi_rows,
                                          .count = ARRAY_SIZE(openapi_rows)};

struct page {
    struct arena *arena;
    json_t *paths, *schemas, *responses;
    json_t *ways; /* table name to enum fields_way */
    json_t *ids;
};

/* Visits the table and the nested tables that the page shows. */
static void walk_tables(struct page *self, const struct field_table *table, enum fields_way way,
                        bool (*visit)(struct page *self, const struct field_table *table,
                                      enum fields_way way))
{
    if (!visit(self, table, way))
        return;
    for (const struct field_table *const *one = table->variants; one && *one; one++)
        walk_tables(self, *one, way, visit);
    for (size_t i = 0; i < table->count && !table->variants; i++)
        if (table->rows[i].table && !(table->rows[i].flags & FIELD_INTERNAL))
            walk_tables(self, table->rows[i].table, way, visit);
}

static bool note_way(struct page *self, const struct field_table *table, enum fields_way way)
{
    const json_t *known = json_object_get(self->ways, table->name);

    if (known && (json_integer_value(known) == FIELDS_EITHER || json_integer_value(known) == way))
        return false;
    json_object_set_new(self->ways, table->name, json_integer(known ? FIELDS_EITHER : way));
    return true;
}

static bool add_schema(struct page *self, const struct field_table *table,
                       enum fields_way way UNUSED)
{
    const json_t *known = json_object_get(self->ways, table->name);

    if (json_object_get(self->schemas, table->name))
        return false;
    json_object_set_new(self->schemas, table->name,
                        fields_to_schema(table, (enum fields_way)json_integer_value(known)));
    return true;
}

static void walk_bodies(struct page *self, const struct endpoint *endpoint,
                        bool (*visit)(struct page *self, const struct field_table *table,
                                      enum fields_way way))
{
    const struct route *route = &endpoint->route;

    if (endpoint->takes_body)
        walk_tables(self, route->input, FIELDS_REQUEST, visit);
    if (route->output && !(route->flags & (R_NO_CONTENT | R_CONTENT)))
        walk_tables(self, route->output, FIELDS_ANSWER, visit);
}

/* Returns the handler's name, or for its second path a name such as "logout_v1_auth_logout". */
static const char *operation_id(struct page *self, const struct route *route)
{
    char *id = arena_strdup(self->arena, route->operation);

    if (route->alias || json_object_get(self->ids, id))
        id = arena_printf(self->arena, "%s%s", route->operation, route->path);
    for (char *c = id; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    json_object_set_new(self->ids, id, json_true());
    return id;
}

static void add_operation(struct page *self, const struct endpoint *endpoint)
{
    const struct route *route = &endpoint->route;
    json_t *path = json_object_get(self->paths, route->path);
    char *method = arena_strdup(self->arena, route->method);

    for (char *c = method; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    if (!path) {
        path = json_object();
        json_object_set_new(self->paths, route->path, path);
    }
    json_object_set_new(path, method,
                        openapi_operation(endpoint, operation_id(self, route), self->arena,
                                          self->responses));
}

static json_t *info_json(void)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:{s:s}, s:{s:s, s:s}}", "title", "Atrium", "version",
                     ATRIUM_VERSION, "summary", "Accounts and access for healthcare apps",
                     "description", openapi_introduction, "contact", "name",
                     "The operator of this installation", "license", "name", "Apache-2.0",
                     "identifier", "Apache-2.0");
}

static json_t *tags_json(void)
{
    json_t *list = json_array();

    for (const struct openapi_tag *tag = openapi_tags; tag->name; tag++)
        json_array_append_new(list, json_pack("{s:s, s:s}", "name", tag->name, "description",
                                              tag->description));
    return list;
}

static json_t *components_json(struct page *self)
{
    json_t *bearer =
        json_pack("{s:s, s:s, s:s, s:s}", "type", "http", "scheme", "bearer", "bearerFormat", "JWT",
                  "description",
                  "Access token from sign-in or registration. To get one by hand, try `POST "
                  "/v2/auth/login` with the `clientId` of a client application, and copy "
                  "`accessToken`.");
    json_t *key =
        json_pack("{s:s, s:s, s:s, s:s}", "type", "http", "scheme", "bearer", "bearerFormat",
                  "atk_...", "description", "API key of a project, for machines.");

    return json_pack("{s:O, s:O, s:o, s:{s:o, s:o}}", "schemas", self->schemas, "responses",
                     self->responses, "headers", openapi_headers(), "securitySchemes", "bearer",
                     bearer, "apiKey", key);
}

static void etag_fill(struct openapi *self, const char *text)
{
    uint8_t hash[crypto_generichash_BYTES_MIN];
    char hex[2 * sizeof(hash) + 1];

    crypto_generichash(hash, sizeof(hash), (const uint8_t *)text, self->size, NULL, 0);
    sodium_bin2hex(hex, sizeof(hex), hash, sizeof(hash));
    snprintf(self->etag, sizeof(self->etag), "\"%s\"", hex);
    snprintf(self->weak_etag, sizeof(self->weak_etag), "W/%s", self->etag);
}

static json_t *page_json(struct arena *arena, const struct endpoint *endpoints, size_t count,
                         const char *server)
{
    struct page page = {arena,         json_object(), json_object(),
                        json_object(), json_object(), json_object()};
    json_t *root;

    openapi_add_error_schemas(page.schemas);
    for (size_t i = 0; i < count; i++)
        if (endpoints[i].doc)
            walk_bodies(&page, &endpoints[i], note_way);
    for (size_t i = 0; i < count; i++) {
        if (!endpoints[i].doc)
            continue;
        walk_bodies(&page, &endpoints[i], add_schema);
        add_operation(&page, &endpoints[i]);
    }
    /* A relative server URL works whatever URL the page was loaded from. */
    root = json_pack("{s:s, s:o, s:[{s:s, s:s}], s:o, s:o, s:o}", "openapi", "3.1.0", "info",
                     info_json(), "servers", "url", server ? server : "/", "description",
                     "This installation", "tags", tags_json(), "paths", page.paths, "components",
                     components_json(&page));
    json_decref(page.schemas);
    json_decref(page.responses);
    json_decref(page.ways);
    json_decref(page.ids);
    return root;
}

static void keep(struct openapi *self, struct arena *arena, const json_t *root)
{
    CLEANUP(arena_destroy) struct arena *scratch = arena_new();
    const char *text = codec_dump_json(scratch, root), *brotli, *gzip;

    self->size = strlen(text);
    etag_fill(self, text);
    brotli = encode_brotli(scratch, text, self->size, &self->brotli_size);
    gzip = encode_gzip(scratch, text, self->size, &self->gzip_size);
    if (!brotli || !gzip)
        log_die("openapi", "the page cannot be compressed");
    self->brotli = arena_memdup(arena, brotli, self->brotli_size);
    self->gzip = arena_memdup(arena, gzip, self->gzip_size);
}

void openapi_build(struct openapi *self, struct openapi *older, struct arena *arena,
                   const struct endpoint *endpoints, size_t count, const char *server)
{
    CLEANUP(arena_destroy) struct arena *scratch = arena_new();
    json_t *root = page_json(scratch, endpoints, count, server);

    keep(self, arena, root);
    openapi_make_older(root);
    keep(older, arena, root);
    json_decref(root);
}

const char *openapi_text(const struct openapi *self, struct arena *arena)
{
    return encode_gunzip(arena, self->gzip, self->gzip_size, self->size);
}

static void choose_form(const struct openapi *self, const char *accept, struct arena *arena,
                        struct answer *answer)
{
    if (encode_is_accepted(accept, "br")) {
        answer->body = self->brotli;
        answer->size = self->brotli_size;
        answer->encoding = "br";
    } else if (encode_is_accepted(accept, "gzip")) {
        answer->body = self->gzip;
        answer->size = self->gzip_size;
        answer->encoding = "gzip";
    } else {
        answer->body = openapi_text(self, arena);
        answer->size = self->size;
    }
    if (answer->encoding)
        answer->etag = self->weak_etag;
}

static void serve(struct exchange *exchange, const struct openapi *self)
{
    const char *known = exchange->head.if_none_match;
    bool same = known && (strcmp(known, "*") == 0 || strstr(known, self->etag));
    struct answer answer = {
        .status = same ? 304 : 200, .cache = "no-cache", .etag = self->etag, .encodable = true};

    if (!same)
        choose_form(self, exchange->head.accept_encoding, exchange->arena, &answer);
    exchange_reply(exchange, &answer);
}

void openapi_serve(struct exchange *exchange)
{
    serve(exchange, &exchange->gateway->openapi);
}

void openapi_serve_older(struct exchange *exchange)
{
    serve(exchange, &exchange->gateway->openapi_older);
}
