/*
 * test_fetch.c - closed networks apply to the connection's address, whatever the name. See
 * test_network.c for the networks.
 */
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/service/fetch.h"
#include "common/service/network.h"
#include "tests/support/unit.h"

static void test_bad_rules(void)
{
    static const char *const wrong[] = {"10.0.0.0/8", "everywhere", NULL};
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct network_rules rules;
    struct error err;

    error_init(&err, arena);
    CU_ASSERT(network_rules_read("allow_networks", wrong, arena, &rules, &err) == -1);
    CU_ASSERT(strstr(err.message, "everywhere") != NULL);
}

struct server {
    int socket, port, connections;
    pthread_t thread;
};

static void *server_main(void *arg)
{
    static const char answer[] =
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";
    struct server *self = arg;
    int client;

    while ((client = accept4(self->socket, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        char request[1024];

        self->connections++;
        if (read(client, request, sizeof(request)) > 0 &&
            write(client, answer, sizeof(answer) - 1) < 0)
            perror("server");
        close(client);
    }
    return NULL;
}

static void server_start(struct server *self)
{
    *self = (struct server){0};
    self->socket = unit_listen(16, &self->port);
    CU_ASSERT(pthread_create(&self->thread, NULL, server_main, self) == 0);
}

static void server_stop(struct server *self)
{
    shutdown(self->socket, SHUT_RDWR);
    pthread_join(self->thread, NULL);
    close(self->socket);
}

struct client {
    struct loop *loop;
    struct curl_loop *curl;
    const struct network_rules *rules;
    const char *host;
    int port;
    enum error_code code; /* ERR_NONE: a response */
};

static void client_fiber(void *arg)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct client *self = arg;
    struct fetch_answer answer;
    struct error err;
    const struct fetch what = {.url = arena_printf(arena, "http://%s:%d/", self->host, self->port),
                               .body = "{}",
                               .networks = self->rules,
                               .plain = true,
                               .answer_max = 1024,
                               .deadline_mono_ms = clock_mono_ms() + 5000};

    error_init(&err, arena);
    self->code = fetch_perform(self->curl, arena, &what, &answer, &err) == 0 ? ERR_NONE : err.code;
    loop_stop(self->loop);
}

/* libcurl resolves "localhost" to both loopback addresses; only the connected one matters. */
static void test_the_connection_is_looked_at(void)
{
    static const char *const v4[] = {"127.0.0.1", NULL}, *const v6[] = {"::1", NULL};
    static const struct {
        const char *host;
        const char *const *allowed;
        enum error_code want;
    } rows[] = {
        {"127.0.0.1", NULL, ERR_FORBIDDEN},
        {"localhost", NULL, ERR_FORBIDDEN},
        {"LOCALHOST", NULL, ERR_FORBIDDEN},
        {"2130706433", NULL, ERR_FORBIDDEN},
        {"0x7f.1", NULL, ERR_FORBIDDEN},
        {"[::ffff:127.0.0.1]", NULL, ERR_FORBIDDEN},
        {"[::]", NULL, ERR_FORBIDDEN},
        {"127.0.0.1", v4, ERR_NONE},
        {"localhost", v4, ERR_NONE},
        {"localhost", v6, ERR_FORBIDDEN}, /* nothing listens at the other, allowed address */
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        struct client client = {.loop = loop_new(), .host = rows[i].host};
        struct network_rules rules;
        struct server server;
        struct error err;

        error_init(&err, arena);
        CU_ASSERT(network_rules_read("x", rows[i].allowed, arena, &rules, &err) == 0);
        server_start(&server);
        client.rules = &rules;
        client.port = server.port;
        client.curl = curl_loop_new(client.loop);
        CU_ASSERT(fiber_start(client.loop, client_fiber, &client, &err) == 0);
        CU_ASSERT(loop_run(client.loop) == 0);
        curl_loop_destroy(&client.curl);
        loop_destroy(&client.loop);
        server_stop(&server);
        UNIT_CHECK(client.code == rows[i].want, "%s %zu: %s", rows[i].host, i,
                   error_kind(client.code)->wire);
        UNIT_CHECK(server.connections == (rows[i].want == ERR_NONE), "%s: %d connections",
                   rows[i].host, server.connections);
    }
}

static const struct unit_case cases[] = {
    CASE(test_bad_rules),
    CASE(test_the_connection_is_looked_at),
};

int main(void)
{
    return unit_run("fetch", cases, ARRAY_SIZE(cases));
}
