/*
 * ctl.c - atriumctl: the table of commands, common options, and main().
 *
 * To add a command, add a row here, a line in atriumctl.1 and a row in
 * tests/http/test_ctl_commands.c. The daemon's operation is an OP row with "ctl" among its callers.
 * A command that prints one response needs only its row (call.h); others have a function in their
 * group's file.
 */
#include "ctl/ctl.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "authd/authd_api.h"
#include "botd/botd_api.h"
#include "common/base/log.h"
#include "ctl/call.h"
#include "ctl/ctl_bus.h"
#include "ctl/dev_usage.h"
#include "ctl/error_line.h"
#include "maild/maild_api.h"
#include "settingsd/settingsd_api.h"

static const char *const session_columns[] = {
    "id", "lastUpdated", "authMethod", "remoteAddress", "browser", "os", NULL};
static const char *const bot_columns[] = {"id", "name", "kind", "identifier", NULL};

static const struct command commands[] = {
    {"dev", DEV_USAGE, DEV_SUMMARY, NULL, .run = dev_command},
    {"database sql", "", "print the SQL that creates the roles and schemas of a new database", NULL,
     .run = database_sql_command},
    {"project create", "NAME [--code CODE] [--no-code] [--strict]", "create a project", "settingsd",
     .run = project_create_command, .call.method = &settingsd_project_create_method},
    {"project list", "", "list all projects", "settingsd", .run = project_list_command},
    {"project show", "CODE", "show one project", "settingsd", .run = project_show_command},
    {"project suspend", "CODE [--read-only] [--resume]",
     "suspend, resume or make read-only a project and the projects below it", "settingsd",
     .run = project_suspend_command},
    {"project delete", "CODE [--force] [--yes]",
     "delete a project with all its data, immediately; --force: also with its members", "settingsd",
     .run = project_delete_command},
    {"project set", "CODE " PROJECT_SETTINGS " VALUE",
     "change a setting: who can register and sign in, access policies, URLs of the apps",
     "settingsd", .run = project_set_command},
    {"project policy", "CODE [" ACCOUNT_POLICY_MEMBERS "] [VALUE]",
     "show or change a project's account policy", "settingsd", .run = project_policy_command},
    {"user create-admin", "--project CODE --email E --name N --surname S [--mail] [--existing]",
     "make a person an admin: new account (password on stdin), emailed invitation, or existing "
     "account",
     "authd", .run = user_create_admin_command},
    {"user reset-mfa", "--project CODE --email E [--role Patient|Practitioner]",
     "remove a lost second factor and all passkeys, and end all sessions", "authd",
     CALL_DONE(authd_operator_mfa_reset,
               "The second factor was removed, and all sessions have ended.")},
    {"user list", "[--project CODE] [--email PREFIX] [--locked] [--count N]",
     "list accounts: all, of a project, by the start of the email address, locked accounts",
     "authd", .run = user_list_command},
    {"user show", "USER [--project CODE] [--role Patient|Practitioner]",
     "show an account (by email address or ID), its projects and sessions", "authd",
     .run = user_show_command},
    {"user lock", "USER [--project CODE] [--role Patient|Practitioner]",
     "lock an account and end its sessions", "authd", .run = user_lock_command},
    {"user unlock", "USER [--project CODE] [--role Patient|Practitioner]",
     "let a locked account sign in again", "authd", .run = user_unlock_command},
    {"user delete", "USER [--project CODE] [--role Patient|Practitioner] [--yes]",
     "delete an account and its documents, immediately", "authd", .run = user_delete_command},
    {"user receipt", "ID", "print what was erased of a deleted account, signed once all is erased",
     "authd", .run = user_receipt_command},
    {"user verify-receipt", "FILE --key KEY", "verify the signature of such a receipt", NULL,
     .run = user_verify_receipt_command},
    {"user import", "FILE.ndjson --project CODE [--dry-run] [--verified] [--report FILE]",
     "create accounts from another system's export, with their passwords", "authd",
     .run = user_import_command},
    {"account send-reset", "--email E --reason TEXT",
     "email a practitioner of several organizations a link to set a new password", "authd",
     CALL_DONE(authd_operator_account_reset,
               "An email to set a new password is on its way. It is valid for an hour.")},
    {"account reset-mfa", "--email E --reason TEXT",
     "remove such a practitioner's second factor and passkeys, and end all sessions", "authd",
     CALL_DONE(authd_operator_account_mfa_reset,
               "The account has no second factor now, and all its sessions have ended.")},
    {"account passkey-remove", "--email E --reason TEXT [--id ID]",
     "remove or list such a practitioner's passkeys", "authd",
     .run = account_passkey_remove_command},
    {"account leave", "--email E --reason TEXT --tenant CODE",
     "end one of such a practitioner's memberships, immediately", "authd",
     CALL_DONE(authd_operator_account_leave, "The membership and its sessions have ended.")},
    {"account schedule-deletion", "--email E --reason TEXT [--days N] [--wipe]",
     "delete such a practitioner's account in some days, unless they sign in before", "authd",
     .run = account_schedule_deletion_command},
    {"member list", "--project CODE [--count N] [--offset N]",
     "list a project's members and pending invitations", "authd", .run = member_list_command},
    {"policy put", "--project CODE [--id ID] FILE.json", "create or replace an access policy",
     "settingsd", .run = policy_put_command},
    {"policy list", "--project CODE", "list access policies", "settingsd",
     CALL_LIST(settingsd_operator_policy_list, "id", "name", "resource")},
    {"policy delete", "--project CODE ID", "delete an unused access policy", "settingsd",
     CALL_DONE(settingsd_operator_policy_delete, "The access policy was deleted.")},
    {"client create",
     "--project CODE NAME [--file FILE.json] [--type public|confidential] [--auth-method M] "
     "[--redirect-uris LIST] [--grant-types LIST] [--scopes LIST] [--demo-rp]",
     "create a client application; --demo-rp: one to try, with configurations that use it",
     "settingsd", .run = client_create_command},
    {"client show", "--project CODE ID", "show a client application", "settingsd",
     CALL_RECORD(settingsd_operator_client_get)},
    {"client set",
     "--project CODE ID [--file FILE.json] [--type public|confidential] [--auth-method M] "
     "[--redirect-uris LIST] [--grant-types LIST] [--scopes LIST]",
     "change a client application", "settingsd", .run = client_set_command},
    {"client secret", "--project CODE ID [--previous-hours N]",
     "replace the secret of a client application, and show the new one", "settingsd",
     CALL_RECORD(settingsd_operator_client_secret)},
    {"client list", "--project CODE", "list client applications", "settingsd",
     CALL_LIST(settingsd_operator_client_list, "id", "name", "type", "authMethod", "lastUpdated")},
    {"client delete", "--project CODE ID", "delete a client application", "settingsd",
     CALL_DONE(settingsd_operator_client_delete,
               "The client application was deleted. Its ID is now unknown.")},
    {"api-key list", "--project CODE", "list API keys", "authd",
     CALL_LIST(authd_operator_api_keys, "id", "name", "accessPolicy", "expiresAt", "lastUsedAt")},
    {"api-key revoke", "--project CODE ID", "revoke an API key on every gateway", "authd",
     CALL_DONE(authd_operator_api_key_revoke,
               "The API key was revoked. Every gateway rejects it.")},
    {"domain list", "--project CODE", "list email domains", "authd",
     CALL_LIST(authd_operator_domains, "domain", "state", "verifiedAt", "recordName",
               "recordValue")},
    {"domain verify", "--project CODE DOMAIN",
     "verify an email domain without a DNS record, because you know whose it is", "authd",
     CALL_RECORD(authd_operator_domain_verify)},
    {"bot put", "--project CODE FILE.json", "create or replace a bot", "botd",
     .run = bot_put_command},
    {"bot list", "--project CODE", "list bots", "botd",
     CALL(botd_operator_bot_list, .columns = bot_columns, .project = project_from_args)},
    {"bot delete", "--project CODE ID", "delete a bot and the record of its executions", "botd",
     CALL(botd_operator_bot_delete,
          .done = "The bot and the record of its executions were deleted.",
          .project = project_from_args)},
    {"bot run", "--project CODE IDENTIFIER [--input FILE.json]", "execute a bot", "botd",
     .run = bot_run_command},
    {"template put", "--project CODE NAME --subject S [--text FILE] [--html FILE] [--language L]",
     "create or replace a mail template", "maild", .run = template_put_command},
    {"template list", "--project CODE", "list mail templates", "maild",
     CALL_LIST(maild_template_list, "name", "language", "subject", "lastUpdated")},
    {"template delete", "--project CODE NAME [--language L]",
     "delete a mail template in one or all languages", "maild",
     CALL_DONE(maild_template_delete, "The mail template was deleted.")},
    {"template preview", "--project CODE NAME [--language L]",
     "show a mail template with sample values", "maild", CALL_RECORD(maild_template_preview)},
    {"content import", "--project CODE FILE.json", "store content entries", "docd",
     .run = content_import_command},
    {"tenant key", "[--keys DIRECTORY]",
     "print this installation's public key, with which another one encrypts a tenant for it", NULL,
     .run = tenant_key_command},
    {"tenant export", "CODE FILE --to KEY [--keys DIRECTORY] [--read-only] [--live] [--resume]",
     "write a whole tenant to a file for another installation", "settingsd",
     .run = tenant_export_command},
    {"tenant import", "FILE [--keys DIRECTORY] [--dry-run] [--resume]",
     "add a tenant from such a file; it stays suspended", "settingsd",
     .run = tenant_import_command},
    {"tenant verify", "FILE [--keys DIRECTORY]", "compare an imported tenant with its file",
     "settingsd", .run = tenant_verify_command},
    {"documents verify", "[--project CODE] [--hash] [--repair] [--after PROJECT/DOCUMENT]",
     "find documents without bytes, and bytes without documents", "docd",
     .run = documents_verify_command},
    {"keys list", "", "list the keys that sign tokens", "authd",
     CALL(authd_keys_list, .columns = key_columns)},
    {"keys rotate", "[--issuer] [--seal] [--keys DIRECTORY]",
     "sign with a new key; --issuer: the OpenID Connect issuers' keys, in a day; --seal: the next "
     "step of rotating the seal keys",
     "authd", .run = keys_rotate_command},
    {"keys bus", "NAME [--listen ADDRESS:PORT] [--next]",
     "create an instance's key for other hosts, and print its line for bus_hosts", NULL,
     .run = keys_bus_command},
    {"passwords build", "LIST FILE",
     "create a filter from a list of passwords or SHA-1 hashes, for common_passwords of authd",
     NULL, .run = passwords_build_command},
    {"passwords verify", "FILE [--list LIST]",
     "check that a filter is intact and contains every password of a list", NULL,
     .run = passwords_verify_command},
    {"passwords info", "FILE", "show the number of passwords in a filter", NULL,
     .run = passwords_info_command},
    {"session list", "--email E [--project CODE]", "list a person's sessions", "authd",
     CALL(authd_operator_sessions, .columns = session_columns)},
    {"session revoke", "--email E [--project CODE]", "end all sessions of a person", "authd",
     CALL(authd_operator_sessions_revoke, .columns = session_columns,
          .done = "All sessions have ended.")},
    {"mail queue", "[--state queued|dead] [--count N]",
     "list emails that wait (queued) or have failed (dead)", "maild", .run = mail_queue_command},
    {"mail retry", "[ID] [--all] [--project CODE] [--since TIME]", "retry waiting emails now",
     "maild", .run = mail_retry_command},
    {"mail drop", "ID", "remove an email from the queue", "maild",
     CALL_DONE(maild_mail_drop, "This email will never be sent.")},
    {"audit verify", "[--project CODE] [--kept FILE.json]",
     "check that no audit row was altered, removed or inserted", "", .run = audit_verify_command},
    {"audit verify-file", "FILE.jsonl", "check a file that `audit prune` wrote", NULL,
     .run = audit_verify_file_command},
    {"audit prune", "[--month YYYY-MM]",
     "export and delete months that are older than audit_keep_months", NULL,
     .run = audit_prune_command},
    {"audit tail", "[--project CODE] [--count N]", "show the newest rows of all audit logs", "",
     .run = audit_tail_command},
    {"audit search", "[--project CODE] [--action A] [--account ID] [--entity E] [--count N]",
     "show the newest rows that match", "", .run = audit_search_command},
    {"audit export", "--project CODE", "print a project's audit log as FHIR AuditEvents",
     "settingsd", .run = audit_export_command},
    {"audit checkpoint", "--project CODE [--from SIZE]",
     "print the signed root of a project's audit log", "authd",
     CALL(authd_operator_audit_checkpoint, .project = project_audited)},
    {"audit proof", "--project CODE ID", "prove that an audit event is in a project's audit log",
     "authd", CALL(authd_operator_audit_proof, .project = project_audited)},
    {"job list", "[--state waiting|done] [--count N]",
     "list jobs that wait (waiting) or have finished (done)", "maild", .run = job_list_command},
    {"job run-due", "", "run every due job now", "maild", .run = job_run_due_command},
    {"config show", "[DAEMON]", "show the configuration in use, and where each value comes from",
     "", .run = config_show_command},
    {"config check", "[DAEMON]", "show which changes a reload or restart would apply or reject", "",
     .run = config_check_command},
    {"status", "[INSTANCE]", "show instances: version, uptime, load, response time", "",
     .run = status_command},
    {"doctor", "", "check everything that the suite depends on, with remedies", "",
     .run = doctor_command},
    {"explain sign-in", "--project CODE --email E [--role Patient|Practitioner] [--address IP]",
     "run the checks of a sign-in and name the first that fails", "authd",
     .run = explain_sign_in_command},
    {"completion", "bash|zsh|fish", "print the completion script for a shell", NULL,
     .run = completion_command},
    {.words = NULL},
};

