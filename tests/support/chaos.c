/*
 * chaos.c - see chaos.h. The first client is the tenant's admin, the others are patients.
 */
#include "tests/support/chaos.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/document.h"

enum {
    CLIENTS_MAX = 32,
    LIFE_STEPS = 40, /* of a person, before the next one registers */
    DOCUMENTS_MAX = 6,
    PAGES = 8,
    MAYBES = 8,
    TRIES = 400, /* of one request, RETRY_MS apart: longer than the longest outage */
    RETRY_MS = 100,
    THINK_MS = 30,
    LATE_MS = 15000, /* longer than any request lives: what was not answered is decided by then */
    MEMBERS_PAGE = 100,
};

enum op {
    REGISTER,
    SIGN_IN,
    BAD_PASSWORD,
    ME,
    REFRESH,
    LOGOUT,
    LOGGED_OUT,
    PASSWORD,
    DOCUMENT_MAKE,
    DOCUMENT_UPLOAD,
    DOCUMENT_READ,
    DOCUMENT_DELETE,
    DOCUMENT_GONE,
    BOT,
    SETTING_WRITE,
    SETTING_READ,
    PAGE_WRITE,
    PAGE_READ,
    PAGE_SEARCH,
    INVITE,
    MEMBERS,
    PROJECT,
    MAIL,
    OPS
};

/* `reads`: a wrong answer means that something acknowledged is not there any more. */
static const struct {
    const char *name;
    bool reads;
} ops[OPS] = {
    [REGISTER] = {"register", false},
    [SIGN_IN] = {"sign in", true},
    [BAD_PASSWORD] = {"sign in, wrong password", false},
    [ME] = {"who am I", true},
    [REFRESH] = {"refresh", true},
    [LOGOUT] = {"logout", false},
    [LOGGED_OUT] = {"token after logout", true},
    [PASSWORD] = {"change password", false},
    [DOCUMENT_MAKE] = {"document: make", false},
    [DOCUMENT_UPLOAD] = {"document: upload", false},
    [DOCUMENT_READ] = {"document: read", true},
    [DOCUMENT_DELETE] = {"document: delete", false},
    [DOCUMENT_GONE] = {"document: read deleted", true},
    [BOT] = {"bot", false},
    [SETTING_WRITE] = {"setting: write", false},
    [SETTING_READ] = {"setting: read", true},
    [PAGE_WRITE] = {"content: write, delete", false},
    [PAGE_READ] = {"content: read", true},
    [PAGE_SEARCH] = {"content: search", true},
    [INVITE] = {"invite", false},
    [MEMBERS] = {"list members", true},
    [PROJECT] = {"new project", false},
    [MAIL] = {"mail", true},
};

/* What an answer says of a request: it was done, perhaps, or it should never have been said. */
enum told { GOOD, UNKNOWN, WRONG };

enum known { YES, MAYBE, NO };

/* A number that is kept by the suite: the one acknowledged, and those that were not but may have
 * been written. */
struct value {
    int certain;
    struct {
        int number;
        int64_t until_ms;
    } maybe[MAYBES];
};

struct file {
    char id[40];
    unsigned seed;
    size_t size;
    enum known there;
};

struct someone {
    struct someone *next;
    char email[64];
    int password, maybe_password; /* their numbers; 0: none */
    enum known registered;
    int changes, maybe_changes; /* of the password */
    bool rests;
    char *access, *refresh, *profile, *ended; /* ended: a token after logout */
    struct file files[DOCUMENTS_MAX];
    size_t file_count;
};

struct invited {
    struct invited *next;
    char email[64];
    enum known known;
};

struct project {
    struct project *next;
    char code[40];
};

struct client {
    struct chaos *chaos;
    pthread_t thread;
    size_t number;
    unsigned seed;
    int counter;
    int64_t waiting_since_ms; /* of what was not answered well; 0: nothing */
    enum op waiting_for;
    struct someone *people; /* the newest first */
    struct invited *invited;
    struct project *projects;
    char *access; /* the admin's */
    struct value setting, pages[PAGES];
};

struct mail {
    char to[64], subject[32], id[128];
};

/* Of the suite's file, which changes when a daemon is killed: copies. */
struct place {
    const char *url;
    char *tenant, *admin_email, *admin_password, *mail_dir;
};

