/* serve.c - see serve.h. */
#include "gateway/endpoint/serve.h"

#include <strings.h>

#include <sodium.h>

#include "authd/authd_api.h"
#include "authd/operation_api.h"
#include "common/domain/endpoint.h"
#include "common/domain/request.h"
#include "gateway/auth/authenticate.h"
#include "gateway/http/target_origin.h"
#include "gateway/transfer/download.h"
#include "gateway/transfer/upload.h"

enum { DEADLINE_S = 10, USER_AGENT_MAX = 512 };

/* Upload routes are called when the fields before the file are complete, so their time starts
 * now. */
static int64_t deadline_of(const struct exchange *exchange)
{
    const struct endpoint *endpoint = exchange->endpoint;
    unsigned seconds = endpoint ? ROUTE_SECONDS(endpoint->route.flags) : 0;
    int64_t since_ms = exchange->upload ? clock_mono_ms() : exchange->arrived_us / 1000;

    return since_ms + (int64_t)(seconds > 0 ? seconds : DEADLINE_S) * 1000;
}

struct source {
    const struct exchange *exchange;
    struct query query;
};

void serve_request(const struct exchange *exchange, struct request *ret)
{
    struct address client = exchange_client(exchange);
    char *address = arena_alloc(exchange->arena, INET6_ADDRSTRLEN);
    const char *agent = exchange->head.user_agent ? exchange->head.user_agent : "";
    size_t size = strnlen(agent, USER_AGENT_MAX);

    address_format(&client, address);
    *ret = (struct request){
        .arena = exchange->arena,
        .service = "gateway",
        .trace = exchange->trace,
        .address = address,
        .userAgent = codec_is_text(agent, size) ? arena_strndup(exchange->arena, agent, size) : "",
        .now_ms = clock_now_ms(exchange->gateway->service.clock),
        .deadline_mono_ms = deadline_of(exchange),
    };
}

static int throttle(struct exchange *exchange, const struct request *req, struct error *err)
{
    struct register_admit_in in = {req->address};
    struct nothing out;

    if (!(exchange->endpoint->route.flags & R_THROTTLE_REGISTER))
        return 0;
    return authd_register_admit(exchange->gateway->service.bus, req, &in, &out, err);
}

static const char *lookup(const void *context, unsigned where, const char *name)
{
    const struct source *source = context;
    const struct exchange *exchange = source->exchange;

    if ((where & FIELD_HEADER) && strcasecmp(name, "Host") == 0)
        return target_origin_of(exchange).host;
    if ((where & FIELD_HEADER) && strcasecmp(name, "X-Forwarded-Proto") == 0)
        return target_origin_of(exchange).scheme;
    if (where & FIELD_HEADER)
        return exchange_header(exchange, name);
    if (where & FIELD_QUERY)
        return query_find(&source->query, name);
    for (size_t i = 0; i < exchange->match.count; i++)
        if (strcmp(exchange->match.parameters[i].name, name) == 0)
            return exchange->match.parameters[i].value;
    return NULL;
}

bool serve_is_media_type(const char *content_type, const char *wanted)
{
    size_t length = strlen(wanted);

    return content_type && strncasecmp(content_type, wanted, length) == 0 &&
           strchr("; \t", content_type[length]);
}

/* Checks Content-Type. PATCH merges, with either media type (RFC 7396). */
static int check_media_type(const struct exchange *exchange, struct error *err)
{
    const char *type = exchange->head.content_type;

    if (exchange->body_size == 0)
        return 0;
    if (head_is_encoded(&exchange->head))
        return error_set(err, ERR_UNSUPPORTED_MEDIA, UNENCODED);
    if (!serve_is_media_type(type, "application/json") &&
        !(strcmp(exchange->method, "PATCH") == 0 &&
          serve_is_media_type(type, "application/merge-patch+json")))
        return error_set(err, ERR_UNSUPPORTED_MEDIA, "The Content-Type must be application/json.");
    return 0;
}

/* Sets *ret to the body: an object, or any JSON if a field is the whole body. If there is no body,
 * *ret is NULL, which counts as {}, so that each missing member is reported. */
static int read_body(const struct exchange *exchange, json_t **ret, struct error *err)
{
    const char *text = (const char *)exchange->body;
    size_t size = exchange->body_size;

    *ret = NULL;
    codec_skip_mark(&text, &size);
    if (size == 0)
        return 0;
    *ret = codec_parse_exact(text, size, !fields_body(exchange->endpoint->route.input), err);
    return *ret ? 0 : -1;
}

int serve_input(struct exchange *exchange, json_t *body, void **ret, struct error *err)
{
    const struct field_table *table = exchange->endpoint->route.input;
    struct source source = {.exchange = exchange};

    if (query_decode(exchange->parts.query, exchange->arena, &source.query, err) < 0)
        return -1;
    *ret = arena_alloc(exchange->arena, table->size);
    return fields_read(table, &(struct field_source){body, lookup, &source}, exchange->arena, *ret,
                       err);
}

int serve_call(struct exchange *exchange, const struct request *req, void *input,
               msgpack_object *ret, struct error *err)
{
    const struct endpoint *endpoint = exchange->endpoint;
    struct codec_buffer buffer;
    int result;

    codec_buffer_init(&buffer, exchange->arena);
    fields_pack(endpoint->route.input, input, &buffer);
    if (endpoint->secret_in)
        fields_wipe(endpoint->route.input, input);
    result = bus_call_packed(exchange->gateway->service.bus, &endpoint->method, req, buffer.bytes,
                             buffer.size, ret, err);
    if (endpoint->secret_in)
        sodium_memzero(buffer.bytes, buffer.size);
    return result;
}

