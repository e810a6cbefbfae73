/*
 * browser.h - a browser without scripts for the hosted pages: it keeps its tenant's cookie, sends
 * forms with the page's origin, and searches pages.
 */
#ifndef ATRIUM_TESTS_SUPPORT_BROWSER_H
#define ATRIUM_TESTS_SUPPORT_BROWSER_H

#include "tests/support/suite.h"
#include "tests/support/totp.h"

/* The form-encoded password of every person of person_register(). */
#define FORM_PASSWORD "correct+horse+battery+staple"

/* Registers a patient like person_register() and sets `password` to FORM_PASSWORD. */
struct person *browser_person(struct suite *suite);

struct browser {
    const struct suite *suite;
    char *origin;
    char *source;   /* a new client address */
    char *cookie;   /* "name=value", NULL: none */
    char *language; /* Accept-Language, NULL: none */
    bool no_token;  /* forms lack the page's token */
    struct http_answer *page;
};

struct browser *browser_open(struct suite *suite);
void browser_close(struct browser **self_p);
#define BROWSER CLEANUP(browser_close) struct browser *

/* Gets a page of the demo tenant ("sign-in") or a path ("/t/other/sign-in"). Returns the status. */
int browser_get(struct browser *self, const char *page);

/* Posts a form with the displayed page's token; "name=value&..." without escapes. Returns the
 * status. */
int browser_post(struct browser *self, const char *page, const char *fields);

/* browser_form() makes that form and browser_send() posts it, to send a form later or twice. The
 * caller frees the form. */
char *browser_form(const struct browser *self, const char *fields);
int browser_send(struct browser *self, const char *page, const char *form);

/* Follows a 303 and returns the status of its page, 0 for none. */
int browser_follow(struct browser *self);

bool browser_goes_to(const struct browser *self, const char *address);

bool browser_sees(const struct browser *self, const char *text);

/* True when the page varies by Accept-Encoding, so it can be compressed. */
bool browser_may_compress(const struct browser *self);

/* Returns the value of the page's first input with that name, "" for none (caller frees). */
char *browser_value(const struct browser *self, const char *name);

void browser_read_key(const struct browser *self, uint8_t secret[static TOTP_SECRET]);

/* Signs in, and returns whether the account page is displayed. */
bool browser_signs_in(struct browser *self, const char *email, const char *password);

/* Signs in to the installation's page (/t/-/account) with password and emailed code, and returns
 * whether the account is displayed. */
bool browser_signs_in_own(struct browser *self, struct suite *suite, const char *email,
                          const char *password);

/* Posts the form of the project with this tenant code on that page ("accept", "decline", "leave"),
 * with the page's first invitation. Returns the status. */
int browser_act_own(struct browser *self, struct suite *suite, const char *action,
                    const char *tenant_code);

#endif
