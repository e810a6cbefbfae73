/*
 * app_url.h - targets of emailed links: a tenant's application for the role, or its hosted pages
 * (docs/pages.md).
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_APP_URL_H
#define ATRIUM_AUTHD_ACCOUNT_APP_URL_H

#include "authd/authd.h"

struct tenant;

/* Returns the tenant's URL for the role, by default that of its pages
 * ("https://id.example.org/t/demo"), from the arena. NULL: public_url or a usable tenant code is
 * missing. */
const char *app_url(const struct authd *d, struct arena *arena, const struct tenant *tenant,
                    enum role role);

/* Returns account_app_url, by default the installation's pages ("https://id.example.org/t/-"), or
 * NULL. */
const char *app_url_installation(const struct authd *d, struct arena *arena);

/* Returns the URL of a hosted page of the installation ("account"), from the arena, or NULL if
 * public_url is not set. Doesn't use account_app_url, which is only a target for emails: accounts
 * are changed on the hosted pages. */
const char *app_url_own_page(const struct authd *d, struct arena *arena, const char *page);

#endif