struct chaos {
    struct place place;
    atomic_bool stop;
    struct client *clients;
    size_t count;
    pthread_mutex_t lock;
    struct {
        long requests, failed, wrong;
        double seconds, longest;
    } tally[OPS];
    struct chaos_result result;
    enum chaos_cause cause;
    struct mail *mails;
    size_t mail_count;
};

static void nap_ms(int ms)
{
    usleep((useconds_t)ms * 1000);
}

static int chance(struct client *self, int sides)
{
    return rand_r(&self->seed) % sides;
}

/* ---- asking ---- */

static bool is_outage(int status)
{
    return status == 503 || status == 504 || status == 0;
}

static void complain(enum op op, const char *who, const char *what)
{
    fprintf(stderr, "chaos: %s %s: %s\n", ops[op].name, who, what);
}

/* Counts an answer. right: it is what it should be. */
static enum told judge(struct client *self, enum op op, const struct http_answer *answer,
                       bool right)
{
    struct chaos *chaos = self->chaos;
    int64_t now_ms = clock_mono_ms(), began_ms = now_ms - (int64_t)(answer->seconds * 1000);
    struct chaos_stall *stall;
    enum told told = right ? GOOD : is_outage(answer->status) ? UNKNOWN : WRONG;

    if (self->waiting_since_ms == 0) {
        self->waiting_since_ms = began_ms;
        self->waiting_for = op;
    }
    pthread_mutex_lock(&chaos->lock);
    chaos->tally[op].requests++;
    chaos->tally[op].failed += told == UNKNOWN;
    chaos->tally[op].wrong += told == WRONG;
    chaos->tally[op].seconds += answer->seconds;
    chaos->tally[op].longest = MAX(chaos->tally[op].longest, answer->seconds);
    stall = &chaos->result.stalls[chaos->cause];
    if (now_ms - self->waiting_since_ms > stall->ms)
        *stall = (struct chaos_stall){now_ms - self->waiting_since_ms, self->waiting_since_ms,
                                      ops[self->waiting_for].name};
    if (told == WRONG && ops[op].reads)
        chaos->result.lost++;
    pthread_mutex_unlock(&chaos->lock);
    if (told == WRONG)
        fprintf(stderr, "chaos: %s: %d %.300s\n", ops[op].name, answer->status,
                answer->json || answer->size == 0 ? answer->body : "(no JSON)");
    if (told != UNKNOWN)
        self->waiting_since_ms = 0;
    return told;
}

/* A second look that no answer of the suite gives: counts like one. */
static void expect(struct client *self, enum op op, const char *who, bool right, const char *what)
{
    struct chaos *chaos = self->chaos;

    pthread_mutex_lock(&chaos->lock);
    chaos->tally[op].requests++;
    chaos->tally[op].wrong += !right;
    if (!right && ops[op].reads)
        chaos->result.lost++;
    pthread_mutex_unlock(&chaos->lock);
    if (!right)
        complain(op, who, what);
}

static struct http_answer *ask(const struct client *self, const char *method, const char *path,
                               const char *bearer, json_t *body)
{
    return http_call(
        self->chaos->place.url,
        &(struct http_request){.method = method, .path = path, .bearer = bearer, .body = body});
}

/* From an address of its own, so that no limit for one address is met. */
static struct http_answer *ask_fresh(struct client *self, const char *path, json_t *body)
{
    int number = self->counter++;
    char source[32];

    snprintf(source, sizeof(source), "127.%d.%d.%d", 1 + (int)self->number, 1 + number / 250 % 250,
             1 + number % 250);
    return http_call(
        self->chaos->place.url,
        &(struct http_request){.method = "POST", .path = path, .source = source, .body = body});
}

static void keep(char **text, const char *now)
{
    free(*text);
    *text = *now ? strdup(now) : NULL;
}

static const char *password_text(int number, char text[static 48])
{
    snprintf(text, 48, "correct horse battery %d", number);
    return text;
}

/* ---- people ---- */

static void take_tokens(struct someone *who, const struct http_answer *answer)
{
    keep(&who->access, http_text(answer, "accessToken"));
    keep(&who->refresh, http_text(answer, "refreshToken"));
    keep(&who->profile, http_text(answer, "profile.reference"));
}

/* One attempt with one password: GOOD, or refused (*ret_refused) where the caller did not
 * insist. */
