/*
 * test_curl_loop.c - libcurl transfers on fibers, with a small HTTP server on a thread.
 */
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/runtime/curl_loop.h"
#include "tests/support/unit.h"

enum { CLIENTS = 50, ANSWER_AFTER_MS = 100 };

/* Accepts CLIENTS connections, waits, and then answers all. */
struct server {
    int socket, port;
    pthread_t thread;
};

static void *server_main(void *arg)
{
    static const char answer[] =
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
    struct server *self = arg;
    int clients[CLIENTS];
    char request[1024];

    for (int i = 0; i < CLIENTS; i++)
        clients[i] = accept4(self->socket, NULL, NULL, SOCK_CLOEXEC);
    poll(NULL, 0, ANSWER_AFTER_MS);
    for (int i = 0; i < CLIENTS; i++) {
        if (read(clients[i], request, sizeof(request)) <= 0 ||
            write(clients[i], answer, sizeof(answer) - 1) < 0)
            perror("server");
        close(clients[i]);
    }
    return NULL;
}

struct client {
    struct loop *loop;
    struct curl_loop *curl;
    const struct server *server;
    int64_t deadline_ms;
    int result;
    CURLcode code;
    enum error_code error;
    size_t bytes;
    long status;
    int *left;
};

static size_t count_bytes(char *data UNUSED, size_t size, size_t count, void *arg)
{
    ((struct client *)arg)->bytes += size * count;
    return size * count;
}

static void fetch(void *arg)
{
    struct client *self = arg;
    CURL *easy = curl_loop_easy(self->curl);
    struct error err;
    char url[64];

    error_init(&err, NULL);
    snprintf(url, sizeof(url), "http://127.0.0.1:%d/", self->server->port);
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, count_bytes);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, self);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    self->result = curl_loop_perform(self->curl, easy, self->deadline_ms, &self->code, &err);
    self->error = err.code;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &self->status);
    curl_easy_cleanup(easy);
    if (self->left)
        --*self->left;
}

static void many(struct loop *loop, void *arg UNUSED)
{
    struct client *clients = calloc(CLIENTS, sizeof(*clients));
    struct curl_loop *curl = curl_loop_new(loop);
    struct server server;
    int left = CLIENTS;
    struct error err;

    error_init(&err, NULL);
    server.socket = unit_listen(CLIENTS, &server.port);
    CU_ASSERT(pthread_create(&server.thread, NULL, server_main, &server) == 0);
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = (struct client){.loop = loop, .curl = curl, .server = &server, .left = &left};
        clients[i].deadline_ms = clock_mono_ms() + 10000;
        CU_ASSERT(fiber_start(loop, fetch, &clients[i], &err) == 0);
    }
    while (left > 0)
        CU_ASSERT(fiber_sleep_until(loop, clock_mono_ms() + 5, &err) == 0);
    for (int i = 0; i < CLIENTS; i++)
        UNIT_CHECK(clients[i].result == 0 && clients[i].code == CURLE_OK &&
                       clients[i].status == 200 && clients[i].bytes == 2,
                   "transfer %d: %s", i, curl_easy_strerror(clients[i].code));
    pthread_join(server.thread, NULL);
    close(server.socket);
    curl_loop_destroy(&curl);
    CU_ASSERT_PTR_NULL(curl);
    free(clients);
}

static void test_many_at_once_on_one_thread(void)
{
    unit_on_fiber(many, NULL);
}

static void failing(struct loop *loop, void *arg UNUSED)
{
    struct curl_loop *curl = curl_loop_new(loop);
    struct server silent, absent = {.port = unit_free_port()};
    int64_t begin = clock_mono_ms();
    struct client client = {
        .loop = loop, .curl = curl, .server = &silent, .deadline_ms = begin + 100};

    silent.socket = unit_listen(CLIENTS, &silent.port);
    fetch(&client);
    CU_ASSERT(client.result == -1 && client.error == ERR_DEADLINE);
    CU_ASSERT(clock_mono_ms() - begin >= 100 && clock_mono_ms() - begin < 5000);

    client.server = &absent;
    client.deadline_ms = clock_mono_ms() + 10000;
    fetch(&client);
    CU_ASSERT(client.result == 0 && client.code == CURLE_COULDNT_CONNECT);

    fiber_cancel_all(loop);
    client.server = &silent;
    fetch(&client);
    CU_ASSERT(client.result == -1 && client.error == ERR_UNAVAILABLE);
    close(silent.socket);
    curl_loop_destroy(&curl);
}

static void test_deadline_no_server_shutdown(void)
{
    unit_on_fiber(failing, NULL);
}

static const struct unit_case cases[] = {
    CASE(test_many_at_once_on_one_thread),
    CASE(test_deadline_no_server_shutdown),
};

int main(void)
{
    return unit_run("curl_loop", cases, ARRAY_SIZE(cases));
}
