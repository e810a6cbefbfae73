/* service_erasure.c - see erasure.h: what a daemon has erased, as its database has it. */
#include "common/service/erasure.h"
#include "common/service/service_private.h"
#include "common/service/sql/erasure.h"

void service_erasure_extend(struct service *self)
{
    db_extend_sql(self->db, service_erasure_sql);
}

int erasure_mark(struct service *self, const struct request *req, struct uuid account,
                 const char *table, struct error *err)
{
    const struct sql_erasure_mark_in in = {.account = account, .table_name = table};

    if (!uuid_is_set(&account))
        return 0;
    return sql_erasure_mark(self->db, req, &in, err) < 0 ? -1 : 0;
}

int erasure_step_done(struct service *self, const struct request *req, struct uuid account,
                      struct uuid key, struct error *err)
{
    const struct sql_erasure_step_done_in in = {.account = account, .key = key, .now = req->now_ms};

    if (!uuid_is_set(&account))
        return 0;
    return sql_erasure_step_done(self->db, req, &in, err) < 0 ? -1 : 0;
}

static int erase_place(struct service *self, const struct request *req,
                       const struct membership_ref *place, struct uuid account,
                       const struct erasure_work *work, struct error *err)
{
    int count;

    do
        count = work->erase(self, req, place, account, err);
    while (count == work->most);
    return MIN(count, 0);
}

int erasure_carry_out(struct service *self, const struct request *req,
                      const struct account_wipe_in *in, const struct erasure_work *work,
                      struct error *err)
{
    const struct membership_ref *places = in->places.items;

    if (erasure_mark(self, req, in->account, work->table, err) < 0)
        return -1;
    for (size_t i = 0; i < in->places.count; i++)
        if (erase_place(self, req, &places[i], in->account, work, err) < 0)
            return -1;
    return erasure_step_done(self, req, in->account, in->key, err);
}

int erasure_read(struct service *self, const struct request *req,
                 const struct account_erased_in *in, struct account_erased_out *out,
                 struct error *err)
{
    const struct sql_erased_get_in get = {.account = in->account};
    const struct sql_erased_list_in list = {.account = in->account};
    struct sql_erased_get_row row;

    if (sql_require(sql_erased_get(self->db, req, &get, &row, err), err, ERR_INTERNAL,
                    "No count.") < 0 ||
        sql_erased_list(self->db, req, &list, &out->erased, err) < 0)
        return -1;
    out->steps = row.steps;
    out->doneAt = row.done_at;
    return 0;
}