enum { WORDS_SIZE = 40, DISTANCE_MAX = 2 }; /* longest command; typos to correct */

struct command_line {
    const char *words[64]; /* without common options */
    size_t count;
    bool help, version;
};

static bool in_group(const struct command *command, const char *group)
{
    size_t length = strlen(group);

    return strncmp(command->words, group, length) == 0 && command->words[length] == ' ';
}

/* Prints a group (NULL: all) and returns the number of its commands. */
static size_t print_commands(const char *group)
{
    size_t count = 0;

    for (size_t i = 0; commands[i].words; i++) {
        if (group && !in_group(&commands[i], group))
            continue;
        printf("  %-26s %s\n", commands[i].words, commands[i].summary);
        count++;
    }
    return count;
}

static void print_help(void)
{
    puts("usage: atriumctl [--dir DIR | --config FILE] [--json] COMMAND ...\n");
    print_commands(NULL);
    puts("\n  --dir DIR      development suite of `atriumctl dev` (for dev: its directory, default "
         "./var)\n"
         "  --config FILE  configuration of an installed suite (/etc/atrium/atrium.conf)\n"
         "  --json         print JSON\n"
         "  --help, -h     show this help, or a command's; also: atriumctl help COMMAND\n"
         "  --version      show the version");
}

static void print_command_help(const struct command *command)
{
    printf("usage: atriumctl [--dir DIR | --config FILE] [--json] %s%s%s\n\n%s\n", command->words,
           *command->usage ? " " : "", command->usage, command->summary);
    if (command->run == dev_command)
        puts("\n" DEV_NOTE);
}

