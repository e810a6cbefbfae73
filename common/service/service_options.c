/* service_options.c - a daemon's command line and configuration file. */
#include <getopt.h>
#include <stdio.h>

#include "common/domain/page.h"
#include "common/service/service_private.h"

enum { EXIT_USAGE = 2, SECTIONS_MAX = 16 };

const struct config_row common_config_rows[] = {
    CONFIG_PATH(struct common_config, run_dir, "/run/atrium", 0,
                "Directory of the daemons' sockets and lock files; the same for all daemons."),
    CONFIG_CHOICE_RELOAD(struct common_config, log_level, "info", "debug info notice warning error",
                         "Lowest level that is logged: debug, info, notice, warning or error."),
    CONFIG_CHOICE(struct common_config, log_format, "auto", "auto text json journal",
                  "Format of the log: text, json, journal (entries with fields), or auto: journal "
                  "if standard error is the journal, otherwise text."),
    CONFIG_DURATION_RELOAD(struct common_config, slow_statement, "1s", 0, 600000,
                           "SQL statements that take longer are logged by name; 0s: none."),
    CONFIG_BOOL(struct common_config, development, "false",
                "Lets the daemons use a test clock; only atriumctl dev sets this."),
    CONFIG_PATH(struct common_config, bus_hosts, NULL, 0,
                "File that lists all instances with their addresses and keys, if they run on "
                "several hosts."),
    CONFIG_TEXT(struct common_config, bus_listen, NULL, 0,
                "Address on which this instance listens for other hosts, if it differs from the "
                "address in bus_hosts (0.0.0.0: all)."),
    CONFIG_PATH(struct common_config, bus_keys, "/etc/atrium/bus", 0,
                "Directory of the secret keys of this host's instances, SERVICE.INSTANCE.key."),
    CONFIG_INT_RELOAD(struct common_config, audit_keep_months, "0", 0, 1200,
                      "Full months of the audit log that `atriumctl audit prune` keeps; 0: all."),
    CONFIG_PATH(struct common_config, audit_export_dir, "/var/lib/atrium/audit", CONFIG_RELOAD,
                "Directory to which that command exports older months before it deletes them."),
    CONFIG_TEXT(struct common_config, audit_database,
                "host=/run/postgresql dbname=atrium user=postgres", CONFIG_RELOAD,
                "Connection string (libpq) of a role that can become atrium_audit."),
    CONFIG_TEXT(struct common_config, public_url, NULL, 0,
                "URL at which people reach the gateway, \"https://id.example.org\"; without it "
                "there are no hosted pages."),
};
const size_t common_config_row_count = ARRAY_SIZE(common_config_rows);

static void print_help(const struct service_definition *definition)
{
    printf("Usage: atrium-%s [OPTION]...\n"
           "%s\n"
           "\n  --config FILE      configuration file (default /etc/atrium/atrium.conf)\n"
           "  --instance NAME    name of this instance (default 1)\n"
           "  --check-config     check the configuration and exit\n"
           "  --print-config     print the effective configuration and exit\n"
           "  --test-clock FILE  shift the time by the seconds in FILE (development suites only)\n"
           "  --version          print the version and exit\n"
           "  --help             print this help and exit\n",
           definition->name, definition->summary);
}

int service_options_read(int argc, char **argv, const struct service_definition *definition,
                         struct service_options *ret, int *ret_exit)
{
    static const struct option known[] = {
        {"config", required_argument, NULL, 'c'},
        {"instance", required_argument, NULL, 'i'},
        {"check-config", no_argument, NULL, 'k'},
        {"print-config", no_argument, NULL, 'p'},
        {"test-clock", required_argument, NULL, 't'},
        {"version", no_argument, NULL, 'v'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    int option;

    *ret = (struct service_options){.config = CONFIG_FILE, .instance = "1"};
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        switch (option) {
        case 'c':
            ret->config = optarg;
            break;
        case 'i':
            ret->instance = optarg;
            break;
        case 'k':
            ret->check_config = true;
            break;
        case 'p':
            ret->print_config = true;
            break;
        case 't':
            ret->test_clock = optarg;
            break;
        case 'v':
            printf("atrium-%s %s\n", definition->name, ATRIUM_VERSION);
            *ret_exit = EXIT_SUCCESS;
            return -1;
        case 'h':
            print_help(definition);
            *ret_exit = EXIT_SUCCESS;
            return -1;
        default: /* getopt has printed it */
            *ret_exit = EXIT_USAGE;
            return -1;
        }
    }
    if (optind == argc)
        return 0;
    fprintf(stderr, "atrium-%s: unexpected argument '%s'\n", definition->name, argv[optind]);
    *ret_exit = EXIT_USAGE;
    return -1;
}

void service_sections(const struct service *self,
                      struct config_section ret[static SERVICE_SECTIONS])
{
    const struct service_definition *definition = self->definition;

