/* dev_ready.c - waits until everything answers; see dev.h. */
#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/runtime/curl_loop.h"
#include "common/service/service.h"
#include "ctl/ctl_bus.h"
#include "dev/dev.h"

enum {
    READY_LIMIT_MS = 60000,
    READY_POLL_MS = 10,
    PROBE_LIMIT_MS = 2000,
    FAILURES_MAX = 6, /* deaths in a row */
    LAST_LINE_MAX = 400,
};

static const char *last_line(struct arena *arena, const char *path)
{
    char text[LAST_LINE_MAX + 1];
    FILE *file = fopen(path, "re");
    size_t size = 0;
    char *line;

    if (file) {
        if (fseek(file, -LAST_LINE_MAX, SEEK_END) < 0)
            rewind(file);
        size = fread(text, 1, LAST_LINE_MAX, file);
        fclose(file);
    }
    while (size > 0 && text[size - 1] == '\n')
        size--;
    text[size] = '\0';
    line = strrchr(text, '\n');
    return arena_strdup(arena, line ? line + 1 : text);
}

int dev_ready_check(struct dev *self, struct error *err)
{
    struct child *const *children = supervisor_children(self->supervisor);

    if (self->stopping)
        return error_set(err, ERR_UNAVAILABLE, "stopped before it was ready");
    for (size_t i = 0; children[i]; i++) {
        const struct child *child = children[i];

        if (child_failures(child) < FAILURES_MAX)
            continue;
        if (self->dir.fresh) /* suite_dir_discard() prints the logs and removes them */
            error_set(err, ERR_UNAVAILABLE, "%s does not start, the end of its log is above",
                      child_name(child));
        else
            error_set(err, ERR_UNAVAILABLE, "%s does not start, see %s", child_name(child),
                      child_log(child));
        return error_detail(err, "%s", last_line(self->arena, child_log(child)));
    }
    return 0;
}

static size_t discard(char *bytes UNUSED, size_t size, size_t count, void *arg UNUSED)
{
    return size * count;
}

static bool gateway_answers(struct curl_loop *curls, const struct gateway_site *gateway)
{
    CURL *easy = curl_loop_easy(curls);
    char url[64];
    struct error err;
    CURLcode code = CURLE_FAILED_INIT;
    long status = 0;

    error_init(&err, NULL);
    snprintf(url, sizeof(url), "http://127.0.0.1:%d/readyz", gateway->admin_port);
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, discard);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    if (curl_loop_perform(curls, easy, clock_mono_ms() + PROBE_LIMIT_MS, &code, &err) == 0 &&
        code == CURLE_OK)
        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_cleanup(easy);
    return status == 200;
}

static bool instance_answers(struct dev *self, const struct child *child)
{
    const struct bus_method method = service_status_method(child_name(child));
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct request req = ctl_bus_request(self->bus, arena);
    struct nothing in = {0};
    struct service_status_out out = {0};
    struct error err;

    error_init(&err, arena);
    req.deadline_mono_ms = clock_mono_ms() + PROBE_LIMIT_MS;
    return bus_call_instance(self->bus->bus,
                             arena_printf(arena, "%s.%s", child_name(child), child_instance(child)),
                             &method, &req, &in, &out, &err) == 0 &&
           out.pid == child_pid(child);
}

static bool all_answer(struct dev *self, struct curl_loop *curls)
{
    struct child *const *children = supervisor_children(self->supervisor);

    for (size_t i = 0; children[i]; i++) {
        if (children[i] != self->json.postgres && !instance_answers(self, children[i]))
            return false;
    }
    for (size_t i = 0; i < self->gateway_count; i++) {
        if (!gateway_answers(curls, &self->gateways[i]))
            return false;
    }
    return true;
}

int dev_ready_wait(struct dev *self, struct error *err)
{
    CLEANUP(curl_loop_destroy) struct curl_loop *curls = curl_loop_new(self->loop);
    int64_t deadline = clock_mono_ms() + READY_LIMIT_MS;

    while (!all_answer(self, curls)) {
        if (dev_ready_check(self, err) < 0 ||
            supervisor_pause(self->supervisor, READY_POLL_MS, err) < 0)
            return -1;
        if (clock_mono_ms() > deadline)
            return error_set(err, ERR_DEADLINE, "not ready after %d s, see the logs in %s/log",
                             READY_LIMIT_MS / 1000, self->dir.path);
    }
    return 0;
}
