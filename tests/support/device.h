/*
 * device.h - a device without a browser (RFC 8628) and the person who lets it in, at the issuer of
 * the demo tenant.
 */
#ifndef ATRIUM_TESTS_SUPPORT_DEVICE_H
#define ATRIUM_TESTS_SUPPORT_DEVICE_H

#include "tests/support/oauth.h"

#define DEVICE_GRANT "urn:ietf:params:oauth:grant-type:device_code"

/* Members of a registration (oauth_register()): of a client for devices, and for nothing else. */
#define DEVICE_GRANTS "\"grantTypes\":[\"" DEVICE_GRANT "\",\"refresh_token\"],\"redirectUris\":[]"

/* What a device was given. */
struct device {
    char *code, *shown; /* device code, user code */
};
void device_wipe(struct device *self);
#define DEVICE CLEANUP(device_wipe) struct device

/* Asks for codes; `more`: parameters behind the client's id, "&scope=openid". */
struct http_answer *device_ask(struct suite *suite, const char *client, const char *more);
struct device device_begin(struct suite *suite, const char *client, const char *more);

/* Asks for the tokens of a device code. */
struct http_answer *device_poll(struct suite *suite, const char *client, const char *code);

/* The person's browser: signs in to the page for devices, enters a code, presses a button of what
 * is shown then ("approve"), sends any form of the page. It keeps the way that it has come. The
 * last status. */
int device_arrive(struct browser *browser, const struct person *person);
int device_enter(struct browser *browser, const char *code);
int device_press(struct browser *browser, const char *button);
int device_send(struct browser *browser, const char *fields);

/* The person lets the device in that shows this code. */
void device_approve(struct suite *suite, const struct person *person, const char *code);

#endif