static enum told try_sign_in(struct client *self, struct someone *who, int password, bool must,
                             bool *ret_refused)
{
    const char *tenant = self->chaos->place.tenant;
    char text[48];
    enum told told;

    HTTP_ANSWER start =
        ask_fresh(self, "/auth/tenant/Patient/login/start",
                  body_login_start(who->email, password_text(password, text), tenant));
    *ret_refused = start->status == 400;
    told = judge(self, SIGN_IN, start, start->status == 200 || (start->status == 400 && !must));
    if (told != GOOD || *ret_refused)
        return told;
    HTTP_ANSWER token = ask_fresh(self, "/auth/tenant/Patient/login/token",
                                  body_login_token(http_text(start, "sessionCode"), tenant));
    told = judge(self, SIGN_IN, token, token->status == 200);
    if (told == GOOD)
        take_tokens(who, token);
    return told;
}

/* Until it is answered. YES: signed in; NO: there is no such account (which only a maybe may
 * say). */
static enum known sign_in(struct client *self, struct someone *who)
{
    for (int i = 0; i < TRIES; i++) {
        bool sure = who->registered == YES && who->maybe_password == 0, refused = false;
        enum told told = try_sign_in(self, who, who->password, sure, &refused);

        if (told == GOOD && !refused) {
            who->registered = YES;
            return YES;
        }
        if (told == WRONG)
            return NO;
        if (told == GOOD && who->registered == MAYBE)
            return NO;
        if (told == GOOD) { /* the change of the password was done after all */
            told = try_sign_in(self, who, who->maybe_password, true, &refused);
            if (told != UNKNOWN) {
                who->password = told == GOOD ? who->maybe_password : who->password;
                who->changes += told == GOOD;
                who->maybe_changes -= told == GOOD;
                who->maybe_password = 0;
                return told == GOOD ? YES : NO;
            }
        }
        nap_ms(RETRY_MS);
    }
    return MAYBE;
}

static struct someone *someone_new(struct client *self)
{
    struct someone *who = calloc(1, sizeof(*who));

    snprintf(who->email, sizeof(who->email), "c%zu-%d-%d@patients.example", self->number,
             self->counter++, (int)getpid());
    who->password = 1;
    who->registered = MAYBE;
    who->next = self->people;
    self->people = who;
    return who;
}

static bool someone_registers(struct client *self, struct someone *who)
{
    char text[48];
    json_t *body = json_pack("{s:s, s:s, s:s, s:s, s:s}", "email", who->email, "password",
                             password_text(who->password, text), "name", "Ana", "surname", "Prova",
                             "tenantCode", self->chaos->place.tenant);

    HTTP_ANSWER answer = ask_fresh(self, "/auth/tenant/Patient/register", body);
    switch (judge(self, REGISTER, answer, answer->status == 200)) {
    case GOOD:
        who->registered = YES;
        take_tokens(who, answer);
        return true;
    case UNKNOWN:
        return sign_in(self, who) == YES;
    case WRONG:
        break;
    }
    return false;
}

static void someone_is(struct client *self, struct someone *who)
{
    HTTP_ANSWER answer = ask(self, "GET", "/auth/me", who->access, NULL);
    char text[128];

    snprintf(text, sizeof(text), "%s/%s", http_text(answer, "profile.resourceType"),
             http_text(answer, "profile.id"));
    judge(self, ME, answer, answer->status == 200 && strcmp(text, who->profile) == 0);
}

static void someone_mistypes(struct client *self, struct someone *who)
{
    HTTP_ANSWER answer =
        ask_fresh(self, "/auth/tenant/Patient/login/start",
                  body_login_start(who->email, "not that one", self->chaos->place.tenant));

    judge(self, BAD_PASSWORD, answer, answer->status == 400);
}

/* Again with the same token until there is an answer: that must be the successor. */
static void someone_refreshes(struct client *self, struct someone *who)
{
    enum told told = UNKNOWN;

    for (int i = 0; i < TRIES && told == UNKNOWN; i++) {
        HTTP_ANSWER answer = ask_fresh(self, "/auth/refresh-token",
                                       json_pack("{s:s}", "refresh_token", who->refresh));

        told = judge(self, REFRESH, answer, answer->status == 200);
        if (told == GOOD) {
            keep(&who->access, http_text(answer, "access_token"));
            keep(&who->refresh, http_text(answer, "refresh_token"));
        } else {
            nap_ms(RETRY_MS);
        }
    }
}

