/* tenant_invited.c - see tenant_invited.h. */
#include "ctl/tenant/tenant_invited.h"

#include <stdio.h>
#include <string.h>

#include "authd/authd_api.h"
#include "authd/operation_api.h"
#include "ctl/ctl_bus.h"
#include "ctl/output.h"

void tenant_invited_wipe(struct tenant_invited *self)
{
    json_decref(self->list);
    json_decref(self->memberships);
    json_decref(self->accounts);
    json_decref(self->addresses);
    arena_destroy(&self->arena);
}

static void begin(struct tenant_invited *self)
{
    if (self->list)
        return;
    self->arena = arena_new();
    self->list = json_array();
    self->memberships = json_object();
    self->accounts = json_object();
    self->addresses = json_object();
}

static void add(struct tenant_invited *self, const struct field_list *page)
{
    const struct transfer_invited *each = page->items;

    for (size_t i = 0; i < page->count; i++, each++) {
        json_object_set_new(self->memberships, each->membership.text, json_true());
        json_object_set_new(self->accounts, each->account.text, json_true());
        if (each->email)
            json_object_set_new(self->addresses, each->email, json_true());
        self->admins += each->admin;
        json_array_append_new(self->list,
                              json_pack("{s:s, s:s, s:s?, s:b}", "account", each->account.text,
                                        "membership", each->membership.text, "email", each->email,
                                        "admin", each->admin));
    }
}

int tenant_invited_load(struct tenant_invited *self, struct ctl *ctl, struct uuid project,
                        struct error *err)
{
    struct operator_transfer_invited_in in = {.projectId = project};
    struct operator_transfer_out out;

    begin(self);
    do {
        const struct transfer_invited *last;

        if (ctl_bus_call(ctl->bus, self->arena, &authd_operator_transfer_invited_method, &in, &out,
                         err) < 0)
            return -1;
        add(self, &out.invited);
        last = out.invited.items;
        if (out.invited.count > 0)
            in.after = last[out.invited.count - 1].membership;
    } while (out.more);
    return 0;
}

int tenant_invited_check(struct tenant_invited *self, struct ctl *ctl, struct uuid project,
                         struct field_list rows, int64_t before, struct error *err)
{
    const struct operator_transfer_check_in in = {
        .projectId = project, .rows = rows, .before = before};
    struct operator_transfer_out out;

    begin(self);
    if (ctl_bus_call(ctl->bus, self->arena, &authd_operator_transfer_check_method, &in, &out, err) <
        0)
        return -1;
    add(self, &out.invited);
    return 0;
}

static const char *text_of(const json_t *row, const char *name)
{
    const char *text = json_string_value(json_object_get(row, name));

    return text ? text : "";
}

static bool has(const json_t *set, const char *key)
{
    return json_object_get(set, key) != NULL;
}

static bool is_of_account(const char *table)
{
    static const char *const tables[] = {"credential",   "email_verified", "mfa_factor",
                                         "mfa_recovery", "passkey",        "last_sign_in"};

    for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
        if (strcmp(table, tables[i]) == 0)
            return true;
    return false;
}

static bool skips_account(struct tenant_invited *self, const json_t *row)
{
    const json_t *membership = json_object_get(row, "membership");

    if (!has(self->memberships, text_of(membership, "id")))
        return false;
    json_object_set_new(self->accounts, text_of(membership, "account_id"), json_true());
    return true;
}

bool tenant_invited_skips(struct tenant_invited *self, const char *table, const void *row,
                          size_t size)
{
    static const char service[] = "authd.";
    json_auto_t *json = NULL;

    if (json_array_size(self->list) == 0 || strncmp(table, service, strlen(service)) != 0)
        return false;
    table += strlen(service);
    json = json_loadb(row, size, 0, NULL);
    if (strcmp(table, "account") == 0)
        return skips_account(self, json);
    if (strcmp(table, "invitation") == 0)
        return has(self->memberships, text_of(json, "id")) ||
               (strcmp(text_of(json, "role"), "Practitioner") == 0 &&
                has(self->addresses, text_of(json, "email")));
    return is_of_account(table) && has(self->accounts, text_of(json, "account_id"));
}

void tenant_invited_show(const struct tenant_invited *self, const struct ctl *ctl,
                         const char *project, int64_t admins)
{
    size_t i, count = json_array_size(self->list);
    json_t *each;

    if (ctl->json || count == 0)
        return;
    output_note(ctl,
                "\n%zu of the file's practitioners have an account here, or an account here may "
                "take their address back. Those stay as they are: the practitioners are invited, "
                "without rights of an administrator, and an administrator sends the invitations.",
                count);
    json_array_foreach(self->list, i, each)
    {
        const char *email = json_string_value(json_object_get(each, "email"));

        printf("  %s%s\n",
               output_printable(
                   ctl->arena, email ? email : json_string_value(json_object_get(each, "account"))),
               json_is_true(json_object_get(each, "admin")) ? "  was an administrator" : "");
    }
    if (admins > 0 && self->admins >= admins)
        output_note(ctl,
                    "It has no administrator now: once it is open, invite one by `atriumctl user "
                    "create-admin --project %s --mail`.",
                    project);
}
