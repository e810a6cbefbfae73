/* service_private.h - private to service*.c. */
#ifndef ATRIUM_COMMON_SERVICE_SERVICE_PRIVATE_H
#define ATRIUM_COMMON_SERVICE_SERVICE_PRIVATE_H

#include "common/bus/method.h"
#include "common/service/service.h"

#define OP(handler, input, output, callers, flags) HANDLER(struct service, handler, input, output)
#include "common/service/service_routes.def"

const struct operation *service_operations(const struct operation *own, struct arena *arena);

/* Starts no further task and parks until running ones end. */
void service_tasks_stop(struct service *self);

struct service_options {
    const char *config, *instance, *test_clock; /* test_clock: or NULL */
    bool check_config, print_config;
};

/* Returns -1 to exit with *ret_exit, after --help, --version or an error. */
int service_options_read(int argc, char **argv, const struct service_definition *definition,
                         struct service_options *ret, int *ret_exit) MUST_USE;

int service_config_load(struct service *self, const struct service_options *options,
                        struct error *err) MUST_USE;

/* Does all checks of --check-config: hosts, and the daemon's files. Can block. */
int service_config_check(struct service *self, const struct service_options *options,
                         struct error *err) MUST_USE;

enum { SERVICE_SECTIONS = 2 };
void service_sections(const struct service *self,
                      struct config_section ret[static SERVICE_SECTIONS]);

/* Returns an unstarted daemon with its own arena, for service_config_check(). */
struct service *service_fresh_new(const struct service *self);
void service_fresh_destroy(struct service **self_p);

/* Reads the files on the offload pool (parks). *ret_refusal is the reason why a start would fail,
 * or ERR_NONE. */
int service_fresh_read(const struct service *self, struct service *fresh, int64_t deadline_mono_ms,
                       struct error *ret_refusal, struct error *err) MUST_USE;

/* Changed keys that a reload applies, and that need a restart: "authd.issuer, ..." or "". */
struct service_difference {
    const char *reload, *restart;
};
struct service_difference service_compare(const struct service *self, const struct service *fresh,
                                          struct arena *arena);

/* Applies what can change at run time, after the current reload if one runs. */
void service_reload(struct service *self);

char *service_config_text(const struct service *self, struct arena *arena);

/* ---- service_database.c: after db_new() ---- */

void service_database_extend(struct service *self);
void service_database_metrics(struct service *self);
void service_database_watch(struct service *self);

/* service_database_up() is true if the database answers, service_database_writable() if it also
 * takes writes. Both are true if there is no database. */
bool service_database_up(const struct service *self);
bool service_database_writable(const struct service *self);

/* Probe the database now, at most 3 s each. A refused write is no failure (see db_refusal()).
 * service_database_blocker() updates self->database.blocker (pid 0: none). Parks. */
int service_database_answer(struct service *self, const struct request *req, struct error *err);
int service_database_write(struct service *self, const struct request *req, struct error *err);
int service_database_blocker(struct service *self, const struct request *req, struct error *err);

const struct database_config *service_database_config(const struct service *self);

const char *service_seal_key_path(const struct service *self);
int service_seal_load(struct service *self, struct error *err) MUST_USE;

/* Adds the key rotation's statements, before db_prepare(). */
void service_seal_extend(struct service *self);

/* Checks the keys: fails for keys other than the database's, registers new ones, adds rotated ones,
 * starts resealing. Parks. */
int service_seal_open(struct service *self, struct error *err) MUST_USE;

const char *service_seal_ids(const struct service *self, struct arena *arena);
const char *service_seal_state(const struct service *self);

/* ---- erasure.c ---- */

void service_erasure_extend(struct service *self);

/* ---- project_purge.c ---- */

/* project_purge_extend() adds the statements before db_prepare(); project_purge_watch() starts the
 * task. */
void project_purge_extend(struct service *self);
void project_purge_watch(struct service *self);

extern const struct check service_seal_checks[];

/* Returns a syslog priority, or -1. */
int service_log_level(const char *word);

#endif
