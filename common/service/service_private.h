/*
 * service_private.h - what service.c, service_status.c, service_task.c and service_options.c share.
 */
#ifndef ATRIUM_COMMON_SERVICE_SERVICE_PRIVATE_H
#define ATRIUM_COMMON_SERVICE_SERVICE_PRIVATE_H

#include "common/bus/method.h"
#include "common/service/service.h"

#define OP(handler, input, output, callers, flags) HANDLER(struct service, handler, input, output)
#include "common/service/service_routes.def"

/* The daemon's operations and the built-in ones, ended by name NULL, from the arena. */
const struct operation *service_operations(const struct operation *own, struct arena *arena);

/* Lets no further run of service_every() begin and parks until those under way have ended. */
void service_tasks_stop(struct service *self);

struct service_options {
    const char *config, *instance, *test_clock; /* test_clock: NULL without */
    bool check_config, print_config;
};

/* -1: exit with *ret_exit (after --help, --version or a mistake). */
int service_options_read(int argc, char **argv, const struct service_definition *definition,
                         struct service_options *ret, int *ret_exit) MUST_USE;

/* Fills self->common and self->config from the file; texts are in self->arena. */
int service_config_load(struct service *self, const struct service_options *options,
                        struct error *err) MUST_USE;

/* The same with all that --check-config checks: hosts, and the daemon's own files. May block. */
int service_config_check(struct service *self, const struct service_options *options,
                         struct error *err) MUST_USE;

enum { SERVICE_SECTIONS = 2 };
void service_sections(const struct service *self,
                      struct config_section ret[static SERVICE_SECTIONS]);

/* An unstarted daemon with the files' current configuration, in its own arena; check it with
 * service_config_check(). */
struct service *service_fresh_new(const struct service *self);
void service_fresh_destroy(struct service **self_p);

/* Changed keys that a reload applies, and that need a restart: "authd.issuer, ..." or "". */
struct service_difference {
    const char *reload, *restart;
};
struct service_difference service_compare(const struct service *self, const struct service *fresh,
                                          struct arena *arena);

/* Applies what can change at run time; at once, or after the reload under way. */
void service_reload(struct service *self);

char *service_config_text(const struct service *self, struct arena *arena);

/* ---- service_database.c: of the database, once db_new() was called ---- */

/* The statements of the probes; before db_prepare(). */
void service_database_extend(struct service *self);
void service_database_metrics(struct service *self);

void service_database_watch(struct service *self);

/* It answers; it takes writes too. Both true without a database. */
bool service_database_up(const struct service *self);
bool service_database_writable(const struct service *self);

/* Asks now, 3 s at most each. A refused write is no failure (see db_refusal()). The last renews
 * self->database.blocker (pid 0: none). Park. */
int service_database_answer(struct service *self, const struct request *req, struct error *err);
int service_database_write(struct service *self, const struct request *req, struct error *err);
int service_database_blocker(struct service *self, const struct request *req, struct error *err);

/* The member of the daemon's configuration; the daemon has a database. */
const struct database_config *service_database_config(const struct service *self);

/* Of the daemon's key that seals; NULL when it has none. */
const char *service_seal_key_path(const struct service *self);

int service_seal_load(struct service *self, struct error *err) MUST_USE;

/* Statements and tables of the keys' exchange, for a db that db_prepare() has not seen yet. */
void service_seal_extend(struct service *self);

/* Refuses keys that are not the database's, registers them, adds exchanged ones, starts resealing.
 * Parks. */
int service_seal_open(struct service *self, struct error *err) MUST_USE;

/* See struct service_status_out. */
const char *service_seal_ids(const struct service *self, struct arena *arena);
const char *service_seal_state(const struct service *self);

/* ---- service_erasure.c: of a daemon that erases what accounts leave behind ---- */

void service_erasure_extend(struct service *self);

/* ---- project_purge.c: of a daemon that keeps data of projects ---- */

/* The statements, for a db that db_prepare() has not seen yet; the task that looks again. */
void project_purge_extend(struct service *self);
void project_purge_watch(struct service *self);

extern const struct check service_seal_checks[];

/* The syslog priority of a word of `log_level`; -1 for another word. */
int service_log_level(const char *word);

#endif
