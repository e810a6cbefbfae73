/*
 * app_url.h - the targets of emailed links: the application that a tenant names for the role, or
 * the tenant's hosted pages (docs/pages.md).
 */
#ifndef ATRIUM_AUTHD_ACCOUNT_APP_URL_H
#define ATRIUM_AUTHD_ACCOUNT_APP_URL_H

#include "authd/authd.h"

struct tenant;

/* Returns the tenant's URL for the role, by default that of its pages
 * ("https://id.example.org/t/demo"), from the arena. NULL: no pages either, because public_url is
 * not set or the tenant has no usable code. */
const char *app_url(const struct authd *d, struct arena *arena, const struct tenant *tenant,
                    enum role role);

/* Returns the URL for accounts of no tenant: account_app_url, or the installation's pages
 * ("https://id.example.org/t/-"). NULL: neither exists. */
const char *app_url_installation(const struct authd *d, struct arena *arena);

/* Returns the URL of a hosted page of the installation ("account"), from the arena. account_app_url
 * is used only in emails, never to change an account. NULL: public_url is not set. */
const char *app_url_own_page(const struct authd *d, struct arena *arena, const char *page);

#endif
