/*
 * user.c - `atriumctl user ...`: the first admin of a project, and who lost a second factor.
 */
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "authd/authd_api.h"
#include "common/secret.h"
#include "ctl/ctl.h"
#include "ctl/ctl_bus.h"
#include "ctl/output.h"

enum { PASSWORD_MAX = 4096 };

/* The first line of stdin, without echo on a terminal. The caller wipes it. */
static char *read_password(struct arena *arena)
{
    char *line = arena_alloc(arena, PASSWORD_MAX + 2);
    struct termios quiet, before;
    bool terminal = isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &before) == 0;

    if (terminal) {
        quiet = before;
        quiet.c_lflag &= ~(tcflag_t)ECHO;
        fputs("Password: ", stderr);
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
    }
    if (!fgets(line, PASSWORD_MAX + 2, stdin))
        line[0] = '\0';
    if (terminal) {
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
        fputc('\n', stderr);
    }
    line[strcspn(line, "\n")] = '\0';
    return line;
}

int user_create_admin_command(struct ctl *ctl, struct error *err)
{
    bool mail = arguments_has(&ctl->args, "--mail");
    bool existing = arguments_has(&ctl->args, "--existing");
    char *password;
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    struct admin_create_in in = {.tenantCode = arguments_get(&ctl->args, "--project"),
                                 .email = arguments_get(&ctl->args, "--email"),
                                 .name = arguments_get(&ctl->args, "--name"),
                                 .surname = arguments_get(&ctl->args, "--surname"),
                                 .mail = mail,
                                 .existing = existing};
    struct admin_create_out out = {0};
    int result;

    if (mail && existing)
        return error_set(err, ERR_BAD_REQUEST, "--mail and --existing exclude each other");
    password = mail || existing ? NULL : read_password(ctl->arena);
    in.password = password && *password ? password : NULL;
    result = authd_admin_create(ctl->bus->bus, &req, &in, &out, err);
    secret_wipe_text(password);
    if (result < 0)
        return -1;
    output_record(ctl, &admin_create_out_table, &out);
    if (out.invited)
        output_note(
            ctl, "An invitation is on its way: its link is good for 7 days, older ones are dead.");
    else if (!out.created)
        output_note(ctl, "The account that exists is an admin now and keeps its password.");
    return 0;
}

int user_reset_mfa_command(struct ctl *ctl, struct error *err)
{
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    const struct operator_mfa_reset_in in = {.tenantCode = arguments_get(&ctl->args, "--project"),
                                             .email = arguments_get(&ctl->args, "--email"),
                                             .role = arguments_get(&ctl->args, "--role")};
    struct nothing out;

    if (authd_operator_mfa_reset(ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    output_done(ctl, "The second factor is off, and all sessions are ended.");
    return 0;
}
