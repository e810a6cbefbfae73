/*
 * dev_config.c - atrium-dev's options and the daemons' configuration; see dev.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/secret.h"
#include "ctl/files.h"
#include "dev/dev.h"

static const int64_t UPLOAD_MAX = 1LL << 40; /* docd's own limit */

/* In start order. */
static const struct daemon_kind {
    const char *name;
    bool required; /* others start only if their program exists */
} kinds[] = {
    {"settingsd", true}, {"authd", true}, {"maild", true},
    {"docd", true},      {"botd", true},  {"gateway", true},
};

static struct daemon *find_daemon(struct dev *self, const char *name, size_t length)
{
    for (size_t i = 0; i < self->daemon_count; i++) {
        if (strlen(self->daemons[i].name) == length &&
            strncmp(self->daemons[i].name, name, length) == 0)
            return &self->daemons[i];
    }
    return NULL;
}

/* Reads numbers of instances such as "authd=2,gateway=2". */
static int read_instances(struct dev *self, const char *text, struct error *err)
{
    while (*text) {
        size_t length = strcspn(text, ",");
        char *item = arena_strndup(self->arena, text, length);
        size_t name = strcspn(item, "=");
        struct daemon *daemon = find_daemon(self, item, name);
        int64_t count;

        if (!daemon)
            return error_set(err, ERR_BAD_REQUEST, "--instances: there is no daemon \"%.*s\"",
                             (int)name, item);
        if (item[name] == '\0')
            return error_set(err, ERR_BAD_REQUEST, "--instances: %s=N", daemon->name);
        if (arguments_number("--instances", item + name + 1, 1, INSTANCES_MAX, &count, err) < 0)
            return -1;
        daemon->instances = (size_t)count;
        text += length + (text[length] == ',');
    }
    return 0;
}

/* Checks the form of settings such as "botd.warm=2,docd.max_upload=10M". */
static int check_set(struct dev *self, struct error *err)
{
    for (const char *at = self->set; *at; at += strspn(at, ",")) {
        size_t length = strcspn(at, ","), name = strcspn(at, ".,"), key = strcspn(at, "=,");

        if (at[name] != '.' || at[key] != '=' || key < name + 2)
            return error_set(err, ERR_BAD_REQUEST, "--set: must be SECTION.KEY=VALUE");
        if (strncmp(at, "common.", name + 1) != 0 && !find_daemon(self, at, name))
            return error_set(err, ERR_BAD_REQUEST, "--set: there is no daemon \"%.*s\"", (int)name,
                             at);
        if (strcspn(at, "\"'\n#") < length)
            return error_set(err, ERR_BAD_REQUEST,
                             "--set: quotes, number signs and line ends are not allowed");
        at += length;
    }
    return 0;
}

int dev_config_daemons(struct dev *self, const struct arguments *args, struct error *err)
{
    const char *instances = arguments_get(args, "--instances");

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        const char *program = arena_printf(self->arena, "atrium-%s", kinds[i].name);

        if (suite_dir_has_program(&self->dir, program))
            self->daemons[self->daemon_count++] = (struct daemon){
                kinds[i].name, arena_printf(self->arena, "%s/%s", self->dir.bin_dir, program), 1};
        else if (kinds[i].required)
            return error_set(err, ERR_NOT_FOUND, "%s is not beside atrium-dev in %s", program,
                             self->dir.bin_dir);
    }
    if (instances && read_instances(self, instances, err) < 0)
        return -1;
    self->set = arguments_get(args, "--set");
    if (self->set && check_set(self, err) < 0)
        return -1;
    self->gateway_count = find_daemon(self, "gateway", strlen("gateway"))->instances;
    return 0;
}

static int read_s3_secret(struct dev *self, const struct arguments *args, struct error *err)
{
    const char *file = arguments_get(args, "--s3-secret-file");
    CLEANUP(secret_wipe) struct secret secret = {.length = 0};

    self->s3_secret = arguments_get(args, "--s3-secret");
    if (!file)
        return 0;
    if (self->s3_secret)
        return error_set(err, ERR_BAD_REQUEST,
                         "--s3-secret and --s3-secret-file exclude each other");
    if (secret_load_text(file, &secret, err) < 0)
        return -1;
    self->s3_secret = arena_strdup(self->arena, (const char *)secret.bytes);
    return 0;
}

static int read_s3(struct dev *self, const struct arguments *args, struct error *err)
{
    static const char *const names[] = {"--s3", "--s3-key", "--s3-bucket"};
    const char **const values[] = {&self->s3_url, &self->s3_key, &self->s3_bucket};
    size_t given;

    if (read_s3_secret(self, args, err) < 0)
        return -1;
    given = self->s3_secret != NULL;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        *values[i] = arguments_get(args, names[i]);
        if (*values[i] && strpbrk(*values[i], "\"'\n#"))
            return error_set(err, ERR_BAD_REQUEST,
                             "%s: quotes, number signs and line ends are not allowed", names[i]);
        given += *values[i] != NULL;
    }
    return given == 0 || given == ARRAY_SIZE(names) + 1
               ? 0
               : error_set(err, ERR_BAD_REQUEST,
                           "--s3 URL --s3-key K --s3-secret-file FILE --s3-bucket B");
}

