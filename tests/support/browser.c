/*
 * browser.c - see browser.h.
 */
#include "tests/support/browser.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct person *browser_person(struct suite *suite)
{
    struct person *self = person_register(suite, NULL);

    free(self->password);
    self->password = strdup(FORM_PASSWORD);
    return self;
}

struct browser *browser_open(struct suite *suite)
{
    struct browser *self = calloc(1, sizeof(*self));

    self->suite = suite;
    self->origin = strdup(suite_text(suite, "publicUrl"));
    self->source = fresh_source();
    return self;
}

void browser_close(struct browser **self_p)
{
    struct browser *self = *self_p;

    *self_p = NULL;
    if (!self)
        return;
    http_answer_destroy(&self->page);
    free(self->origin);
    free(self->source);
    free(self->cookie);
    free(self->language);
    free(self);
}

static char *path_of(const char *page)
{
    char *path;

    if (asprintf(&path, "%s%s", page[0] == '/' ? "" : "/t/demo/", page) < 0)
        abort();
    return path;
}

/* Returns "Name: value", or NULL if `value` is NULL (caller frees). */
static char *line(const char *name, const char *value)
{
    char *text = NULL;

    if (value && asprintf(&text, "%s: %s", name, value) < 0)
        abort();
    return text;
}

static void keep_cookie(struct browser *self)
{
    char *set = http_header(self->page, "Set-Cookie");

    if (set) {
        free(self->cookie);
        self->cookie = strstr(set, "Max-Age=0") ? NULL : strndup(set, strcspn(set, ";"));
    }
    free(set);
}

static int ask(struct browser *self, const char *page, const char *method, const char *form)
{
    char *path = path_of(page), *cookie = line("Cookie", self->cookie);
    char *origin = line("Origin", form ? self->origin : NULL);
    char *language = line("Accept-Language", self->language);
    char *lines[] = {cookie, origin, language};
    struct http_request request = {.method = method,
                                   .path = path,
                                   .raw = form,
                                   .content_type = "application/x-www-form-urlencoded",
                                   .source = self->source};
    size_t count = 0;

    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        if (lines[i])
            request.headers[count++] = lines[i];
    }
    http_answer_destroy(&self->page);
    self->page = http_call(suite_url(self->suite), &request);
    keep_cookie(self);
    free(path);
    free(cookie);
    free(origin);
    free(language);
    return self->page->status;
}

int browser_get(struct browser *self, const char *page)
{
    return ask(self, page, "GET", NULL);
}

char *browser_form(const struct browser *self, const char *fields)
{
    char *token = browser_value(self, "formToken"), *form;

    if (asprintf(&form, "%s%s%s", fields,
                 self->no_token ? "" : "&formToken=", self->no_token ? "" : token) < 0)
        abort();
    free(token);
    return form;
}

int browser_send(struct browser *self, const char *page, const char *form)
{
    return ask(self, page, "POST", form);
}

int browser_post(struct browser *self, const char *page, const char *fields)
{
    char *form = browser_form(self, fields);
    int status = browser_send(self, page, form);

    free(form);
    return status;
}

int browser_follow(struct browser *self)
{
    char *location = self->page->status == 303 ? http_header(self->page, "Location") : NULL;
    int status = location ? browser_get(self, location) : 0;

    free(location);
    return status;
}

bool browser_goes_to(const struct browser *self, const char *address)
{
    char *location = http_header(self->page, "Location");
    bool goes = self->page->status == 303 && location && strcmp(location, address) == 0;

    free(location);
    return goes;
}

bool browser_sees(const struct browser *self, const char *text)
{
    return self->page && self->page->body && strstr(self->page->body, text);
}

bool browser_may_compress(const struct browser *self)
{
    char *vary = http_header(self->page, "Vary");
    bool may = vary && strstr(vary, "Accept-Encoding");

    free(vary);
    return may;
}

char *browser_value(const struct browser *self, const char *name)
{
    char wanted[128];
    const char *at = self->page ? self->page->body : NULL;

    snprintf(wanted, sizeof(wanted), "name=\"%s\" value=\"", name);
    at = at ? strstr(at, wanted) : NULL;
    if (!at)
        return strdup("");
    at += strlen(wanted);
    return strndup(at, strcspn(at, "\""));
}

void browser_read_key(const struct browser *self, uint8_t secret[static TOTP_SECRET])
{
    const char *at = strstr(self->page->body, "<strong><bdi>");
    char url[256] = "otpauth://totp/x?secret=";
    size_t length = strlen(url);

    CU_ASSERT_PTR_NOT_NULL_FATAL(at);
    for (at += strlen("<strong><bdi>"); *at != '<' && length < sizeof(url) - 2; at++)
        if (*at != ' ')
            url[length++] = *at;
    url[length++] = '&';
    url[length] = '\0';
    totp_read(url, secret);
}

bool browser_signs_in(struct browser *self, const char *email, const char *password)
{
    char form[512];

    snprintf(form, sizeof(form), "email=%s&password=%s", email, password);
    return browser_get(self, "sign-in") == 200 && browser_post(self, "sign-in", form) == 303 &&
           browser_follow(self) == 200 && browser_sees(self, email);
}

bool browser_signs_in_own(struct browser *self, struct suite *suite, const char *email,
                          const char *password)
{
    char form[512];

    suite_mails_settle(suite); /* the newest email has the code */
    snprintf(form, sizeof(form), "email=%s&password=%s", email, password);
    if (browser_get(self, "/t/-/sign-in") != 200 ||
        browser_post(self, "/t/-/sign-in", form) != 303 || !browser_goes_to(self, "/t/-/mfa") ||
        browser_follow(self) != 200)
        return false;
    snprintf(form, sizeof(form), "code=%s", suite_mail_code(suite, email));
    return browser_post(self, "/t/-/mfa", form) == 303 && browser_goes_to(self, "/t/-/account") &&
           browser_follow(self) == 200;
}

int browser_act_own(struct browser *self, struct suite *suite, const char *action,
                    const char *tenant_code)
{
    char query[160], form[256], *project, *invitation;
    int status;

    snprintf(query, sizeof(query), "select project_id from settings.tenant_code where code = '%s'",
             tenant_code);
    project = suite_query(suite, query);
    invitation = browser_value(self, "invitation");
    snprintf(form, sizeof(form), "do=%s&project=%s&invitation=%s", action, project, invitation);
    status = browser_post(self, "/t/-/account", form);
    free(project);
    free(invitation);
    return status;
}
