/*
 * receiver.c - see receiver.h.
 */
#include "tests/support/receiver.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "tests/support/unit.h"

enum { ARGUMENTS_MAX = 8, READY_MS = 30000 };

bool receiver_has_node(void)
{
    bool has = access("/usr/bin/node", X_OK) == 0 || access("/usr/local/bin/node", X_OK) == 0;

    if (has)
        unit_optional();
    return has;
}

void receiver_start(struct receiver *self, const char *const *argv)
{
    const char *all[ARGUMENTS_MAX + 2] = {NULL};
    char port[12];
    size_t count = 0;

    for (; argv[count] && count < ARGUMENTS_MAX; count++)
        all[count] = argv[count];
    snprintf(port, sizeof(port), "%d", self->port);
    all[count] = port;
    self->program = program_start(all, NULL);
    if (!program_wait_output(self->program, "ready", READY_MS) ||
        sscanf(self->program->out, "ready %d %d", &self->port, &self->command_port) != 2) {
        fprintf(stderr, "receiver: %s\n", self->program->err);
        exit(1);
    }
}

void receiver_stop(struct receiver *self)
{
    program_destroy(&self->program);
}

struct http_answer *receiver_command(const struct receiver *self, const char *method,
                                     const char *name, json_t *body)
{
    char url[64], path[64];

    snprintf(url, sizeof(url), "http://127.0.0.1:%d", self->command_port);
    snprintf(path, sizeof(path), "/%s", name);
    return http_call(url, &(struct http_request){.method = method, .path = path, .body = body});
}

long receiver_count(const struct receiver *self, const char *name, const char *what)
{
    HTTP_ANSWER answer = receiver_command(self, "GET", name, NULL);

    return (long)json_integer_value(http_member(answer, what));
}

void receiver_start_webhooks(struct receiver *self, const char *dir)
{
    receiver_start(self, (const char *const[]){"/usr/bin/env", "node",
                                               "tests/webhooks/receiver.cjs", dir, NULL});
}

void receiver_set_mode(const struct receiver *self, const char *name, const char *mode,
                       const char *account)
{
    HTTP_ANSWER set = receiver_command(self, "PUT", name,
                                       json_pack("{s:s, s:s*}", "mode", mode, "account", account));

    CHECK_STATUS(set, 200);
}

bool receiver_comes_to(const struct receiver *self, const char *name, const char *what, long want,
                       int timeout_ms)
{
    int64_t until = clock_mono_ms() + timeout_ms;
    long have;

    while ((have = receiver_count(self, name, what)) < want && clock_mono_ms() < until)
        usleep(50000);
    return UNIT_CHECK(have >= want, "%s: %s %ld instead of %ld", name, what, have, want);
}
