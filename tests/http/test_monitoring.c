/*
 * test_monitoring.c - metrics: every metric named by the dashboard, alerts and guide is exported,
 * any gateway exports the whole suite's, and delays and failures show.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/suite.h"
#include "tests/support/unit.h"

enum { SEEN_MS = 10000, NAME_SIZE = 128, SCRAPES = 12 };

static const char *const files[] = {
    "docs/monitoring/grafana-dashboard.json",
    "docs/monitoring/prometheus-rules.yml",
    "docs/operations.md",
};

static const char audit_role[] = "atrium_audit"; /* a PostgreSQL role, not a metric */

static struct suite *suite;

static struct http_answer *scrape(void)
{
    return http_get(suite_admin_url(suite), "/metrics", NULL);
}

static bool in_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static const char *next_sample(const char *text, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = text; (at = strstr(at, name)); at++)
        if ((at == text || at[-1] == '\n') && at[length] == '{')
            return at;
    return NULL;
}

/* Returns the value of the sample with this name and label ("" for any), or -1. */
static long long value_of(const char *text, const char *name, const char *label)
{
    for (const char *at = text; (at = next_sample(at, name)); at++) {
        const char *end = strchr(at, '}'), *found = strstr(at, label);

        if (end && found && found < end)
            return strtoll(end + 1, NULL, 10);
    }
    return -1;
}

static bool comes_to(const char *name, const char *label, long long min, long long max)
{
    int64_t deadline = clock_mono_ms() + SEEN_MS;
    long long value;

    do {
        HTTP_ANSWER answer = scrape();

        value = value_of(answer->body, name, label);
        if (value >= min && value <= max)
            return true;
        usleep(50000);
    } while (clock_mono_ms() < deadline);
    return UNIT_CHECK(false, "%s{%s} is %lld", name, label, value);
}

static void run(const char *sql)
{
    free(suite_query(suite, sql));
}

static void any_gateway_exports_metrics_of_all_daemons(void)
{
    static const char *const labels[] = {
        "service=\"gateway\",instance=\"1\"", "service=\"gateway\",instance=\"2\"",
        "service=\"authd\",instance=\"1\"",   "service=\"settingsd\",instance=\"1\"",
        "service=\"maild\",instance=\"1\"",   "service=\"docd\",instance=\"1\"",
        "service=\"botd\",instance=\"1\"",
    };

    for (size_t i = 0; i < SCRAPES; i++) { /* the kernel spreads new connections */
        HTTP_ANSWER answer = scrape();
        size_t count = 0;

        CHECK_STATUS(answer, 200);
        for (size_t l = 0; l < ARRAY_SIZE(labels); l++)
            UNIT_CHECK(value_of(answer->body, "atrium_uptime_seconds", labels[l]) >= 0, "%s",
                       labels[l]);
        for (const char *at = answer->body; (at = next_sample(at, "atrium_uptime_seconds")); at++)
            count++;
        UNIT_CHECK(count == ARRAY_SIZE(labels), "%zu instances", count);
    }
}

static void make_errors(void)
{
    PERSON patient = person_register(suite, NULL);
    int status = 0;

    suite_signal(suite, "docd", "1", SIGSTOP);
    for (int i = 0; i < 10 && status < 500; i++) {
        HTTP_ANSWER answer = http_get(suite_url(suite), "/document", patient->access);

        status = answer->status;
    }
    suite_signal(suite, "docd", "1", SIGCONT);
    UNIT_CHECK(status >= 500, "%d", status);
    CU_ASSERT_TRUE(suite_wait_ready(suite, SEEN_MS));
}

/* True when a sample matches all labels of a selector, `{a="x",b!="y"}`. */
static bool has_sample(const char *metrics, const char *name, const char *selector)
{
    for (const char *at = metrics; (at = next_sample(at, name)); at++) {
        const char *end = strchr(at, '}'), *rest = selector, *equals;
        bool all = true;

        while (all && *selector == '{' && (equals = strstr(rest, "=\"")) &&
               equals < strchr(selector, '}')) {
            const char *key = equals, *quote = strchr(equals + 2, '"');
            char wanted[NAME_SIZE];

            while (in_name(key[-1]))
                key--;
            snprintf(wanted, sizeof(wanted), "%.*s", (int)(quote + 1 - key), key);
            all = equals[-1] == '!' || (strstr(at, wanted) && strstr(at, wanted) < end);
            rest = quote + 1;
        }
        if (all)
            return true;
    }
    return false;
}

static bool is_exported(const char *metrics, const char *name, const char *selector)
{
    char count[NAME_SIZE + 8];

    snprintf(count, sizeof(count), "%s_count", name);
    return has_sample(metrics, name, selector) || has_sample(metrics, count, selector);
}

static char *read_text(const char *path)
{
    char *text = unit_read_file(path), *to = text;

    for (const char *at = text; *at; at++)
        if (*at != '\\')
            *to++ = *at;
    *to = '\0';
    return text;
}

