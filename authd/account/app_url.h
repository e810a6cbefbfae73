/*
 * app_url.h - where people open the links of a mail: the application that a tenant names for the
 * role, else the hosted pages of that tenant (docs/pages.md).
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_APP_URL_H
#define ATRIUM_AUTHD_ACCOUNT_APP_URL_H

#include "authd/authd.h"

struct tenant; /* settingsd/tenant_api.h */

/* "https://id.example.org/t/demo" where the tenant has no setting for the role, from the arena.
 * NULL: there are no pages either (no public_url, or a tenant without a code that pages can be at).
 */
const char *app_url(const struct authd *d, struct arena *arena, const struct tenant *tenant,
                    enum role role);

/* The installation's, for accounts of no tenant: account_app_url, else its hosted pages
 * ("https://id.example.org/t/-"). NULL: it has neither. */
const char *app_url_installation(const struct authd *d, struct arena *arena);

/* A hosted page of the installation ("account"), from the arena: the account_app_url is only an
 * address in mail, never a place for what changes an account. NULL: there is none (no
 * public_url). */
const char *app_url_own_page(const struct authd *d, struct arena *arena, const char *page);

#endif
