/*
 * test_seal_keys.c - rotation of seal keys (`atriumctl keys rotate --seal`): sealed and hashed data
 * works during and after each step, with two instances in different states, under load, and after
 * kills of the resealing daemon. Invalid key files stop the start.
 */
#include <CUnit/CUnit.h>
#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/service/seal_keys.h"
#include "tests/support/document.h"
#include "tests/support/suite.h"
#include "tests/support/suite_command.h"
#include "tests/support/totp.h"
#include "tests/support/unit.h"

#define BOTS "/v1/project/bots"

enum { LOADERS = 3, MANY = 2000 };

static const char *const daemons[] = {"authd", "settingsd", "docd", "maild", "botd", NULL};

static struct suite *suite;
static struct program *bot_server;
static char bot_url[64];

static struct {
    struct person *admin, *owner, *other;
    uint8_t totp[TOTP_SECRET];
    char recovery[10][11];
    size_t recovered;
    char *document, *link; /* document: id; link: path of the public file */
    char *account;         /* id of the other person's account */
    char signing[80];
} made;

static char *key_path(const char *daemon)
{
    char *path;

    if (asprintf(&path, "%s/keys/%s.key", suite_dir(suite), daemon) < 0)
        abort();
    return path;
}

static size_t key_lines(const char *daemon)
{
    char *path = key_path(daemon), line[128];
    FILE *file = fopen(path, "re");
    size_t count = 0;

    while (file && fgets(line, sizeof(line), file))
        count++;
    if (file)
        fclose(file);
    free(path);
    return count;
}

/* Runs one step, as in an installed suite, without restarts. */
static struct program *rotate(void)
{
    char *config, *keys, *ctl = program_path("atriumctl");
    struct program *done;

    if (asprintf(&config, "%s/atrium.conf", suite_dir(suite)) < 0 ||
        asprintf(&keys, "%s/keys", suite_dir(suite)) < 0)
        abort();
    done = program_run((const char *const[]){ctl, "--config", config, "--json", "keys", "rotate",
                                             "--seal", "--keys", keys, NULL},
                       NULL);
    CHECK_EXIT(done, 0);
    free(config);
    free(keys);
    free(ctl);
    return done;
}

/* Returns a member of a daemon's row in the command's output, or "". */
static const char *said(const struct program *rotated, const char *daemon, const char *member)
{
    json_t *row = http_find(rotated->json, "service", daemon);
    const char *text = json_string_value(json_object_get(row, member));

    return text ? text : "";
}

static void check_step(const struct program *rotated, const char *step)
{
    for (size_t i = 0; daemons[i]; i++)
        UNIT_CHECK(strcmp(said(rotated, daemons[i], "step"), step) == 0, "%s: %s, not %s",
                   daemons[i], said(rotated, daemons[i], "step"), step);
}

static void restart(const char *daemon, const char *instance, int signo)
{
    pid_t old = suite_pid(suite, daemon, instance);

    suite_signal(suite, daemon, instance, signo);
    UNIT_CHECK(suite_wait_new_pid(suite, daemon, instance, old), "%s.%s", daemon, instance);
}

static void restart_others(void)
{
    for (size_t i = 1; daemons[i]; i++)
        restart(daemons[i], "1", SIGTERM);
}

static void move_on(void)
{
    int64_t now = suite_now(suite);

    suite_advance_clock(suite, 4 * TOTP_STEP + 5 - now % TOTP_STEP);
}

static struct http_answer *login_step(const char *name, json_t *body)
{
    char path[96];

    snprintf(path, sizeof(path), "/auth/tenant/Patient/login/%s", name);
    return suite_post_fresh(suite, path, body);
}

static int factor_sign_in(const char *token)
{
    HTTP_ANSWER started =
        login_step("start", body_login_start(made.owner->email, made.owner->password, "demo"));
    HTTP_ANSWER shown =
        login_step("mfa", json_pack("{s:s, s:s}", "loginId", http_text(started, "loginId"),
                                    "mfaToken", token));
    HTTP_ANSWER answer =
        login_step("token", body_login_token(http_text(shown, "sessionCode"), NULL));

    return shown->status == 200 ? answer->status : shown->status;
}

