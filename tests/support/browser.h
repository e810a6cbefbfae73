/*
 * browser.h - a browser without scripts, as far as the hosted pages need one: it keeps the cookie
 * of its tenant, sends forms as a page of that origin does, and finds what a page holds.
 */
#ifndef ATRIUM_TESTS_SUPPORT_BROWSER_H
#define ATRIUM_TESTS_SUPPORT_BROWSER_H

#include "tests/support/suite.h"
#include "tests/support/totp.h"

/* The password of every person of person_register(), as a form sends it. */
#define FORM_PASSWORD "correct+horse+battery+staple"

/* person_register() of a patient whose `password` is that. */
struct person *browser_person(struct suite *suite);

struct browser {
    const struct suite *suite;
    char *origin;   /* of the pages; what its forms say they come from */
    char *source;   /* client address, a fresh one */
    char *cookie;   /* "name=value", NULL: none */
    char *language; /* Accept-Language, NULL: none */
    bool no_token;  /* forms lack the page's token */
    struct http_answer *page;
};

struct browser *browser_open(struct suite *suite);
void browser_close(struct browser **self_p);
#define BROWSER CLEANUP(browser_close) struct browser *

/* Asks for a page of the demo tenant ("sign-in"), or by a path ("/t/other/sign-in"). The status. */
int browser_get(struct browser *self, const char *page);

/* Sends a form to a page with the token of the page that is shown; "name=value&..." of values that
 * need no escape. The status. */
int browser_post(struct browser *self, const char *page, const char *fields);

/* The same in two steps, for a form that is sent later, or twice: what is sent (caller frees). */
char *browser_form(const struct browser *self, const char *fields);
int browser_send(struct browser *self, const char *page, const char *form);

/* Goes where a 303 sends it: the status of that page, 0 when there is none. */
int browser_follow(struct browser *self);

/* Whether the answer is a 303 to that address. */
bool browser_goes_to(const struct browser *self, const char *address);

/* Whether the page shown has this text. */
bool browser_sees(const struct browser *self, const char *text);

/* Whether the page shown is compressed for those who accept that: it varies by Accept-Encoding. */
bool browser_may_compress(const struct browser *self);

/* The value of the first input of that name on the page shown (caller frees), "" when there is
 * none. */
char *browser_value(const struct browser *self, const char *name);

/* The secret of the authenticator that the page shows to be set up. */
void browser_read_key(const struct browser *self, uint8_t secret[static TOTP_SECRET]);

/* Signs in with address and password: whether the account is shown then. */
bool browser_signs_in(struct browser *self, const char *email, const char *password);

/* Signs in to the installation's own page (/t/-/account) with address, password and the code that
 * is mailed: whether the account is shown then. */
bool browser_signs_in_own(struct browser *self, struct suite *suite, const char *email,
                          const char *password);

/* Posts that page's form of a project ("accept", "decline", "leave") with the first invitation that
 * is shown. The status. */
int browser_act_own(struct browser *self, struct suite *suite, const char *action,
                    const char *tenant_code);

#endif
