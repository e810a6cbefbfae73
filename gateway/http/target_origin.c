/* target_origin.c - see target_origin.h. */
#include "gateway/http/target_origin.h"

#include <strings.h>

static const char gap[] = " \t";

struct search {
    const char *name, *value;
};

static enum MHD_Result keep_last(void *arg, enum MHD_ValueKind kind UNUSED, const char *name,
                                 const char *value)
{
    struct search *self = arg;

    if (strcasecmp(name, self->name) == 0)
        self->value = value;
    return MHD_YES;
}

/* Returns the last entry of a list, which can span several headers. NULL: empty. */
static const char *last_entry(const struct exchange *exchange, const char *name)
{
    struct search search = {.name = name};
    const char *comma;

    MHD_get_connection_values(exchange->mhd, MHD_HEADER_KIND, keep_last, &search);
    comma = search.value ? strrchr(search.value, ',') : NULL;
    if (comma)
        search.value = comma + 1;
    return search.value ? search.value + strspn(search.value, gap) : NULL;
}

static const char *trimmed(const struct exchange *exchange, const char *text, size_t length)
{
    while (length > 0 && strchr(gap, text[length - 1]))
        length--;
    return length > 0 ? arena_strndup(exchange->arena, text, length) : NULL;
}

/* Finds name=value or name="value" in a list with semicolons. Without escapes. */
static const char *pair_of(const struct exchange *exchange, const char *pairs, const char *name)
{
    size_t size = strlen(name);

    while (*pairs) {
        size_t length;

        pairs += strspn(pairs, gap);
        if (strncasecmp(pairs, name, size) == 0 && pairs[size] == '=') {
            const char *value = pairs + size + 1;

            return *value == '"' ? trimmed(exchange, value + 1, strcspn(value + 1, "\";"))
                                 : trimmed(exchange, value, strcspn(value, ";"));
        }
        length = strcspn(pairs, ";");
        pairs += length + (pairs[length] == ';');
    }
    return NULL;
}

static const char *text_of(const struct exchange *exchange, const char *name)
{
    const char *entry = last_entry(exchange, name);

    return entry ? trimmed(exchange, entry, strlen(entry)) : NULL;
}

struct target_origin target_origin_of(const struct exchange *exchange)
{
    const struct gateway *gateway = exchange->gateway;
    struct target_origin self = {"http", exchange_header(exchange, "Host")};
    const char *scheme, *host, *entry;

    if (!address_networks_have(&gateway->trusted, &exchange->connection->peer))
        return self;
    if (strcmp(gateway_config(gateway)->forwarded_header, "Forwarded") == 0) {
        entry = last_entry(exchange, "Forwarded");
        scheme = entry ? pair_of(exchange, entry, "proto") : NULL;
        host = entry ? pair_of(exchange, entry, "host") : NULL;
    } else {
        scheme = text_of(exchange, "X-Forwarded-Proto");
        host = text_of(exchange, "X-Forwarded-Host");
    }
    if (scheme && strcasecmp(scheme, "https") == 0)
        self.scheme = "https";
    if (host)
        self.host = host;
    return self;
}
