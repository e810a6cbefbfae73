/*
 * authd.c - authd's configuration, operation table and main().
 */
#include "authd/authd.h"

#include <stdlib.h>
#include <string.h>

#include "authd/account/email_scan.h"
#include "authd/account/email_verified.h"
#include "authd/account/mail_domain.h"
#include "authd/account/ownership.h"
#include "authd/account/project_purge.h"
#include "authd/account/transfer.h"
#include "authd/authd_api.h"
#include "authd/credential/common_password.h"
#include "authd/credential/factor.h"
#include "authd/credential/password.h"
#include "authd/credential/password_mixture.h"
#include "authd/credential/totp.h"
#include "authd/federation/dns_text.h"
#include "authd/federation/domain.h"
#include "authd/federation/key_set.h"
#include "authd/federation/relying_party.h"
#include "authd/member/member_search.h"
#include "authd/oauth/client_token.h"
#include "authd/oauth/grant.h"
#include "authd/oauth/logout_delivery.h"
#include "authd/page/submission.h"
#include "authd/passkey/passkey_opens.h"
#include "authd/passkey/passkey_rp.h"
#include "authd/session/address_key.h"
#include "authd/session/admission_cache.h"
#include "authd/session/change.h"
#include "authd/session/issuer_key.h"
#include "authd/session/key.h"
#include "authd/session/refresh_state.h"
#include "authd/session/rotation.h"
#include "authd/settings_cache.h"
#include "authd/sql/seal.h"
#include "authd/sql_part.h"
#include "authd/sweep.h"
#include "authd/tenant.h"
#include "authd/trail/trail.h"
#include "botd/botd_api.h"
#include "common/base/cache.h"
#include "common/domain/uri.h"
#include "common/service/audit_events.h"
#include "docd/docd_api.h"
#include "maild/maild_api.h"
#include "settingsd/settingsd_api.h"

#define SERVICE authd
#define SERVICE_OPERATIONS OPERATION_TABLE
#define SERVICE_PAGE_CALL SUBMISSION_CALL
#include "common/bus/operations.def"

extern const struct db_migration authd_migrations[];

/* More questions than threads wait; a question takes at most five seconds. */
enum { DNS_THREADS = 2, DNS_QUEUE = 32 };

static const struct config_row config_rows[] = {
    DATABASE_CONFIG_ROWS(struct authd_config,
                         "host=/run/postgresql dbname=atrium user=atrium-authd"),
    CONFIG_PATH(
        struct authd_config, seal_key, "/etc/atrium/authd.key", CONFIG_SECRET,
        "File with 64 hexadecimal digits that only its owner can read: the key that encrypts "
        "signing keys, second factors, the keys for network addresses and queued messages."),
    CONFIG_TEXT(struct authd_config, issuer, "atrium", 0, "Claim iss of access tokens."),
    CONFIG_TEXT(struct authd_config, audience, "atrium", 0, "Claim aud of access tokens."),
    CONFIG_DURATION_RELOAD(
        struct authd_config, refresh_retry_window, "2m", 0, HOURS(24),
        "How long a client can repeat a refresh with the same token and get the same answer."),
    CONFIG_DURATION_RELOAD(struct authd_config, fresh_sign_in, "15m", MINUTES(1), HOURS(24),
                           "How long a sign-in or step-up counts as fresh."),
    CONFIG_INT_RELOAD(
        struct authd_config, sessions_per_account, "200", 1, 10000,
        "Sessions of an account; a sign-in beyond this ends the session that was unused longest."),
    CONFIG_INT(struct authd_config, password_threads, "0", 0, 256,
               "Threads that hash passwords, with 19 MiB each while they hash; 0: one per core."),
    CONFIG_INT(struct authd_config, password_queue, "64", 1, 4096,
               "Password checks that can wait for a thread; more return 503."),
    CONFIG_INT(struct authd_config, imported_password_threads, "0", 0, 256,
               "Threads that verify password hashes of other systems, with up to 256 MiB each "
               "while they verify; 0: half of password_threads, at least one."),
    CONFIG_PATH(struct authd_config, free_mail_file, NULL, CONFIG_RELOAD,
                "List of domains that replaces the built-in list of free email providers."),
    CONFIG_PATH(struct authd_config, throwaway_file, NULL, CONFIG_RELOAD,
                "List of domains that replaces the built-in list of throwaway mailboxes."),
    CONFIG_PATH(
        struct authd_config, common_passwords, NULL, CONFIG_RELOAD,
        "Filter or list of passwords that projects can reject, in place of the built-in filter."),
    CONFIG_LIST_RELOAD(struct authd_config, business_domains, NULL,
                       "Domains that are a business's, whatever the lists say."),
    CONFIG_LIST_RELOAD(struct authd_config, free_mail_domains, NULL,
                       "Domains that are not a business's, whatever the lists say."),
    CONFIG_TEXT(struct authd_config, account_app_url, NULL, CONFIG_RELOAD,
                "URL of the installation's own account pages, for links to practitioners of "
                "several tenants and for passkeys."),
    CONFIG_LIST_RELOAD(struct authd_config, passkey_origins, NULL,
                       "More origins where the installation's passkeys work."),
    CONFIG_LIST_RELOAD(
        struct authd_config, allow_networks, NULL,
        "Private networks and addresses that URLs of OAuth clients and identity providers can lead "
        "to; default: none."),
    CONFIG_TEXT(struct authd_config, dns_servers, NULL, CONFIG_RELOAD,
                "Name servers that are asked for the records of verified domains, such as "
                "192.0.2.53 or 127.0.0.1:5353, separated by commas; default: the system's."),
    CONFIG_PATH(
        struct authd_config, client_ca_file, NULL, CONFIG_RELOAD,
        "Certificate authorities that these URLs' servers must chain to; default: the system's."),
};

