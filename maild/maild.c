/* maild.c - the program atrium-maild. */
#include "maild/maild.h"

#include <string.h>

#include "common/base/clock.h"
#include "maild/maild_api.h"
#include "maild/sealed.h"
#include "maild/sql/job.h"
#include "maild/sql/mail.h"
#include "maild/sql/purge.h"
#include "maild/sql/seal.h"
#include "maild/tenant.h"
#include "maild/transport.h"
#include "maild/webhook/webhook.h"

enum { PURGE_PERIOD_MS = HOURS(1), PURGE_BATCH = 1000 };

/* Finished rows are kept this long, to recognize repeated requests. */
static const int64_t purge_after_ms = DAYS(30);

extern const struct db_migration maild_migrations[];

static const struct config_row config_rows[] = {
    DATABASE_CONFIG_ROWS(struct maild_config,
                         "host=/run/postgresql dbname=atrium user=atrium-maild"),
    CONFIG_PATH(struct maild_config, seal_key, "/etc/atrium/maild.key", CONFIG_SECRET,
                "File with 64 hexadecimal digits that only its owner can read: the key that "
                "encrypts waiting emails."),
    CONFIG_CHOICE(struct maild_config, transport, "smtp", "smtp file",
                  "How emails are sent: smtp, or file (for development: one file per email)."),
    CONFIG_PATH(struct maild_config, mail_dir, "/var/lib/atrium/mail", 0,
                "Directory to which the file transport writes emails."),
    CONFIG_TEXT(struct maild_config, smtp_url, "smtp://localhost:25", CONFIG_RELOAD,
                "Mail server: smtp://host:port, or smtps://host:port for TLS from the start."),
    CONFIG_TEXT(struct maild_config, smtp_user, NULL, CONFIG_RELOAD,
                "User name for AUTH; default: none, maild doesn't authenticate."),
    CONFIG_PATH(struct maild_config, smtp_password_file, NULL, CONFIG_SECRET | CONFIG_RELOAD,
                "File that only its owner can read, whose first line is the password for AUTH."),
    CONFIG_CHOICE_RELOAD(struct maild_config, smtp_starttls, "require", "require try none",
                         "TLS with STARTTLS: require, try (if the server offers it) or none."),
    CONFIG_PATH(struct maild_config, smtp_ca_file, NULL, CONFIG_RELOAD,
                "Certificate authorities that the mail server's certificate must chain to; "
                "default: the system's."),
    CONFIG_DURATION_RELOAD(struct maild_config, smtp_timeout, "30s", 1000, 600000,
                           "Longest delivery of one email."),
    CONFIG_DURATION_RELOAD(struct maild_config, mail_max_age, "3d", 3600000, DAYS(30),
                           "Age at which an unsent email fails."),
    CONFIG_INT(struct maild_config, deliveries, "8", 1, 64, "Parallel deliveries."),
    CONFIG_TEXT(struct maild_config, from_address, "no-reply@localhost", CONFIG_RELOAD,
                "Sender address of all emails."),
    CONFIG_TEXT(struct maild_config, from_name, "", CONFIG_RELOAD,
                "Sender name of emails, unless the project's branding has a name."),
    CONFIG_TEXT(struct maild_config, installation_name, "Atrium", CONFIG_RELOAD,
                "Name of the installation in its own emails."),
    CONFIG_LIST_RELOAD(struct maild_config, allow_networks, NULL,
                       "Private networks and addresses that webhooks can lead to; default: none."),
    CONFIG_PATH(struct maild_config, webhook_ca_file, NULL, CONFIG_RELOAD,
                "Certificate authorities that the certificates of webhook receivers must chain to; "
                "default: the system's."),
};

#define SERVICE maild
#define SERVICE_OPERATIONS OPERATION_TABLE
#include "common/bus/operations.def"

static const char *const upstreams[] = {"authd", "settingsd", "docd", NULL};

static int purge(void *daemon, const struct request *req, struct error *err)
{
    struct maild *d = daemon;
    int64_t before = clock_now_ms(d->real) - purge_after_ms;
    const struct sql_mail_purge_in mails = {.before = before, .most = PURGE_BATCH};
    const struct sql_job_purge_in jobs = {.before = before, .most = PURGE_BATCH};
    int count;

    do {
        count = sql_mail_purge(d->svc.db, req, &mails, err);
    } while (count == PURGE_BATCH && !d->svc.stopping);
    if (count < 0)
        return -1;
    do {
        count = sql_job_purge(d->svc.db, req, &jobs, err);
    } while (count == PURGE_BATCH && !d->svc.stopping);
    return count < 0 ? -1 : 0;
}

