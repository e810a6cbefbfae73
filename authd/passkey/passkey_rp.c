/*
 * passkey_rp.c - see passkey_rp.h.
 */
#include "authd/passkey/passkey_rp.h"

#include <libpsl.h>
#include <stdlib.h>
#include <string.h>

#include "authd/passkey/passkey_api.h"
#include "common/domain/uri.h"
#include "settingsd/tenant_api.h"

static bool is_loopback_name(const char *host)
{
    static const char name[] = "localhost", below[] = ".localhost";
    size_t length = strlen(host);

    return strcmp(host, name) == 0 ||
           (length >= sizeof(below) && strcmp(host + length - (sizeof(below) - 1), below) == 0);
}

bool passkey_rp_parse(struct arena *arena, const char *url, const char **ret_host,
                      const char **ret_origin)
{
    struct uri uri;
    char *host;

    if (!uri_parse(url, &uri) || uri.kind != URI_NAME || uri.has_user ||
        memchr(uri.host, '_', uri.host_length) || uri.host[uri.host_length - 1] == '.')
        return false;
    host = arena_strndup(arena, uri.host, uri.host_length);
    for (char *at = host; *at != '\0'; at++) {
        if (*at >= 'A' && *at <= 'Z')
            *at = (char)(*at - 'A' + 'a');
    }
    if (!uri.secure && !is_loopback_name(host))
        return false;
    *ret_host = host;
    *ret_origin = arena_printf(
        arena, "http%s://%s%s", uri.secure ? "s" : "", host,
        uri.port == (uri.secure ? 443 : 80) ? "" : arena_printf(arena, ":%ld", uri.port));
    return true;
}

static size_t list_count(const char *const *list)
{
    size_t count = 0;

    while (list && list[count])
        count++;
    return count;
}

static void add_once(const char **list, size_t *count, const char *text)
{
    for (size_t i = 0; i < *count; i++) {
        if (strcmp(list[i], text) == 0)
            return;
    }
    list[(*count)++] = text;
}

const char *passkey_rp_home(const struct authd *d)
{
    const char *set = d->config->account_app_url;

    return set ? set : d->svc.common->public_url;
}

/* Returns the installation's origins, NULL-ended: of account_app_url, the hosted pages, and the
 * configured ones. */
static const char *const *installation_origins(const struct authd *d, struct arena *arena)
{
    const struct authd_config *config = d->config;
    const char *own[] = {config->account_app_url, d->svc.common->public_url};
    size_t configured = list_count(config->passkey_origins), count = 0;
    const char **list = arena_calloc(arena, configured + ARRAY_SIZE(own) + 1, sizeof(*list));
    const char *host, *origin;

    for (size_t i = 0; i < ARRAY_SIZE(own); i++) {
        if (own[i] && passkey_rp_parse(arena, own[i], &host, &origin))
            add_once(list, &count, origin);
    }
    for (size_t i = 0; i < configured; i++) {
        if (passkey_rp_parse(arena, config->passkey_origins[i], &host, &origin))
            add_once(list, &count, origin);
    }
    return list;
}

/* Returns the label that browsers count for related origins: "example" of "www.example.co.uk". */
static const char *label_of(const psl_ctx_t *suffixes, struct arena *arena, const char *host)
{
    const char *domain = psl_registrable_domain(suffixes, host);

    if (!domain)
        domain = host;
    return arena_strndup(arena, domain, strcspn(domain, "."));
}

int passkey_rp_check_config(const struct authd *d, struct arena *arena, struct error *err)
{
    const struct authd_config *config = d->config;
    const char *const *origins = installation_origins(d, arena);
    const char **labels = arena_calloc(arena, list_count(origins) + 1, sizeof(*labels));
    const char *host = NULL, *origin = NULL;
    psl_ctx_t *suffixes;
    size_t count = 0;

    for (size_t i = 0; i < list_count(config->passkey_origins); i++) {
        const char *text = config->passkey_origins[i];

        if (!passkey_rp_parse(arena, text, &host, &origin) || strcmp(origin, text) != 0)
            return error_set(err, ERR_INTERNAL, "passkey_origins: %s must be https://host[:port]",
                             text);
    }
    suffixes = psl_latest(NULL);
    for (size_t i = 0; suffixes && origins[i]; i++) {
        if (passkey_rp_parse(arena, origins[i], &host, &origin))
            add_once(labels, &count, label_of(suffixes, arena, host));
    }
    psl_free(suffixes);
    if (count > PASSKEY_ORIGIN_LABELS_MAX)
        return error_set(err, ERR_INTERNAL,
                         "passkey_origins has more than %d domains, "
                         "of which browsers read the first %d",
                         PASSKEY_ORIGIN_LABELS_MAX, PASSKEY_ORIGIN_LABELS_MAX);
    return 0;
}

static int no_application(struct error *err)
{
    return error_set(err, ERR_BAD_REQUEST, "Passkeys need an application with an https address.");
}

int passkey_rp_find(struct authd *d, const struct request *req, const struct tenant *tenant,
                    enum role role, struct passkey_rp *ret, struct error *err)
{
    const char *host, *origin, *url = NULL;

    if (tenant && !req->of_page)
        url = role == ROLE_PATIENT ? tenant->patientAppUrl : tenant->practitionerAppUrl;
    if (url) {
        if (!passkey_rp_parse(req->arena, url, &host, &origin))
            return no_application(err);
        *ret = (struct passkey_rp){host, tenant->name, origin, tenant->projectId};
        return 0;
    }
    url = passkey_rp_home(d);
    if (!url || !passkey_rp_parse(req->arena, url, &host, &origin))
        return no_application(err);
    *ret = (struct passkey_rp){.id = host, .name = host};
    return 0;
}

const char *const *passkey_rp_origins(const struct authd *d, struct arena *arena,
                                      const struct passkey_rp *self)
{
    const char **own;

    if (!uuid_is_set(&self->project))
        return installation_origins(d, arena);
    own = arena_calloc(arena, 2, sizeof(*own));
    own[0] = self->origin;
    return own;
}

/* Answers the related origins of the installation's passkeys (Web Authentication Level 3, section
 * 5.11). */
int passkey_origins(struct authd *d, const struct request *req, const struct nothing *in UNUSED,
                    struct passkey_origins_out *out, struct error *err UNUSED)
{
    const char *const *origins = installation_origins(d, req->arena);

    out->origins = (struct field_texts){arena_calloc(req->arena, list_count(origins),
                                                     sizeof(*out->origins.items)),
                                        list_count(origins)};
    for (size_t i = 0; i < out->origins.count; i++)
        out->origins.items[i] = origins[i];
    return 0;
}
