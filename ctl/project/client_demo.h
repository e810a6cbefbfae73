/* client_demo.h - `atriumctl client create --demo-rp`: a relying party to try. */
#ifndef ATRIUM_CTL_PROJECT_CLIENT_DEMO_H
#define ATRIUM_CTL_PROJECT_CLIENT_DEMO_H

#include <jansson.h>

#include "ctl/ctl.h"

struct client_record;

struct client_demo {
    const char *public_url, *tenant_code;
    const struct client_record *client; /* includes its secret */
};

void client_demo_settings(json_t *client);

/* Prints instructions for openid-client, mod_auth_openidc and oauth2-proxy. */
void client_demo_print(struct ctl *ctl, const struct client_demo *demo);

#endif
