/*
 * user.c - `atriumctl user ...`: accounts, first admins, lost second factors.
 */
#include <stdio.h>
#include <unistd.h>

#include "authd/authd_api.h"
#include "authd/operation_api.h"
#include "common/base/secret.h"
#include "common/base/uuid.h"
#include "ctl/call.h"
#include "ctl/confirm.h"
#include "ctl/ctl_bus.h"
#include "ctl/output.h"
#include "ctl/typed_line.h"

enum { PASSWORD_MAX = 4096 };
enum { USER_PAGE = 200, USERS_DEFAULT = 1000, USERS_MAX = 100000 };

/* Reads a password, which the caller erases. */
static int read_password(struct ctl *ctl, char **ret, struct error *err)
{
    *ret = arena_alloc(ctl->arena, PASSWORD_MAX + 2);
    if (isatty(STDIN_FILENO))
        fputs("Password: ", stderr);
    return typed_line_read(ctl, true, *ret, PASSWORD_MAX + 2, err);
}

int user_create_admin_command(struct ctl *ctl, struct error *err)
{
    bool mail = arguments_has(&ctl->args, "--mail");
    bool existing = arguments_has(&ctl->args, "--existing");
    char *password = NULL;
    struct admin_create_in in = {.password = NULL};
    struct admin_create_out out;
    int result;

    if (mail && existing)
        return error_set(err, ERR_BAD_REQUEST, "--mail and --existing exclude each other");
    if (!mail && !existing && read_password(ctl, &password, err) < 0)
        return -1;
    in.password = password && *password ? password : NULL;
    result = call(ctl, &authd_admin_create_method, &in, &out, err);
    secret_wipe_text(password);
    if (result < 0)
        return -1;
    output_record(ctl, &admin_create_out_table, &out);
    if (out.invited)
        output_note(
            ctl,
            "An invitation is on its way. Its link is valid for 7 days; older links are invalid.");
    else if (!out.created)
        output_note(ctl, "The existing account is now an admin and keeps its password.");
    return 0;
}

/* Reads a page of accounts. *ret_more: there is another page. */
static int read_page(struct ctl *ctl, struct operator_user_list_in *in, struct field_list *list,
                     bool *ret_more, struct error *err)
{
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    struct operator_user_list_out page = {0};

    if (authd_operator_user_list(ctl->bus->bus, &req, in, &page, err) < 0)
        return -1;
    output_append(ctl, &user_table, list, &page.users);
    in->after = page.after;
    in->afterEmail = page.afterEmail;
    *ret_more = page.more;
    return 0;
}

/* Addresses are stored in lower case. */
static const char *lower(struct arena *arena, const char *text)
{
    char *copy = text ? arena_strdup(arena, text) : NULL;

    for (char *c = copy; c && *c; c++)
        *c = *c >= 'A' && *c <= 'Z' ? (char)(*c + 'a' - 'A') : *c;
    return copy;
}

int user_list_command(struct ctl *ctl, struct error *err)
{
    static const char *const columns[] = {"id",       "email",       "role",
                                          "locked",   "mfaEnrolled", "emailVerified",
                                          "sessions", "createdAt",   NULL};
    struct operator_user_list_in in = {.tenantCode = arguments_get(&ctl->args, "--project"),
                                       .prefix =
                                           lower(ctl->arena, arguments_get(&ctl->args, "--email")),
                                       .locked = arguments_has(&ctl->args, "--locked"),
                                       .count = USER_PAGE};
    struct field_list list = {0};
    bool more = true;
    int64_t count;

    if (arguments_int(&ctl->args, "--count", USERS_DEFAULT, 1, USERS_MAX, &count, err) < 0)
        return -1;
    while (more && (int64_t)list.count < count) {
        if (read_page(ctl, &in, &list, &more, err) < 0)
            return -1;
    }
    more = more || (int64_t)list.count > count;
    list.count = MIN(list.count, (size_t)count);
    output_list(ctl, &user_table, &list, columns);
    if (more)
        output_note(ctl, "These are the first %zu; --count shows more.", list.count);
    return 0;
}

/* Returns the account that USER names, by email address or id. */
static struct operator_user_in user_given(const struct ctl *ctl)
{
    struct operator_user_in in = {.email = arguments_get(&ctl->args, "USER")};

    if (uuid_parse(in.email, &in.id) == 0)
        in.email = NULL;
    else
        in.id = (struct uuid){""};
    return in;
}

static void show_user(const struct ctl *ctl, struct user *user)
{
    static const char *const columns[] = {"tenantCode", "projectName", "projectId", "membership",
                                          "admin",      "sessions",    NULL};
    struct field_list places = user->places;

    if (!ctl->json)
        user->places = (struct field_list){NULL, 0};
    output_record(ctl, &user_table, user);
    if (ctl->json || places.count == 0)
        return;
    putchar('\n');
    output_list(ctl, &user_place_table, &places, columns);
}

static int user_call(struct ctl *ctl, const struct bus_method *method, struct error *err)
{
    struct operator_user_in in = user_given(ctl);
    struct user out;

    if (call(ctl, method, &in, &out, err) < 0)
        return -1;
    show_user(ctl, &out);
    return 0;
}

int user_show_command(struct ctl *ctl, struct error *err)
{
    return user_call(ctl, &authd_operator_user_show_method, err);
}

int user_lock_command(struct ctl *ctl, struct error *err)
{
    if (user_call(ctl, &authd_operator_user_lock_method, err) < 0)
        return -1;
    output_note(ctl, "\nThe account is locked, and all its sessions have ended.");
    return 0;
}

int user_unlock_command(struct ctl *ctl, struct error *err)
{
    if (user_call(ctl, &authd_operator_user_unlock_method, err) < 0)
        return -1;
    output_note(ctl, "\nThe account can sign in again.");
    return 0;
}

/* Shows the account first. For a deleted one, prints the receipt. */
int user_delete_command(struct ctl *ctl, struct error *err)
{
    struct operator_user_in in = user_given(ctl);
    struct user out;
    const char *question;

    if (call(ctl, &authd_operator_user_show_method, &in, &out, err) < 0) {
        if (err->code != ERR_NOT_FOUND || !uuid_is_set(&in.id))
            return -1;
        error_clear(err);
        return user_receipt_print(ctl, in.id, "The account was deleted.", err);
    }
    question = arena_printf(
        ctl->arena, "The %s account of %s and its documents will be deleted, in %zu project%s.",
        role_text(out.role), out.email, out.places.count, out.places.count == 1 ? "" : "s");
    if (confirm(ctl, question, out.email, err) < 0)
        return -1;
    in.id = out.id;
    in.email = NULL;
    if (call(ctl, &authd_operator_user_delete_method, &in, &out, err) < 0)
        return -1;
    return user_receipt_print(
        ctl, in.id, "The account was deleted. Its documents will be deleted within minutes.", err);
}
