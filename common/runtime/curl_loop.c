/*
 * curl_loop.c - see curl_loop.h. libcurl's callbacks run on the loop's stack; a fiber only adds its
 * transfer, parks and removes it.
 */
#include "common/runtime/curl_loop.h"

#include <assert.h>
#include <stdio.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/memory.h"
#include "common/runtime/resolver.h"

struct transfer {
    struct transfer *next;
    CURL *easy;
    struct fiber *fiber;
    CURLcode result;
    bool done;
};

/* A watched descriptor of libcurl, attached with curl_multi_assign(). */
struct curl_socket {
    struct curl_loop *owner;
    curl_socket_t fd;
};

struct curl_loop {
    struct loop *loop;
    CURLM *multi; /* NULL before the first transfer */
    struct resolver *resolver;
    struct loop_timer *timer;
    struct transfer *transfers;
};

static void act(struct curl_loop *self, curl_socket_t fd, int events)
{
    CURLMsg *message;
    int ignored;

    if (curl_multi_socket_action(self->multi, fd, events, &ignored) != CURLM_OK)
        log_die("curl", "the multi handle is broken");
    while ((message = curl_multi_info_read(self->multi, &ignored))) {
        struct transfer *transfer = self->transfers;

        while (transfer && transfer->easy != message->easy_handle)
            transfer = transfer->next;
        if (!transfer || message->msg != CURLMSG_DONE)
            continue;
        transfer->result = message->data.result;
        transfer->done = true;
        fiber_wake(transfer->fiber);
    }
}

static void on_ready(void *arg, short revents)
{
    const struct curl_socket *socket =
        arg; /* freed if libcurl closes the descriptor during the call */
    int events = ((revents & ZMQ_POLLIN) != 0 ? CURL_CSELECT_IN : 0) |
                 ((revents & ZMQ_POLLOUT) != 0 ? CURL_CSELECT_OUT : 0) |
                 ((revents & ZMQ_POLLERR) != 0 ? CURL_CSELECT_ERR : 0);

    act(socket->owner, socket->fd, events);
}

static int on_socket(CURL *easy UNUSED, curl_socket_t fd, int what, void *arg, void *assigned)
{
    struct curl_loop *self = arg;
    struct curl_socket *socket = assigned;
    short events = (short)(((what & CURL_POLL_IN) != 0 ? ZMQ_POLLIN : 0) |
                           ((what & CURL_POLL_OUT) != 0 ? ZMQ_POLLOUT : 0));

    if (what == CURL_POLL_REMOVE) {
        loop_unwatch(self->loop, fd);
        free(socket);
        return 0;
    }
    if (!socket) {
        socket = memory_raw(sizeof(*socket));
        *socket = (struct curl_socket){self, fd};
        curl_multi_assign(self->multi, fd, socket);
    }
    loop_watch(self->loop, fd, events, on_ready, socket);
    return 0;
}

static void on_timeout(void *arg)
{
    struct curl_loop *self = arg;

    self->timer = NULL;
    act(self, CURL_SOCKET_TIMEOUT, 0);
}

static int on_timer(CURLM *multi UNUSED, long timeout_ms, void *arg)
{
    struct curl_loop *self = arg;

    loop_cancel(self->loop, &self->timer);
    if (timeout_ms >= 0)
        self->timer = loop_at(self->loop, clock_mono_ms() + timeout_ms, on_timeout, self);
    return 0;
}

struct curl_loop *curl_loop_new(struct loop *loop)
{
    struct curl_loop *self = memory_new(sizeof(*self));

    self->loop = loop;
    self->resolver = resolver_new(loop);
    return self;
}

