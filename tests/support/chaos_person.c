/*
 * chaos_person.c - chaos.h's patients: accounts, sessions, documents, a bot.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/chaos_private.h"
#include "tests/support/document.h"

enum { LIFE_STEPS = 40 /* steps of a person before the next one registers */ };

static const char *password_text(int number, char text[static 48])
{
    snprintf(text, 48, "correct horse battery %d", number);
    return text;
}

static void take_tokens(struct someone *who, const struct http_answer *answer)
{
    chaos_keep(&who->access, http_text(answer, "accessToken"));
    chaos_keep(&who->refresh, http_text(answer, "refreshToken"));
    chaos_keep(&who->profile, http_text(answer, "profile.reference"));
}

/* Tries one password. A refusal sets *ret_refused, and is GOOD unless `must`. */
static enum told try_sign_in(struct client *self, struct someone *who, int password, bool must,
                             bool *ret_refused)
{
    const char *tenant = self->chaos->place.tenant;
    char text[48];
    enum told told;

    HTTP_ANSWER start =
        chaos_ask_fresh(self, "/auth/tenant/Patient/login/start",
                        body_login_start(who->email, password_text(password, text), tenant));
    *ret_refused = start->status == 400;
    told =
        chaos_judge(self, SIGN_IN, start, start->status == 200 || (start->status == 400 && !must));
    if (told != GOOD || *ret_refused)
        return told;
    HTTP_ANSWER token = chaos_ask_fresh(self, "/auth/tenant/Patient/login/token",
                                        body_login_token(http_text(start, "sessionCode"), tenant));
    told = chaos_judge(self, SIGN_IN, token, token->status == 200);
    if (told == GOOD)
        take_tokens(who, token);
    return told;
}

enum known someone_signs_in(struct client *self, struct someone *who)
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
        if (told == GOOD) { /* the old password is refused: the change had succeeded */
            told = try_sign_in(self, who, who->maybe_password, true, &refused);
            if (told != UNKNOWN) {
                who->password = told == GOOD ? who->maybe_password : who->password;
                who->changes += told == GOOD;
                who->maybe_changes -= told == GOOD;
                who->maybe_password = 0;
                return told == GOOD ? YES : NO;
            }
        }
        unit_sleep_ms(RETRY_MS);
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

    HTTP_ANSWER answer = chaos_ask_fresh(self, "/auth/tenant/Patient/register", body);
    switch (chaos_judge(self, REGISTER, answer, answer->status == 200)) {
    case GOOD:
        who->registered = YES;
        take_tokens(who, answer);
        return true;
    case UNKNOWN:
        return someone_signs_in(self, who) == YES;
    case WRONG:
        break;
    }
    return false;
}

static void someone_is(struct client *self, struct someone *who)
{
    HTTP_ANSWER answer = chaos_ask(self, "GET", "/auth/me", who->access, NULL);
    char text[128];

    snprintf(text, sizeof(text), "%s/%s", http_text(answer, "profile.resourceType"),
             http_text(answer, "profile.id"));
    chaos_judge(self, ME, answer, answer->status == 200 && strcmp(text, who->profile) == 0);
}

static void someone_mistypes(struct client *self, struct someone *who)
{
    HTTP_ANSWER answer =
        chaos_ask_fresh(self, "/auth/tenant/Patient/login/start",
                        body_login_start(who->email, "not that one", self->chaos->place.tenant));

    chaos_judge(self, BAD_PASSWORD, answer, answer->status == 400);
}

/* Repeats with the same token until a response, which must be the successor. */
static void someone_refreshes(struct client *self, struct someone *who)
{
    enum told told = UNKNOWN;

    for (int i = 0; i < TRIES && told == UNKNOWN; i++) {
        HTTP_ANSWER answer = chaos_ask_fresh(self, "/auth/refresh-token",
                                             json_pack("{s:s}", "refresh_token", who->refresh));

        told = chaos_judge(self, REFRESH, answer, answer->status == 200);
        if (told == GOOD) {
            chaos_keep(&who->access, http_text(answer, "access_token"));
            chaos_keep(&who->refresh, http_text(answer, "refresh_token"));
        } else {
            unit_sleep_ms(RETRY_MS);
        }
    }
}