    ret[0] = (struct config_section){.name = "common",
                                     .rows = common_config_rows,
                                     .count = common_config_row_count,
                                     .out = self->common,
                                     .origins = self->origins[0]};
    ret[1] = (struct config_section){.name = definition->name,
                                     .rows = definition->config,
                                     .count = definition->config_count,
                                     .out = self->config,
                                     .origins = self->origins[1]};
}

int service_log_level(const char *word)
{
    static const struct {
        const char *word;
        int level;
    } levels[] = {
        {"debug", LOG_DEBUG},     {"info", LOG_INFO}, {"notice", LOG_NOTICE},
        {"warning", LOG_WARNING}, {"error", LOG_ERR},
    };

    for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
        if (strcmp(levels[i].word, word) == 0)
            return levels[i].level;
    return -1;
}

/* True for a name that the bus accepts. */
static bool is_instance_name(const char *name)
{
    size_t length = strlen(name);

    return length >= 1 && length <= 32 &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

static size_t all_sections(const struct service *self,
                           struct config_section ret[static SECTIONS_MAX])
{
    size_t count = SERVICE_SECTIONS;

    service_sections(self, ret);
    for (const struct config_section *each = config_known; each->name; each++)
        if (strcmp(each->name, self->definition->name) != 0 && count < SECTIONS_MAX)
            ret[count++] = *each;
    return count;
}

int service_config_load(struct service *self, const struct service_options *options,
                        struct error *err)
{
    struct config_section sections[SECTIONS_MAX];

    if (!is_instance_name(options->instance))
        return error_set(err, ERR_INTERNAL, "--instance must be [a-z0-9-], 1 to 32 characters.");
    self->instance = options->instance;
    self->common = arena_alloc(self->arena, sizeof(*self->common));
    self->config = arena_alloc(self->arena, self->definition->config_size);
    self->origins[0] =
        arena_calloc(self->arena, common_config_row_count, sizeof(*self->origins[0]));
    self->origins[1] =
        arena_calloc(self->arena, self->definition->config_count, sizeof(*self->origins[1]));
    if (config_load(options->config, sections, all_sections(self, sections), self->arena, err) < 0)
        return -1;
    if (options->test_clock && !self->common->development)
        return error_set(err, ERR_INTERNAL, "--test-clock is for development suites only.");
    return 0;
}

static int load_hosts(struct service *self, struct error *err)
{
    const struct common_config *common = self->common;
    const char *name = arena_printf(self->arena, "%s.%s", self->definition->name, self->instance);

    if (!common->bus_hosts)
        return 0;
    self->hosts_arena = arena_new();
    if (bus_hosts_read(common->bus_hosts, self->hosts_arena, &self->hosts, err) < 0)
        return -1;
    if (bus_hosts_take_key(self->hosts, common->bus_keys, name, err) < 0)
        return -1;
    return common->bus_listen ? bus_hosts_listen(self->hosts, common->bus_listen, self->arena, err)
                              : 0;
}

int service_config_check(struct service *self, const struct service_options *options,
                         struct error *err)
{
    const struct service_definition *definition = self->definition;

    if (service_config_load(self, options, err) < 0 || load_hosts(self, err) < 0)
        return -1;
    if (self->common->public_url && !page_is_origin(self->common->public_url))
        return error_set(err, ERR_INTERNAL,
                         "public_url must be https://HOST[:PORT], or http on localhost");
    self->check_only = options->check_config;
    return !definition->configured ? 0 : definition->configured(self, err);
}

char *service_config_text(const struct service *self, struct arena *arena)
{
    struct config_section sections[SERVICE_SECTIONS];

    service_sections(self, sections);
    return config_print(sections, ARRAY_SIZE(sections), arena);
}

const struct database_config *service_database_config(const struct service *self)
{
    return (const void *)((const uint8_t *)self->config + self->definition->database_offset);
}

const char *service_seal_key_path(const struct service *self)
{
    size_t offset = self->definition->seal_key_offset;
    const char *path = NULL;

    if (offset != SIZE_MAX)
        memcpy(&path, (const uint8_t *)self->config + offset, sizeof(path));
    return path;
}
