/*
 * bots.c - see bots.h.
 */
#include "tests/support/bots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/processes.h"

bool bots_start(struct bots *self)
{
    static const char *const argv[] = {"/usr/bin/python3", "tests/support/bot_server.py", NULL};
    int port = 0;

    *self = (struct bots){.server = program_start(argv, NULL)};
    if (!program_wait_output(self->server, "\n", 10000) ||
        sscanf(self->server->out, "port %d", &port) != 1)
        return false;
    snprintf(self->url, sizeof(self->url), "http://127.0.0.1:%d", port);
    self->suite = suite_start(&(struct suite_options){.bot_allow = "127.0.0.1/32"});
    self->admin = person_admin(self->suite);
    self->patient = person_register(self->suite, NULL);
    return true;
}

void bots_stop(struct bots *self)
{
    person_destroy(&self->admin);
    person_destroy(&self->patient);
    suite_stop(&self->suite);
    program_destroy(&self->server);
}

void bots_install(const struct bots *self, const char *name, const char *text)
{
    char *path;
    FILE *file;

    if (asprintf(&path, "%s/%s", suite_text(self->suite, "botDir"), name) < 0)
        abort();
    file = fopen(path, "w");
    if (!file)
        abort();
    fputs(text, file);
    fclose(file);
    free(path);
}

json_t *bots_body(const char *value, const char *kind, const char *target)
{
    return json_pack("{s:[{s:s, s:s}], s:s, s:s, s:s}", "identifier", "system", BOTS_SYSTEM,
                     "value", value, "name", value, "kind", kind,
                     strcmp(kind, "http") == 0 ? "url" : "program", target);
}

json_t *bots_with(json_t *body, const char *name, json_t *value)
{
    json_object_set_new(body, name, value);
    return body;
}

struct http_answer *bots_make(const struct bots *self, json_t *body)
{
    struct http_answer *answer =
        http_post(suite_url(self->suite), BOTS_PATH, self->admin->access, body);

    CHECK_STATUS(answer, 200);
    return answer;
}

void bots_make_http(const struct bots *self, const char *value, const char *path)
{
    char target[128];

    snprintf(target, sizeof(target), "%s%s", self->url, path);
    UNUSED HTTP_ANSWER made = bots_make(self, bots_with(bots_body(value, "http", target),
                                                        "timeoutMs", json_integer(800)));
}

void bots_make_program(const struct bots *self, const char *value, const char *text,
                       int64_t timeout_ms, bool warm)
{
    bots_install(self, value, text);
    UNUSED HTTP_ANSWER made =
        bots_make(self, bots_with(bots_with(bots_body(value, "program", value), "timeoutMs",
                                            json_integer(timeout_ms)),
                                  "warm", json_boolean(warm)));
}

struct http_answer *bots_run(const struct bots *self, const char *value, json_t *input)
{
    char path[256];

    snprintf(path, sizeof(path), "/bots?identifier=" BOTS_SYSTEM "%%7C%s", value);
    return http_post(suite_url(self->suite), path, self->patient->access,
                     input ? input : json_object());
}

static void leave_out(void)
{
    unit_leave_out("nothing confines programs here");
}

int bots_run_cases(const char *suite, const struct bots_case *cases, size_t count)
{
    struct unit_case all[BOTS_CASES_MAX];
    bool any = processes_confined(CONFINE_BUBBLEWRAP) ||
               processes_confined(CONFINE_BUBBLEWRAP_BARE) || processes_confined(CONFINE_KERNEL);

    if (count > ARRAY_SIZE(all))
        abort();
    for (size_t i = 0; i < count; i++) {
        all[i] = cases[i].run;
        if (cases[i].program && !any)
            all[i].fn = leave_out;
    }
    return unit_run(suite, all, count);
}