/* After 204 no gateway takes the token, and its refresh token is dead. */
static void someone_leaves(struct client *self, struct someone *who)
{
    enum told told = UNKNOWN;

    for (int i = 0; i < TRIES && told == UNKNOWN; i++) {
        HTTP_ANSWER answer = ask(self, "POST", "/auth/logout", who->access, NULL);

        told = judge(self, LOGOUT, answer, answer->status == 204);
        if (told == UNKNOWN)
            nap_ms(RETRY_MS);
    }
    if (told == GOOD) {
        for (int i = 0; i < 4; i++) {
            HTTP_ANSWER after = ask(self, "GET", "/auth/me", who->access, NULL);

            judge(self, LOGGED_OUT, after, after->status == 401);
        }
        HTTP_ANSWER refreshed = ask_fresh(self, "/auth/refresh-token",
                                          json_pack("{s:s}", "refresh_token", who->refresh));
        judge(self, LOGGED_OUT, refreshed, refreshed->status == 401);
        keep(&who->ended, who->access);
    }
    sign_in(self, who);
}

/* A change whose answer did not come may still be executed, and then ends the sessions made
 * meanwhile. A client without an answer therefore makes no further request until all is read
 * back. */
static void someone_changes_password(struct client *self, struct someone *who)
{
    char old[48], new[48];
    int number = who->password + 1;

    HTTP_ANSWER answer =
        ask(self, "POST", "/auth/change-password", who->access,
            json_pack("{s:s, s:s}", "oldPassword", password_text(who->password, old), "newPassword",
                      password_text(number, new)));
    switch (judge(self, PASSWORD, answer, answer->status == 204)) {
    case GOOD:
        who->password = number;
        who->changes++;
        break;
    case UNKNOWN:
        who->maybe_password = number;
        who->maybe_changes++;
        who->rests = true;
        break;
    case WRONG:
        break;
    }
}

/* ---- documents ---- */

static void file_read(struct client *self, const struct someone *who, const struct file *file)
{
    char *bytes = test_bytes(file->size, file->seed), path[64];

    snprintf(path, sizeof(path), "/document/%s", file->id);
    HTTP_ANSWER answer = ask(self, "GET", path, who->access, NULL);
    if (file->there == YES)
        judge(self, DOCUMENT_READ, answer,
              answer->status == 200 && answer->size == file->size &&
                  memcmp(answer->body, bytes, file->size) == 0);
    else
        judge(self, DOCUMENT_GONE, answer, answer->status == 404);
    free(bytes);
}

/* A form that was not answered can be sent again, also when it had arrived. */
static void file_make(struct client *self, struct someone *who)
{
    struct file *file = &who->files[who->file_count];
    enum told told = UNKNOWN;

    if (who->file_count == DOCUMENTS_MAX)
        return;
    HTTP_ANSWER made = ask(self, "POST", "/document", who->access,
                           json_pack("{s:s, s:s}", "fileName", "a", "contentType", "a/b"));
    if (judge(self, DOCUMENT_MAKE, made, made->status == 200) != GOOD)
        return;
    snprintf(file->id, sizeof(file->id), "%s", http_text(made, "id"));
    file->seed = (unsigned)(self->number * 1000000 + (size_t)self->counter++);
    file->size = (size_t)chance(self, 200000) + 1;
    char *bytes = test_bytes(file->size, file->seed);
    struct form_body form =
        form_body_of(http_member(made, "uploadOptions.fields"), bytes, file->size);
    for (int i = 0; i < TRIES && told == UNKNOWN; i++) {
        HTTP_ANSWER sent =
            http_call(self->chaos->place.url, &(struct http_request){.method = "POST",
                                                                     .path = "/storage/documents",
                                                                     .raw = form.bytes,
                                                                     .raw_size = form.size,
                                                                     .content_type = form.type});

        told = judge(self, DOCUMENT_UPLOAD, sent, sent->status == 204);
        if (told == UNKNOWN)
            nap_ms(RETRY_MS);
    }
    file->there = YES;
    who->file_count += told == GOOD;
    form_body_free(&form);
    free(bytes);
}

static void file_delete(struct client *self, const struct someone *who, struct file *file)
{
    enum told told = UNKNOWN;
    bool repeated = false;
    char path[64];

    snprintf(path, sizeof(path), "/document/%s", file->id);
    for (int i = 0; i < TRIES && told == UNKNOWN; i++) {
        HTTP_ANSWER answer = ask(self, "DELETE", path, who->access, NULL);

        told = judge(self, DOCUMENT_DELETE, answer,
                     answer->status == 200 || (repeated && answer->status == 404));
        repeated = true;
        if (told == UNKNOWN)
            nap_ms(RETRY_MS);
    }
    file->there = NO;
    file_read(self, who, file);
}

