/*
 * chaos_admin.c - chaos.h's admin: settings, content pages, invitations, projects.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/chaos_private.h"

/* Longer than any request's deadline, so unanswered requests are decided by then. */
enum { LATE_MS = 15000 };

static void value_wrote(struct value *self, int number, enum told told)
{
    int64_t now_ms = clock_mono_ms();

    if (told == GOOD)
        self->certain = number;
    for (size_t i = 0; told == UNKNOWN && i < MAYBES; i++) {
        if (self->maybe[i].until_ms < now_ms) {
            self->maybe[i].number = number;
            self->maybe[i].until_ms = now_ms + LATE_MS;
            return;
        }
    }
}

static bool value_is_open(const struct value *self)
{
    bool any = false;

    for (size_t i = 0; i < MAYBES; i++)
        any = any || self->maybe[i].until_ms >= clock_mono_ms();
    return any;
}

/* True when the number is the acknowledged one, or one possibly written, which then becomes the
 * acknowledged one. */
static bool value_saw(struct value *self, int number)
{
    for (size_t i = 0; i < MAYBES && self->certain != number; i++) {
        if (self->maybe[i].until_ms > 0 && self->maybe[i].number == number) {
            self->maybe[i].until_ms = 0;
            self->certain = number;
        }
    }
    return self->certain == number;
}

void admin_signs_in(struct client *self)
{
    const struct place *place = &self->chaos->place;

    for (int i = 0; i < TRIES && !self->access; i++) {
        HTTP_ANSWER start = chaos_ask_fresh(self, "/auth/tenant/Practitioner/login/start",
                                            body_login_start(place->admin_email,
                                                             place->admin_password, place->tenant));
        if (chaos_judge(self, SIGN_IN, start, start->status == 200) == GOOD) {
            HTTP_ANSWER token =
                chaos_ask_fresh(self, "/auth/tenant/Practitioner/login/token",
                                body_login_token(http_text(start, "sessionCode"), place->tenant));
            chaos_judge(self, SIGN_IN, token, token->status == 200);
            chaos_keep(&self->access, http_text(token, "accessToken"));
        }
        if (!self->access)
            unit_sleep_ms(RETRY_MS);
    }
}

void setting_read(struct client *self)
{
    HTTP_ANSWER answer = chaos_ask(self, "GET", "/v1/project/settings", self->access, NULL);
    int number = 0;

    sscanf(http_text(answer, "settings.PATIENT_APP_URL"), "https://app-%d.example", &number);
    chaos_judge(self, SETTING_READ, answer,
                answer->status == 200 && value_saw(&self->setting, number));
}

/* 409 means that an unanswered write was executed in between. */
static void setting_write(struct client *self)
{
    int number = ++self->counter;
    char value[64];
    bool conflict;

    snprintf(value, sizeof(value), "https://app-%d.example", number);
    HTTP_ANSWER answer = chaos_ask(self, "PUT", "/v1/project/settings/values/PATIENT_APP_URL",
                                   self->access, json_pack("{s:s}", "value", value));
    conflict = answer->status == 409 && value_is_open(&self->setting);
    enum told told = chaos_judge(self, SETTING_WRITE, answer, answer->status == 200 || conflict);
    value_wrote(&self->setting, number, conflict ? WRONG : told);
}

/* The title has the page's number; 0: no page. */
static void page_write(struct client *self, size_t page)
{
    int number = chaos_chance(self, 4) == 0 ? 0 : ++self->counter;
    bool may_be_absent = self->pages[page].certain == 0 || value_is_open(&self->pages[page]);
    char path[64], title[64];

    snprintf(path, sizeof(path), "/cms/article/page-%zu/en", page);
    snprintf(title, sizeof(title), "Number %d zebra%zu", number, page);
    if (number > 0) {
        HTTP_ANSWER put =
            chaos_ask(self, "PUT", path, self->access, json_pack("{s:s}", "title", title));
        value_wrote(&self->pages[page], number,
                    chaos_judge(self, PAGE_WRITE, put, put->status == 200));
        return;
    }
    HTTP_ANSWER gone = chaos_ask(self, "DELETE", path, self->access, NULL);
    value_wrote(&self->pages[page], 0,
                chaos_judge(self, PAGE_WRITE, gone,
                            gone->status == 204 || (gone->status == 404 && may_be_absent)));
}