static const char *const upstreams[] = {"settingsd", "maild", "docd", "botd", NULL};
static const struct bus_method *const outbox_methods[] = {
    &maild_mail_enqueue_method,     &maild_job_put_method,
    &docd_account_wipe_method,      &docd_exports_delete_method,
    &settingsd_account_wipe_method, &maild_account_wipe_method,
    &botd_account_wipe_method,      NULL};

static void open_counters(struct authd *d)
{
    static const char sign_ins[] = "atrium_auth_sign_in_total", sign_in_help[] = "Sign-ins.";
    static const char refreshes[] = "atrium_auth_refresh_total",
                      refresh_help[] = "Uses of refresh tokens.";
    static const char passkeys[] = "atrium_auth_passkeys_total",
                      passkey_help[] = "Passkeys that were presented.";
    static const char settings[] = "atrium_auth_settings_total",
                      settings_help[] =
                          "Lookups of settings of tenants and clients, by cache result.";
    struct metrics *m = d->svc.metrics;

    d->count = (struct authd_counters){
        .passkey_good = metrics_counter(m, passkeys, "result=\"good\"", passkey_help),
        .passkey_bad = metrics_counter(m, passkeys, "result=\"bad\"", passkey_help),
        .sign_in_good = metrics_counter(m, sign_ins, "result=\"good\"", sign_in_help),
        .sign_in_bad = metrics_counter(m, sign_ins, "result=\"bad\"", sign_in_help),
        .sign_in_throttled = metrics_counter(m, sign_ins, "result=\"throttled\"", sign_in_help),
        .accounts_deleted = metrics_counter(m, "atrium_auth_accounts_deleted_total", "",
                                            "Account deletions that were executed."),
        .refresh_rotated = metrics_counter(m, refreshes, "result=\"rotated\"", refresh_help),
        .refresh_again = metrics_counter(m, refreshes, "result=\"again\"", refresh_help),
        .refresh_refused = metrics_counter(m, refreshes, "result=\"refused\"", refresh_help),
        .refresh_theft = metrics_counter(m, refreshes, "result=\"theft\"", refresh_help),
        .settings_kept = metrics_counter(m, settings, "from=\"cache\"", settings_help),
        .settings_asked = metrics_counter(m, settings, "from=\"settingsd\"", settings_help),
    };
}

static int reload_keys(void *daemon, const struct request *req, struct error *err)
{
    return key_reload(daemon, req, err) < 0 ? -1 : issuer_key_reload(daemon, req, err);
}

/* True for a URL to which page paths can be appended and that emails need not escape. */
static bool is_app_url(const char *text)
{
    struct uri uri;

    return uri_parse(text, &uri) && !uri.has_user && !uri.has_query && !uri.has_fragment &&
           !strchr(text, '\'');
}

static int configured(void *daemon, struct error *err)
{
    struct authd *d = daemon;
    const struct authd_config *config = d->config = d->svc.config;

    if (config->account_app_url && !is_app_url(config->account_app_url))
        return error_set(err, ERR_INTERNAL,
                         "account_app_url must be an absolute http or https URL");
    if (config->dns_servers && !dns_text_servers_valid(config->dns_servers))
        return error_set(err, ERR_INTERNAL,
                         "dns_servers must be IP addresses, with or without a port, separated by "
                         "commas");
    if (passkey_rp_check_config(d, d->svc.arena, err) < 0 ||
        network_rules_read("allow_networks", config->allow_networks, d->svc.arena, &d->networks,
                           err) < 0)
        return -1;
    d->mail_domains =
        mail_domains_new(&(struct mail_domains_options){.free_mail_file = config->free_mail_file,
                                                        .throwaway_file = config->throwaway_file,
                                                        .business = config->business_domains,
                                                        .free_mail = config->free_mail_domains},
                         d->svc.arena, err);
    if (!d->mail_domains)
        return -1;
    d->common_passwords = common_passwords_open(config->common_passwords, d->svc.arena, err);
    return !d->common_passwords ? -1 : 0;
}

