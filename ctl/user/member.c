/* member.c - `atriumctl member ...`: members and invitations. */
#include "authd/authd_api.h"
#include "authd/member/member_api.h"
#include "authd/operation_api.h"
#include "ctl/ctl.h"
#include "ctl/ctl_bus.h"
#include "ctl/output.h"

enum { MEMBER_PAGE = 100, MEMBERS_DEFAULT = 1000, MEMBERS_MAX = 10000 };

/* Reads members page by page, because a bus message carries only a page. */
static int read_members(struct ctl *ctl, int64_t count, int64_t offset, struct field_list *ret,
                        int64_t *ret_total, struct error *err)
{
    struct operator_members_in in = {.tenantCode = arguments_get(&ctl->args, "--project"),
                                     .offset = offset};
    struct member_list page;

    do {
        struct request req = ctl_bus_request(ctl->bus, ctl->arena);

        page = (struct member_list){0};
        in.count = MIN(count - (int64_t)ret->count, MEMBER_PAGE);
        if (authd_operator_members(ctl->bus->bus, &req, &in, &page, err) < 0)
            return -1;
        output_append(ctl, &member_table, ret, &page.resources);
        in.offset += in.count;
    } while (page.resources.count == MEMBER_PAGE && (int64_t)ret->count < count);
    *ret_total = page.total;
    return 0;
}

int member_list_command(struct ctl *ctl, struct error *err)
{
    static const char *const columns[] = {"id",    "email",   "displayName",   "profileType",
                                          "admin", "pending", "emailVerified", NULL};
    struct field_list list = {0};
    int64_t count, offset, total;

    if (arguments_int(&ctl->args, "--count", MEMBERS_DEFAULT, 1, MEMBERS_MAX, &count, err) < 0 ||
        arguments_int(&ctl->args, "--offset", 0, 0, INT32_MAX - MEMBERS_MAX, &offset, err) < 0 ||
        read_members(ctl, count, offset, &list, &total, err) < 0)
        return -1;
    output_list(ctl, &member_table, &list, columns);
    if ((int64_t)list.count < total)
        output_note(ctl, "These are %zu of %lld, starting at offset %lld.", list.count,
                    (long long)total, (long long)offset);
    return 0;
}