/* After a logout's 204 every gateway refuses the access token, and the refresh token is invalid. */
static void someone_leaves(struct client *self, struct someone *who)
{
    enum told told = UNKNOWN;

    for (int i = 0; i < TRIES && told == UNKNOWN; i++) {
        HTTP_ANSWER answer = chaos_ask(self, "POST", "/auth/logout", who->access, NULL);

        told = chaos_judge(self, LOGOUT, answer, answer->status == 204);
        if (told == UNKNOWN)
            unit_sleep_ms(RETRY_MS);
    }
    if (told == GOOD) {
        for (int i = 0; i < 4; i++) {
            HTTP_ANSWER after = chaos_ask(self, "GET", "/auth/me", who->access, NULL);

            chaos_judge(self, LOGGED_OUT, after, after->status == 401);
        }
        HTTP_ANSWER refreshed = chaos_ask_fresh(self, "/auth/refresh-token",
                                                json_pack("{s:s}", "refresh_token", who->refresh));
        chaos_judge(self, LOGGED_OUT, refreshed, refreshed->status == 401);
        chaos_keep(&who->ended, who->access);
    }
    someone_signs_in(self, who);
}

/* An unanswered change can still happen and end sessions made meanwhile, so the client makes no
 * more requests until everything is read back. */
static void someone_changes_password(struct client *self, struct someone *who)
{
    char old[48], new[48];
    int number = who->password + 1;

    HTTP_ANSWER answer =
        chaos_ask(self, "POST", "/auth/change-password", who->access,
                  json_pack("{s:s, s:s}", "oldPassword", password_text(who->password, old),
                            "newPassword", password_text(number, new)));
    switch (chaos_judge(self, PASSWORD, answer, answer->status == 204)) {
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

void file_read(struct client *self, const struct someone *who, const struct file *file)
{
    char *bytes = test_bytes(file->size, file->seed), path[64];

    snprintf(path, sizeof(path), "/document/%s", file->id);
    HTTP_ANSWER answer = chaos_ask(self, "GET", path, who->access, NULL);
    if (file->there == YES)
        chaos_judge(self, DOCUMENT_READ, answer,
                    answer->status == 200 && answer->size == file->size &&
                        memcmp(answer->body, bytes, file->size) == 0);
    else
        chaos_judge(self, DOCUMENT_GONE, answer, answer->status == 404);
    free(bytes);
}

/* An unanswered form can be sent again, even if it had arrived. */
static void file_make(struct client *self, struct someone *who)
{
    struct file *file = &who->files[who->file_count];
    enum told told = UNKNOWN;

    if (who->file_count == DOCUMENTS_MAX)
        return;
    HTTP_ANSWER made = chaos_ask(self, "POST", "/document", who->access,
                                 json_pack("{s:s, s:s}", "fileName", "a", "contentType", "a/b"));
    if (chaos_judge(self, DOCUMENT_MAKE, made, made->status == 200) != GOOD)
        return;
    snprintf(file->id, sizeof(file->id), "%s", http_text(made, "id"));
    file->seed = (unsigned)(self->number * 1000000 + (size_t)self->counter++);
    file->size = (size_t)chaos_chance(self, 200000) + 1;
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

        told = chaos_judge(self, DOCUMENT_UPLOAD, sent, sent->status == 204);
        if (told == UNKNOWN)
            unit_sleep_ms(RETRY_MS);
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
        HTTP_ANSWER answer = chaos_ask(self, "DELETE", path, who->access, NULL);

        told = chaos_judge(self, DOCUMENT_DELETE, answer,
                           answer->status == 200 || (repeated && answer->status == 404));
        repeated = true;
        if (told == UNKNOWN)
            unit_sleep_ms(RETRY_MS);
    }
    file->there = NO;
    file_read(self, who, file);
}

static void someone_files(struct client *self, struct someone *who)
{
    struct file *file = NULL;

    if (who->file_count > 0)
        file = &who->files[chaos_chance(self, (int)who->file_count)];
    switch (chaos_chance(self, 4)) {
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

static void someone_asks_a_bot(struct client *self, const struct someone *who)
{
    int number = self->counter++;
    HTTP_ANSWER answer =
        chaos_ask(self, "POST", "/bots?identifier=https://atrium.example/bots%7Cecho", who->access,
                  json_pack("{s:i}", "n", number));

    chaos_judge(self, BOT, answer,
                answer->status == 200 &&
                    json_integer_value(http_member(answer, "input.n")) == number);
}

void someone_lives(struct client *self)
{
    struct someone *who = someone_new(self);

    if (!someone_registers(self, who))
        return;
    for (int step = 0;
         step < LIFE_STEPS && who->access && !who->rests && !atomic_load(&self->chaos->stop);
         step++) {
        switch (chaos_chance(self, 20)) {
        case 0:
            someone_signs_in(self, who);
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
        unit_sleep_ms(chaos_chance(self, THINK_MS));
    }
}

void someone_free(struct someone *who)
{
    free(who->access);
    free(who->refresh);
    free(who->profile);
    free(who->ended);
    free(who);
}