void serve_set(const struct exchange *exchange, void *input, const struct field_table *table,
               const void *member)
{
    const struct field_table *all = exchange->endpoint->route.input;

    for (size_t i = 0; i < all->count; i++)
        if (all->rows[i].table == table)
            memcpy((char *)input + all->rows[i].offset, &member, sizeof(member));
}

static int call_with_file(struct exchange *exchange, const struct request *req, void *input,
                          msgpack_object *ret, struct error *err)
{
    const struct form *form = upload_form(exchange->upload, err);
    struct form_ticket ticket;

    if (!form)
        return -1;
    serve_set(exchange, input, &form_table, form);
    if (serve_call(exchange, req, input, ret, err) < 0 ||
        fields_unpack(&form_ticket_table, ret, exchange->arena, &ticket, err) < 0)
        return -1;
    return upload_run(exchange->upload, req, &ticket, err);
}

/* Daemons send an ETag as a member of the body. */
static const char *take_etag(const struct exchange *exchange, const msgpack_object *output)
{
    const msgpack_object *etag = codec_member(output, "etag");

    if (!etag || etag->type != MSGPACK_OBJECT_STR)
        return NULL;
    return arena_strndup(exchange->arena, etag->via.str.ptr, etag->via.str.size);
}

/* Returns the limit that a success reports, if it counted for one (error_limit()). */
static const struct error *noted_limit(const struct error *err)
{
    return err->code == ERR_NONE && err->limit > 0 ? err : NULL;
}

static void answer_success(struct exchange *exchange, const msgpack_object *output)
{
    const struct route *route = &exchange->endpoint->route;
    struct answer answer = {.status = 204, .error = noted_limit(&exchange->err)};

    if (!(route->flags & R_NO_CONTENT)) {
        answer.status = 200;
        answer.etag = route->flags & R_ETAG ? take_etag(exchange, output) : NULL;
        answer.body = fields_print(route->output, output, exchange->arena, &answer.size);
    }
    exchange_reply(exchange, &answer);
}

/* Rejects a session without a required second factor, except where it enrolls one or manages
 * itself. */
static int check_factor(const struct exchange *exchange, const struct authentication *who,
                        struct error *err)
{
    const struct route *route = &exchange->endpoint->route;
    bool own = strncmp(route->path, "/auth/", strlen("/auth/")) == 0 && !(route->flags & R_FACTOR);

    if (who->logged_out || !who->identity->factor_required || who->caller.secondFactor || own ||
        route->access == ACCESS_LOGOUT)
        return 0;
    return error_set(err, ERR_MFA_ENROLLMENT_REQUIRED,
                     "The project requires a second factor. Set one up first.");
}

/* Rejects an API key on routes that no policy can name: sessions, settings, members and keys. */
static int check_key(const struct exchange *exchange, const struct authentication *who,
                     struct error *err)
{
    const struct request as = {.caller = &who->caller};

    if (!request_is_key(&as) || exchange->endpoint->route.flags & R_KEY)
        return 0;
    return error_set(err, ERR_FORBIDDEN, "API keys can't be used here. Send an access token.");
}

/* Returns 1 if the caller has already logged out. */
static int admit(struct exchange *exchange, struct request *req, struct authentication *who,
                 struct error *err)
{
    enum access access = exchange->endpoint->route.access;
    bool safe = exchange->endpoint->route.flags & R_SAFE;
    struct endpoint_visit visit;

    if (throttle(exchange, req, err) < 0)
        return -1;
    if (access == ACCESS_PUBLIC &&
        !(exchange->endpoint->route.flags & R_OPTIONAL_TOKEN && exchange->head.authorization))
        return 0;
    exchange_describe(exchange, &visit);
    if (authenticate(exchange->gateway, req, &visit, access, safe, who, err) < 0 ||
        check_key(exchange, who, err) < 0 || check_factor(exchange, who, err) < 0)
        return -1;
    req->caller = &who->caller;
    return who->logged_out;
}

static int run(struct exchange *exchange, struct request *req, struct authentication *who,
               msgpack_object *ret, struct error *err)
{
    const struct error refusal = *err;
    int admitted = admit(exchange, req, who, err);
    json_auto_t *body = NULL;
    void *input;

    if (admitted != 0)
        return admitted;
    if (exchange->refused) {
        *err = refusal;
        return -1;
    }
    if (check_media_type(exchange, err) < 0 || read_body(exchange, &body, err) < 0 ||
        serve_input(exchange, body, &input, err) < 0)
        return -1;
    if (exchange->upload)
        return call_with_file(exchange, req, input, ret, err);
    if (exchange->endpoint->route.flags & R_CONTENT)
        download_prepare(exchange, input);
    if (serve_call(exchange, req, input, ret, err) == 0)
        return 0;
    /* Two logouts with one token were concurrent. The second answers as if it came later. */
    if (err->code == ERR_UNAUTHORIZED && exchange->endpoint->route.access == ACCESS_LOGOUT &&
        authentication_logged_out(exchange->gateway, who))
        return 1;
    return -1;
}

void serve_route(struct exchange *exchange)
{
    CLEANUP(authentication_end) struct authentication who = {0};
    struct answer nothing_left = {.status = 204};
    struct request req;
    msgpack_object output;
    int result;

    warm_up_wait(exchange->gateway);
    serve_request(exchange, &req);
    result = run(exchange, &req, &who, &output, &exchange->err);
    if (result == 0 && exchange->endpoint->route.flags & R_CONTENT)
        result = download_serve(exchange, &req, &output, &exchange->err);
    else if (result == 0)
        answer_success(exchange, &output);
    if (result < 0 && exchange->upload)
        upload_refuse(exchange->upload);
    if (result < 0)
        exchange_fail(exchange, NULL);
    else if (result > 0)
        exchange_reply(exchange, &nothing_left);
}
