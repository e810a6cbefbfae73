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

/* Reads the command line. -1: leave with *ret_exit (after --help, --version or a mistake, told on
 * stderr). */
int service_options_read(int argc, char **argv, const struct service_definition *definition,
                         struct service_options *ret, int *ret_exit) MUST_USE;

/* Fills self->common and self->config from the file; texts are in self->arena. */
int service_config_load(struct service *self, const struct service_options *options,
                        struct error *err) MUST_USE;

/* The same, and looks at all that --check-config does: the list of hosts, and the files that the
 * daemon's own check opens. Nothing of *self need be open. May block. */
int service_config_check(struct service *self, const struct service_options *options,
                         struct error *err) MUST_USE;

/* The sections of a daemon's configuration: `common` and its own. */
enum { SERVICE_SECTIONS = 2 };
void service_sections(const struct service *self,
                      struct config_section ret[static SERVICE_SECTIONS]);

/* A daemon of the same definition with the configuration that its files have now, in an arena of
 * its own. Not started; check it with service_config_check(). */
struct service *service_fresh_new(const struct service *self);
void service_fresh_destroy(struct service **self_p);

/* How the configuration in use differs from that of `fresh`: the keys that a reload applies, and
 * those that need a restart, "authd.issuer, common.run_dir" each, in the arena; "" for none. */
struct service_difference {
    const char *reload, *restart;
};
struct service_difference service_compare(const struct service *self, const struct service *fresh,
                                          struct arena *arena);

/* Reads the configuration again and applies what can change at run time; at once, or after the
 * reload under way. */
void service_reload(struct service *self);

/* The effective configuration, as the file would have it. */
char *service_config_text(const struct service *self, struct arena *arena);

/* ---- service_database.c: of the database, once db_new() was called ---- */

/* The statements of the probes; before db_prepare(). */
void service_database_extend(struct service *self);
void service_database_metrics(struct service *self);

/* Begins to probe. */
void service_database_watch(struct service *self);

/* It answers; it takes writes too. Both true without a database. */
bool service_database_up(const struct service *self);
bool service_database_writable(const struct service *self);

/* Ask now, 3 s at most each. A write that is refused is no failure: db_refusal() has it then. The
 * last renews self->database.blocker, pid 0: none. Park. */
int service_database_answer(struct service *self, const struct request *req, struct error *err);
int service_database_write(struct service *self, const struct request *req, struct error *err);
int service_database_blocker(struct service *self, const struct request *req, struct error *err);

/* The member of the daemon's configuration; the daemon has a database. */
const struct database_config *service_database_config(const struct service *self);

/* Of the daemon's key that seals; NULL when it has none. */
const char *service_seal_key_path(const struct service *self);

/* The keys of the file that the configuration names, without any look at the database. */
int service_seal_load(struct service *self, struct error *err) MUST_USE;

/* Statements and tables of the keys' exchange, for a db that db_prepare() has not seen yet. */
void service_seal_extend(struct service *self);

/* Refuses keys that are not those of the database, registers them, adds those that were exchanged,
 * and starts the task that seals anew. Parks. */
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