static void someone_files(struct client *self, struct someone *who)
{
    struct file *file = NULL;

    if (who->file_count > 0)
        file = &who->files[chance(self, (int)who->file_count)];
    switch (chance(self, 4)) {
    case 0:
    case 1:
        file_make(self, who);
        break;
    case 2:
        if (file)
            file_read(self, who, file);
        break;
    default:
        if (file && file->there == YES)
            file_delete(self, who, file);
    }
}

/* ---- bots ---- */

static void someone_asks_a_bot(struct client *self, const struct someone *who)
{
    int number = self->counter++;
    HTTP_ANSWER answer = ask(self, "POST", "/bots?identifier=https://atrium.example/bots%7Cecho",
                             who->access, json_pack("{s:i}", "n", number));

    judge(self, BOT, answer,
          answer->status == 200 && json_integer_value(http_member(answer, "input.n")) == number);
}

static void someone_lives(struct client *self)
{
    struct someone *who = someone_new(self);

    if (!someone_registers(self, who))
        return;
    for (int step = 0;
         step < LIFE_STEPS && who->access && !who->rests && !atomic_load(&self->chaos->stop);
         step++) {
        switch (chance(self, 20)) {
        case 0:
            sign_in(self, who);
            break;
        case 1:
            someone_mistypes(self, who);
            break;
        case 2:
            someone_leaves(self, who);
            break;
        case 3:
            someone_changes_password(self, who);
            break;
        case 4:
        case 5:
        case 6:
            someone_refreshes(self, who);
            break;
        case 7:
        case 8:
            someone_asks_a_bot(self, who);
            break;
        case 9:
        case 10:
        case 11:
            someone_is(self, who);
            break;
        default:
            someone_files(self, who);
        }
        nap_ms(chance(self, THINK_MS));
    }
}

/* ---- the admin ---- */

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

/* Is it what was acknowledged, or what may have been written? The latter is certain from then
 * on. */
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

static void admin_signs_in(struct client *self)
{
    const struct place *place = &self->chaos->place;

    for (int i = 0; i < TRIES && !self->access; i++) {
        HTTP_ANSWER start =
            ask_fresh(self, "/auth/tenant/Practitioner/login/start",
                      body_login_start(place->admin_email, place->admin_password, place->tenant));
        if (judge(self, SIGN_IN, start, start->status == 200) == GOOD) {
            HTTP_ANSWER token =
                ask_fresh(self, "/auth/tenant/Practitioner/login/token",
                          body_login_token(http_text(start, "sessionCode"), place->tenant));
            judge(self, SIGN_IN, token, token->status == 200);
            keep(&self->access, http_text(token, "accessToken"));
        }
        if (!self->access)
            nap_ms(RETRY_MS);
    }
}

static void setting_read(struct client *self)
{
    HTTP_ANSWER answer = ask(self, "GET", "/v1/project/settings", self->access, NULL);
    int number = 0;

    sscanf(http_text(answer, "settings.PATIENT_APP_URL"), "https://app-%d.example", &number);
    judge(self, SETTING_READ, answer, answer->status == 200 && value_saw(&self->setting, number));
}

/* 409: a write whose answer did not come was executed in between. */
static void setting_write(struct client *self)
{
    int number = ++self->counter;
    char value[64];
    bool conflict;

    snprintf(value, sizeof(value), "https://app-%d.example", number);
    HTTP_ANSWER answer = ask(self, "PUT", "/v1/project/settings/values/PATIENT_APP_URL",
                             self->access, json_pack("{s:s}", "value", value));
    conflict = answer->status == 409 && value_is_open(&self->setting);
    enum told told = judge(self, SETTING_WRITE, answer, answer->status == 200 || conflict);
    value_wrote(&self->setting, number, conflict ? WRONG : told);
}