static size_t check_file(const char *path, const char *metrics)
{
    char *text = read_text(path);
    size_t count = 0;

    for (const char *at = text; (at = strstr(at, "atrium_")); at++) {
        char name[NAME_SIZE];
        size_t length = 0;

        while (in_name(at[length]))
            length++;
        if (length == strlen("atrium_") || (at > text && (in_name(at[-1]) || at[-1] == '/')))
            continue;
        snprintf(name, sizeof(name), "%.*s", (int)length, at);
        if (strcmp(name, audit_role) == 0)
            continue;
        count++;
        UNIT_CHECK(is_exported(metrics, name, at + length), "%s: %s%.60s", path, name, at + length);
    }
    free(text);
    return count;
}

static void every_metric_is_exported(void)
{
    make_errors();
    HTTP_ANSWER answer = scrape();
    for (size_t i = 0; i < ARRAY_SIZE(files); i++)
        UNIT_CHECK(check_file(files[i], answer->body) > 2, "%s names no metric", files[i]);
}

static void queues_are_measured(void)
{
    CU_ASSERT_TRUE(comes_to("atrium_mail_waiting", "maild", 0, 0));
    run("insert into mail.message (id, project_id, template, sealed, due_at, created_at) "
        "select gen_random_uuid(), gen_random_uuid(), 'PATIENT_WELCOME', '', now + 3600000, "
        "now - n * 3600000 from (select (extract(epoch from now()) * 1000)::bigint) t (now), "
        "generate_series(1, 2) n");
    run("insert into mail.job (id, kind, due_at, try_at, account_id, schedule_id, project_id, "
        "created_at) select gen_random_uuid(), 'account-delete', now - 5400000, now + 3600000, "
        "gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 0 "
        "from (select (extract(epoch from now()) * 1000)::bigint) t (now)");
    comes_to("atrium_mail_waiting", "maild", 2, 2);
    comes_to("atrium_mail_waiting_seconds", "maild", 7200, 7300);
    comes_to("atrium_job_late_seconds", "maild", 5400, 5500);
    run("delete from mail.message where state = 'queued'");
    run("delete from mail.job");
    comes_to("atrium_mail_waiting", "maild", 0, 0);
    comes_to("atrium_mail_waiting_seconds", "maild", 0, 0);
    comes_to("atrium_job_late_seconds", "maild", 0, 0);
}

static void a_task_that_fails_is_counted(void)
{
    CU_ASSERT_TRUE(comes_to("atrium_task_failures_total", "task=\"sweep\"", 0, 0));
    run("alter table doc.upload rename to elsewhere");
    comes_to("atrium_task_failures_total", "service=\"docd\",instance=\"1\",task=\"sweep\"", 1,
             1000);
    run("alter table doc.elsewhere rename to upload");
}

static void a_lost_database_is_exported(void)
{
    comes_to("atrium_database_up", "service=\"settingsd\"", 1, 1);
    run("alter role \"atrium-settingsd\" connection limit 0");
    run("select count(pg_terminate_backend(pid)) from pg_stat_activity "
        "where usename = 'atrium-settingsd'");
    comes_to("atrium_database_up", "service=\"settingsd\"", 0, 0);
    run("alter role \"atrium-settingsd\" connection limit -1");
    comes_to("atrium_database_up", "service=\"settingsd\"", 1, 1);
    comes_to("atrium_database_up", "service=\"authd\"", 1, 1);
}

static void disk_space_is_measured(void)
{
    struct statvfs disk;
    long long bytes;

    CU_ASSERT_EQUAL_FATAL(statvfs(suite_dir(suite), &disk), 0);
    bytes = (long long)disk.f_bavail * (long long)disk.f_frsize;
    comes_to("atrium_doc_storage_free_bytes", "service=\"docd\"", bytes / 2, bytes * 2);
}

static void the_dashboard_is_complete(void)
{
    json_error_t error;
    json_auto_t *dashboard = json_load_file(files[0], JSON_REJECT_DUPLICATES, &error);
    const json_t *panel, *target;
    size_t i, t, queries = 0;

    UNIT_REQUIRE(dashboard != NULL, "%s:%d: %s", files[0], error.line, error.text);
    json_array_foreach(json_object_get(dashboard, "panels"), i, panel)
    {
        const char *title = json_string_value(json_object_get(panel, "title"));

        UNIT_CHECK(title && *title, "panel %zu has no title", i);
        UNIT_CHECK(json_integer_value(json_object_get(panel, "id")) == (json_int_t)i + 1,
                   "the id of %s", title);
        json_array_foreach(json_object_get(panel, "targets"), t, target)
        {
            UNIT_CHECK(strstr(json_string_value(json_object_get(target, "expr")), "atrium_") !=
                           NULL,
                       "%s asks for nothing of ours", title);
            queries++;
        }
    }
    UNIT_CHECK(queries > 30, "%zu queries", queries);
}

static void the_suite_starts(void)
{
    suite = suite_start(&(struct suite_options){.instances = "gateway=2", .test_clock = true});
}

static void the_suite_stops(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_suite_starts),      CASE(any_gateway_exports_metrics_of_all_daemons),
    CASE(every_metric_is_exported),     CASE(queues_are_measured),
    CASE(a_task_that_fails_is_counted), CASE(a_lost_database_is_exported),
    CASE(disk_space_is_measured),       CASE(the_dashboard_is_complete),
    CASE_ALWAYS(the_suite_stops),
};

int main(void)
{
    return unit_run("monitoring", cases, ARRAY_SIZE(cases));
}
