/*
 * db_hosts.c - the servers of a connection string, tried one by one.
 *
 * Non-blocking libpq has no timeout per server, so a dead machine would block the rest of the list.
 * It also takes the first server that allows writing, perhaps a former primary.
 */
#include <stdio.h>

#include "common/base/clock.h"
#include "common/base/memory.h"
#include "common/pg/db_private.h"

static size_t list_count(const char *list)
{
    size_t count = 1;

    for (; list && *list; list++)
        count += *list == ',';
    return count;
}

/* Returns an item of a list. A list with a single item applies it to all hosts, such as one
 * port. */
static char *list_item(const char *list, size_t index)
{
    char *item;

    if (!list)
        return NULL;
    for (index = MIN(index, list_count(list) - 1); index > 0; index--)
        list = strchr(list, ',') + 1;
    item = memory_ensure(strndup(list, strcspn(list, ",")));
    return item;
}

/* False for an empty item, whose default only libpq knows. */
static bool list_is_plain(const char *list)
{
    return !list || (*list && *list != ',' && !strstr(list, ",,") && list[strlen(list) - 1] != ',');
}

static const char *value_of(const PQconninfoOption *parsed, const char *keyword)
{
    for (const PQconninfoOption *row = parsed; row && row->keyword; row++)
        if (strcmp(row->keyword, keyword) == 0)
            return row->val;
    return NULL;
}

void db_hosts_init(struct db_hosts *self, const char *conninfo)
{
    PQconninfoOption *parsed = PQconninfoParse(conninfo, NULL);
    const char *host = value_of(parsed, "host"), *hostaddr = value_of(parsed, "hostaddr"),
               *port = value_of(parsed, "port");
    size_t count = MAX(list_count(host), list_count(hostaddr));

    *self = (struct db_hosts){.count = 1};
    if ((host || hostaddr) && count <= DB_HOSTS_MAX && list_is_plain(host) &&
        list_is_plain(hostaddr) && list_is_plain(port)) {
        self->count = count;
        for (size_t i = 0; i < count; i++)
            self->items[i] = (struct db_host){.host = list_item(host, i),
                                              .hostaddr = list_item(hostaddr, i),
                                              .port = list_item(port, i)};
    }
    PQconninfoFree(parsed);
}

void db_hosts_clear(struct db_hosts *self)
{
    for (size_t i = 0; i < self->count; i++) {
        free(self->items[i].host);
        free(self->items[i].hostaddr);
        free(self->items[i].port);
    }
    self->count = 0;
}

/* Follows libpq's rule for directories and abstract sockets. */
static bool is_socket(const char *host)
{
    return *host == '/' || *host == '@';
}

static void target_fill(struct db_target *self, const char *name,
                        const struct resolver_addresses *addresses)
{
    int names = 0, texts = 0;

    for (size_t i = 0; i < addresses->count; i++) {
        const char *comma = i > 0 ? "," : "";
        char text[INET6_ADDRSTRLEN];

        address_format(&addresses->items[i], text);
        names +=
            snprintf(self->names + names, sizeof(self->names) - (size_t)names, "%s%s", comma, name);
        texts += snprintf(self->addresses + texts, sizeof(self->addresses) - (size_t)texts, "%s%s",
                          comma, text);
    }
    self->host = self->names; /* certificates are still checked for the name */
    self->hostaddr = self->addresses;
}

enum resolver_state db_hosts_resolve(struct db *db, const struct db_host *host,
                                     struct db_target *ret, struct error *err)
{
    struct resolver_addresses addresses;
    enum resolver_state state;

    ret->host = host->host;
    ret->hostaddr = host->hostaddr;
    ret->port = host->port;
    if (!host->host || host->hostaddr || is_socket(host->host) || !resolver_is_name(host->host))
        return RESOLVER_FOUND;
    state =
        resolver_poll(db->resolver, host->host, clock_mono_ms() + DB_RESOLVE_MS, &addresses, err);
    if (state == RESOLVER_FOUND)
        target_fill(ret, host->host, &addresses);
    return state;
}
