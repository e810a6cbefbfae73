/*
 * passkey_opens.c - see passkey_opens.h.
 */
#include "authd/passkey/passkey_opens.h"

#include <string.h>

#include "authd/account/ownership.h"
#include "authd/mail.h"
#include "authd/sql/passkey.h"
#include "authd/tenant.h"
#include "common/service/audit.h"
#include "settingsd/tenant_api.h"

static bool opens_none(const struct uuid *opens)
{
    return !uuid_is_set(opens) || strcmp(opens->text, PASSKEY_OPENS_NONE) == 0;
}

bool passkey_opens_all(const struct uuid *opens)
{
    return strcmp(opens->text, PASSKEY_OPENS_ALL) == 0;
}

struct uuid passkey_opens_within(const struct uuid *opens)
{
    return passkey_opens_all(opens) ? (struct uuid){""} : *opens;
}

int passkey_opens(struct authd *d, const struct request *req, struct uuid opens,
                  struct uuid project, bool *ret, struct error *err)
{
    *ret = passkey_opens_all(&opens);
    if (*ret || opens_none(&opens))
        return 0;
    return tenant_is_within(d, req, project, opens, ret, err);
}

int passkey_opens_tenants(struct authd *d, const struct request *req, struct uuid opens,
                          struct field_list *tenants, struct error *err)
{
    const struct tenant *from = tenants->items;
    struct tenant *to = arena_calloc(req->arena, tenants->count, sizeof(*to));
    size_t count = 0;

    for (size_t i = 0; i < tenants->count; i++) {
        bool open;

        if (passkey_opens(d, req, opens, from[i].projectId, &open, err) < 0)
            return -1;
        if (open)
            to[count++] = from[i];
    }
    *tenants = (struct field_list){to, count};
    return 0;
}

int passkey_opens_list(struct authd *d, const struct request *req, struct uuid account,
                       struct uuid project, struct sql_passkey_list_rows *ret, struct error *err)
{
    const struct sql_passkey_list_in list = {.account = account};
    size_t count = 0;

    if (sql_passkey_list(d->svc.db, req, &list, ret, err) < 0)
        return -1;
    for (size_t i = 0; i < ret->count && uuid_is_set(&project); i++) {
        bool open;

        if (passkey_opens(d, req, ret->items[i].opens, project, &open, err) < 0)
            return -1;
        if (open)
            ret->items[count++] = ret->items[i];
    }
    if (uuid_is_set(&project))
        ret->count = count;
    return 0;
}

static struct sql_outbox closed_mail(struct authd *d, const struct request *req,
                                     const struct sql_passkey_owner_get_row *owner)
{
    const struct mail mail = {.template = "PASSKEY_CLOSED",
                              .to = owner->email,
                              .display =
                                  arena_printf(req->arena, "%s %s", owner->name, owner->surname),
                              .variables = {{"passkey", owner->passkey}}};

    return mail_row(d, req, &mail);
}

int passkey_opens_settle(struct authd *d, const struct request *req, struct uuid passkey,
                         struct uuid account, struct uuid *opens, struct error *err)
{
    const struct sql_passkey_owner_get_in get = {.passkey = passkey};
    struct sql_passkey_opens_set_in set = {.passkey = passkey};
    struct sql_passkey_owner_get_row owner;
    bool found;
    int there;

    if (ownership_lowest(d, req, account, &set.opens, err) < 0)
        return -1;
    found = uuid_is_set(&set.opens);
    if (!found)
        set.opens = (struct uuid){PASSKEY_OPENS_NONE};
    there = sql_passkey_owner_get(d->svc.db, req, &get, &owner, err);
    if (there <= 0)
        return there;
    if (!found)
        set.mail = closed_mail(d, req, &owner);
    if (sql_passkey_opens_set(d->svc.db, req, &set, err) < 0)
        return -1;
    outbox_wake(d->svc.outbox);
    *opens = set.opens;
    return 0;
}

int passkey_opens_run(void *daemon, const struct request *req, struct error *err)
{
    struct authd *d = daemon;
    struct sql_passkey_opens_unknown_rows rows;
    struct uuid opens;

    if (sql_passkey_opens_unknown(d->svc.db, req, &rows, err) < 0)
        return -1;
    for (size_t i = 0; i < rows.count && !d->svc.stopping; i++)
        if (passkey_opens_settle(d, req, rows.items[i].passkey, rows.items[i].account, &opens,
                                 err) < 0)
            return -1;
    return 0;
}
