/*
 * dns_text.c - see dns_text.h. A question's channel lives on one thread of the pool.
 */
#include "authd/federation/dns_text.h"

#include <ares.h>
#include <arpa/nameser.h>
#include <poll.h>
#include <string.h>

#include "common/base/clock.h"

enum { TRY_MS = 1000, TRIES = 3, SOCKETS_MAX = 8 /* a question uses one at a time */ };

struct question {
    const char *servers, *name;
    int status; /* c-ares' code */
    bool ended, alias;
    struct dns_text *ret;
    char (*texts)[DNS_TEXT_SIZE_MAX + 1];
};

bool dns_text_servers_valid(const char *servers)
{
    ares_channel channel;
    bool valid;

    if (ares_init(&channel) != ARES_SUCCESS)
        return false;
    valid = ares_set_servers_ports_csv(channel, servers) == ARES_SUCCESS;
    ares_destroy(channel);
    return valid;
}

/* A server follows a CNAME and puts it before the records that it leads to. */
static bool has_alias(const unsigned char *answer, int size)
{
    ns_msg message;
    ns_rr record;

    if (ns_initparse(answer, size, &message) < 0)
        return false;
    for (int i = 0; i < ns_msg_count(message, ns_s_an); i++)
        if (ns_parserr(&message, ns_s_an, i, &record) == 0 &&
            (ns_rr_type(record) == ns_t_cname || ns_rr_type(record) == ns_t_dname))
            return true;
    return false;
}

/* A record is one or more strings, which belong together. */
static void take_texts(struct question *self, const struct ares_txt_ext *texts)
{
    struct dns_text *ret = self->ret;
    size_t size = 0;

    for (const struct ares_txt_ext *each = texts; each; each = each->next) {
        size_t at = ret->count - (each->record_start ? 0 : 1), length = each->length;

        if (each->record_start) {
            ret->count++;
            size = 0;
        }
        if (at >= DNS_TEXTS_MAX)
            continue;
        if (length > DNS_TEXT_SIZE_MAX - size)
            length = DNS_TEXT_SIZE_MAX - size;
        memcpy(self->texts[at] + size, each->txt, length);
        size += length;
        self->texts[at][size] = '\0';
        ret->items[at] = self->texts[at];
    }
}

static void take_answer(void *arg, int status, int timeouts UNUSED, unsigned char *answer, int size)
{
    struct question *self = arg;
    struct ares_txt_ext *texts = NULL;

    self->ended = true;
    self->status = status;
    if (answer && has_alias(answer, size)) {
        self->alias = true;
        return;
    }
    if (status != ARES_SUCCESS)
        return;
    self->status = ares_parse_txt_reply_ext(answer, size, &texts);
    if (self->status == ARES_SUCCESS)
        take_texts(self, texts);
    ares_free_data(texts);
}

static void wait_for_answer(const struct question *self, ares_channel channel)
{
    int64_t end = clock_mono_ms() + DNS_TEXT_MS;

    while (!self->ended) {
        ares_socket_t sockets[SOCKETS_MAX];
        int which = ares_getsock(channel, sockets, SOCKETS_MAX);
        struct pollfd polled[SOCKETS_MAX];
        struct timeval most = {.tv_sec = 1}, buffer;
        const struct timeval *next = ares_timeout(channel, &most, &buffer);
        nfds_t count = 0;

        for (int i = 0; i < SOCKETS_MAX; i++) {
            short events = (ARES_GETSOCK_READABLE(which, i) ? POLLIN : 0) |
                           (ARES_GETSOCK_WRITABLE(which, i) ? POLLOUT : 0);
            if (events)
                polled[count++] = (struct pollfd){.fd = sockets[i], .events = events};
        }
        if (clock_mono_ms() >= end) {
            ares_cancel(channel); /* ends the question */
            return;
        }
        (void)poll(polled, count, (int)(next->tv_sec * 1000 + next->tv_usec / 1000) + 1);
        for (nfds_t i = 0; i < count; i++)
            ares_process_fd(channel,
                            polled[i].revents & (POLLIN | POLLERR | POLLHUP) ? polled[i].fd
                                                                             : ARES_SOCKET_BAD,
                            polled[i].revents & POLLOUT ? polled[i].fd : ARES_SOCKET_BAD);
        ares_process_fd(channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD); /* retries */
    }
}

static void ask(void *arg)
{
    struct question *self = arg;
    struct ares_options options = {
        .flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES, .timeout = TRY_MS, .tries = TRIES};
    ares_channel channel;

    self->status =
        ares_init_options(&channel, &options, ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES);
    if (self->status != ARES_SUCCESS)
        return;
    if (self->servers)
        self->status = ares_set_servers_ports_csv(channel, self->servers);
    if (self->status == ARES_SUCCESS) {
        ares_query(channel, self->name, ns_c_in, ns_t_txt, take_answer, self);
        wait_for_answer(self, channel);
    }
    ares_destroy(channel);
}

int dns_text_ask(struct offload *pool, struct arena *arena, const char *servers, const char *name,
                 int64_t deadline_mono_ms, struct dns_text *ret, struct error *err)
{
    struct question self = {.servers = servers,
                            .name = name,
                            .ret = ret,
                            .texts = arena_alloc(arena, DNS_TEXTS_MAX * sizeof(*self.texts))};

    *ret = (struct dns_text){.state = DNS_TEXT_FOUND};
    if (offload_run(pool, ask, &self, deadline_mono_ms, err) < 0)
        return -1;
    if (self.alias)
        ret->state = DNS_TEXT_ALIAS;
    else if (self.status == ARES_ENOTFOUND || self.status == ARES_ENODATA)
        ret->state = DNS_TEXT_NONE;
    else if (self.status != ARES_SUCCESS) {
        error_detail(err, "%s: %s", name, ares_strerror(self.status));
        return error_set(err, ERR_UNAVAILABLE, "The domain's name servers gave no answer.");
    }
    return 0;
}
