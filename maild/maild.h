/*
 * maild.h - what the files of maild share.
 *
 * maild turns "mail this template to that person" into a message that is sent once: other daemons
 * enqueue (queue.c), deliver.c takes what is due, renders and builds it (render.c, message.c) and
 * hands it to the transport that the configuration names (transport.h).  Other daemons also leave
 * jobs for later (job.c), and what happens in them is posted to projects (webhook/).  work.c shares
 * all of that among the instances.
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
    int64_t deliveries;   /* at the same time */
    const char *from_address, *from_name;
    const char *installation_name; /* in mails of the installation itself */
    const char **allow_networks;   /* closed networks that receivers of webhooks may be in */
    const char *webhook_ca_file;   /* NULL: the system's */
};

struct maild {
    struct service svc;
    struct smtp_server smtp; /* as it was read; not of the file transport */
    struct clock *real;      /* wall clock, never moved: due times and leases */
    struct transport *transport;
    struct deliver *deliver;
    struct jobs *jobs;
    struct backlog *backlog;
    struct network_rules networks; /* that receivers of webhooks may be in */
    struct webhooks *webhooks;
};

#define SERVICE maild
#define SERVICE_OPERATIONS OPERATION_HANDLERS
#include "common/bus/operations.def"

/* check.c */
extern const struct check maild_checks[];

/* ---- template.c ---- */

/* Picks a project's template: nearest to the language, then the default language, then without a
 * language, then any. Languages are tags as language_tag() spells them, or "". ERR_NOT_FOUND: none
 * is mapped. Parks. */
int template_pick(struct maild *d, const struct request *req, struct uuid project, const char *name,
                  const char *language, const char *default_language, struct template_record *out,
                  struct error *err) MUST_USE;

/* ---- deliver.c ---- */

/* Starts delivering through d->transport. -1 when no fiber is left. */
int deliver_start(struct maild *d, struct error *err) MUST_USE;

/* Looks for due messages now instead of within a second. */
void deliver_kick(struct maild *d);

/* The same, and retries an unreachable mail server at once. */
void deliver_hurry(struct maild *d);

/* Stops claiming and waits up to 10 seconds for running deliveries. Parks. True when all have
 * ended. */
bool deliver_stop(struct maild *d);

/* ---- backlog.c ---- */

enum { BACKLOG_PERIOD_MS = 5000 };

void backlog_start(struct maild *d);

/* ---- job.c ---- */

/* -1 when no fiber is left. */
int job_start(struct maild *d, struct error *err) MUST_USE;

/* Stops claiming and waits up to 10 seconds for running jobs. Parks. */
void job_stop(struct maild *d);

#endif
