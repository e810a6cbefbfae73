/*
 * suite.h - a whole Atrium: `atriumctl dev` in a temporary directory on a free port, with its own
 * PostgreSQL. Nothing remains after the test, even if it crashes.
 */
#ifndef ATRIUM_TESTS_SUPPORT_SUITE_H
#define ATRIUM_TESTS_SUPPORT_SUITE_H

#include <jansson.h>
#include <libpq-fe.h>
#include <signal.h>
#include <sys/types.h>

#include "common/base/base.h"
#include "tests/support/http.h"

struct suite;

struct suite_options {
    const char *instances;                               /* "authd=2,gateway=2"; NULL: one each */
    const char *smtp;                                    /* HOST:PORT; NULL: mail files */
    const char *bot_allow;                               /* networks of http bots */
    const char *max_upload;                              /* bytes, or NULL */
    const char *s3_url, *s3_key, *s3_secret, *s3_bucket; /* all, or NULL: files */
    const char *database; /* a database on a running server, as in `dev --database`, or NULL */
    const char *set;      /* further settings, "botd.warm=2,...", or NULL */
    bool test_clock;
    bool apertium_trial; /* try translation, as by default; otherwise nothing is translated */
    bool no_demo;
    bool first_start;   /* in an empty directory, not a prepared copy */
    bool no_namespaces; /* as a kernel without user namespaces: no bubblewrap */
    bool no_landlock;   /* nothing confines programs if both are set */
};

/* Starts a copy of the run's prepared suite (prepared.h) and waits up to 60 s for "atrium: ready",
 * or ends the program. */
struct suite *suite_start(const struct suite_options *options);

/* Fills an empty directory like a suite with default settings that was started and stopped. Leaves
 * it empty outside tests/run.sh. */
void suite_fill(const char *dir, bool no_demo);

/* Sends SIGTERM, waits, and removes the directory, as each program's last case. Fails the test if
 * the suite runs for 30 s more or leaves a process. */
void suite_stop(struct suite **self_p);

/* suite_halt() kills atriumctl and all its processes; suite_restart() starts it again in the same
 * directory. */
void suite_halt(struct suite *self);
void suite_restart(struct suite *self);

/* Does both with other settings (suite_options.set). */
void suite_reconfigure(struct suite *self, const char *set);

const char *suite_url(const struct suite *self);

/* suite_go_through() makes suite_url() this URL, such as a proxy's. */
void suite_go_through(struct suite *self, const char *url);
const char *suite_admin_url(const struct suite *self);

/* suite_metric() returns the first sample of a metric with this service in the gateway's metrics,
 * or -1. */
long long suite_metric(struct suite *self, const char *name, const char *service);
const char *suite_dir(const struct suite *self);

/* Returns a text of dev.json by dotted path, "demo.adminEmail". The suite owns it. */
const char *suite_text(struct suite *self, const char *path);

/* suite_pid() returns dev.json's pid of a daemon or "postgres", 0 while it is down. */
pid_t suite_pid(struct suite *self, const char *name, const char *instance);
void suite_signal(struct suite *self, const char *name, const char *instance, int signo);

pid_t suite_supervisor(const struct suite *self);

/* Kills instances 1 and 2 of a daemon after this many ms, from a process for waitpid(). */
pid_t suite_kill_both_later(struct suite *self, const char *name, int ms);

/* Runs a query that locks rows for a second, in a process that waitpid() awaits. Returns when they
 * are locked. */
pid_t suite_hold(struct suite *self, const char *sql);

/* suite_hold_until() starts that second when `want` statements of a daemon wait for the lock, or
 * after 15 s. suite_hold_sign_ins() locks the rows that a sign-in writes last. */
pid_t suite_hold_until(struct suite *self, const char *sql, const char *daemon, long want);
pid_t suite_hold_sign_ins(struct suite *self);

/* suite_lock() locks a table ("auth.oauth_consent") against all use until suite_unlock(),
 * suite_lock_rows() a query's rows. */
PGconn *suite_lock(struct suite *self, const char *table);
PGconn *suite_lock_rows(struct suite *self, const char *sql);
void suite_unlock(PGconn *holder);

/* Wait up to a minute until the daemon has a new pid that the gateway knows, and the suite is
 * ready. */
bool suite_wait_new_pid(struct suite *self, const char *name, const char *instance, pid_t old);
bool suite_wait_ready(struct suite *self, int timeout_ms);

/* Sets the test clock to real time plus `seconds`, and waits for every daemon. */
void suite_set_clock(struct suite *self, int64_t seconds);

/* Moves the test clock this many seconds ahead. */
void suite_advance_clock(struct suite *self, int64_t seconds);

/* Return the clock's lead in seconds, and its time since 1970. */
int64_t suite_clock_ahead(const struct suite *self);
int64_t suite_now(const struct suite *self);
int64_t suite_now_ms(const struct suite *self);

/* suite_go_past() sets the clock just after that moment, suite_go_before() to `lead` ms before it
 * and at most a second earlier. */