/* A page's number is in its title; 0: there is no page. */
static void page_write(struct client *self, size_t page)
{
    int number = chance(self, 4) == 0 ? 0 : ++self->counter;
    bool may_be_absent = self->pages[page].certain == 0 || value_is_open(&self->pages[page]);
    char path[64], title[64];

    snprintf(path, sizeof(path), "/cms/article/page-%zu/en", page);
    snprintf(title, sizeof(title), "Number %d zebra%zu", number, page);
    if (number > 0) {
        HTTP_ANSWER put = ask(self, "PUT", path, self->access, json_pack("{s:s}", "title", title));
        value_wrote(&self->pages[page], number, judge(self, PAGE_WRITE, put, put->status == 200));
        return;
    }
    HTTP_ANSWER gone = ask(self, "DELETE", path, self->access, NULL);
    value_wrote(&self->pages[page], 0,
                judge(self, PAGE_WRITE, gone,
                      gone->status == 204 || (gone->status == 404 && may_be_absent)));
}

static void page_read(struct client *self, size_t page)
{
    char path[64];
    int number = 0;

    snprintf(path, sizeof(path), "/cms/article/page-%zu/en", page);
    HTTP_ANSWER answer = ask(self, "GET", path, self->access, NULL);
    sscanf(http_text(answer, "title"), "Number %d", &number);
    judge(self, PAGE_READ, answer,
          (answer->status == 200 || answer->status == 404) &&
              value_saw(&self->pages[page], number));
}

static void page_search(struct client *self, size_t page)
{
    char path[96], key[32];
    int number = 0;
    json_t *entry;
    size_t i;

    snprintf(path, sizeof(path), "/cms/article/map/en?search=zebra%zu&_count=100", page);
    snprintf(key, sizeof(key), "page-%zu", page);
    HTTP_ANSWER answer = ask(self, "GET", path, self->access, NULL);
    json_array_foreach(http_member(answer, "resources"), i, entry)
    {
        json_t *source = json_object_get(entry, "source");
        const char *found = json_string_value(json_object_get(source, "key"));

        if (found && strcmp(found, key) == 0)
            sscanf(json_string_value(json_object_get(source, "title")), "Number %d", &number);
    }
    judge(self, PAGE_SEARCH, answer,
          answer->status == 200 && value_saw(&self->pages[page], number));
}

static void invite(struct client *self)
{
    struct invited *invited = calloc(1, sizeof(*invited));

    snprintf(invited->email, sizeof(invited->email), "i%d-%d@patients.example", self->counter++,
             (int)getpid());
    invited->next = self->invited;
    self->invited = invited;
    HTTP_ANSWER answer = ask(self, "POST", "/v1/projects/me/members", self->access,
                             json_pack("{s:s, s:s, s:s, s:s}", "email", invited->email, "firstName",
                                       "Ina", "lastName", "Vited", "type", "Patient"));
    enum told told = judge(self, INVITE, answer, answer->status == 200);
    invited->known = told == GOOD ? YES : told == UNKNOWN ? MAYBE : NO;
}

/* 409 to a second try: the first was done. 429: an account makes no more of them in an hour. */
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
            ask(self, "POST", "/v1/slim/project/child", self->access,
                json_pack("{s:s, s:s}", "name", "Branch", "tenantCode", project->code));

        refused = answer->status == 429;
        told = judge(self, PROJECT, answer,
                     answer->status == 200 || answer->status == 429 ||
                         (repeated && answer->status == 409));
        repeated = true;
        if (told == UNKNOWN)
            nap_ms(RETRY_MS);
    }
    if (refused) {
        self->projects = project->next;
        free(project);
    }
}

