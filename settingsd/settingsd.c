/* settingsd.c - the program atrium-settingsd. */
#include "settingsd/settingsd.h"

#include "authd/authd_api.h"
#include "common/domain/request.h"
#include "common/service/audit_events.h"
#include "maild/maild_api.h"
#include "settingsd/deletion.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/tenant.h"

extern const struct db_migration settingsd_migrations[];

static const struct config_row config_rows[] = {
    DATABASE_CONFIG_ROWS(struct settingsd_config,
                         "host=/run/postgresql dbname=atrium user=atrium-settingsd"),
    CONFIG_PATH(struct settingsd_config, seal_key, "/etc/atrium/settingsd.key", CONFIG_SECRET,
                "File of 64 hex digits, 0600: seals what waits in the outbox."),
    CONFIG_INT_RELOAD(struct settingsd_config, children_per_project, "100", 1, 10000,
                      "Projects that the admins of one may make directly below it."),
    CONFIG_INT_RELOAD(struct settingsd_config, projects_per_root, "1000", 1, 4000,
                      "Projects of one tree up to which admins may make more."),
    CONFIG_INT_RELOAD(struct settingsd_config, history_keep, "0", 0, 100000,
                      "Changes of settings that a project's history keeps, 1000 at least; 0: all."),
};

#define SERVICE settingsd
#define SERVICE_OPERATIONS OPERATION_TABLE
#include "common/bus/operations.def"

static const char *const upstreams[] = {"authd", "botd", "docd", "maild", NULL};

static const struct bus_method *const outbox_methods[] = {
    &authd_change_publish_method, &authd_admin_grant_method, &maild_mail_enqueue_method, NULL};

static int start(void *daemon, struct error *err UNUSED)
{
    struct settingsd *d = daemon;

    deletion_start(d);
    service_every(&d->svc, "settings history", MINUTES(1), history_trim);
    return 0;
}

/* Returns projects' events for webhooks. */
int audit_events(struct settingsd *d, const struct request *req, const struct audit_events_in *in,
                 struct audit_events_out *out, struct error *err)
{
    return audit_events_read(&d->svc, req, in, out, err);
}

static const struct service_definition definition = {
    .name = "settingsd",
    .summary = "Projects, settings, access policies and client applications of the Atrium suite.",
    .size = sizeof(struct settingsd),
    .config = config_rows,
    .config_count = ARRAY_SIZE(config_rows),
    .config_size = sizeof(struct settingsd_config),
    .database_offset = offsetof(struct settingsd_config, db),
    .schema = "settings",
    .sql = settingsd_sql,
    .migrations = settingsd_migrations,
    .audit = true,
    .erasure = true,
    .operations = operations,
    .find_project = project_id_of,
    .upstreams = upstreams,
    .outbox_methods = outbox_methods,
    .tenant = settingsd_tenant_tables,
    .seal_key_offset = offsetof(struct settingsd_config, seal_key),
    .start = start,
};

int main(int argc, char **argv)
{
    return service_main(argc, argv, &definition);
}
