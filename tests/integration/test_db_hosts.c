/*
 * test_db_hosts.c - a connection string with two servers: which one is used if one is silent,
 * hangs, or is a former primary.
 */
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "tests/support/db_kit.h"
#include "tests/support/pg.h"

enum { SQL_WHO, SQL_WHO_WRITES, SQL_PID };

static const struct db_statement statements[] = {
    DB_STATEMENT("SQL_WHO", READ, 0, "select name from who"),
    DB_STATEMENT("SQL_WHO_WRITES", WRITE, 0, "update who set name = name returning name"),
    DB_STATEMENT("SQL_PID", READ, 0, "select pg_backend_pid()"),
    {.name = NULL},
};

/* Both accept writes; "b" was promoted after "a". */
static struct pg *a, *b;

struct fixture {
    struct loop *loop;
    struct metrics *metrics;
    struct db_options options;
    char conninfo[256];
    struct db *db;
    struct error err;
};

static int64_t in(const struct fixture *self, int64_t ms)
{
    return loop_mono_ms(self->loop) + ms;
}

static void sleep_ms(struct fixture *self, int64_t ms)
{
    if (fiber_sleep_until(self->loop, clock_mono_ms() + ms, &self->err) < 0)
        CU_FAIL("sleep");
}

/* Prepares a handle on "host=<hosts> port=<ports>" within the timeout. */
static bool setup(struct fixture *self, struct loop *loop, const char *hosts, const char *ports,
                  int64_t within_ms)
{
    int64_t until;

    *self = (struct fixture){.loop = loop, .metrics = metrics_new()};
    snprintf(self->conninfo, sizeof(self->conninfo),
             "host=%s port=%s user=postgres dbname=postgres", hosts, ports);
    self->options = (struct db_options){
        .conninfo = self->conninfo,
        .schema = "hosts",
        .program = "hosts",
        .sql = statements,
        .read_connections = 2,
        .write_connections = 4,
        .statement_timeout_ms = 300,
        .queue_max = 64,
    };
    error_init(&self->err, NULL);
    self->db = db_new(loop, self->metrics, &self->options);
    until = in(self, within_ms);
    while (db_prepare(self->db, &self->err) < 0) {
        if (!UNIT_CHECK(loop_mono_ms(loop) < until, "%s", self->err.message))
            return false;
        error_clear(&self->err);
        sleep_ms(self, 20);
    }
    return true;
}

static void teardown(struct fixture *self)
{
    db_destroy(&self->db);
    metrics_destroy(&self->metrics);
}

static char who(struct fixture *self, int statement, int64_t timeout_ms)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;

    error_clear(&self->err);
    if (db_kit_query(self->db, in(self, timeout_ms), &statements[statement], &res, &self->err,
                     DB_PARAMS()) < 0)
        return '-';
    return db_text(res, 0, 0)[0];
}

static bool becomes(struct fixture *self, char want, int64_t within_ms)
{
    int64_t until = in(self, within_ms);

    while (who(self, SQL_WHO, 5000) != want || who(self, SQL_WHO_WRITES, 5000) != want) {
        if (loop_mono_ms(self->loop) >= until)
            return false;
        sleep_ms(self, 20);
    }
    return true;
}

static const char cut[] = "select count(pg_terminate_backend(pid)) from pg_stat_activity where "
                          "application_name = 'hosts'";

/* A listener that never accepts, as a host that vanished. */
struct black_hole {
    int listener, filler[8];
    int port;
};

static struct black_hole black_hole_make(void)
{
    struct black_hole self = {.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);