/* Returns 1 after it took the option's value from this or the next word. */
static int take_global(const char *name, const char **ret, char **argv, int argc, int *at,
                       struct error *err)
{
    size_t length = strlen(name);

    if (strncmp(argv[*at], name, length) != 0)
        return 0;
    if (argv[*at][length] == '=') {
        *ret = argv[*at] + length + 1;
        return 1;
    }
    if (argv[*at][length] != '\0')
        return 0;
    if (*at + 1 >= argc)
        return error_set(err, ERR_BAD_REQUEST, "%s: needs a value", name);
    *ret = argv[++*at];
    return 1;
}

static int read_command_line(struct ctl *ctl, struct command_line *line, int argc, char **argv,
                             struct error *err)
{
    bool options = true;

    for (int i = 1; i < argc; i++) {
        int taken = 0;

        if (strcmp(argv[i], "--") == 0)
            options = false;
        if (options && strcmp(argv[i], "--json") == 0)
            ctl->json = true;
        else if (options && (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0))
            line->help = true;
        else if (options && strcmp(argv[i], "--version") == 0)
            line->version = true;
        else if (options &&
                 ((taken = take_global("--dir", &ctl->dir, argv, argc, &i, err)) ||
                  (taken = take_global("--config", &ctl->config, argv, argc, &i, err)))) {
            if (taken < 0)
                return -1;
        } else if (line->count < ARRAY_SIZE(line->words))
            line->words[line->count++] = argv[i];
        else
            return error_set(err, ERR_BAD_REQUEST, "too many words");
    }
    if (ctl->dir && ctl->config)
        return error_set(err, ERR_BAD_REQUEST, "--dir and --config exclude each other");
    if (line->count > 0 && strcmp(line->words[0], "help") == 0) {
        line->help = true;
        memmove(line->words, line->words + 1, --line->count * sizeof(*line->words));
    }
    return 0;
}

