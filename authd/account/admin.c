/*
 * admin.c - see admin.h.
 *
 * Locking and checking are two statements: the first waits for concurrent transactions, and only a
 * later statement sees what they committed.
 */
#include "authd/account/admin.h"

#include "authd/sql/member.h"

int admin_is_last(struct db_tx *tx, const struct request *req, struct uuid project,
                  struct uuid membership, enum admin_last *ret, struct error *err)
{
    const struct sql_admin_lock_all_in lock = {.project = project, .membership = membership};
    const struct sql_admin_is_last_in in = {.project = project, .membership = membership};
    struct sql_admin_lock_all_rows locked;
    struct sql_admin_is_last_row row;

    if (sql_admin_lock_all(tx, req, &lock, &locked, err) < 0 ||
        sql_admin_is_last(tx, req, &in, &row, err) < 0)
        return -1;
    *ret = row.last_local ? ADMIN_LAST_LOCAL : row.last ? ADMIN_LAST : ADMIN_NOT_LAST;
    return 0;
}

int admin_refuse_last(enum admin_last last, struct error *err)
{
    return error_set(err, ERR_CONFLICT, "%s",
                     last == ADMIN_LAST
                         ? "The project needs at least one admin, and this is the last one."
                         : "While an identity provider is enforced, the project needs an admin "
                           "with local sign-in, and this is the last one.");
}

/* Fails if the account is any project's last admin, of the given kind or above. */
static int check_all(struct db_tx *tx, const struct request *req, struct uuid account,
                     enum admin_last kind, struct error *err)
{
    const struct sql_admin_list_projects_in list = {.account = account};
    struct sql_admin_list_projects_rows rows;
    enum admin_last last = ADMIN_NOT_LAST;

    if (sql_admin_list_projects(tx, req, &list, &rows, err) < 0)
        return -1;
    for (size_t i = 0; i < rows.count && last < kind; i++) {
        if (admin_is_last(tx, req, rows.items[i].project, rows.items[i].membership, &last, err) < 0)
            return -1;
    }
    return last < kind ? 0 : admin_refuse_last(last, err);
}

int admin_leave_all(struct db_tx *tx, const struct request *req, struct uuid account,
                    struct error *err)
{
    return check_all(tx, req, account, ADMIN_LAST, err);
}

int admin_keep_local(struct db_tx *tx, const struct request *req, struct uuid account,
                     struct error *err)
{
    return check_all(tx, req, account, ADMIN_LAST_LOCAL, err);
}
