/*
 * suite.h - a whole Atrium of the test's own: `atriumctl dev` in a temporary directory on a free
 * port, with its own PostgreSQL.  Gone without a trace when the test ends, also when it crashes.
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
    const char *instances;  /* "authd=2,gateway=2", or NULL for one each */
    const char *smtp;       /* HOST:PORT, or NULL for mail files */
    const char *bot_allow;  /* networks that http bots may be in */
    const char *max_upload; /* bytes, or NULL */
    const char *s3_url, *s3_key, *s3_secret, *s3_bucket; /* all, or NULL: files */
    const char *database; /* of a server that runs already, as `dev --database` takes it, or NULL */
    const char *set;      /* further settings of daemons, "botd.warm=2,...", or NULL */
    bool test_clock;
    bool apertium_trial; /* as by default; without it, a start and doctor translate nothing */
    bool no_demo;
    bool first_start;   /* in an empty directory, not in a copy of a prepared one */
    bool no_namespaces; /* as where the kernel forbids user namespaces: bubblewrap cannot start */
    bool no_landlock;   /* as where it has none; both: nothing can confine a program */
};

/* Starts, in a copy of a suite that was made once for the run and stopped (see prepared.h), and
 * waits for "atrium: ready" (60 s). Ends the program with a message when it does not come. */
struct suite *suite_start(const struct suite_options *options);

/* Fills an empty directory as suite_start() does: as a suite without settings left it that was
 * started once and stopped. Leaves it empty outside tests/run.sh. */
void suite_fill(const char *dir, bool no_demo);

/* SIGTERM, waits, removes the directory: the last case of each program. A suite that does not end
 * within 30 s or leaves a process behind fails the running test. */
void suite_stop(struct suite **self_p);

/* The same directory again after suite_halt() (SIGKILL of atriumctl and every process it
 * started). */
void suite_halt(struct suite *self);
void suite_restart(struct suite *self);

/* The two, with other settings of daemons (suite_options.set). */
void suite_reconfigure(struct suite *self, const char *set);

const char *suite_url(const struct suite *self);

/* From now on requests go to this URL, of a proxy before the gateways. */
void suite_go_through(struct suite *self, const char *url);
const char *suite_admin_url(const struct suite *self);

/* The first sample of a metric of that service among those that the gateway gathers; -1: none. */
long long suite_metric(struct suite *self, const char *name, const char *service);
const char *suite_dir(const struct suite *self);

/* A text of dev.json by dotted path, "demo.adminEmail". Owned by the suite. */
const char *suite_text(struct suite *self, const char *path);

/* The pid of a daemon as dev.json has it now; 0 while it is down. "postgres" works too. */
pid_t suite_pid(struct suite *self, const char *name, const char *instance);
void suite_signal(struct suite *self, const char *name, const char *instance, int signo);

/* atriumctl itself, which starts again what dies. */
pid_t suite_supervisor(const struct suite *self);

/* SIGKILL to instances 1 and 2 of a daemon, so many ms from now, by a process of its own: waitpid()
 * it. */
pid_t suite_kill_both_later(struct suite *self, const char *name, int ms);

/* Runs a query that locks rows and holds them for a second, in a process of its own (waitpid() it):
 * what needs them is half done until then. Returns when they are held. The second: what a sign-in
 * writes last. */
pid_t suite_hold(struct suite *self, const char *sql);

/* The same, but the second begins when so many statements of a daemon or more wait for the rows, or
 * after 15 s. */
pid_t suite_hold_until(struct suite *self, const char *sql, const char *daemon, long want);
pid_t suite_hold_sign_ins(struct suite *self);

/* Locks a table ("auth.oauth_consent") against every other use until suite_unlock(). The second:
 * what the query locks. */
PGconn *suite_lock(struct suite *self, const char *table);
PGconn *suite_lock_rows(struct suite *self, const char *sql);
void suite_unlock(PGconn *holder);

/* Waits until the daemon has another pid than `old`, the gateway knows it and the whole suite is
 * ready again; false after a minute. */
bool suite_wait_new_pid(struct suite *self, const char *name, const char *instance, pid_t old);
bool suite_wait_ready(struct suite *self, int timeout_ms);

/* Sets the test clock to real time plus `seconds` and waits until every daemon has seen it. */
void suite_set_clock(struct suite *self, int64_t seconds);

/* The same, so many seconds later than it is. */
void suite_advance_clock(struct suite *self, int64_t seconds);

/* By how many seconds it is ahead, and the time by it, seconds since 1970. */
int64_t suite_clock_ahead(const struct suite *self);
int64_t suite_now(const struct suite *self);
int64_t suite_now_ms(const struct suite *self);

/* Sets it just after that moment, or up to a second more than `lead` ms before it. */
void suite_go_past(struct suite *self, int64_t ms);
void suite_go_before(struct suite *self, int64_t ms, int64_t lead);

/* A superuser's connection to the suite's database; PQfinish it. */
PGconn *suite_database(struct suite *self);

/* A text that is freed when its scope ends. */
#define TEXT CLEANUP(memory_free) char *

/* One value of a query on it, as text (caller frees; "" for null or no row). Parameters are for
 * tests' own values. */