/* Finds the command. *ret_words: number of words in its name. */
static const struct command *find_command(const struct command_line *line, size_t *ret_words)
{
    for (size_t i = 0; commands[i].words; i++) {
        const char *words = commands[i].words;
        size_t n = 0;

        for (; *words && n < line->count; n++) {
            size_t length = strcspn(words, " ");

            if (strlen(line->words[n]) != length || strncmp(words, line->words[n], length) != 0)
                break;
            words += length;
            words += *words == ' ';
        }
        if (*words == '\0') {
            *ret_words = n;
            return &commands[i];
        }
    }
    return NULL;
}

static int run(struct ctl *ctl, struct error *err)
{
    return ctl->command->service ? ctl_bus_run(ctl, err) : ctl->command->run(ctl, err);
}

/* Returns the restricted Damerau-Levenshtein distance; above DISTANCE_MAX for long texts. */
static size_t distance(const char *a, const char *b)
{
    size_t rows[WORDS_SIZE + 1][WORDS_SIZE + 1], n = strlen(a), m = strlen(b);

    if (n > WORDS_SIZE || m > WORDS_SIZE)
        return DISTANCE_MAX + 1;
    for (size_t i = 0; i <= n; i++) {
        for (size_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                rows[i][j] = i + j;
                continue;
            }
            rows[i][j] = rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            rows[i][j] = MIN(rows[i][j], rows[i - 1][j] + 1);
            rows[i][j] = MIN(rows[i][j], rows[i][j - 1] + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                rows[i][j] = MIN(rows[i][j], rows[i - 2][j - 2] + 1);
        }
    }
    return rows[n][m];
}