static void reload(void *daemon, void *fresh)
{
    struct authd *d = daemon;
    const struct authd *from = fresh;

    d->networks = from->networks;
    d->mail_domains = from->mail_domains;
    d->common_passwords = from->common_passwords;
}

static int start(void *daemon, struct error *err)
{
    struct authd *d = daemon;
    CLEANUP(service_request_destroy) struct request *req = NULL;

    open_counters(d);
    password_open(d);
    password_mixture_open(d);
    totp_open();
    lease_watch_open(d);
    d->dns = offload_new(d->svc.loop, DNS_THREADS, DNS_QUEUE);
    d->admission_cache = admission_cache_new();
    settings_cache_open(d);
    d->client_keys = document_cache_new(d, &client_key_sets);
    d->relying_party = relying_party_new(d);
    d->organizations = cache_new(EMAIL_ORGANIZATIONS_MAX, free);
    batch_init(&d->refresh_states, &refresh_state_batch, d->svc.loop, d);
    batch_init(&d->rotations, &rotation_batch, d->svc.loop, d);
    batch_init(&d->client_tokens, &client_token_batch, d->svc.loop, d);
    batch_init(&d->grant_persons, &grant_person_batch, d->svc.loop, d);
    /* At its first start authd generates an RSA key, which takes seconds on a busy machine. */
    req = service_request_new(&d->svc, SECONDS(30));
    if (key_open(d, req, err) < 0 || issuer_key_open(d, req, err) < 0 ||
        trail_key_open(d, req, err) < 0 || password_mixture_run(d, req, err) < 0)
        return -1;
    service_every(&d->svc, "keys", SECONDS(5), reload_keys);
    service_every(&d->svc, "leases", SECONDS(1), lease_watch_run);
    service_every(&d->svc, "password memory", SECONDS(1), password_trim);
    service_every(&d->svc, "password mixture", PASSWORD_MIXTURE_POLL, password_mixture_run);
    service_every(&d->svc, "sweep", MINUTES(1), sweep_run);
    service_every(&d->svc, "trail", TRAIL_PERIOD, trail_grow);
    service_every(&d->svc, "search keys", SECONDS(2), member_search_run);
    service_every(&d->svc, "email scan", SECONDS(5), email_scan_run);
    service_every(&d->svc, "passkeys", SECONDS(5), passkey_opens_run);
    service_every(&d->svc, "domains", SECONDS(5), domain_check_run);
    logout_delivery_start(d);
    return 0;
}

static void stop(void *daemon)
{
    struct authd *d = daemon;

    key_close(d);
    issuer_key_close(d);
    document_cache_destroy(&d->client_keys);
    relying_party_destroy(&d->relying_party);
    logout_delivery_stop(d);
    cache_destroy(&d->organizations);
    admission_cache_destroy(&d->admission_cache);
    settings_cache_close(d);
    offload_destroy(&d->dns);
    password_close(d);
    password_mixture_close(d);
}

static const struct seal_table seal_tables[] = {
    {"signing_key", KEY_SEAL_PURPOSE, SEAL_TABLE(signing_key), NULL},
    {"issuer_key", ISSUER_KEY_SEAL_PURPOSE, SEAL_TABLE(issuer_key), NULL},
    {"mfa_factor", FACTOR_SEAL_PURPOSE, SEAL_TABLE(mfa_factor), NULL},
    {"mfa_pending", FACTOR_SEAL_PURPOSE, SEAL_TABLE(mfa_pending), NULL},
    {"trail_key", TRAIL_KEY_PURPOSE, SEAL_TABLE(trail_key), NULL},
    {"account_address_key", ADDRESS_KEY_PURPOSE, SEAL_TABLE(account_address_key), NULL},
    {.name = NULL},
};

int audit_events(struct authd *d, const struct request *req, const struct audit_events_in *in,
                 struct audit_events_out *out, struct error *err)
{
    return audit_events_read(&d->svc, req, in, out, err);
}

int main(int argc, char **argv)
{
    const struct service_definition definition = {
        .name = "authd",
        .summary = "accounts, sign-in, sessions and tokens",
        .size = sizeof(struct authd),
        .config = config_rows,
        .config_count = ARRAY_SIZE(config_rows),
        .config_size = sizeof(struct authd_config),
        .database_offset = offsetof(struct authd_config, db),
        .schema = "auth",
        .sql = authd_sql,
        .migrations = authd_migrations,
        .audit = true,
        .operations = operations,
        .admit = ownership_admit,
        .find_project = tenant_id_of,
        .checks = authd_checks,
        .upstreams = upstreams,
        .outbox_methods = outbox_methods,
        .seal_key_offset = offsetof(struct authd_config, seal_key),
        .seal_tables = seal_tables,
        .purge = authd_purge,
        .tenant = authd_tenant_tables,
        .configured = configured,
        .reload = reload,
        .start = start,
        .stop = stop,
    };

    return service_main(argc, argv, &definition);
}
