/*
 * chaos_read_back.c - compares the final state with all responses to chaos.h's clients.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/chaos_private.h"

enum { MEMBERS_PAGE = 100 };

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
    enum known in = someone_signs_in(self, who);
    int welcomes = mails_to(self->chaos, who->email, "Welcome"),
        changes = mails_to(self->chaos, who->email, "sign-in");

    if (was_acknowledged)
        chaos_expect(self, SIGN_IN, who->email, in == YES, "cannot sign in any more");
    chaos_expect(self, MAIL, who->email, welcomes == (in == YES), "not one mail of welcome");
    chaos_expect(self, MAIL, who->email,
                 changes >= who->changes && changes <= who->changes + who->maybe_changes,
                 "not one mail for each new password");
    for (size_t i = 0; in == YES && i < who->file_count; i++)
        file_read(self, who, &who->files[i]);
    if (who->ended) {
        HTTP_ANSWER ended = chaos_ask(self, "GET", "/auth/me", who->ended, NULL);
        chaos_judge(self, LOGGED_OUT, ended, ended->status == 401);
    }
}

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
        HTTP_ANSWER page = chaos_ask(self, "GET", path, self->access, NULL);
        chaos_judge(self, MEMBERS, page, page->status == 200);
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

        chaos_expect(self, MEMBERS, invited->email, listed || invited->known != YES,
                     "is not listed");
        chaos_expect(self, MAIL, invited->email, mails == listed, "not one invitation");
    }
    free(members);
    for (const struct project *project = self->projects; project; project = project->next) {
        const struct place *place = &self->chaos->place;

        HTTP_ANSWER start = chaos_ask_fresh(self, "/auth/tenant/Practitioner/login/start",
                                            body_login_start(place->admin_email,
                                                             place->admin_password, project->code));
        chaos_judge(self, SIGN_IN, start, start->status == 200);
        HTTP_ANSWER token =
            chaos_ask_fresh(self, "/auth/tenant/Practitioner/login/token",
                            body_login_token(http_text(start, "sessionCode"), project->code));
        chaos_judge(self, SIGN_IN, token, token->status == 200);
    }
    setting_read(self);
    for (size_t page = 0; page < PAGES; page++) {
        page_read(self, page);
        page_search(self, page);
    }
}

void *chaos_read_back_thread(void *arg)
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

/* A repeated Message-ID is one email. */
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

void chaos_read_mails(struct chaos *self)
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
