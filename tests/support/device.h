/*
 * device.h - a device without a browser (RFC 8628) and the person who approves it, at demo's
 * issuer.
 */
#ifndef ATRIUM_TESTS_SUPPORT_DEVICE_H
#define ATRIUM_TESTS_SUPPORT_DEVICE_H

#include "tests/support/oauth.h"

#define DEVICE_GRANT "urn:ietf:params:oauth:grant-type:device_code"

/* Registration members (oauth_register()) of a client for devices only. */
#define DEVICE_GRANTS "\"grantTypes\":[\"" DEVICE_GRANT "\",\"refresh_token\"],\"redirectUris\":[]"

struct device {
    char *code, *shown; /* device code, user code */
};
void device_wipe(struct device *self);
#define DEVICE CLEANUP(device_wipe) struct device

/* device_ask() requests codes, device_begin() returns them. `more`: further parameters,
 * "&scope=openid". */
struct http_answer *device_ask(struct suite *suite, const char *client, const char *more);
struct device device_begin(struct suite *suite, const char *client, const char *more);

struct http_answer *device_poll(struct suite *suite, const char *client, const char *code);

/* A person's browser: device_arrive() signs in to the device page, device_enter() enters a code,
 * device_press() presses a button ("approve"), device_send() sends any form. The browser keeps its
 * request. Return the last status. */
int device_arrive(struct browser *browser, const struct person *person);
int device_enter(struct browser *browser, const char *code);
int device_press(struct browser *browser, const char *button);
int device_send(struct browser *browser, const char *fields);

void device_approve(struct suite *suite, const struct person *person, const char *code);

#endif
