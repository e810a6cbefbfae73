/*
 * test_imported_hashes.c - a thousand people with costly imported hashes sign in together, beside
 * ordinary sign-ins; and a host without memory for such a hash.
 *
 * tier: time
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/suite.h"
#include "tests/support/unit.h"

#define START "/auth/tenant/Patient/login/start"

/* Hashes of "imported": PBKDF2 with 900,000 iterations; Argon2d with 256 MiB. */
#define PBKDF2                                          \
    "$pbkdf2-sha256$i=900000$Lj/Od8+MTHR4qW0gfBw5cQ==$" \
    "3lC0ka+5IUGvoZ2KCoq182CencNrb9tTXpgPSvYo53A="
#define ARGON2                                                \
    "$argon2id$v=19$m=262144,t=1,p=1$Lj/Od8+MTHR4qW0gfBw5cQ$" \
    "ugXhOSaSHm1ObbNUu4NfbjiqINmZW3zgTAxhjXxx/Q0"

enum {
    PEOPLE = 1000,
    ORDINARY = 8,
    SAMPLES = 600,
    WAVE = 5,     /* concurrent sign-ins */
    WAVE_MS = 50, /* between waves: in ten seconds everyone has signed in once */
    NOISE_MS = 100,
    REFUSED = 3,     /* 503s for ordinary sign-ins beside a thousand at one time */
    ROUNDS = 3,      /* one must pass */
    FLOOD_MS = 60000 /* longest flood */
};

/* Memory shared by the flooding and the measuring process. */
struct flood {
    volatile bool over;     /* set by the measuring one */
    volatile bool answered; /* set by the flooding one: all have responses */
    int good, refused, other, other_status;
};

static struct suite *suite;
static struct person *ordinary[ORDINARY];

static void the_suite_starts(void)
{
    suite = suite_start(&(struct suite_options){.no_demo = false});
    for (int i = 0; i < ORDINARY; i++)
        ordinary[i] = person_register(suite, NULL);
    CU_ASSERT_EQUAL(
        suite_count(suite,
                    "with a as (insert into auth.account (id, role, project_id, email, name, "
                    "surname, created_at) select gen_random_uuid(), 'Patient', p.project_id, 'i' "
                    "|| n || '@imported.example', 'Ada', 'Lovelace', p.created_at from "
                    "auth.account p, generate_series(1, %d) n where p.email = '%s' returning *), "
                    "c as (insert into auth.credential (account_id, password_hash, updated_at) "
                    "select id, '%s', created_at from a), m as (insert into auth.membership "
                    "(project_id, id, account_id, profile_id, created_at) select project_id, "
                    "gen_random_uuid(), id, gen_random_uuid(), created_at from a returning 1) "
                    "select count(*) from m",
                    PEOPLE, ordinary[0]->email, PBKDF2),
        PEOPLE);
}

/* Signs ordinary people in one by one until SAMPLES succeed or a given flood has ended. Returns the
 * successes' 99th percentile in ms. After a 503 the client waits as its Retry-After says. At most
 * `refused_most` requests may get 503. */
static double ordinary_p99(const char *label, const struct flood *beside, int refused_most)
{
    double ms[SAMPLES] = {0}, p99_ms;
    int count = 0, refused = 0;

    while (count < SAMPLES && (count == 0 || !beside || !beside->answered)) {
        const struct person *who = ordinary[count % ORDINARY];
        HTTP_ANSWER answer =
            suite_post_fresh(suite, START, body_login_start(who->email, who->password, "demo"));
        long wait_s = answer->status == 503 ? http_retry_after(answer) : 0;

        if (answer->status == 200) {
            ms[count++] = answer->seconds * 1000;
            continue;
        }
        UNIT_CHECK(wait_s > 0, "%s: %d", label, answer->status);
        if (wait_s <= 0 || ++refused > refused_most)
            break;
        sleep((unsigned)wait_s);
    }
    UNIT_CHECK(refused <= refused_most, "%s: %d refused", label, refused);
    CU_ASSERT_TRUE_FATAL(count > 0);
    p99_ms = unit_percentile(ms, (size_t)count, 99);
    printf("  %s: %d in, %d refused, median %.1f ms, p99 %.1f ms, longest %.1f ms\n", label, count,
           refused, ms[count / 2], p99_ms, ms[count - 1]);
    return p99_ms;
}

