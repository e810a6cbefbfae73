/*
 * mail_server.c - see mail_server.h.
 */
#include "tests/support/mail_server.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARGUMENTS_MAX = 21 };

/* Runs in the child: the pipes become standard input and output, everything else is closed. */
static void run_script(const char *const *arguments, int input, int output)
{
    dup2(input, 0);
    dup2(output, 1);
    closefrom(3);
    execv(arguments[0], (char **)(uintptr_t)arguments);
    _exit(127);
}

struct mail_server mail_server_start(const struct unit_dir *dir, const char *const *extra)
{
    const char *arguments[ARGUMENTS_MAX] = {"/usr/bin/python3", "tests/support/smtp_server.py",
                                            "--dir", dir->path};
    struct mail_server self = {0};
    int in[2], out[2], port = 0;
    FILE *answer;

    for (size_t i = 4; *extra && i < ARGUMENTS_MAX - 1; i++)
        arguments[i] = *extra++;
    if (pipe(in) < 0 || pipe(out) < 0)
        abort();
    self.pid = fork();
    if (self.pid == 0)
        run_script(arguments, in[0], out[1]);
    close(in[0]);
    close(out[1]);
    answer = fdopen(out[0], "r");
    UNIT_CHECK(answer && fscanf(answer, "port %d", &port) == 1, "the server says its port");
    if (answer)
        fclose(answer);
    self.input = in[1];
    snprintf(self.url, sizeof(self.url), "smtp://127.0.0.1:%d", port);
    return self;
}

void mail_server_stop(struct mail_server *self)
{
    close(self->input);
    kill(self->pid, SIGTERM);
    waitpid(self->pid, NULL, 0);
}

size_t mail_server_count(const char *path)
{
    DIR *dir = opendir(path);
    const struct dirent *entry;
    size_t count = 0;

    while (dir && (entry = readdir(dir))) {
        const char *dot = strrchr(entry->d_name, '.');

        count += dot && strcmp(dot, ".eml") == 0;
    }
    if (dir)
        closedir(dir);
    return count;
}