static void check_factor(void)
{
    char code[7];

    move_on();
    UNIT_CHECK(factor_sign_in(totp_code(made.totp, suite_now(suite), code)) == 200, "%s",
               "a code of the device");
    UNIT_CHECK(factor_sign_in(made.recovery[made.recovered++]) == 200, "%s", "a recovery code");
}

static void check_refresh(void)
{
    HTTP_ANSWER answer = suite_post_fresh(suite, "/auth/refresh-token",
                                          json_pack("{s:s}", "refresh_token", made.other->refresh));

    CHECK_STATUS(answer, 200);
    free(made.other->refresh);
    made.other->refresh = strdup(http_text(answer, "refresh_token"));
}

static void check_link(void)
{
    HTTP_ANSWER file = http_get(suite_url(suite), made.link, NULL);
    HTTP_ANSWER again = document_get(suite, made.other->access, made.document);

    CHECK_BYTES(file, "hello", 5);
    CHECK_STATUS(again, 200);
}

static void check_bot(void)
{
    HTTP_ANSWER answer =
        http_post(suite_url(suite), "/bots?identifier=sealed", made.other->access, json_object());
    char when[32] = "", want[80] = "", hex[2 * crypto_auth_hmacsha256_BYTES + 1];
    const char *raw = http_text(answer, "raw");
    crypto_auth_hmacsha256_state state;
    uint8_t mac[crypto_auth_hmacsha256_BYTES];

    CHECK_STATUS(answer, 200);
    CU_ASSERT_STRING_EQUAL(http_text(answer, "got.secrets.KEY"), "s3cr3t");
    CU_ASSERT_EQUAL(sscanf(http_text(answer, "signature"), "t=%20[0-9],v1=%64[0-9a-f]", when, want),
                    2);
    strcat(when, ".");
    crypto_auth_hmacsha256_init(&state, (const uint8_t *)made.signing, strlen(made.signing));
    crypto_auth_hmacsha256_update(&state, (const uint8_t *)when, strlen(when));
    crypto_auth_hmacsha256_update(&state, (const uint8_t *)raw, strlen(raw));
    crypto_auth_hmacsha256_final(&state, mac);
    sodium_bin2hex(hex, sizeof(hex), mac, sizeof(mac));
    CU_ASSERT_STRING_EQUAL(hex, want);
}

static void check_address(void)
{
    PROGRAM search = ATRIUMCTL(suite, NULL, "audit", "search", "--account", made.account, "--json");

    CHECK_EXIT(search, 0);
    UNIT_CHECK(strstr(search->out, "\"address\": \"127.") && !strstr(search->out, "erased"), "%s%s",
               search->out, search->err);
}

static void check_all(const char *step)
{
    unsigned before = CU_get_number_of_failures();

    check_factor();
    check_refresh();
    check_link();
    check_bot();
    check_address();
    UNIT_CHECK(CU_get_number_of_failures() == before, "%s", step);
}

static void enroll(void)
{
    HTTP_ANSWER status = http_get(suite_url(suite), "/auth/mfa/status", made.owner->access);
    char code[7];

    totp_read(http_text(status, "otpauthUrl"), made.totp);
    HTTP_ANSWER enrolled =
        http_post(suite_url(suite), "/auth/mfa/enroll", made.owner->access,
                  json_pack("{s:s}", "token", totp_code(made.totp, suite_now(suite), code)));
    CHECK_STATUS(enrolled, 200);
    for (size_t i = 0; i < ARRAY_SIZE(made.recovery); i++)
        snprintf(made.recovery[i], sizeof(made.recovery[i]), "%s",
                 json_string_value(json_array_get(http_member(enrolled, "recoveryCodes"), i)));
}

