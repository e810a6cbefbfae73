/* botd.c - the program atrium-botd. */
#include "botd/botd.h"

#include "botd/bot/bot.h"
#include "botd/botd_api.h"
#include "botd/sandbox/sandbox.h"
#include "botd/sql/purge.h"
#include "botd/sql/seal.h"
#include "botd/tenant.h"
#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/domain/request.h"

enum { CHECK_MS = MINUTES(1), IDLE_MS = 5 * 1000, SWEEP_MS = MINUTES(1) };

extern const struct db_migration botd_migrations[];

static const struct config_row config_rows[] = {
    DATABASE_CONFIG_ROWS(struct botd_config, "host=/run/postgresql dbname=atrium user=atrium-botd"),
    CONFIG_PATH(struct botd_config, seal_key, "/etc/atrium/botd.key", CONFIG_SECRET,
                "File with 64 hexadecimal digits that only its owner can read: the key that "
                "encrypts bots' secrets and remembered translations."),
    CONFIG_PATH(struct botd_config, bot_dir, "/var/lib/atrium/bots", 0,
                "Directory of the files that program bots name."),
    CONFIG_INT(struct botd_config, programs, "32", 1, 1024,
               "Program bots that run at the same time; more return 503."),
    CONFIG_INT(struct botd_config, warm, "4", 1, 256,
               "Processes of one warm bot; further calls wait for one of them."),
    CONFIG_CHOICE(struct botd_config, sandbox, "auto", "auto bubblewrap bubblewrap-bare kernel",
                  "Sandbox for program bots: bubblewrap, bubblewrap-bare (without /proc, as in "
                  "most containers), kernel (Landlock, without namespaces), or auto: the first of "
                  "these that works."),
    CONFIG_DURATION(struct botd_config, sandbox_trial, "5s", 1, 60000,
                    "How long the sandbox's trial at start and every minute can take; a slower "
                    "trial changes nothing."),
    CONFIG_LIST_RELOAD(struct botd_config, allow_networks, NULL,
                       "Private networks and addresses that http bots can be in; default: none."),
    CONFIG_BOOL_RELOAD(struct botd_config, allow_plain_http, "false",
                       "Whether http bots without TLS are allowed."),
    CONFIG_CHOICE(
        struct botd_config, translation_provider, "apertium", "apertium libretranslate openai",
        "Provider of translations: apertium on this machine, libretranslate or openai over HTTP."),
    CONFIG_TEXT(struct botd_config, translation_url, NULL, 0,
                "URL of libretranslate or openai: https://host[:port][/path]."),
    CONFIG_TEXT(struct botd_config, translation_model, NULL, 0, "Model of openai."),
    CONFIG_PATH(struct botd_config, translation_key_file, NULL, CONFIG_SECRET,
                "File that only its owner can read, whose first line is the provider's key."),
    CONFIG_DURATION(struct botd_config, translation_timeout, "30s", 100, 55000,
                    "Longest answer of libretranslate or openai to one request."),
    CONFIG_BOOL(struct botd_config, translation_plain_http, "false",
                "Whether a provider on another machine is allowed without TLS."),
    CONFIG_PATH(struct botd_config, apertium_dir, "/usr/share/apertium", 0,
                "Directory of Apertium's pairs of languages, below /usr."),
    CONFIG_BOOL(struct botd_config, apertium_trial, "true",
                "Whether each pair translates a word at start and for atriumctl doctor."),
    CONFIG_INT(
        struct botd_config, apertium_pipelines, "4", 1, 64,
        "Pipelines of Apertium that keep running; one between English and Spanish takes 110 MB."),
    CONFIG_INT_RELOAD(struct botd_config, translation_daily_characters, "10000000", 0,
                      INT64_MAX / 2,
                      "Characters that a project can translate per day (UTC); 0: no limit."),
    CONFIG_INT_RELOAD(struct botd_config, translation_memory_entries, "50000", 0, 100000000,
                      "Translations that botd remembers per project; 0: none."),
    CONFIG_SIZE_RELOAD(struct botd_config, translation_memory_size, "16M", 1024, (int64_t)1 << 40,
                       "Maximum encrypted size of these translations, in bytes."),
};

#define SERVICE botd
#define SERVICE_OPERATIONS OPERATION_TABLE
#include "common/bus/operations.def"