/* Starts libcurl and OpenSSL, which take 2 MiB, only for daemons with transfers. */
static void start_multi(struct curl_loop *self)
{
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK || !(self->multi = curl_multi_init()))
        log_die("curl", "libcurl cannot be started");
    curl_multi_setopt(self->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(self->multi, CURLMOPT_SOCKETDATA, self);
    curl_multi_setopt(self->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(self->multi, CURLMOPT_TIMERDATA, self);
}

CURL *curl_loop_easy(struct curl_loop *self)
{
    CURL *easy;

    if (!self->multi)
        start_multi(self);
    easy = memory_ensure(curl_easy_init());
    return easy;
}

void curl_loop_destroy(struct curl_loop **self_p)
{
    struct curl_loop *self = TAKE_PTR(*self_p);

    if (!self)
        return;
    assert(!self->transfers);
    if (self->multi) {
        curl_multi_cleanup(self->multi); /* closes idle connections, through on_socket() */
        curl_global_cleanup();
    }
    loop_cancel(self->loop, &self->timer);
    resolver_destroy(&self->resolver);
    free(self);
}

static void transfer_remove(struct curl_loop *self, const struct transfer *transfer)
{
    struct transfer **link = &self->transfers;

    curl_multi_remove_handle(self->multi, transfer->easy);
    while (*link != transfer)
        link = &(*link)->next;
    *link = transfer->next;
}

/* ---- names ---- */

/* Fails, because libcurl must not resolve names; see curl_loop.h. */
static int refuse_to_resolve(void *resolver UNUSED, void *reserved UNUSED, void *arg UNUSED)
{
    return 1;
}

/* Returns "+host:port:address,address", which libcurl forgets after a minute. */
static struct curl_slist *resolve_entry(const char *host, const char *port,
                                        const struct resolver_addresses *addresses)
{
    char text[512 + RESOLVER_ADDRESSES_MAX * (INET6_ADDRSTRLEN + 3)];
    int length = snprintf(text, sizeof(text), "+%.253s:%.5s:", host, port);
    struct curl_slist *list;

    for (size_t i = 0; i < addresses->count; i++) {
        char address[INET6_ADDRSTRLEN];

        address_format(&addresses->items[i], address);
        length += snprintf(text + length, sizeof(text) - (size_t)length,
                           strchr(address, ':') ? "%s[%s]" : "%s%s", i > 0 ? "," : "", address);
    }
    list = memory_ensure(curl_slist_append(NULL, text));
    return list;
}

/* Leaves *ret_entry NULL if no lookup is needed or the URL is invalid. */
static int resolve(struct curl_loop *self, CURL *easy, int64_t deadline_mono_ms,
                   struct curl_slist **ret_entry, struct error *err)
{
    CLEANUP(curl_loop_free_url) CURLU *url = memory_ensure(curl_url());
    CLEANUP(curl_loop_free_text) char *host = NULL;
    CLEANUP(curl_loop_free_text) char *port = NULL;
    struct resolver_addresses addresses;
    char *text = NULL;

    if (curl_easy_getinfo(easy, CURLINFO_EFFECTIVE_URL, &text) != CURLE_OK || !text ||
        curl_url_set(url, CURLUPART_URL, text, CURLU_GUESS_SCHEME) != CURLUE_OK ||
        curl_url_get(url, CURLUPART_HOST, &host, 0) != CURLUE_OK ||
        curl_url_get(url, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) != CURLUE_OK ||
        !resolver_is_name(host) || resolver_is_localhost(host)) /* libcurl resolves these itself */
        return 0;
    if (resolver_resolve(self->resolver, host, deadline_mono_ms, &addresses, err) < 0)
        return -1;
    *ret_entry = resolve_entry(host, port, &addresses);
    return 0;
}

/* ---- transfers ---- */

static int transfer_run(struct curl_loop *self, CURL *easy, int64_t deadline_mono_ms, CURLcode *ret,
                        struct error *err)
{
    struct transfer transfer = {
        .next = self->transfers, .easy = easy, .fiber = fiber_self(self->loop)};
    enum fiber_wake wake;

    if (curl_multi_add_handle(self->multi, easy) != CURLM_OK)
        return error_set(err, ERR_INTERNAL, "The transfer cannot be started.");
    self->transfers = &transfer;
    do {
        wake = fiber_park(self->loop, deadline_mono_ms);
    } while (wake == FIBER_WOKEN && !transfer.done);
    transfer_remove(self, &transfer);
    if (transfer.done) {
        *ret = transfer.result;
        return 0;
    }
    if (wake == FIBER_CANCELLED)
        return fiber_wake_error(FIBER_CANCELLED, err);
    return error_set(err, ERR_DEADLINE, "The service took too long to respond. Please try again.");
}

int curl_loop_perform(struct curl_loop *self, CURL *easy, int64_t deadline_mono_ms, CURLcode *ret,
                      struct error *err)
{
    CLEANUP(curl_loop_free_list) struct curl_slist *entry = NULL;
    int rc;

    if (resolve(self, easy, deadline_mono_ms, &entry, err) < 0) {
        if (err->code == ERR_DEADLINE)
            return -1;
        error_clear(err);
        *ret = CURLE_COULDNT_RESOLVE_HOST;
        return 0;
    }
    /* Its timeouts must not use SIGALRM. */
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_RESOLVE, entry);
    curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, entry ? refuse_to_resolve : NULL);
    rc = transfer_run(self, easy, deadline_mono_ms, ret, err);
    curl_easy_setopt(easy, CURLOPT_RESOLVE, NULL);
    return rc;
}

/* ---- spans ---- */

/* Returns a constant, since spans need texts that live as long as the process. */
static const char *method_of(CURL *easy)
{
    static const char *const known[] = {"GET", "HEAD", "POST", "PUT", "DELETE"};
    const char *method = NULL;

    curl_easy_getinfo(easy, CURLINFO_EFFECTIVE_METHOD, &method);
    for (size_t i = 0; method && i < ARRAY_SIZE(known); i++)
        if (strcmp(method, known[i]) == 0)
            return known[i];
    return "_OTHER";
}

static void describe_url(struct span *span, CURL *easy)
{
    CLEANUP(curl_loop_free_url) CURLU *url = curl_url();
    CLEANUP(curl_loop_free_text) char *scheme = NULL, *host = NULL;
    const char *text = NULL;

    curl_easy_getinfo(easy, CURLINFO_EFFECTIVE_URL, &text);
    if (!url || !text || curl_url_set(url, CURLUPART_URL, text, 0) != CURLUE_OK ||
        curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) != CURLUE_OK ||
        curl_url_get(url, CURLUPART_HOST, &host, 0) != CURLUE_OK)
        return;
    span_text(span, "url.scheme", strcmp(scheme, "https") == 0 ? "https" : "http");
    span_host(span, host);
}

void curl_loop_span_begin(const struct curl_loop *self, struct span *ret)
{
    span_begin(ret, activity_current(self->loop), SPAN_CLIENT, "HTTP");
}

void curl_loop_span_end(struct span *span, CURL *easy, CURLcode code)
{
    long status = 0;

    if (!span->activity)
        return;
    span->name = method_of(easy);
    span_text(span, "http.request.method", span->name);
    describe_url(span, easy);
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    if (status > 0)
        span_number(span, "http.response.status_code", status);
    if (code != CURLE_OK)
        span_fail(span, curl_easy_strerror(code));
    else if (status >= 400)
        span_fail(span, error_status_name((int)status));
    span_end(span);
}