static void seal_everything(void)
{
    char path[200], body[] = "{\"isPublic\":true}";

    made.admin = person_admin(suite);
    made.owner = person_register(suite, NULL);
    made.other = person_register(suite, NULL);
    made.account = suite_account(suite, made.other->email);
    move_on();
    enroll();
    made.document = document_put(suite, made.other->access, "a", "text/plain", "hello", 5);
    snprintf(path, sizeof(path), "%s", document_path(made.document));
    HTTP_ANSWER shared =
        http_call(suite_url(suite),
                  &(struct http_request){
                      .method = "PATCH", .path = path, .bearer = made.other->access, .raw = body});
    CHECK_STATUS(shared, 200);
    if (asprintf(&made.link, "/document/public/%s", http_text(shared, "publicToken")) < 0)
        abort();
    snprintf(path, sizeof(path), "%s/echo", bot_url);
    HTTP_ANSWER bot = http_post(suite_url(suite), BOTS, made.admin->access,
                                json_pack("{s:[{s:s}], s:s, s:s, s:s, s:{s:s}}", "identifier",
                                          "value", "sealed", "name", "sealed", "kind", "http",
                                          "url", path, "secrets", "KEY", "s3cr3t"));
    CHECK_STATUS(bot, 200);
    snprintf(made.signing, sizeof(made.signing), "%s", http_text(bot, "signingSecret"));
    /* as an older build made it, without a stored signing secret */
    free(suite_query(suite, "update bot.bot set signing_sealed = null returning 1"));
    check_all("before");
}

/* Counts the long-lived sealed values not sealed by the current key. */
static long left_of(const char *daemon, const char *schema, const char *from)
{
    char *id;
    long count;
    char sql[200];

    snprintf(sql, sizeof(sql),
             "select id from %s.seal_key where writes_since is not null order by sequence desc "
             "limit 1",
             schema);
    id = suite_query(suite, sql);
    UNIT_CHECK(strlen(id) == 16, "%s has a key: %s", daemon, id);
    count = suite_count(suite,
                        "select count(*) from (%s) v (value) where value is not null and "
                        "encode(substr(value, 17, 8), 'hex') <> '%s'",
                        from, id);
    free(id);
    return count;
}

static long left_in_authd(void)
{
    return left_of("authd", "auth",
                   "select private_sealed from auth.signing_key union all "
                   "select private_sealed from auth.issuer_key union all "
                   "select secret_sealed from auth.mfa_factor union all "
                   "select secret_sealed from auth.account_address_key");
}

static long left_elsewhere(void)
{
    return left_of("docd", "doc", "select public_token from doc.document") +
           left_of("botd", "bot",
                   "select secrets_sealed from bot.bot union all "
                   "select signing_sealed from bot.bot");
}

struct load {
    atomic_bool stop;
    atomic_int good, away, bad;
    pthread_t threads[LOADERS];
};

static void *load_thread(void *arg)
{
    struct load *load = arg;

    while (!atomic_load(&load->stop)) {
        PERSON person = person_register(suite, NULL);
        int status = person->status;

        if (person->refresh) {
            HTTP_ANSWER answer = suite_post_fresh(
                suite, "/auth/refresh-token", json_pack("{s:s}", "refresh_token", person->refresh));
            HTTP_ANSWER mfa = http_get(suite_url(suite), "/auth/mfa/status", person->access);

            status = answer->status != 200 ? answer->status : mfa->status;
        }
        atomic_fetch_add(status == 200 ? &load->good : status == 503 ? &load->away : &load->bad, 1);
        if (status != 200 && status != 503)
            fprintf(stderr, "load: %d\n", status);
    }
    return NULL;
}

static void load_start(struct load *load)
{
    for (size_t i = 0; i < LOADERS; i++)
        pthread_create(&load->threads[i], NULL, load_thread, load);
}

