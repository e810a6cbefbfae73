/* erasure.c - see erasure.h. */
#include "common/service/erasure.h"

#include "common/service/service_private.h"
#include "common/service/sql/erasure.h"

enum { PLACES_MAX = 1000, TABLES_MAX = 16 };

static const struct field membership_ref_rows[] = {
    FIELD_UUID(struct membership_ref, project, FIELD_REQUIRED, "Project of the profile."),
    FIELD_UUID(struct membership_ref, profile, FIELD_REQUIRED, "ID of the profile."),
};
FIELD_TABLE(membership_ref);

static const struct field account_wipe_in_rows[] = {
    FIELD_UUID(struct account_wipe_in, key, FIELD_REQUIRED, "Idempotency key."),
    FIELD_OBJECTS(struct account_wipe_in, places, membership_ref, PLACES_MAX, FIELD_REQUIRED,
                  "All profiles that the account had."),
    FIELD_UUID(struct account_wipe_in, account, FIELD_NULLABLE,
               "Account whose receipt counts the erased rows."),
};
FIELD_TABLE(account_wipe_in);

static const struct field erased_table_rows[] = {
    FIELD_TEXT(struct erased_table, table, 1, 64, FIELD_REQUIRED, "Table.", "document"),
    FIELD_INT(struct erased_table, rows, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of rows that were deleted, or from which the person's data was removed.",
              "3"),
    FIELD_INT(struct erased_table, bytes, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of bytes of complete files.", "4096"),
};
FIELD_TABLE(erased_table);

static const struct field account_erased_in_rows[] = {
    FIELD_UUID(struct account_erased_in, account, FIELD_REQUIRED, "ID of the deleted account."),
};
FIELD_TABLE(account_erased_in);

static const struct field account_erased_out_rows[] = {
    FIELD_INT(struct account_erased_out, steps, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of completed requests.", "2"),
    FIELD_TIME(struct account_erased_out, doneAt, 0, "When the last request was completed."),
    FIELD_BOOL(struct account_erased_out, waiting, false, 0,
               "Whether the sweep must still remove bytes."),
    FIELD_OBJECTS(struct account_erased_out, erased, erased_table, TABLES_MAX, 0,
                  "Erased rows, by table."),
};
FIELD_TABLE(account_erased_out);

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