/* Sends up to `most` of the people not yet signed in, from *from on, each from a separate
 * address. */
static void send_wave(struct flood *flood, bool *in, int *from, int most)
{
    struct http_request requests[PEOPLE] = {{0}};
    struct http_answer *answers[PEOPLE];
    int who[PEOPLE], count = 0;
    char sources[PEOPLE][24], email[64];

    for (int i = 0; i < PEOPLE && count < most; i++) {
        int person = (*from)++ % PEOPLE;

        if (in[person])
            continue;
        snprintf(email, sizeof(email), "i%d@imported.example", person + 1);
        snprintf(sources[count], sizeof(sources[count]), "127.77.%d.%d", person / 200,
                 person % 200 + 1);
        requests[count] =
            (struct http_request){.method = "POST",
                                  .path = START,
                                  .source = sources[count],
                                  .body = body_login_start(email, "imported", "demo")};
        who[count++] = person;
    }
    http_call_many(suite_url(suite), requests, (size_t)count, (size_t)count, answers);
    for (int i = 0; i < count; i++) {
        in[who[i]] = answers[i]->status == 200;
        if (answers[i]->status == 200)
            flood->good++;
        else if (answers[i]->status == 503 && http_retry_after(answers[i]) > 0)
            flood->refused++;
        else {
            flood->other++;
            flood->other_status = answers[i]->status;
        }
    }
    http_answers_destroy(answers, (size_t)count);
}

/* Starts a process that sends everyone's sign-in at the same time, or in waves until the end. Each
 * wave has its own process, because it waits for slow verifications. */
static pid_t flood_begin(struct flood *flood, int wave)
{
    static bool in[PEOPLE];
    int64_t end = clock_mono_ms() + FLOOD_MS;
    int from = 0;
    pid_t child = fork();

    if (child != 0)
        return child;
    while (!flood->over && clock_mono_ms() < end) {
        pid_t each = wave < PEOPLE ? fork() : 0;

        if (each == 0) {
            send_wave(flood, in, &from, wave);
            flood->answered = wave == PEOPLE;
            _exit(0);
        }
        from += wave;
        usleep(WAVE_MS * 1000);
    }
    while (wait(NULL) > 0)
        ;
    _exit(0);
}

static void flood_end(struct flood *flood, pid_t child, const char *label)
{
    flood->over = true;
    waitpid(child, NULL, 0);
    printf("  %s: %d signed in, %d told to try again, %d otherwise\n", label, flood->good,
           flood->refused, flood->other);
    UNIT_CHECK(flood->other == 0, "%s: %d answered otherwise, the last one %d", label, flood->other,
               flood->other_status);
}

static struct flood *flood_new(void)
{
    struct flood *flood =
        mmap(NULL, sizeof(*flood), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (flood == MAP_FAILED)
        exit(1);
    return flood;
}

static void check_no_failures(void)
{
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.audit where "
                                       "event->>'outcome' = 'failure'"),
                    0);
}

/* True when the time at least doubled. Up to NOISE_MS more counts as the load of the clients
 * themselves on the same cores; waiting for a costly hash would take seconds. */
static bool is_held_up(double alone, double beside)
{
    return beside >= alone * 2 + NOISE_MS;
}

static void a_thousand_imported_people_do_not_hold_up_others(void)
{
    double alone, beside;
    int round = 0;

    do {
        struct flood *flood = flood_new();
        pid_t child;

        alone = ordinary_p99("alone", NULL, 0);
        child = flood_begin(flood, WAVE);
        beside = ordinary_p99("beside 1,000 imported", NULL, 0);
        flood_end(flood, child, "imported");
        CU_ASSERT_TRUE(flood->good >= 10);
        CU_ASSERT_TRUE(flood->refused >= 50);
        munmap(flood, sizeof(*flood));
    } while (is_held_up(alone, beside) && ++round < ROUNDS);
    UNIT_CHECK(!is_held_up(alone, beside), "%.1f ms alone, %.1f ms beside imported", alone, beside);
    check_no_failures();
}