static void admin_works(struct client *self)
{
    size_t page = (size_t)chance(self, PAGES);

    switch (chance(self, 20)) {
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
    nap_ms(chance(self, THINK_MS));
}

static void *client_thread(void *arg)
{
    struct client *self = arg;

    if (self->number == 0)
        admin_signs_in(self);
    while (!atomic_load(&self->chaos->stop)) {
        if (self->number == 0)
            admin_works(self);
        else
            someone_lives(self);
    }
    return NULL;
}

/* ---- what is there in the end ---- */

static int mails_to(const struct chaos *self, const char *to, const char *subject)
{
    int count = 0;

    for (size_t i = 0; i < self->mail_count; i++)
        count += strcmp(self->mails[i].to, to) == 0 && strstr(self->mails[i].subject, subject);
    return count;
}

static void read_back_someone(struct client *self, struct someone *who)
{
    bool was_acknowledged = who->registered == YES;
    enum known in = sign_in(self, who);
    int welcomes = mails_to(self->chaos, who->email, "Welcome"),
        changes = mails_to(self->chaos, who->email, "sign-in");

    if (was_acknowledged)
        expect(self, SIGN_IN, who->email, in == YES, "cannot sign in any more");
    expect(self, MAIL, who->email, welcomes == (in == YES), "not one mail of welcome");
    expect(self, MAIL, who->email,
           changes >= who->changes && changes <= who->changes + who->maybe_changes,
           "not one mail for each new password");
    for (size_t i = 0; in == YES && i < who->file_count; i++)
        file_read(self, who, &who->files[i]);
    if (who->ended) {
        HTTP_ANSWER ended = ask(self, "GET", "/auth/me", who->ended, NULL);
        judge(self, LOGGED_OUT, ended, ended->status == 401);
    }
}

/* All addresses that are members or invited, in one text. */
static char *read_members(struct client *self)
{
    char *all = NULL, path[96];
    size_t size = 0, listed = 0, before;
    FILE *out = open_memstream(&all, &size);

    do {
        json_t *member;
        size_t i;

        snprintf(path, sizeof(path), "/v1/projects/me/members?_count=%d&_offset=%zu", MEMBERS_PAGE,
                 listed);
        before = listed;
        HTTP_ANSWER page = ask(self, "GET", path, self->access, NULL);
        judge(self, MEMBERS, page, page->status == 200);
        json_array_foreach(http_member(page, "resources"), i, member)
        {
            fprintf(out, "%s\n", json_string_value(json_object_get(member, "email")));
            listed++;
        }
    } while (listed > before);
    fclose(out);
    return all;
}

static void read_back_admin(struct client *self)
{
    char *members = read_members(self);

    for (const struct invited *invited = self->invited; invited; invited = invited->next) {
        bool listed = strstr(members, invited->email);
        int mails = mails_to(self->chaos, invited->email, "invites you");

        expect(self, MEMBERS, invited->email, listed || invited->known != YES, "is not listed");
        expect(self, MAIL, invited->email, mails == listed, "not one invitation");
    }
    free(members);
    for (const struct project *project = self->projects; project; project = project->next) {
        const struct place *place = &self->chaos->place;

        HTTP_ANSWER start =
            ask_fresh(self, "/auth/tenant/Practitioner/login/start",
                      body_login_start(place->admin_email, place->admin_password, project->code));
        judge(self, SIGN_IN, start, start->status == 200);
        HTTP_ANSWER token =
            ask_fresh(self, "/auth/tenant/Practitioner/login/token",
                      body_login_token(http_text(start, "sessionCode"), project->code));
        judge(self, SIGN_IN, token, token->status == 200);
    }
    setting_read(self);
    for (size_t page = 0; page < PAGES; page++) {
        page_read(self, page);
        page_search(self, page);
    }
}

static void *read_back_thread(void *arg)
{
    struct client *self = arg;

    for (struct someone *who = self->people; who; who = who->next)
        read_back_someone(self, who);
    if (self->number == 0)
        read_back_admin(self);
    return NULL;
}

static void header_value(const char *text, const char *name, char *value, size_t size)
{
    const char *at = strstr(text, name);
    size_t length = at ? strcspn(at + strlen(name), "\r\n") : 0;

    snprintf(value, size, "%.*s", (int)length, at ? at + strlen(name) : "");
}

/* The same Message-ID twice is one mail. */
static void mail_add(struct chaos *self, const char *text)
{
    struct mail mail;
    char to[256], *at;

    header_value(text, "\nTo: ", to, sizeof(to));
    header_value(text, "\nSubject: ", mail.subject, sizeof(mail.subject));
    header_value(text, "\nMessage-ID: ", mail.id, sizeof(mail.id));
    at = strrchr(to, '<');
    snprintf(mail.to, sizeof(mail.to), "%.*s", (int)strcspn(at ? at + 1 : to, ">"),
             at ? at + 1 : to);
    for (size_t i = 0; i < self->mail_count; i++)
        if (strcmp(self->mails[i].id, mail.id) == 0)
            return;
    self->mails = realloc(self->mails, (self->mail_count + 1) * sizeof(*self->mails));
    self->mails[self->mail_count++] = mail;
}

static void read_mails(struct chaos *self)
{
    struct dirent **entries = NULL;
    int count = scandir(self->place.mail_dir, &entries, NULL, NULL);

    for (int i = 0; i < count; i++) {
        const char *dot = strrchr(entries[i]->d_name, '.');
        char path[512], text[4096] = "\n";
        FILE *file;

        snprintf(path, sizeof(path), "%s/%s", self->place.mail_dir, entries[i]->d_name);
        file = dot && strcmp(dot, ".eml") == 0 ? fopen(path, "r") : NULL;
        if (file) {
            text[1 + fread(text + 1, 1, sizeof(text) - 2, file)] = '\0';
            fclose(file);
            mail_add(self, text);
        }
        free(entries[i]);
    }
    free(entries);
}

/* ---- from outside ---- */

static void run_all(struct chaos *self, void *(*fn)(void *))
{
    for (size_t i = 0; i < self->count; i++)
        if (pthread_create(&self->clients[i].thread, NULL, fn, &self->clients[i]) != 0)
            abort();
}

static void join_all(struct chaos *self)
{
    for (size_t i = 0; i < self->count; i++)
        pthread_join(self->clients[i].thread, NULL);
}

struct chaos *chaos_start(struct suite *suite, unsigned seed, size_t clients)
{
    struct chaos *self = calloc(1, sizeof(*self));

    self->place = (struct place){
        .url = suite_url(suite),
        .tenant = strdup(suite_text(suite, "demo.tenantCode")),
        .admin_email = strdup(suite_text(suite, "demo.adminEmail")),
        .admin_password = strdup(suite_text(suite, "demo.adminPassword")),
        .mail_dir = strdup(suite_text(suite, "mailDir")),
    };
    self->count = MAX((size_t)2, MIN(clients, (size_t)CLIENTS_MAX));
    self->clients = calloc(self->count, sizeof(*self->clients));
    for (size_t i = 0; i < CHAOS_CAUSES; i++)
        self->result.stalls[i].request = "";
    pthread_mutex_init(&self->lock, NULL);
    for (size_t i = 0; i < self->count; i++)
        self->clients[i] = (struct client){.chaos = self, .number = i, .seed = seed + (unsigned)i};
    run_all(self, client_thread);
    return self;
}

void chaos_cause(struct chaos *self, enum chaos_cause cause)
{
    pthread_mutex_lock(&self->lock);
    self->cause = cause;
    pthread_mutex_unlock(&self->lock);
}

void chaos_stop(struct chaos *self)
{
    atomic_store(&self->stop, true);
    join_all(self);
}

void chaos_read_back(struct chaos *self)
{
    read_mails(self);
    run_all(self, read_back_thread);
    join_all(self);
}

struct chaos_result chaos_result(struct chaos *self)
{
    struct chaos_result result = self->result;

    result.requests = result.failed = result.wrong = 0;
    for (size_t i = 0; i < OPS; i++) {
        result.requests += self->tally[i].requests;
        result.failed += self->tally[i].failed;
        result.wrong += self->tally[i].wrong;
    }
    return result;
}

void chaos_print(struct chaos *self)
{
    printf("%-26s %8s %8s %7s %9s %9s\n", "request", "asked", "failed", "wrong", "mean ms",
           "longest");
    for (size_t i = 0; i < OPS; i++) {
        long requests = self->tally[i].requests;

        printf("%-26s %8ld %8ld %7ld %9.1f %9.0f\n", ops[i].name, requests, self->tally[i].failed,
               self->tally[i].wrong,
               requests ? self->tally[i].seconds * 1000 / (double)requests : 0.0,
               self->tally[i].longest * 1000);
    }
}

static void someone_free(struct someone *who)
{
    free(who->access);
    free(who->refresh);
    free(who->profile);
    free(who->ended);
    free(who);
}

void chaos_destroy(struct chaos **self_p)
{
    struct chaos *self = TAKE_PTR(*self_p);

    for (size_t i = 0; i < self->count; i++) {
        struct client *client = &self->clients[i];

        for (struct someone *who; (who = client->people); someone_free(who))
            client->people = who->next;
        for (struct invited *invited; (invited = client->invited); free(invited))
            client->invited = invited->next;
        for (struct project *project; (project = client->projects); free(project))
            client->projects = project->next;
        free(client->access);
    }
    pthread_mutex_destroy(&self->lock);
    free(self->place.tenant);
    free(self->place.admin_email);
    free(self->place.admin_password);
    free(self->place.mail_dir);
    free(self->clients);
    free(self->mails);
    free(self);
}