void suite_go_past(struct suite *self, int64_t ms);
void suite_go_before(struct suite *self, int64_t ms, int64_t lead);

/* Returns a superuser's connection. PQfinish it. */
PGconn *suite_database(struct suite *self);

#define TEXT CLEANUP(memory_free) char *

/* Returns a query's value as text, "" for null or no row (caller frees). Use it only with tests'
 * own values. */
char *suite_query(struct suite *self, const char *sql);

/* suite_count() returns a number of a formatted query; suite_comes_to() waits for it, and returns
 * false after timeout_ms. */
long suite_count(struct suite *self, const char *format, ...) PRINTF_LIKE(2, 3);
bool suite_comes_to(struct suite *self, long want, int timeout_ms, const char *format, ...)
    PRINTF_LIKE(4, 5);

/* Waits up to a minute until that many statements of a daemon wait for row locks. */
bool suite_waits_for_rows(struct suite *self, const char *daemon, long want);

/* Waits until no email is under way, and for one to this address. Returns its newest, or NULL after
 * timeout_ms (caller frees). */
char *suite_mail(struct suite *self, const char *to, int timeout_ms);

size_t suite_mail_count(struct suite *self, const char *to);

/* Waits up to 30 s for exactly that many emails. Returns false for fewer or more. */
bool suite_mails_arrive(struct suite *self, const char *to, size_t want);

/* Wait until nothing is left in the outboxes and maild's queue, so no more email comes.
 * suite_mails_settle() fails the test after 30 s. */
bool suite_comes_to_rest(struct suite *self, int timeout_ms);
void suite_mails_settle(struct suite *self);

/* The link `page`?id=..&secret=.. of the address's newest email that has one; waits for it, and
 * fails the test without one. */
struct mail_link {
    char id[37], secret[128];
};
struct mail_link suite_mail_link(struct suite *self, const char *to, const char *page);

/* Returns the six digits in the address's newest email once all emails have come, "" for none.
 * Valid until the next call. */
const char *suite_mail_code(struct suite *self, const char *to);

struct person {
    char *email, *password;
    char *access, *refresh; /* NULL: sign-in failed */
    char *profile;          /* "Patient/<id>" */
    char *project;          /* "Project/<id>" */
    int status;
};

/* A PKCE pair (RFC 7636). */
extern const char *const pkce_verifier, *const pkce_challenge;

/* Makes a unique "p<number>-<pid>@patients.example" (caller frees). */
char *person_address(void);

/* Makes an unused client address, which no limit affects yet (caller frees). */
char *fresh_source(void);

/* Post from that client address, or from a new one, which no limit affects. Consume the body. */
struct http_answer *suite_post_from(const struct suite *suite, const char *source, const char *path,
                                    json_t *body);
struct http_answer *suite_post_fresh(const struct suite *suite, const char *path, json_t *body);

struct http_answer *suite_refresh(const struct suite *suite, const char *token);
int suite_refresh_status(const struct suite *suite, const char *token);

int suite_status(const struct suite *suite, const char *path, const char *bearer);

/* Posts an emailed link's values from a new address, with a bearer token and a password, either or
 * both NULL. */
struct http_answer *suite_post_link(const struct suite *suite, const char *path,
                                    const struct mail_link *link, const char *access,
                                    const char *password);

/* Registers a patient of demo from a new client address; email NULL: a new one. */
struct person *person_register(struct suite *suite, const char *email);

/* Registers a patient like person_register(), and waits for the welcome email. */
struct person *person_register_settled(struct suite *suite);

/* Signs in with start and token. role: "Patient" or "Practitioner"; tenant NULL: demo. */
struct person *person_sign_in(struct suite *suite, const char *role, const char *email,
                              const char *password, const char *tenant);
struct person *person_admin(struct suite *suite); /* demo's admin */

/* Sets whether the admin's project requires verified addresses. */
void suite_require_proofs(struct suite *suite, const struct person *admin, bool required);

/* Returns the id of the address's account, "" for none (caller frees). */
char *suite_account(struct suite *suite, const char *email);

void person_set_hash(struct suite *suite, const char *email, const char *hash);

/* Returns the same practitioner as admin of a new child project with that code. */
struct person *person_admin_of_child(struct suite *suite, const char *code);

/* True when /auth/me returns `status` on many new connections, which reach every gateway. */
bool suite_everywhere(struct suite *suite, const char *access, int status);

void person_destroy(struct person **self_p);
#define PERSON CLEANUP(person_destroy) struct person *

/* Sets a boolean setting of the admin's project, "PATIENT_LOGIN_ENABLED". */
void suite_set_switch(struct suite *suite, const char *access, const char *name, bool enabled);

void suite_set_value(struct suite *suite, const char *access, const char *name, const char *value);

/* Make bodies of login/start, login/token and register. */
json_t *body_login_start(const char *email, const char *password, const char *tenant);
json_t *body_login_token(const char *code, const char *tenant);
json_t *body_register(const char *email, const char *tenant);

#endif
