/*
 * second_gateway.c - see second_gateway.h.
 */
#include "tests/support/second_gateway.h"

#include <CUnit/CUnit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/unit.h"

static void write_config(struct suite *suite, const char *path, const char *settings,
                         const char *url)
{
    char run_dir[512];
    FILE *file = fopen(path, "w");

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    snprintf(run_dir, sizeof(run_dir), "%s", suite_text(suite, "busDir"));
    *strrchr(run_dir, '/') = '\0';
    fprintf(file,
            "common\n    run_dir = \"%s\"\n    public_url = \"%s\"\n"
            "gateway\n    listen = \"%s\"\n    admin_listen = \"127.0.0.1:%d\"\n%s",
            run_dir, suite_text(suite, "publicUrl"), url + strlen("http://"), unit_free_port(),
            settings);
    fclose(file);
}

/* Waits until the gateway reaches authd, which then refuses an unknown refresh token. */
static bool wait_serves(const char *url)
{
    for (int i = 0; i < 500; i++) {
        HTTP_ANSWER answer = http_post(url, "/auth/refresh-token", NULL,
                                       json_pack("{s:s}", "refresh_token", "nothing"));

        if (answer->status == 401)
            return true;
        usleep(20000);
    }
    return false;
}

struct program *second_gateway_start(struct suite *suite, const char *settings,
                                     char ret_url[static 64])
{
    char *program = program_path("atrium-gateway"), path[512];
    const char *argv[] = {program, "--config", path, "--instance", "second", NULL};
    struct program *self;

    snprintf(path, sizeof(path), "%s/second_gateway.conf", suite_dir(suite));
    snprintf(ret_url, 64, "http://127.0.0.1:%d", unit_free_port());
    write_config(suite, path, settings, ret_url);
    self = program_start(argv, NULL);
    free(program);
    CU_ASSERT_TRUE_FATAL(wait_serves(ret_url));
    return self;
}

void second_gateway_stop(struct program *self)
{
    kill(self->pid, SIGTERM);
    CU_ASSERT_TRUE(program_wait_end(self, 15000));
}