static void load_finish(struct load *load)
{
    atomic_store(&load->stop, true);
    for (size_t i = 0; i < LOADERS; i++)
        pthread_join(load->threads[i], NULL);
    UNIT_CHECK(load->good > 0 && load->bad == 0, "%d good, %d away, %d bad", load->good, load->away,
               load->bad);
}

static void queue_mail(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    CLEANUP(seal_keys_wipe) struct seal_keys keys = {.count = 0};
    char *path = key_path("maild"), hex[512];
    struct sealed sealed;
    struct error err;

    error_init(&err, arena);
    CU_ASSERT_EQUAL_FATAL(seal_keys_load(path, &keys, &err), 0);
    sealed = seal_value(arena, &keys, "mail", "ana@example.org\0{}", 18);
    sodium_bin2hex(hex, sizeof(hex), sealed.bytes, sealed.size);
    CU_ASSERT_EQUAL(
        suite_count(suite,
                    "with made as (insert into mail.message (id, project_id, template, sealed, "
                    "due_at, created_at) select gen_random_uuid(), gen_random_uuid(), 'NONE', "
                    "decode('%s', 'hex'), 9000000000000, 0 from generate_series(1, %d) "
                    "returning 1) select count(*) from made",
                    hex, MANY),
        MANY);
    free(path);
}

static long mail_left(void)
{
    return left_of("maild", "mail", "select sealed from mail.message");
}

static void a_kill_only_pauses_the_task(void)
{
    int64_t since;
    long left;

    queue_mail();
    PROGRAM first = rotate();
    CU_ASSERT_STRING_EQUAL(said(first, "maild", "step"), "prepared");
    restart("authd", "1", SIGTERM);
    restart("authd", "2", SIGTERM);
    restart_others();
    PROGRAM second = rotate();
    CU_ASSERT_STRING_EQUAL(said(second, "maild", "step"), "switched");
    /* The resealing task waits when it reaches the last value. */
    PGconn *holder =
        suite_lock_rows(suite,
                        "select from mail.message where template = 'NONE' order by id desc limit 1 "
                        "for update");
    restart("maild", "1", SIGTERM);
    CU_ASSERT_TRUE(suite_waits_for_rows(suite, "maild", 1));
    left = mail_left();
    UNIT_CHECK(left > 0 && left < MANY, "killed in the middle: %ld of %d are left", left, MANY);
    restart("maild", "1", SIGKILL);
    PQfinish(holder);
    since = clock_mono_ms();
    while (mail_left() > 0 && clock_mono_ms() - since < 30000)
        usleep(20000);
    printf("(%ld values in %lld ms) ", left, (long long)(clock_mono_ms() - since));
    CU_ASSERT_EQUAL(mail_left(), 0);
    restart("authd", "1", SIGTERM);
    restart("authd", "2", SIGTERM);
    restart_others();
    PROGRAM third = rotate();
    check_step(third, "finished");
    free(suite_query(suite, "delete from mail.message where template = 'NONE' returning 1"));
    restart("authd", "1", SIGTERM);
    restart("authd", "2", SIGTERM);
    restart_others();
}

static void the_first_step_only_reads(void)
{
    seal_everything();
    PROGRAM first = rotate();
    check_step(first, "prepared");
    CU_ASSERT_STRING_EQUAL(said(first, "authd", "restart"), "authd@1 authd@2");
    for (size_t i = 0; daemons[i]; i++)
        CU_ASSERT_EQUAL(key_lines(daemons[i]), 2);
    PROGRAM waiting = rotate();
    check_step(waiting, "waiting");
    restart("authd", "1", SIGTERM);
    PROGRAM half = rotate();
    CU_ASSERT_STRING_EQUAL(said(half, "authd", "step"), "waiting");
    CU_ASSERT_STRING_EQUAL(said(half, "authd", "restart"), "authd@2");
    check_all("one of two authd knows the new key");
    restart("authd", "2", SIGTERM);
    restart_others();
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.seal_key "
                                       "where writes_since is not null"),
                    1);
    check_all("all know both keys");
}

