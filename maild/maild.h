/*
 * maild.h - what the files of maild share.
 *
 * Other daemons queue "template and recipient" (queue.c). deliver.c takes what is due, renders and
 * builds it (render.c, message.c), and passes it to the transport (transport.h). job.c runs jobs,
 * and webhook/ posts events. work.c divides the work among instances.
 */
#ifndef ATRIUM_MAILD_MAILD_H
#define ATRIUM_MAILD_MAILD_H

#include "common/bus/method.h"
#include "common/service/network.h"
#include "common/service/service.h"
#include "maild/smtp_server.h"
#include "maild/sql_part.h"

struct maild_config {
    struct database_config db;
    const char *seal_key;
    const char *transport; /* "smtp" or "file" */
    const char *mail_dir;
    const char *smtp_url, *smtp_user, *smtp_password_file, *smtp_starttls, *smtp_ca_file;
    int64_t smtp_timeout; /* ms */
    int64_t mail_max_age; /* ms */
    int64_t deliveries;
    const char *from_address, *from_name;
    const char *installation_name; /* name of the installation in its own emails */
    const char **allow_networks;   /* private networks for webhooks */
    bool allow_plain_http;         /* webhooks on loopback can be http */
    const char *webhook_ca_file;
};

struct maild {
    struct service svc;
    struct smtp_server smtp; /* unused by the file transport */
    struct clock *real;      /* real time, without --test-clock: for due times and leases */
    struct transport *transport;
    struct deliver *deliver;
    struct jobs *jobs;
    struct backlog *backlog;
    struct network_rules networks; /* networks that webhooks can reach */
    struct webhooks *webhooks;
};

#define SERVICE maild
#define SERVICE_OPERATIONS OPERATION_HANDLERS
#include "common/bus/operations.def"

extern const struct check maild_checks[];

/* ---- template.c ---- */

/* Picks the template nearest to the language, then to the default language, then the one without a
 * language, then any. Languages are as language_tag() spells them, or "". ERR_NOT_FOUND: none.
 * Parks. */
int template_pick(struct maild *d, const struct request *req, struct uuid project, const char *name,
                  const char *language, const char *default_language, struct template_record *out,
                  struct error *err) MUST_USE;

/* ---- deliver.c ---- */

/* Starts to deliver due messages. -1: no fiber is left. */
int deliver_start(struct maild *d, struct error *err) MUST_USE;

/* Looks for due messages now instead of within a second. */
void deliver_kick(struct maild *d);

/* Looks for due messages now, and tries the mail server even during its pause. */
void deliver_hurry(struct maild *d);

/* Waits up to 10 s for running deliveries. Parks. True when all have ended. */
bool deliver_stop(struct maild *d);

/* ---- backlog.c ---- */

enum { BACKLOG_PERIOD_MS = 5000 };

void backlog_start(struct maild *d);

/* ---- job.c ---- */

/* Starts to run due jobs. -1: no fiber is left. */
int job_start(struct maild *d, struct error *err) MUST_USE;

/* Waits up to 10 s for running jobs. Parks. */
void job_stop(struct maild *d);

#endif
