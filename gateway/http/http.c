/* http.c - see http.h. */
#include "gateway/http/http.h"

#include "common/base/log.h"
#include "gateway/http/mhd_epoll.h"

enum {
    /* Memory per connection for request line and headers. */
    POOL_SIZE = 16 * 1024,
    PUMP_ROUNDS_MAX = 8, /* per turn, to leave time for the bus */
};

struct http {
    struct loop *loop;
    struct MHD_Daemon *daemon;
    struct http_options options;
    int epoll;
    struct loop_timer *timer;
    int64_t timer_ms;
    bool resumed;
};

static void http_pump(struct http *self, bool ask);

static void on_timer(void *arg)
{
    struct http *self = arg;

    self->timer = NULL;
    http_pump(self, true);
}

/* Arms the timer, which moves only if it would be late. */
static void http_arm(struct http *self)
{
    MHD_UNSIGNED_LONG_LONG wait_ms;
    int64_t at_ms;

    if (MHD_get_timeout(self->daemon, &wait_ms) != MHD_YES)
        return;
    at_ms = loop_mono_ms(self->loop) + (int64_t)MIN(wait_ms, 3600000ULL);
    if (self->timer && self->timer_ms <= at_ms)
        return;
    loop_cancel(self->loop, &self->timer);
    self->timer_ms = at_ms;
    self->timer = loop_at(self->loop, at_ms, on_timer, self);
}

static void http_pump(struct http *self, bool ask)
{
    MHD_UNSIGNED_LONG_LONG wait_ms = 0;

    for (int round = 0; round < PUMP_ROUNDS_MAX; round++) {
        mhd_epoll_ask(self->epoll, ask && round == 0);
        self->resumed = false;
        MHD_run(self->daemon);
        if (MHD_get_timeout(self->daemon, &wait_ms) != MHD_YES || wait_ms > 0)
            break;
    }
    http_arm(self);
}

static void on_epoll(void *arg, short revents UNUSED)
{
    http_pump(arg, true);
}

static void on_turn(void *arg)
{
    struct http *self = arg;

    if (self->daemon && self->resumed)
        http_pump(self, false);
}

/* decode.c decodes the path. */
static size_t keep_escaped(void *arg UNUSED, struct MHD_Connection *connection UNUSED, char *text)
{
    return strlen(text);
}

static void on_panic(void *arg UNUSED, const char *file UNUSED, unsigned line UNUSED,
                     const char *reason)
{
    log_die("http", reason ? reason : "libmicrohttpd gave up");
}

struct http *http_open(struct loop *loop, struct arena *arena, const struct http_options *options,
                       struct error *err)
{
    struct http *self = arena_alloc(arena, sizeof(*self));
    const union MHD_DaemonInfo *info;

    self->loop = loop;
    self->options = *options;
    MHD_set_panic_func(on_panic, NULL);
    self->daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, options->request, options->arg,
        MHD_OPTION_LISTEN_SOCKET, options->socket, MHD_OPTION_CONNECTION_LIMIT,
        options->connections_max, MHD_OPTION_CONNECTION_TIMEOUT, options->idle_timeout_s,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)POOL_SIZE, MHD_OPTION_URI_LOG_CALLBACK,
        options->begin, options->arg, MHD_OPTION_NOTIFY_COMPLETED, options->end, options->arg,
        MHD_OPTION_NOTIFY_CONNECTION, options->connection, options->arg,
        MHD_OPTION_UNESCAPE_CALLBACK, keep_escaped, NULL, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_END);
    info = self->daemon ? MHD_get_daemon_info(self->daemon, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
    if (!info) {
        (void)error_set(err, ERR_INTERNAL, "libmicrohttpd does not start on this socket");
        return NULL;
    }
    self->epoll = info->epoll_fd;
    mhd_epoll_use(self->epoll);
    loop_watch(loop, self->epoll, ZMQ_POLLIN, on_epoll, self);
    loop_each_turn(loop, on_turn, self);
    http_arm(self);
    return self;
}

void http_resume(struct http *self, struct MHD_Connection *connection)
{
    MHD_resume_connection(connection);
    self->resumed = true;
}

void http_quiesce(struct http *self)
{
    (void)MHD_quiesce_daemon(self->daemon);
}

size_t http_connections(const struct http *self)
{
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(self->daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);

    return info ? info->num_connections : 0;
}

void http_close(struct http **self_p)
{
    struct http *self = *self_p;

    if (!self)
        return;
    loop_unwatch(self->loop, self->epoll);
    loop_cancel(self->loop, &self->timer);
    MHD_stop_daemon(self->daemon);
    mhd_epoll_forget(self->epoll);
    self->daemon = NULL;
    *self_p = NULL;
}
