/*
 * dev_mail.c - the page of captured emails (DIR/mail), which the gateway serves as /dev/mail. Links
 * to the demo's applications become links to hosted pages, so that they work.
 */
#include <dirent.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/log.h"
#include "common/base/memory.h"
#include "ctl/files.h"
#include "dev/dev.h"

enum { SHOWN_MAX = 50 };

static const char *const page_start =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>Captured emails</title>\n"
    "<style>:root { color-scheme: light dark } body { max-width: 44rem; margin: 2rem auto; "
    "padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere } "
    "article { border-top: 1px solid #7a838d; padding: 1rem 0 } h2 { font-size: 1.125rem; "
    "margin: 0 } pre { font: inherit; white-space: pre-wrap; margin: 0 } "
    "p { margin: 0.25rem 0 0.75rem }</style>\n"
    "</head>\n<body>\n<main>\n<h1>Captured emails</h1>\n"
    "<p>Newest first. Links to the demo's applications lead to its hosted pages. Reload this page "
    "to see new emails.</p>\n";

static void put_text(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (strchr("<>&\"'", text[i]))
            fprintf(out, "&#%d;", text[i]);
        else
            putc(text[i], out);
    }
}

/* Keeps what follows the application's URL. */
static void put_link(const struct dev *self, FILE *out, const char *url, size_t length)
{
    static const char *const apps[] = {DEMO_PATIENT_APP, DEMO_PRACTITIONER_APP};
    size_t app = 0;

    fputs("<a href=\"", out);
    for (size_t i = 0; i < ARRAY_SIZE(apps); i++) {
        if (strncmp(url, apps[i], strlen(apps[i])) == 0)
            app = strlen(apps[i]);
    }
    if (app > 0)
        fprintf(out, "%s/t/" DEMO_TENANT, self->public_url);
    put_text(out, url + app, length - app);
    fputs("\">", out);
    put_text(out, url, length);
    fputs("</a>", out);
}

static void put_body(const struct dev *self, FILE *out, const char *text)
{
    while (*text) {
        bool link = strncmp(text, "http://", 7) == 0 || strncmp(text, "https://", 8) == 0;
        size_t length = link ? strcspn(text, " \t\r\n<>\"") : 1;

        (link ? put_link(self, out, text, length) : put_text(out, text, length));
        text += length;
    }
}

/* Decodes quoted-printable (RFC 2045, section 6.7) in place. */
static void decode_quoted(char *text)
{
    char *to = text, byte;
    const char *end;

    while (*text) {
        if (strncmp(text, "=\r\n", 3) == 0) {
            text += 3;
        } else if (*text == '=' &&
                   sodium_hex2bin((unsigned char *)&byte, 1, text + 1, 2, NULL, NULL, &end) == 0 &&
                   end == text + 3) {
            *to++ = byte;
            text += 3;
        } else {
            *to++ = *text++;
        }
    }
    *to = '\0';
}

/* Returns "" if there is no such header before `end`. */
static const char *header_value(struct arena *arena, const char *text, const char *end,
                                const char *name)
{
    const char *at = strstr(text, name);

    if (!at || at > end)
        return "";
    at += strlen(name);
    return arena_strndup(arena, at, strcspn(at, "\r"));
}

/* Writes an email, which has one text, or two alternatives, text first. */
static void put_email(const struct dev *self, FILE *out, struct arena *arena, char *text)
{
    char *body = strstr(text, "\r\n\r\n"), *end;
    const char *subject, *to;
    bool quoted;

    if (!body)
        return;
    subject = header_value(arena, text, body, "\r\nSubject: ");
    to = header_value(arena, text, body, "\r\nTo: ");
    end = strstr(text, "\r\nContent-Type: multipart/");
    if (end && end < body) {
        text = body;
        body = strstr(text + 4, "\r\n\r\n");
        end = body ? strstr(body, "\r\n--=_") : NULL;
        if (!end)
            return;
        *end = '\0';
    }
    quoted = *header_value(arena, text, body, "\r\nContent-Transfer-Encoding: quoted") != '\0';
    if (quoted)
        decode_quoted(body);
    fputs("<article>\n<h2>", out);
    put_text(out, subject, strlen(subject));
    fputs("</h2>\n<p>To: ", out);
    put_text(out, to, strlen(to));
    fputs("</p>\n<pre>", out);
    put_body(self, out, body + 4);
    fputs("</pre>\n</article>\n", out);
}

static int is_email(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Names begin with the time. */
static int newest_first(const struct dirent **one, const struct dirent **other)
{
    return strcmp((*other)->d_name, (*one)->d_name);
}

static void put_emails(const struct dev *self, FILE *out, struct arena *arena)
{
    struct dirent **entries = NULL;
    int count = scandir(self->json.mail_dir, &entries, is_email, newest_first);
    struct error ignored;

    error_init(&ignored, arena);
    for (int i = 0; i < count; i++) {
        const char *path = arena_printf(arena, "%s/%s", self->json.mail_dir, entries[i]->d_name);
        char *text = i < SHOWN_MAX ? files_read(arena, path, &ignored) : NULL;

        if (text)
            put_email(self, out, arena, text);
        free(entries[i]);
    }
    free(entries);
}

void dev_mail_refresh(struct dev *self)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct stat status;
    struct error err;
    char *page = NULL;
    size_t size;
    FILE *out;

    if (stat(self->json.mail_dir, &status) < 0 ||
        memcmp(&status.st_mtim, &self->mail_changed, sizeof(status.st_mtim)) == 0)
        return;
    self->mail_changed = status.st_mtim;
    out = memory_ensure(open_memstream(&page, &size));
    fputs(page_start, out);
    put_emails(self, out, arena);
    fputs("</main>\n</body>\n</html>\n", out);
    fclose(out);
    error_init(&err, arena);
    if (files_replace(arena_printf(arena, "%s/mail.html", self->dir.socket_dir), 0600, page, &err) <
        0)
        log_event(LOG_WARNING, "dev", err.message, NULL);
    free(page);
}
