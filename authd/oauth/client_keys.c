/*
 * client_keys.c - see client_keys.h.
 */
#include "authd/oauth/client_keys.h"

#include <string.h>

#include "authd/federation/key_set.h"
#include "settingsd/client_api.h"

json_t *client_keys_get(struct authd *d, const struct request *req,
                        const struct oauth_client *client, const char *kid, struct error *err)
{
    const struct oauth_settings *settings = client->settings;
    json_t *keys = NULL;
    struct error ignored;

    if (settings->jwksUri) {
        if (document_get(d->client_keys, req, settings->jwksUri, kid, &keys, &ignored, err) < 0)
            return NULL;
    } else if (settings->jwks)
        keys = key_set_parse(settings->jwks, strlen(settings->jwks));
    return keys ? keys : json_array();
}