int dev_config_options(struct dev *self, const struct arguments *args, struct error *err)
{
    int64_t port;

    if (arguments_int(args, "--port", 8080, 0, 65535, &port, err) < 0)
        return -1;
    if (read_s3(self, args, err) < 0)
        return -1;
    if (arguments_int(args, "--max-upload", 0, 1, UPLOAD_MAX, &self->max_upload, err) < 0)
        return -1;
    self->port = (int)port;
    self->demo_wanted = !arguments_has(args, "--no-demo");
    self->smtp = arguments_get(args, "--smtp");
    if (self->smtp && (!strchr(self->smtp, ':') || strpbrk(self->smtp, "\"'/ \n")))
        return error_set(err, ERR_BAD_REQUEST, "--smtp: HOST:PORT");
    self->database = arguments_get(args, "--database");
    if (self->database && strpbrk(self->database, "\"#\n"))
        return error_set(err, ERR_BAD_REQUEST,
                         "--database: double quotes, number signs and line ends are not allowed");
    self->bot_allow = arguments_get(args, "--bot-allow");
    if (self->bot_allow &&
        self->bot_allow[strspn(self->bot_allow, "0123456789abcdefABCDEF.:/,")] != '\0')
        return error_set(err, ERR_BAD_REQUEST, "--bot-allow: networks, separated by commas");
    return 0;
}

/* ---- atrium.conf ---- */

static int write_s3(const struct dev *self, FILE *file, struct error *err)
{
    const char *secret = suite_dir_path(&self->dir, self->arena, "keys/s3");

    fprintf(file,
            "    store = \"s3\"\n    s3_url = \"%s\"\n    s3_bucket = \"%s\"\n    s3_key = \"%s\"\n"
            "    s3_secret_file = \"%s\"\n",
            self->s3_url, self->s3_bucket, self->s3_key, secret);
    return files_replace(secret, 0600, arena_printf(self->arena, "%s\n", self->s3_secret), err);
}

/* Writes the settings of --set, whose values the daemon checks. */
static void write_set(const struct dev *self, FILE *file, const char *name)
{
    size_t prefix = strlen(name) + 1;

    for (const char *at = self->set; at && *at; at += strspn(at, ",")) {
        size_t length = strcspn(at, ","), key = strcspn(at, "=");

        if (length > key + 1 && strncmp(at, name, prefix - 1) == 0 && at[prefix - 1] == '.')
            fprintf(file, "    %.*s = \"%.*s\"\n", (int)(key - prefix), at + prefix,
                    (int)(length - key - 1), at + key + 1);
        at += length;
    }
}

static int write_daemon(const struct dev *self, FILE *file, const char *name, struct error *err)
{
    const char *conninfo = postgres_conninfo(&self->postgres, self->arena, name), *key;

    fprintf(file, "%s\n", name);
    if (conninfo) {
        key = suite_dir_key(&self->dir, self->arena, name, err);
        if (!key)
            return -1;
        fprintf(file, "    database = \"%s\"\n    seal_key = \"%s\"\n", conninfo, key);
    }
    if (strcmp(name, "gateway") == 0)
        fprintf(file, "    listen = \"127.0.0.1:%d\"\n", self->port);
    if (strcmp(name, "maild") == 0 && self->smtp)
        fprintf(file,
                "    transport = \"smtp\"\n    smtp_url = \"smtp://%s\"\n"
                "    smtp_starttls = \"try\"\n",
                self->smtp);
    if (strcmp(name, "maild") == 0 && !self->smtp)
        fprintf(file, "    transport = \"file\"\n    mail_dir = \"%s\"\n",
                suite_dir_path(&self->dir, self->arena, "mail"));
    if (strcmp(name, "botd") == 0)
        fprintf(file, "    bot_dir = \"%s\"\n", suite_dir_path(&self->dir, self->arena, "bots"));
    if (strcmp(name, "botd") == 0 && self->bot_allow)
        fprintf(file, "    allow_networks = \"%s\"\n    allow_plain_http = \"true\"\n",
                self->bot_allow);
    if (strcmp(name, "docd") == 0)
        fprintf(file, "    storage_dir = \"%s\"\n",
                suite_dir_path(&self->dir, self->arena, "storage"));
    if (strcmp(name, "docd") == 0 && self->s3_url && write_s3(self, file, err) < 0)
        return -1;
    if (strcmp(name, "docd") == 0 && self->max_upload > 0)
        fprintf(file, "    max_upload = \"%lld\"\n", (long long)self->max_upload);
    write_set(self, file, name);
    return 0;
}

int dev_config_write(const struct dev *self, struct error *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    int result = 0;

    if (!file)
        return error_set(err, ERR_INTERNAL, "out of memory");
    fprintf(file,
            "#   Written by atriumctl dev at each start: changes are lost.\n"
            "common\n"
            "    run_dir = \"%s\"\n"
            "    development = \"true\"\n",
            self->dir.socket_dir);
    if (!self->set || !strstr(self->set, "common.public_url="))
        fprintf(file, "    public_url = \"%s\"\n", self->public_url);
    write_set(self, file, "common");
    for (size_t i = 0; i < self->daemon_count && result == 0; i++)
        result = write_daemon(self, file, self->daemons[i].name, err);
    if (fclose(file) != 0 && result == 0)
        result = error_set(err, ERR_INTERNAL, "out of memory");
    if (result == 0)
        result = files_replace(self->config_file, 0600, text, err);
    free(text);
    return result;
}