/* The thousand sign-ins fill the queue until their accounts are looked up, which takes half a
 * second. Ordinary sign-ins get 503 then, with a Retry-After of one second. None is lost, and until
 * the last response ordinary sign-ins are not delayed. */
static void a_thousand_at_the_same_moment_do_not_hold_up_others(void)
{
    double alone, beside;
    int round = 0;

    do {
        struct flood *flood = flood_new();
        pid_t child;

        alone = ordinary_p99("alone", NULL, 0);
        child = flood_begin(flood, PEOPLE);
        beside = ordinary_p99("beside 1,000 at the same moment", flood, REFUSED);
        flood_end(flood, child, "imported");
        CU_ASSERT_EQUAL(flood->good + flood->refused, PEOPLE);
        CU_ASSERT_TRUE(flood->good >= 4);
        munmap(flood, sizeof(*flood));
    } while (is_held_up(alone, beside) && ++round < ROUNDS);
    UNIT_CHECK(!is_held_up(alone, beside), "%.1f ms alone, %.1f ms beside imported", alone, beside);
    ordinary_p99("behind them", NULL, 0);
    check_no_failures();
}

static void without_memory_it_is_a_503(void)
{
    pid_t authd = suite_pid(suite, "authd", "1");
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY}, before;
    PERSON imported = person_register(suite, NULL);
    char line[256];
    long kib = 0;
    FILE *status;

    if (UNIT_KEPT_KIB > 0) {
        unit_leave_out("AddressSanitizer needs address space of its own");
        return;
    }
    person_set_hash(suite, imported->email, ARGON2);
    snprintf(line, sizeof(line), "/proc/%d/status", (int)authd);
    status = fopen(line, "r");
    while (status && fgets(line, sizeof(line), status))
        if (strncmp(line, "VmSize:", 7) == 0)
            kib = strtol(line + 7, NULL, 10);
    if (status)
        fclose(status);
    CU_ASSERT_TRUE_FATAL(kib > 0);
    CU_ASSERT_EQUAL(prlimit(authd, RLIMIT_AS, NULL, &before), 0);
    limit.rlim_cur = (rlim_t)(kib + 128 * 1024) * 1024;
    limit.rlim_max = before.rlim_max;
    CU_ASSERT_EQUAL(prlimit(authd, RLIMIT_AS, &limit, NULL), 0);
    for (int i = 0; i < 12; i++) {
        HTTP_ANSWER refused =
            suite_post_fresh(suite, START, body_login_start(imported->email, "another", "demo"));
        CHECK_STATUS(refused, 503);
    }
    HTTP_ANSWER other = suite_post_fresh(
        suite, START, body_login_start(ordinary[0]->email, ordinary[0]->password, "demo"));
    CHECK_STATUS(other, 200);
    CU_ASSERT_EQUAL(prlimit(authd, RLIMIT_AS, &before, NULL), 0);
    HTTP_ANSWER wrong =
        suite_post_fresh(suite, START, body_login_start(imported->email, "another", "demo"));
    CHECK_STATUS(wrong, 400);
}

static void the_suite_ends(void)
{
    for (int i = 0; i < ORDINARY; i++)
        person_destroy(&ordinary[i]);
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE_ALWAYS(the_suite_starts),
    CASE(a_thousand_imported_people_do_not_hold_up_others),
    CASE(a_thousand_at_the_same_moment_do_not_hold_up_others),
    CASE(without_memory_it_is_a_503),
    CASE_ALWAYS(the_suite_ends),
};

int main(void)
{
    return unit_run("imported hashes", cases, ARRAY_SIZE(cases));
}
