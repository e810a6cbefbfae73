/*
 * provision.c - see provision.h. A role is named like its daemon's system user, for peer
 * authentication. It owns its schema, except the audit log (ctl/schema/audit_owner.sql).
 */
#include "ctl/provision.h"

#include <stdio.h>
#include <string.h>

#include "common/base/log.h"
#include "common/pg/db.h"

extern const struct db_migration ctl_migrations[];

/* None of these names comes from outside, so they need no quotes. */
static const struct daemon_role {
    const char *daemon, *role, *schema;
    const char *audit; /* migration of the audit log */
} roles[] = {
    {"settingsd", "atrium-settingsd", "settings", "0004_audit"},
    {"authd", "atrium-authd", "auth", "0004_audit"},
    {"maild", "atrium-maild", "mail", "0003_audit"},
    {"docd", "atrium-docd", "doc", "0002_audit"},
    {"botd", "atrium-botd", "bot", "0002_audit"},
};

const char *provision_text(const char *name)
{
    const struct db_migration *row = ctl_migrations;

    while (row->name && strcmp(row->name, name) != 0)
        row++;
    return row->sql;
}

/* Returns the text that replaces a placeholder at the start of `text`; NULL: there is none. */
static const char *filling(const struct daemon_role *role, const char *text, size_t *ret_length)
{
    const char *const words[][2] = {{"@role@", role->role},
                                    {"@schema@", role->schema},
                                    {"@migration@", role->audit},
                                    {"@audit@", provision_text("audit")}};

    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        *ret_length = strlen(words[i][0]);
        if (strncmp(text, words[i][0], *ret_length) == 0)
            return words[i][1];
    }
    return NULL;
}

static void fill(FILE *out, const struct daemon_role *role, const char *text)
{
    while (*text) {
        size_t plain = strcspn(text, "@"), length;
        const char *value = filling(role, text + plain, &length);

        fwrite(text, 1, plain, out);
        text += plain;
        if (value) {
            fputs(value, out);
            text += length;
        } else if (*text) {
            fputc(*text++, out);
        }
    }
}

char *provision_sql(void)
{
    char *sql = NULL;
    size_t size;
    FILE *out = open_memstream(&sql, &size);

    if (!out)
        log_die("provision", "out of memory");
    fputs(provision_text("database"), out);
    for (size_t i = 0; i < ARRAY_SIZE(roles); i++) {
        fill(out, &roles[i], provision_text("role"));
        fill(out, &roles[i], provision_text("audit_owner"));
    }
    fputs(provision_text("extensions"), out);
    if (fclose(out) != 0)
        log_die("provision", "out of memory");
    return sql;
}

const char *provision_role(const char *daemon)
{
    for (size_t i = 0; i < ARRAY_SIZE(roles); i++) {
        if (strcmp(roles[i].daemon, daemon) == 0)
            return roles[i].role;
    }
    return NULL;
}
