/*
 * admin.c - see admin.h.
 *
 * Two statements: what the first one had to wait for is seen by the second one only.
 */
#include "authd/member/admin.h"

int admin_is_last(struct db_tx *tx, struct uuid project, struct uuid membership, bool *ret,
                  struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *held = NULL;
    CLEANUP(db_result_destroy) struct db_result *last = NULL;

    if (db_tx_query(tx, SQL_ADMINS_LOCK, &held, err, DB_UUID(project), DB_UUID(membership)) < 0 ||
        db_tx_query(tx, SQL_ADMIN_IS_LAST, &last, err, DB_UUID(project), DB_UUID(membership)) < 0)
        return -1;
    *ret = db_bool(last, 0, 0);
    return 0;
}

int admin_refuse_last(struct error *err)
{
    return error_set(err, ERR_CONFLICT, "The project needs an admin: this is the last one.");
}

int admin_leave_all(struct db_tx *tx, struct uuid account, struct error *err)
{
    CLEANUP(db_result_destroy) struct db_result *res = NULL;
    bool last = false;

    if (db_tx_query(tx, SQL_ADMIN_OF, &res, err, DB_UUID(account)) < 0)
        return -1;
    for (size_t row = 0; row < db_rows(res) && !last; row++) {
        if (admin_is_last(tx, db_uuid(res, row, 0), db_uuid(res, row, 1), &last, err) < 0)
            return -1;
    }
    return last ? admin_refuse_last(err) : 0;
}
