/* failure.c - lists a project's failed emails for its admins. */
#include <inttypes.h>
#include <stdlib.h>

#include "common/service/page_cursor.h"
#include "maild/mail_api.h"
#include "maild/maild.h"
#include "maild/sql/mail.h"

int mail_failures(struct maild *d, const struct request *req, const struct mail_failures_in *in,
                  struct mail_failure_list *out, struct error *err)
{
    const char *key = arena_printf(req->arena, "mail failures %s", req->caller->project.text);
    struct sql_mail_failure_list_in list = {.project = req->caller->project,
                                            .before = INT64_MAX,
                                            .before_id = {UUID_MAX},
                                            .most = in->_count + 1};
    const struct mail_failure *last;
    struct page_cursor at;

    if (page_cursor_read(req->arena, &d->svc.seal, key, req->now_ms, in->_cursor, &at, err) < 0)
        return -1;
    if (in->_cursor) {
        list.before = strtoll(at.key, NULL, 10);
        list.before_id = at.id;
    }
    if (sql_mail_failure_list(d->svc.db, req, &list, &out->resources, err) < 0)
        return -1;
    if (out->resources.count <= (size_t)in->_count)
        return 0;
    out->resources.count = (size_t)in->_count;
    last = (const struct mail_failure *)out->resources.items + in->_count - 1;
    at = page_cursor_start;
    at.key = arena_printf(req->arena, "%" PRId64, last->createdAt);
    at.id = last->id;
    out->next = page_cursor_new(req->arena, &d->svc.seal, key, req->now_ms, &at);
    return 0;
}