static bool is_smtp(const struct maild *d)
{
    const struct maild_config *config = d->svc.config;

    return strcmp(config->transport, "smtp") == 0;
}

static int maild_configured(void *daemon, struct error *err)
{
    struct maild *d = daemon;
    const struct maild_config *config = d->svc.config;

    if (network_rules_read("allow_networks", config->allow_networks, d->svc.arena, &d->networks,
                           err) < 0)
        return -1;
    return is_smtp(d) ? smtp_server_read(config, d->svc.check_only, &d->smtp, err) : 0;
}

static void maild_reload(void *daemon, void *fresh)
{
    struct maild *d = daemon;
    const struct maild *next = fresh;

    d->networks = next->networks;
    if (!d->transport->use_server || !is_smtp(next))
        return;
    d->transport->use_server(d->transport, &next->smtp);
    deliver_kick(d);
}

static int maild_start(void *daemon, struct error *err)
{
    struct maild *d = daemon;
    const struct maild_config *config = d->svc.config;

    d->real = clock_new(NULL);
    d->transport = is_smtp(d) ? transport_smtp_new(d->svc.loop, &d->smtp, config->deliveries)
                              : transport_file_new(d->svc.offload, config->mail_dir, err);
    secret_wipe(&d->smtp.password);
    if (!d->transport || deliver_start(d, err) < 0 || job_start(d, err) < 0 ||
        webhook_post_start(d, err) < 0)
        return -1;
    service_every(&d->svc, "purge", PURGE_PERIOD_MS, purge);
    backlog_start(d);
    webhook_event_start(d);
    return 0;
}

static void maild_drain(void *daemon)
{
    struct maild *d = daemon;

    if (d->jobs)
        job_stop(d);
    if (d->webhooks)
        webhook_post_drain(d);
}

static void maild_stop(void *daemon)
{
    struct maild *d = daemon;

    if (d->webhooks)
        webhook_post_stop(d);
    if (d->deliver && !deliver_stop(d))
        return;
    transport_destroy(&d->transport);
    clock_destroy(&d->real);
}

static const struct seal_table seal_tables[] = {
    {"message", SEALED_PURPOSE, SEAL_TABLE(message), NULL},
    {"webhook secret", WEBHOOK_SECRET_PURPOSE, SEAL_TABLE(webhook_secret), NULL},
    {"webhook previous", WEBHOOK_SECRET_PURPOSE, SEAL_TABLE(webhook_previous), NULL},
    {.name = NULL},
};

static const struct purge_step purge_steps[] = {
    PURGE_STEP(template, 500), PURGE_STEP(message, 1000),          PURGE_STEP(job, 1000),
    PURGE_STEP(webhook, 100),  PURGE_STEP(webhook_delivery, 1000), PURGE_STEP(webhook_queue, 100),
    {.table = NULL},
};

/* settingsd repeats the call until nothing is left. */
int project_purge(struct maild *d, const struct request *req, const struct project_purge_in *in,
                  struct project_purge_out *out, struct error *err)
{
    return purge_call(&d->svc, req, in->projectId, out, err);
}

static const struct service_definition definition = {
    .name = "maild",
    .summary = "Templates, the mail queue, SMTP and jobs of the Atrium suite.",
    .size = sizeof(struct maild),
    .config = config_rows,
    .config_count = ARRAY_SIZE(config_rows),
    .config_size = sizeof(struct maild_config),
    .database_offset = offsetof(struct maild_config, db),
    .schema = "mail",
    .sql = maild_sql,
    .migrations = maild_migrations,
    .audit = true,
    .erasure = true,
    .operations = operations,
    .checks = maild_checks,
    .upstreams = upstreams,
    .seal_key_offset = offsetof(struct maild_config, seal_key),
    .seal_tables = seal_tables,
    .purge = purge_steps,
    .tenant = maild_tenant_tables,
    .configured = maild_configured,
    .reload = maild_reload,
    .start = maild_start,
    .drain = maild_drain,
    .stop = maild_stop,
};

int main(int argc, char **argv)
{
    return service_main(argc, argv, &definition);
}
