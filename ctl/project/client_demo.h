/*
 * client_demo.h - `atriumctl client create --demo-rp`: a relying party to try, and what to run.
 */
#ifndef ATRIUM_CTL_PROJECT_CLIENT_DEMO_H
#define ATRIUM_CTL_PROJECT_CLIENT_DEMO_H

#include <jansson.h>

#include "ctl/ctl.h"

struct client_record;

struct client_demo {
    const char *public_url, *tenant_code;
    const struct client_record *client; /* with its secret */
};

/* The members of a client application on this machine: a confidential one that signs people in. */
void client_demo_settings(json_t *client);

/* A program for npm's openid-client, a configuration of Apache's mod_auth_openidc, and one of
 * oauth2-proxy with nginx before it; with --json an object with the texts. */
void client_demo_print(struct ctl *ctl, const struct client_demo *demo);

#endif
