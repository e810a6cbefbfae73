/*
 * client.c - see client.h.
 */
#include "authd/oauth/client.h"

#include <string.h>

#include "authd/settings_cache.h"
#include "settingsd/client_api.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/tenant_api.h"

static struct field_texts text_list(struct arena *arena, const char *const *words, size_t count)
{
    struct field_texts list = {arena_calloc(arena, count, sizeof(*list.items)), count};

    for (size_t i = 0; i < count; i++)
        list.items[i] = words[i];
    return list;
}

/* Describes the console as a client: first-party and public, with refresh tokens that are bound to
 * a key. */
static void console_client(const struct authd *d, const struct request *req,
                           const struct tenant *tenant, struct oauth_client *ret)
{
    static const char *const grants[] = {"authorization_code", "refresh_token"};
    static const char *const scopes[] = {"openid", "profile", "email", "offline_access"};
    const char *url = d->svc.common->public_url;
    const char *home = arena_printf(req->arena, "%s/console/", url);
    struct oauth_settings *settings = arena_calloc(req->arena, 1, sizeof(*settings));

    *settings = (struct oauth_settings){
        .type = "public",
        .authMethod = CLIENT_AUTH_NONE,
        .dpop = "required",
        .idTokenAlg = "ES256",
        .firstParty = true,
        .redirectUris = text_list(req->arena, &home, 1),
        .postLogoutRedirectUris = text_list(req->arena, &home, 1),
        .audiences = text_list(req->arena, &url, 1),
        .grantTypes = text_list(req->arena, grants, ARRAY_SIZE(grants)),
        .scopes = text_list(req->arena, scopes, ARRAY_SIZE(scopes)),
    };
    *ret = (struct oauth_client){.clientId = CONSOLE_CLIENT,
                                 .name = "Atrium",
                                 .projectId = tenant->projectId,
                                 .settings = settings};
}

int oauth_client_find(struct authd *d, const struct request *req, struct settings_view *view,
                      const struct tenant *tenant, const char *client_id, struct oauth_client *ret,
                      struct error *err)
{
    const struct oauth_client_get_in get = {.projectId = tenant->projectId, .clientId = client_id};

    if (d->svc.common->public_url && strcmp(client_id, CONSOLE_CLIENT) == 0) {
        console_client(d, req, tenant, ret);
        return 0;
    }
    if (strlen(client_id) >= sizeof(struct uuid))
        return error_set(err, ERR_NOT_FOUND, "Client not found.");
    return settings_cache_call(d, req, view, &settingsd_oauth_client_get_method, &get, ret, err);
}

bool oauth_client_allows(const struct field_texts *list, const char *word)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i], word) == 0)
            return true;
    }
    return false;
}