static const char *suggest(const char *typed)
{
    size_t best = DISTANCE_MAX + 1;
    const char *found = NULL;

    for (size_t i = 0; commands[i].words; i++) {
        size_t far = distance(typed, commands[i].words);

        if (far < best) {
            best = far;
            found = commands[i].words;
        }
    }
    return found;
}

/* Returns "; user has: list, show"; "": no such group. */
static const char *group_commands(struct arena *arena, const char *word)
{
    size_t length = strlen(word);
    const char *text = "";

    for (size_t i = 0; commands[i].words; i++)
        if (strncmp(commands[i].words, word, length) == 0 && commands[i].words[length] == ' ')
            text = arena_printf(arena, "%s%s%s%s", text, *text ? ", " : "; ",
                                *text ? "" : arena_printf(arena, "%s has: ", word),
                                commands[i].words + length + 1);
    return text;
}

static int no_command(struct arena *arena, const struct command_line *line)
{
    char typed[2 * WORDS_SIZE];
    const char *near;

    if (line->count == 0) {
        fputs("atriumctl: no command given; see atriumctl --help\n", stderr);
        return EXIT_USAGE;
    }
    snprintf(typed, sizeof(typed), "%s%s%s", line->words[0], line->count > 1 ? " " : "",
             line->count > 1 ? line->words[1] : "");
    near = suggest(typed);
    if (!near)
        near = suggest(line->words[0]);
    fprintf(stderr, "atriumctl: %s: unknown command; %s%s%ssee atriumctl --help%s\n", typed,
            near ? "did you mean \"" : "", near ? near : "", near ? "\"? Otherwise " : "",
            group_commands(arena, line->words[0]));
    return EXIT_USAGE;
}

/* Fails when the disk is full. */
static int end_output(struct error *err)
{
    bool failed = ferror(stdout);

    if (fflush(stdout) == 0 && !failed)
        return EXIT_DONE;
    (void)error_set(err, ERR_UNAVAILABLE, "standard output: %s",
                    failed ? "output is incomplete" : strerror(errno));
    error_line_print("atriumctl", err);
    return EXIT_FAILED;
}

static int help(struct arena *arena, const struct command_line *line, const struct command *command,
                struct error *err)
{
    if (command)
        print_command_help(command);
    else if (line->count == 0)
        print_help();
    else if (print_commands(line->words[0]) == 0)
        return no_command(arena, line);
    return end_output(err);
}

int main(int argc, char **argv)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct ctl ctl = {.commands = commands, .arena = arena};
    struct command_line line = {0};
    const struct command *command;
    struct error err;
    size_t words = 0;

    error_init(&err, arena);
    log_open("atriumctl", "ctl", LOG_ERR);
    signal(SIGPIPE, SIG_IGN);
    if (read_command_line(&ctl, &line, argc, argv, &err) < 0) {
        error_line_print("atriumctl", &err);
        return EXIT_USAGE;
    }
    if (line.version) {
        puts("atriumctl " ATRIUM_VERSION);
        return end_output(&err);
    }
    command = find_command(&line, &words);
    if (line.help)
        return help(arena, &line, command, &err);
    if (!command)
        return no_command(arena, &line);
    if (arguments_parse(&ctl.args, command->usage, line.words + words, line.count - words, arena,
                        &err) < 0) {
        error_line_print("atriumctl", &err);
        return EXIT_USAGE;
    }
    ctl.command = command;
    if (run(&ctl, &err) < 0) {
        error_line_print("atriumctl", &err);
        return EXIT_FAILED;
    }
    return end_output(&err);
}