    CU_ASSERT_EQUAL(bind(self.listener, (struct sockaddr *)&address, size), 0);
    CU_ASSERT_EQUAL(listen(self.listener, 0), 0);
    CU_ASSERT_EQUAL(getsockname(self.listener, (struct sockaddr *)&address, &size), 0);
    self.port = ntohs(address.sin_port);
    for (size_t i = 0; i < ARRAY_SIZE(self.filler); i++) {
        self.filler[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        (void)!connect(self.filler[i], (struct sockaddr *)&address, size);
    }
    return self;
}

static void black_hole_close(struct black_hole *self)
{
    for (size_t i = 0; i < ARRAY_SIZE(self->filler); i++)
        close(self->filler[i]);
    close(self->listener);
}

static void silent_host(struct loop *loop, void *arg UNUSED)
{
    struct black_hole hole = black_hole_make();
    struct fixture self;
    char hosts[128], ports[32];

    snprintf(hosts, sizeof(hosts), "127.0.0.1,%s", a->dir.path);
    snprintf(ports, sizeof(ports), "%d,5432", hole.port);
    if (setup(&self, loop, hosts, ports, 9000)) {
        CU_ASSERT_TRUE(becomes(&self, 'a', 5000));
        /* The live server is remembered: a new connection is made in less than a second. */
        pg_exec(a, cut);
        CU_ASSERT_TRUE(becomes(&self, 'a', 1000));
    }
    teardown(&self);
    black_hole_close(&hole);
}

/* After the fail-over to b no connection returns to a, even if a accepts writes. */
static void former_primary(struct loop *loop, void *arg UNUSED)
{
    struct fixture self;
    char hosts[160];

    snprintf(hosts, sizeof(hosts), "%s,%s", a->dir.path, b->dir.path);
    if (setup(&self, loop, hosts, "5432", 5000)) {
        CU_ASSERT_EQUAL(who(&self, SQL_WHO, 5000), 'a');
        pg_stop(a, SIGQUIT);
        CU_ASSERT_TRUE(becomes(&self, 'b', 3000));
        pg_start(a);
        pg_stop(b, SIGQUIT);
        for (int i = 0; i < 40; i++) {
            CU_ASSERT_EQUAL(who(&self, SQL_WHO, 5000), '-');
            CU_ASSERT_EQUAL(self.err.code, ERR_UNAVAILABLE);
            CU_ASSERT_EQUAL(who(&self, SQL_WHO_WRITES, 5000), '-');
            sleep_ms(&self, 40);
        }
        pg_start(b);
        CU_ASSERT_TRUE(becomes(&self, 'b', 3000));
    }
    teardown(&self);
}

static long exec_beside(const struct pg *server, const char *sql)
{
    struct pg beside = *server;

    snprintf(beside.conninfo, sizeof(beside.conninfo), "host=%s user=postgres dbname=template1",
             server->dir.path);
    return pg_exec(&beside, sql);
}

/* One primary takes no new connections and another is promoted: connections to the first are
 * closed. */
static void two_primaries(struct loop *loop, void *arg UNUSED)
{
    struct fixture self;
    char hosts[160];

    snprintf(hosts, sizeof(hosts), "%s,%s", a->dir.path, b->dir.path);
    if (setup(&self, loop, hosts, "5432", 5000)) {
        CU_ASSERT_EQUAL(who(&self, SQL_WHO, 5000), 'a');
        CU_ASSERT_EQUAL(who(&self, SQL_WHO_WRITES, 5000), 'a');
        exec_beside(a, "alter database postgres allow_connections false");
        CU_ASSERT_TRUE(exec_beside(a, "select count(pg_terminate_backend(pid)) from "
                                      "pg_stat_activity where application_name = 'hosts' and "
                                      "query like 'update who%'") > 0);
        CU_ASSERT_TRUE(becomes(&self, 'b', 3000));
        exec_beside(a, "alter database postgres allow_connections true");
        pg_exec(b, cut);
        CU_ASSERT_TRUE(becomes(&self, 'b', 3000));
    }
    teardown(&self);
}

/* A server's processes stop while its sockets stay open, so TCP notices nothing. */
static void hung_server(struct loop *loop, void *arg UNUSED)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct fixture self;
    char hosts[160];
    int64_t since;

    snprintf(hosts, sizeof(hosts), "%s,%s", a->dir.path, b->dir.path);
    if (setup(&self, loop, hosts, "5432", 5000) &&
        db_kit_query(self.db, in(&self, 5000), &statements[SQL_PID], &res, &self.err,
                     DB_PARAMS()) == 0) {
        pid_t backend = (pid_t)db_int(res, 0, 0);

        kill(a->pid, SIGSTOP);
        kill(backend, SIGSTOP);
        since = clock_mono_ms();
        /* The read ends when no statement can still be running, long before its deadline. */
        CU_ASSERT_EQUAL(who(&self, SQL_WHO, 10000), '-');
        CU_ASSERT_EQUAL(self.err.code, ERR_UNAVAILABLE);
        UNIT_CHECK(clock_mono_ms() - since < 4000, "%d ms", (int)(clock_mono_ms() - since));
        CU_ASSERT_TRUE(becomes(&self, 'b', 5000));
        UNIT_CHECK(clock_mono_ms() - since < 9000, "%d ms", (int)(clock_mono_ms() - since));
        kill(backend, SIGCONT);
        kill(a->pid, SIGCONT);
    }
    teardown(&self);
}

static void test_a_silent_host_does_not_keep_the_next_from_its_turn(void)
{
    unit_expect_log(1); /* a cut connection, if the handle notices it first */
    unit_on_fiber(silent_host, NULL);
}

static void test_a_former_primary_is_refused(void)
{
    unit_expect_log(UNIT_ANY_LOG); /* each outage, and the server that is refused */
    unit_on_fiber(former_primary, NULL);
}

static void test_of_two_primaries_the_later_one_is_used(void)
{
    unit_expect_log(UNIT_ANY_LOG); /* the first primary, each time it accepts a connection again */
    unit_on_fiber(two_primaries, NULL);
}

static void test_a_server_that_hangs_is_left_for_the_next(void)
{
    unit_expect_log(1);
    unit_on_fiber(hung_server, NULL);
}

static struct pg *make_server(const char *name)
{
    struct pg *self = pg_new();
    char sql[128];

    snprintf(sql, sizeof(sql),
             "create schema hosts; create table hosts.who as select '%s'::text as name", name);
    pg_exec(self, sql);
    return self;
}

static void there_are_two_servers(void)
{
    a = make_server("a");
    b = make_server("b");
    pg_next_timeline(b);
}

static const struct unit_case cases[] = {
    CASE(there_are_two_servers),
    CASE(test_a_silent_host_does_not_keep_the_next_from_its_turn),
    CASE(test_a_former_primary_is_refused),
    CASE(test_of_two_primaries_the_later_one_is_used),
    CASE(test_a_server_that_hangs_is_left_for_the_next),
};

int main(void)
{
    int rc;

    log_open("test_db_hosts", "1", LOG_WARNING);
    rc = unit_run("db hosts", cases, ARRAY_SIZE(cases));
    pg_destroy(&a);
    pg_destroy(&b);
    return rc;
}