static const char *const upstreams[] = {NULL};

static int configured(void *daemon, struct error *err)
{
    struct botd *d = daemon;

    d->config = d->svc.config;
    if (provider_check(d->config, err) < 0)
        return -1;
    return network_rules_read("allow_networks", d->config->allow_networks, d->svc.arena,
                              &d->networks, err);
}

static void reload(void *daemon, void *fresh)
{
    ((struct botd *)daemon)->networks = ((const struct botd *)fresh)->networks;
}

static int check_programs(void *daemon, const struct request *req UNUSED, struct error *err)
{
    return sandbox_check(daemon, err);
}

static int end_idle(void *daemon, const struct request *req UNUSED, struct error *err UNUSED)
{
    struct botd *d = daemon;

    programs_sweep(d->programs);
    return 0;
}

static int tend_provider(void *daemon, const struct request *req, struct error *err)
{
    struct botd *d = daemon;

    return d->provider.tend(d->provider.self, req, err);
}

static int start(void *daemon, struct error *err)
{
    struct botd *d = daemon;
    struct programs_options options = {.directory = d->config->bot_dir,
                                       .running_max = (size_t)d->config->programs,
                                       .warm_max = (size_t)d->config->warm,
                                       .check_ms = d->config->sandbox_trial};

    if (cgroups_open(&d->groups, err) < 0) {
        log_event(LOG_INFO, "programs", "bots have no control groups", "why", err->message, NULL);
        error_clear(err);
    }
    d->curl = curl_loop_new(d->svc.loop);
    d->sandbox = options.sandbox = sandbox_new(d->svc.loop, d->groups, d->config->sandbox);
    d->svc.sandbox = sandbox_name(d->sandbox);
    d->programs = programs_new(d->svc.loop, d->svc.metrics, &options);
    if (translate_open(d, err) < 0)
        return -1;
    service_every_real(&d->svc, "programs", CHECK_MS, check_programs);
    service_every(&d->svc, "translation", IDLE_MS, tend_provider);
    service_every(&d->svc, "idle", IDLE_MS, end_idle);
    service_every(&d->svc, "sweep", SWEEP_MS, sweep_run);
    return 0;
}

static void stop(void *daemon)
{
    struct botd *d = daemon;

    if (d->provider.destroy)
        d->provider.destroy(d->provider.self);
    programs_destroy(&d->programs);
    sandbox_destroy(&d->sandbox);
    cgroups_destroy(&d->groups);
    curl_loop_destroy(&d->curl);
}

static const struct seal_table seal_tables[] = {
    {"bot secrets", BOT_SECRETS_PURPOSE, SEAL_TABLE(bot_secrets), NULL},
    {"bot signing", BOT_SIGNING_PURPOSE, SEAL_TABLE(bot_signing), bot_signing_missing},
    {.name = NULL},
};

static const struct purge_step purge_steps[] = {
    PURGE_STEP(bot, 500),
    PURGE_STEP(execution, 1000),
    PURGE_STEP(translation_memory, 1000),
    PURGE_STEP(translation_memory_size, 10),
    PURGE_STEP(translation_day, 1000),
    {.table = NULL},
};

/* settingsd repeats the call until nothing is left. */
int project_purge(struct botd *d, const struct request *req, const struct project_purge_in *in,
                  struct project_purge_out *out, struct error *err)
{
    return purge_call(&d->svc, req, in->projectId, out, err);
}

static const struct service_definition definition = {
    .name = "botd",
    .summary = "Bots and translation of the Atrium suite.",
    .size = sizeof(struct botd),
    .config = config_rows,
    .config_count = ARRAY_SIZE(config_rows),
    .config_size = sizeof(struct botd_config),
    .database_offset = offsetof(struct botd_config, db),
    .schema = "bot",
    .sql = botd_sql,
    .migrations = botd_migrations,
    .audit = true,
    .erasure = true,
    .operations = operations,
    .checks = botd_checks,
    .upstreams = upstreams,
    .seal_key_offset = offsetof(struct botd_config, seal_key),
    .seal_tables = seal_tables,
    .purge = purge_steps,
    .tenant = botd_tenant_tables,
    .configured = configured,
    .reload = reload,
    .start = start,
    .stop = stop,
};

int main(int argc, char **argv)
{
    return service_main(argc, argv, &definition);
}