char *suite_query(struct suite *self, const char *sql);

/* A number from it; the query as printf() makes it. The second waits until it is the one wanted:
 * false after timeout_ms. */
long suite_count(struct suite *self, const char *format, ...) PRINTF_LIKE(2, 3);
bool suite_comes_to(struct suite *self, long want, int timeout_ms, const char *format, ...)
    PRINTF_LIKE(4, 5);

/* Waits up to a minute until that many statements of a daemon wait for a row that another
 * transaction has locked. */
bool suite_waits_for_rows(struct suite *self, const char *daemon, long want);

/* The text of the newest mail to this address (caller frees), waiting up to timeout_ms for one;
 * NULL. */
char *suite_mail(struct suite *self, const char *to, int timeout_ms);

/* How many mails lie in the directory for this address (NULL: for anyone). */
size_t suite_mail_count(struct suite *self, const char *to);

/* Waits up to 30 s for that many mails to this address; false when there are fewer by then, or
 * more. */
bool suite_mails_arrive(struct suite *self, const char *to, size_t want);

/* Waits until all that has been answered so far is mailed: nothing waits in the outboxes or in
 * maild's queue. What has not come by then will not come. The second: up to 30 s, and fails the
 * running test after that. */
bool suite_comes_to_rest(struct suite *self, int timeout_ms);
void suite_mails_settle(struct suite *self);

/* The link `page`?id=..&secret=.. in the newest mail to this address; fails the running test when
 * there is none. */
struct mail_link {
    char id[37], secret[128];
};
struct mail_link suite_mail_link(struct suite *self, const char *to, const char *page);

/* The six digits in the newest mail to this address, once all mail has come; "" when it has none.
 * Good until the next call. */
const char *suite_mail_code(struct suite *self, const char *to);

/* ---- people ---- */

struct person {
    char *email, *password;
    char *access, *refresh; /* tokens; NULL when signing in failed */
    char *profile;          /* "Patient/<id>" */
    char *project;          /* "Project/<id>" */
    int status;             /* of the last call */
};

/* A proof key pair of RFC 7636: `challenge` is S256 of `verifier`. */
extern const char *const pkce_verifier, *const pkce_challenge;

/* A unique address, "p<number>-<pid>@patients.example" (caller frees). */
char *person_address(void);

/* A client address that no other call of this program has used (caller frees): limits per address
 * start anew. */
char *fresh_source(void);

/* POST from that address, or from a fresh one, so that no limit is in the way. The body is
 * consumed. */
struct http_answer *suite_post_from(const struct suite *suite, const char *source, const char *path,
                                    json_t *body);
struct http_answer *suite_post_fresh(const struct suite *suite, const char *path, json_t *body);

/* Renews a session by its refresh token, from a fresh address. */
struct http_answer *suite_refresh(const struct suite *suite, const char *token);
int suite_refresh_status(const struct suite *suite, const char *token);

/* The status of a GET. */
int suite_status(const struct suite *suite, const char *path, const char *bearer);

/* POST of what a mailed link carries, from a fresh address, with a bearer token and a password,
 * each or NULL. */
struct http_answer *suite_post_link(const struct suite *suite, const char *path,
                                    const struct mail_link *link, const char *access,
                                    const char *password);

/* Registers a patient in the demo tenant from a fresh client address; email NULL makes one. */
struct person *person_register(struct suite *suite, const char *email);

/* The same, once the welcome has come to the address. */
struct person *person_register_settled(struct suite *suite);

/* Signs in by start + token. role is "Patient" or "Practitioner"; tenant NULL is the demo
 * tenant. */
struct person *person_sign_in(struct suite *suite, const char *role, const char *email,
                              const char *password, const char *tenant);
struct person *person_admin(struct suite *suite); /* the demo tenant's admin */

/* Whether the project of an admin asks for proven addresses from now on. */
void suite_require_proofs(struct suite *suite, const struct person *admin, bool required);

/* The id of the account with this address (caller frees); "" for none. */
char *suite_account(struct suite *suite, const char *email);

/* Gives an account this password hash, as an import or an older release would have left it. */
void person_set_hash(struct suite *suite, const char *email, const char *hash);

/* The same practitioner, signed in to a new child project under that code: also its admin. */
struct person *person_admin_of_child(struct suite *suite, const char *code);

/* Asks for /auth/me on many fresh connections, so that every gateway is asked: true when all answer
 * `status`. */
bool suite_everywhere(struct suite *suite, const char *access, int status);

void person_destroy(struct person **self_p);
#define PERSON CLEANUP(person_destroy) struct person *

/* Turns a switch of the project whose admin this access token is of, "PATIENT_LOGIN_ENABLED". */
void suite_set_switch(struct suite *suite, const char *access, const char *name, bool enabled);

/* Writes a text setting of it, "PATIENT_APP_URL". */
void suite_set_value(struct suite *suite, const char *access, const char *name, const char *value);

/* The bodies of login/start and login/token. */
json_t *body_login_start(const char *email, const char *password, const char *tenant);
json_t *body_login_token(const char *code, const char *tenant);
json_t *body_register(const char *email, const char *tenant);

#endif
