/*
 * name_server.c - see name_server.h.
 */
#include "tests/support/name_server.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"

enum { START_MS = 60000, CONFIGURATION_MAX = 1024, ZONE_MAX = 4096 };

static void write_configuration(const struct name_server *self)
{
    char text[CONFIGURATION_MAX];

    snprintf(
        text, sizeof(text),
        "options { directory \"%s\"; listen-on port %d { 127.0.0.1; }; listen-on-v6 { none; };\n"
        "  pid-file none; session-keyfile none; recursion no; dnssec-validation no; };\n"
        "controls { };\n"
        "zone \"clinic.example\" { type primary; file \"clinic.example\"; };\n"
        "zone \"other.example\" { type primary; file \"other.example\"; };\n"
        "zone \"broken.example\" { type primary; file \"absent\"; };\n",
        self->dir.path, self->port);
    unit_dir_write(&self->dir, "named.conf", text);
}

static void write_zone(const struct name_server *self, const char *zone, const char *records)
{
    char text[ZONE_MAX];

    snprintf(text, sizeof(text),
             "$TTL 0\n@ SOA localhost. root.localhost. 1 60 60 60 0\n@ NS localhost.\n%s", records);
    unit_dir_write(&self->dir, zone, text);
}

static void run(const struct name_server *self)
{
    char configuration[128], log[128];

    snprintf(configuration, sizeof(configuration), "%s/named.conf", self->dir.path);
    snprintf(log, sizeof(log), "%s/log", self->dir.path);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (dup2(open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO) < 0)
        _exit(127);
    closefrom(STDERR_FILENO + 1);
    execl("/usr/sbin/named", "named", "-g", "-n", "1", "-c", configuration, (char *)NULL);
    _exit(127);
}

/* unit_dir_read() would cut off a long log. */
static bool log_has(const struct name_server *self, const char *text)
{
    char path[128], log[1 << 16];
    size_t size;
    FILE *file;

    snprintf(path, sizeof(path), "%s/log", self->dir.path);
    file = fopen(path, "r");
    if (!file)
        return false;
    size = fread(log, 1, sizeof(log) - 1, file);
    fclose(file);
    log[size] = '\0';
    return strstr(log, text) != NULL;
}

static void serve(struct name_server *self)
{
    int64_t end = clock_mono_ms() + START_MS;
    char path[128];

    snprintf(path, sizeof(path), "%s/log", self->dir.path);
    unlink(path);
    self->pid = fork();
    if (self->pid == 0)
        run(self);
    while (!log_has(self, " running\n")) {
        if (clock_mono_ms() > end || waitpid(self->pid, NULL, WNOHANG) != 0) {
            fprintf(stderr, "named does not start: %s\n", unit_dir_read(&self->dir, "log"));
            abort();
        }
        usleep(10000);
    }
}

static void end(struct name_server *self)
{
    kill(self->pid, SIGKILL);
    waitpid(self->pid, NULL, 0);
}

struct name_server name_server_start(void)
{
    struct name_server self = {.dir = unit_dir_make(), .port = unit_free_port()};

    write_configuration(&self);
    write_zone(&self, "clinic.example", "");
    write_zone(&self, "other.example", "");
    serve(&self);
    return self;
}

void name_server_stop(struct name_server *self)
{
    end(self);
    unit_dir_remove(&self->dir);
}

void name_server_set(struct name_server *self, const char *zone, const char *records)
{
    end(self);
    write_zone(self, zone, records);
    serve(self);
}

void name_server_hush(const struct name_server *self, bool silent)
{
    kill(self->pid, silent ? SIGSTOP : SIGCONT);
}