static void the_second_step_writes_under_load(void)
{
    struct load load = {.stop = false};
    PROGRAM second = rotate();

    check_step(second, "switched");
    load_start(&load);
    restart("authd", "1", SIGTERM);
    check_all("one of two authd writes with the new key");
    suite_signal(suite, "authd", "1", SIGKILL); /* which may be resealing */
    restart("authd", "2", SIGTERM);
    restart_others();
    load_finish(&load);
    CU_ASSERT_TRUE(suite_wait_ready(suite, 15000));
    check_all("all write with the new key");
    for (int i = 0; i < 200 && left_in_authd() + left_elsewhere() > 0; i++)
        usleep(100000);
    CU_ASSERT_EQUAL(left_in_authd(), 0);
    CU_ASSERT_EQUAL(left_elsewhere(), 0);
    PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor");
    CU_ASSERT_PTR_NOT_NULL(strstr(doctor->out, "no value needs the key"));
}

static void the_third_step_takes_the_old_key_away(void)
{
    PROGRAM third = rotate();

    check_step(third, "finished");
    for (size_t i = 0; daemons[i]; i++)
        CU_ASSERT_EQUAL(key_lines(daemons[i]), 1);
    check_all("the file has one key, the instances two");
    restart("authd", "1", SIGTERM);
    restart("authd", "2", SIGTERM);
    restart_others();
    check_all("the old key is gone");
    CU_ASSERT_TRUE(suite_count(suite, "select count(*) from auth.audit where event->>'action' "
                                      "like 'seal_key.%%'") >= 5);
    PROGRAM doctor = ATRIUMCTL(suite, NULL, "doctor");
    CHECK_EXIT(doctor, 0);
}

static void a_development_suite_is_exchanged_at_once(void)
{
    PROGRAM done = ATRIUMCTL(suite, NULL, "--json", "keys", "rotate", "--seal");

    CHECK_EXIT(done, 0);
    check_step(done, "finished");
    for (size_t i = 0; daemons[i]; i++)
        CU_ASSERT_EQUAL(key_lines(daemons[i]), 1);
    CU_ASSERT_TRUE(suite_wait_ready(suite, 15000));
    check_all("after a second exchange");
    CU_ASSERT_EQUAL(suite_count(suite, "select count(*) from auth.seal_key"), 4);
}

static void failures_count_across_an_exchange(void)
{
    PERSON victim = person_register(suite, NULL);
    char *source = fresh_source();

    for (int i = 0; i < 10; i++) {
        HTTP_ANSWER wrong = suite_post_from(suite, source, "/auth/tenant/Patient/login/start",
                                            body_login_start(victim->email, "wrong", "demo"));
        CU_ASSERT_NOT_EQUAL(wrong->status, 200);
    }
    PROGRAM done = ATRIUMCTL(suite, NULL, "--json", "keys", "rotate", "--seal");
    CHECK_EXIT(done, 0);
    CU_ASSERT_TRUE(suite_wait_ready(suite, 15000));
    HTTP_ANSWER refused =
        suite_post_from(suite, source, "/auth/tenant/Patient/login/start",
                        body_login_start(victim->email, victim->password, "demo"));
    CHECK_STATUS(refused, 429);
    free(source);
}

/* Starts another instance of a daemon with another key file, which must exit immediately. */
static void check_refused(const char *daemon, const char *text, const char *complaint)
{
    char *path = key_path(daemon), *aside, *config, *name, *program;
    FILE *file;

    if (asprintf(&aside, "%s.aside", path) < 0 ||
        asprintf(&config, "%s/atrium.conf", suite_dir(suite)) < 0 ||
        asprintf(&name, "atrium-%s", daemon) < 0)
        abort();
    program = program_path(name);
    CU_ASSERT_EQUAL_FATAL(rename(path, aside), 0);
    file = fopen(path, "we");
    if (!file || fchmod(fileno(file), 0600) < 0 || fputs(text, file) < 0)
        abort();
    fclose(file);
    PROGRAM started = program_run(
        (const char *const[]){program, "--config", config, "--instance", "9", NULL}, NULL);
    CU_ASSERT_EQUAL(rename(aside, path), 0);
    UNIT_CHECK(started->code > 0 && started->code < 128 && strstr(started->err, complaint) &&
                   strstr(started->err, path),
               "%s ended with %d: %s", daemon, started->code, started->err);
    free(path);
    free(aside);
    free(config);
    free(name);
    free(program);
}

