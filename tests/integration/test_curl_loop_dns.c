/*
 * test_curl_loop_dns.c - transfers to hosts that no name server resolves end at their deadline, the
 * loop continues, and it stops promptly.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/runtime/curl_loop.h"
#include "tests/support/silent_dns.h"
#include "tests/support/unit.h"

enum { FIBERS = 12, PROMPT_MS = 2000 /* a blocking lookup takes at least 5,000 */ };

static struct silent_dns *dns;

struct client {
    struct loop *loop;
    struct curl_loop *curl;
    char url[128];
    int64_t timeout_ms, took_ms;
    int result;
    CURLcode code;
    enum error_code error;
    char address[64]; /* address of the connection */
    size_t *left;
};

static void fetch(struct client *self)
{
    CURL *easy = curl_loop_easy(self->curl);
    int64_t begin_ms = clock_mono_ms();
    const char *address = NULL;
    struct error err;

    error_init(&err, NULL);
    curl_easy_setopt(easy, CURLOPT_URL, self->url);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    self->result =
        curl_loop_perform(self->curl, easy, begin_ms + self->timeout_ms, &self->code, &err);
    self->error = err.code;
    if (curl_easy_getinfo(easy, CURLINFO_PRIMARY_IP, &address) == CURLE_OK && address)
        snprintf(self->address, sizeof(self->address), "%s", address);
    curl_easy_cleanup(easy);
    self->took_ms = clock_mono_ms() - begin_ms;
}

static void client_fiber(void *arg)
{
    struct client *self = arg;

    fetch(self);
    --*self->left;
}

/* Runs all clients on fibers. Returns the loop's longest turn meanwhile, in ms. */
static int64_t run_all(struct loop *loop, struct client *clients, size_t count)
{
    int64_t longest_ms = 0;
    size_t left = count;
    struct error err;

    error_init(&err, NULL);
    for (size_t i = 0; i < count; i++) {
        clients[i].left = &left;
        CU_ASSERT(fiber_start(loop, client_fiber, &clients[i], &err) == 0);
    }
    while (left > 0) {
        int64_t before_ms = clock_mono_ms();

        CU_ASSERT(fiber_sleep_until(loop, before_ms + 5, &err) == 0);
        longest_ms = MAX(longest_ms, clock_mono_ms() - before_ms - 5);
    }
    return longest_ms;
}

static void silence(struct loop *loop, void *arg UNUSED)
{
    struct curl_loop *curl = curl_loop_new(loop);
    struct client clients[FIBERS];
    int64_t longest_ms, begin_ms;

    silent_dns_set(dns, true);
    for (size_t i = 0; i < FIBERS; i++) {
        clients[i] = (struct client){.loop = loop, .curl = curl, .timeout_ms = 300};
        snprintf(clients[i].url, sizeof(clients[i].url), "http://silent%zu.example/", i);
    }
    longest_ms = run_all(loop, clients, FIBERS);
    UNIT_CHECK(longest_ms < PROMPT_MS, "the loop stood for %lld ms", (long long)longest_ms);
    for (size_t i = 0; i < FIBERS; i++)
        UNIT_CHECK(clients[i].result == -1 && clients[i].error == ERR_DEADLINE &&
                       clients[i].took_ms < 300 + PROMPT_MS,
                   "transfer %zu ended after %lld ms", i, (long long)clients[i].took_ms);
    begin_ms = clock_mono_ms();
    curl_loop_destroy(&curl);
    CU_ASSERT(clock_mono_ms() - begin_ms < PROMPT_MS);
    silent_dns_set(dns, false);
}

static void test_a_silent_name_server_holds_no_loop(void)
{
    unit_on_fiber(silence, NULL);
}

/* Uses a host in each form that a URL allows. libcurl must resolve none itself. */
static void forms(struct loop *loop, void *arg UNUSED)
{
    static const struct {
        const char *host;
        bool resolved;
    } rows[] = {
        {"a.example", true},          {"A.Example", true},
        {"dot.example.", true},       {"xn--bcher-kva.example", true},
        {"127.0.0.1", true},          {"127.1", true},
        {"localhost", true},          {"x.localhost", true},
        {"no.absent.example", false},
    };
    struct curl_loop *curl = curl_loop_new(loop);
    struct client client = {.loop = loop, .curl = curl, .timeout_ms = 10000};
    int port = unit_free_port();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        client.address[0] = '\0';
        snprintf(client.url, sizeof(client.url), "http://%s:%d/", rows[i].host, port);
        fetch(&client);
        UNIT_CHECK(client.result == 0 &&
                       client.code ==
                           (rows[i].resolved ? CURLE_COULDNT_CONNECT : CURLE_COULDNT_RESOLVE_HOST),
                   "%s: %d %s", rows[i].host, client.result, curl_easy_strerror(client.code));
    }
    curl_loop_destroy(&curl);
}

static void test_hosts_in_all_their_forms(void)
{
    unit_on_fiber(forms, NULL);
}

static const struct unit_case cases[] = {
    CASE(test_a_silent_name_server_holds_no_loop),
    CASE(test_hosts_in_all_their_forms),
};

int main(void)
{
    const char *reason;
    int rc;

    dns = silent_dns_start(&reason);
    if (!dns)
        return unit_leave_out_suite("curl_loop_dns", reason);
    rc = unit_run("curl_loop_dns", cases, ARRAY_SIZE(cases));
    silent_dns_stop(&dns);
    return rc;
}
