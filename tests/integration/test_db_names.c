/*
 * test_db_names.c - the database server's name server stops responding: the loop never waits, and
 * resolved names still work.
 */
#include <signal.h>
#include <stdio.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/runtime/fiber.h"
#include "tests/support/db_kit.h"
#include "tests/support/pg.h"
#include "tests/support/silent_dns.h"

enum { PROMPT_MS = 2000 /* a blocking lookup takes at least 5,000 */ };
enum { SQL_ONE };

static const struct db_statement statements[] = {DB_STATEMENT("SQL_ONE", READ, 0, "select 1"),
                                                 {.name = NULL}};
static const char cut[] = "select count(pg_terminate_backend(pid)) from pg_stat_activity where "
                          "application_name = 'names'";

static struct pg *server;
static struct silent_dns *dns;

struct fixture {
    struct loop *loop;
    struct metrics *metrics;
    struct db_options options;
    char conninfo[256];
    struct db *db;
    int64_t longest_ms; /* longest turn of the loop */
};

static void setup(struct fixture *self, struct loop *loop, const char *hosts)
{
    *self = (struct fixture){.loop = loop, .metrics = metrics_new()};
    snprintf(self->conninfo, sizeof(self->conninfo), "host=%s user=postgres dbname=postgres",
             hosts);
    self->options = (struct db_options){
        .conninfo = self->conninfo,
        .schema = "names",
        .program = "names",
        .sql = statements,
        .read_connections = 1,
        .write_connections = 1,
        .statement_timeout_ms = 1000,
        .queue_max = 64,
    };
    self->db = db_new(loop, self->metrics, &self->options);
}

static void teardown(struct fixture *self)
{
    int64_t begin_ms = clock_mono_ms();

    db_destroy(&self->db);
    UNIT_CHECK(clock_mono_ms() - begin_ms < PROMPT_MS, "closing took %lld ms",
               (long long)(clock_mono_ms() - begin_ms));
    metrics_destroy(&self->metrics);
}

static enum error_code ask(struct fixture *self)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    struct error err;

    error_init(&err, NULL);
    return db_kit_query(self->db, clock_mono_ms() + 1000, &statements[SQL_ONE], &res, &err,
                        DB_PARAMS()) == 0
               ? ERR_NONE
               : err.code;
}

struct asker {
    struct fixture *fixture;
    enum error_code code;
    bool done;
};

static void asker_fiber(void *arg)
{
    struct asker *self = arg;

    self->code = ask(self->fixture);
    self->done = true;
}

/* Queries until the wanted result comes, and records the loop's longest turn. */
static bool becomes(struct fixture *self, enum error_code want, int64_t within_ms)
{
    int64_t until_ms = clock_mono_ms() + within_ms;
    struct error err;

    error_init(&err, NULL);
    while (clock_mono_ms() < until_ms) {
        struct asker asker = {.fixture = self};

        CU_ASSERT(fiber_start(self->loop, asker_fiber, &asker, &err) == 0);
        while (!asker.done) {
            int64_t before_ms = clock_mono_ms();

            CU_ASSERT(fiber_sleep_until(self->loop, before_ms + 10, &err) == 0);
            self->longest_ms = MAX(self->longest_ms, clock_mono_ms() - before_ms - 10);
        }
        if (asker.code == want)
            return true;
    }
    return false;
}

static void silence(struct loop *loop, void *arg UNUSED)
{
    struct fixture self;

    silent_dns_set(dns, true);
    setup(&self, loop, "db.example");
    CU_ASSERT_TRUE(becomes(&self, ERR_UNAVAILABLE, 10000));
    silent_dns_set(dns, false);
    CU_ASSERT_TRUE(becomes(&self, ERR_NONE, 10000));
    UNIT_CHECK(self.longest_ms < PROMPT_MS, "the loop stood for %lld ms",
               (long long)self.longest_ms);
    /* the names are cached by now */
    silent_dns_set(dns, true);
    pg_exec(server, cut);
    CU_ASSERT_TRUE(becomes(&self, ERR_NONE, 2000));
    silent_dns_set(dns, false);
    teardown(&self);
}

static void test_a_silent_name_server_holds_no_loop(void)
{
    unit_expect_log(UNIT_ANY_LOG);
    unit_on_fiber(silence, NULL);
}

/* The first host does not resolve, so the second is used. */
static void next_host(struct loop *loop, void *arg UNUSED)
{
    struct fixture self;
    char hosts[128];

    snprintf(hosts, sizeof(hosts), "silent.example,%s", server->dir.path);
    silent_dns_set(dns, true);
    setup(&self, loop, hosts);
    CU_ASSERT_TRUE(becomes(&self, ERR_NONE, 8000));
    UNIT_CHECK(self.longest_ms < PROMPT_MS, "the loop stood for %lld ms",
               (long long)self.longest_ms);
    teardown(&self);
    silent_dns_set(dns, false);
}

static void test_the_next_host_of_a_list(void)
{
    unit_expect_log(UNIT_ANY_LOG);
    unit_on_fiber(next_host, NULL);
}

static void other_names(struct loop *loop, void *arg UNUSED)
{
    static const struct {
        const char *hosts;
        enum error_code want;
    } rows[] = {
        {"localhost", ERR_NONE},
        {"127.0.0.1", ERR_NONE},
        {"no.absent.example", ERR_UNAVAILABLE},
        {"no.absent.example,db.example", ERR_NONE},
        {"db.example hostaddr=127.0.0.1", ERR_NONE},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct fixture self;

        setup(&self, loop, rows[i].hosts);
        UNIT_CHECK(becomes(&self, rows[i].want, 5000), "%s", rows[i].hosts);
        teardown(&self);
    }
}

static void test_other_ways_to_name_a_host(void)
{
    unit_expect_log(UNIT_ANY_LOG);
    unit_on_fiber(other_names, NULL);
}

static const struct unit_case cases[] = {
    CASE(test_a_silent_name_server_holds_no_loop),
    CASE(test_the_next_host_of_a_list),
    CASE(test_other_ways_to_name_a_host),
};

int main(void)
{
    const char *reason;
    int rc;

    dns = silent_dns_start(&reason);
    if (!dns)
        return unit_leave_out_suite("db names", reason);
    log_open("test_db_names", "1", LOG_WARNING);
    server = pg_new();
    pg_stop(server, SIGINT);
    server->address = "127.0.0.1";
    pg_start(server);
    rc = unit_run("db names", cases, ARRAY_SIZE(cases));
    pg_destroy(&server);
    silent_dns_stop(&dns);
    return rc;
}