void page_read(struct client *self, size_t page)
{
    char path[64];
    int number = 0;

    snprintf(path, sizeof(path), "/cms/article/page-%zu/en", page);
    HTTP_ANSWER answer = chaos_ask(self, "GET", path, self->access, NULL);
    sscanf(http_text(answer, "title"), "Number %d", &number);
    chaos_judge(self, PAGE_READ, answer,
                (answer->status == 200 || answer->status == 404) &&
                    value_saw(&self->pages[page], number));
}

void page_search(struct client *self, size_t page)
{
    char path[96], key[32];
    int number = 0;
    json_t *entry;
    size_t i;

    snprintf(path, sizeof(path), "/cms/article/map/en?search=zebra%zu&_count=100", page);
    snprintf(key, sizeof(key), "page-%zu", page);
    HTTP_ANSWER answer = chaos_ask(self, "GET", path, self->access, NULL);
    json_array_foreach(http_member(answer, "resources"), i, entry)
    {
        json_t *source = json_object_get(entry, "source");
        const char *found = json_string_value(json_object_get(source, "key"));

        if (found && strcmp(found, key) == 0)
            sscanf(json_string_value(json_object_get(source, "title")), "Number %d", &number);
    }
    chaos_judge(self, PAGE_SEARCH, answer,
                answer->status == 200 && value_saw(&self->pages[page], number));
}

static void invite(struct client *self)
{
    struct invited *invited = calloc(1, sizeof(*invited));

    snprintf(invited->email, sizeof(invited->email), "i%d-%d@patients.example", self->counter++,
             (int)getpid());
    invited->next = self->invited;
    self->invited = invited;
    HTTP_ANSWER answer =
        chaos_ask(self, "POST", "/v1/projects/me/members", self->access,
                  json_pack("{s:s, s:s, s:s, s:s}", "email", invited->email, "firstName", "Ina",
                            "lastName", "Vited", "type", "Patient"));
    enum told told = chaos_judge(self, INVITE, answer, answer->status == 200);
    invited->known = told == GOOD ? YES : told == UNKNOWN ? MAYBE : NO;
}

/* On a retry, 409 means that the first attempt succeeded, and 429 that the account's hourly limit
 * is reached. */
static void make_project(struct client *self)
{
    struct project *project = calloc(1, sizeof(*project));
    enum told told = UNKNOWN;
    bool repeated = false, refused = false;

    snprintf(project->code, sizeof(project->code), "branch-%d-%d", self->counter++, (int)getpid());
    project->next = self->projects;
    self->projects = project;
    for (int i = 0; i < TRIES && told == UNKNOWN; i++) {
        HTTP_ANSWER answer =
            chaos_ask(self, "POST", "/v1/slim/project/child", self->access,
                      json_pack("{s:s, s:s}", "name", "Branch", "tenantCode", project->code));

        refused = answer->status == 429;
        told = chaos_judge(self, PROJECT, answer,
                           answer->status == 200 || answer->status == 429 ||
                               (repeated && answer->status == 409));
        repeated = true;
        if (told == UNKNOWN)
            unit_sleep_ms(RETRY_MS);
    }
    if (refused) {
        self->projects = project->next;
        free(project);
    }
}

void admin_works(struct client *self)
{
    size_t page = (size_t)chaos_chance(self, PAGES);

    switch (chaos_chance(self, 20)) {
    case 0:
        make_project(self);
        break;
    case 1:
    case 2:
        invite(self);
        break;
    case 3:
    case 4:
    case 5:
    case 6:
        page_write(self, page);
        break;
    case 7:
    case 8:
    case 9:
        page_read(self, page);
        break;
    case 10:
    case 11:
        page_search(self, page);
        break;
    case 12:
    case 13:
    case 14:
    case 15:
        setting_write(self);
        break;
    default:
        setting_read(self);
    }
    unit_sleep_ms(chaos_chance(self, THINK_MS));
}