#define KEY_A "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n"
#define KEY_B "101112131415161718191a1b1c1d1e1f000102030405060708090a0b0c0d0e0f\n"

static char *file_text(const char *daemon)
{
    char *path = key_path(daemon), *text = calloc(1, 256);
    FILE *file = fopen(path, "re");

    if (!file || fread(text, 1, 255, file) == 0)
        abort();
    fclose(file);
    free(path);
    return text;
}

static void wrong_keys_are_refused_by_every_daemon(void)
{
    for (size_t i = 0; daemons[i]; i++) {
        char *right = file_text(daemons[i]), both[256];

        check_refused(daemons[i], KEY_A, "has a different key than the one that sealed");
        check_refused(daemons[i], KEY_A KEY_B, "has a different key than the one that sealed");
        snprintf(both, sizeof(both), "%s%s", KEY_A, right);
        check_refused(daemons[i], both, "is new: it must be the second line");
        check_refused(daemons[i], "0001\n", "must contain 64 hexadecimal digits");
        free(right);
    }
}

/* An older build did not store which key sealed its values, so a wrong key is recognized by the
 * values that it cannot open. */
static void a_wrong_key_is_refused_by_what_it_does_not_open(void)
{
    free(suite_query(suite, "delete from auth.seal_key returning 1"));
    check_refused("authd", KEY_A, "has a different key than the one that sealed");
}

static void a_lost_second_line_is_refused(void)
{
    char *before, *after, both[300];

    /* prepared and switched, but the table shows nothing resealed yet */
    PROGRAM first = rotate();
    check_step(first, "prepared");
    restart("maild", "1", SIGTERM);
    PROGRAM second = rotate();
    CU_ASSERT_STRING_EQUAL(said(second, "maild", "step"), "switched");
    restart("maild", "1", SIGTERM);
    before = file_text("maild");
    after = strndup(before, strcspn(before, "\n") + 1);
    check_refused("maild", after, "lacks the key");
    snprintf(both, sizeof(both), "%s%s", after, KEY_A);
    check_refused("maild", both, "lacks the key");
    free(before);
    free(after);
}

static void the_suite_ends(void)
{
    suite_stop(&suite);
}

static const struct unit_case cases[] = {
    CASE(the_first_step_only_reads),
    CASE(the_second_step_writes_under_load),
    CASE(the_third_step_takes_the_old_key_away),
    CASE(a_kill_only_pauses_the_task),
    CASE(a_development_suite_is_exchanged_at_once),
    CASE(failures_count_across_an_exchange),
    CASE(wrong_keys_are_refused_by_every_daemon),
    CASE(a_wrong_key_is_refused_by_what_it_does_not_open),
    CASE(a_lost_second_line_is_refused),
    CASE_ALWAYS(the_suite_ends),
};

int main(void)
{
    static const char *const argv[] = {"/usr/bin/python3", "tests/support/bot_server.py", NULL};
    int port = 0;

    bot_server = program_start(argv, NULL);
    if (!program_wait_output(bot_server, "\n", 10000) ||
        sscanf(bot_server->out, "port %d", &port) != 1)
        return 1;
    snprintf(bot_url, sizeof(bot_url), "http://127.0.0.1:%d", port);
    suite = suite_start(&(struct suite_options){
        .instances = "authd=2", .bot_allow = "127.0.0.1/32", .test_clock = true});
    return unit_run("seal keys", cases, ARRAY_SIZE(cases));
}
