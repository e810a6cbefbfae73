/*
 * db_tx.c - transactions on a connection that one fiber leases.
 *
 * "begin" travels with the first statement: n statements cost n + 1 round trips. The answer to
 * commit or rollback ends the lease; a connection that is not clean then is closed.
 * idle_in_transaction_session_timeout ends transactions of sleeping fibers.
 */
#include "common/base/memory.h"
#include "common/pg/db_private.h"

int db_begin(struct db *self, int64_t deadline_mono_ms, struct db_tx **ret, struct error *err)
{
    struct db_pool *pool = &self->write;
    int64_t until = MIN(deadline_mono_ms, loop_mono_ms(self->loop) + DB_WAIT_MS);
    struct db_conn *conn;
    struct db_tx *tx;

    for (;;) {
        if (db_pool_check(pool, err) < 0)
            return -1;
        if ((conn = db_pool_lease(pool)))
            break;
        switch (fiber_queue_wait(self->loop, &pool->lessees, until)) {
        case FIBER_WOKEN:
            continue;
        case FIBER_CANCELLED:
            return fiber_wake_error(FIBER_CANCELLED, err);
        case FIBER_TIMEOUT:
            break;
        }
        if (until >= deadline_mono_ms)
            return error_set(err, ERR_DEADLINE, "The request took too long. Please try again.");
        return error_retry(err, pool->ready > 0 ? ERR_OVERLOADED : ERR_UNAVAILABLE, 1,
                           "The database is busy.");
    }
    tx = memory_new(sizeof(*tx));
    *tx = (struct db_tx){.db = self, .conn = conn, .deadline_mono_ms = deadline_mono_ms};
    conn->tx = tx;
    *ret = tx;
    return 0;
}

static int tx_lost(struct error *err)
{
    return error_retry(err, ERR_UNAVAILABLE, 1, "The database connection was lost.");
}

int db_tx_query(struct db_tx *self, const struct db_statement *statement,
                const struct db_param *params, struct db_result **ret, struct error *err)
{
    PGresult *result = NULL;
    struct db_call *call;

    if (!self->conn)
        return tx_lost(err);
    if (self->failed)
        return error_set(err, ERR_INTERNAL, "The transaction has failed already.");
    call = db_call_new(self->db, CALL_STATEMENT);
    call->statement = statement;
    call->params = params;
    if (db_gate_enter(&self->db->write, call, err) < 0) {
        db_call_free(self->db, &call);
        self->failed = true;
        return -1;
    }
    call->begins = !self->begun;
    call->in_tx = true;
    self->begun = true;
    db_conn_send(self->conn, call);
    if (db_call_wait(self->db, &call, self->deadline_mono_ms, false, &result, err) < 0) {
        self->failed = true;
        return -1;
    }
    *ret = (struct db_result *)result;
    return 0;
}

/* Sends a last command, whose answer ends the lease, awaited or not. */
static void tx_end(struct db_tx *self, struct db_call *call, const char *command)
{
    struct db_conn *conn = TAKE_PTR(self->conn);

    call->text = command;
    call->ends = true;
    conn->tx = NULL;
    db_conn_send(conn, call);
}

int db_commit(struct db_tx **tx_p, struct error *err)
{
    CLEANUP(db_tx_destroy) struct db_tx *self = TAKE_PTR(*tx_p);
    CLEANUP(db_pg_clear) PGresult *result = NULL;
    struct db_call *call;

    if (!self->conn)
        return tx_lost(err);
    if (self->failed)
        return error_set(err, ERR_INTERNAL, "A failed transaction cannot be committed.");
    if (!self->begun)
        return 0;
    call = db_call_new(self->db, CALL_COMMAND);
    tx_end(self, call, "commit");
    if (db_call_wait(self->db, &call, self->deadline_mono_ms, true, &result, err) < 0)
        return -1;
    if (strcmp(PQcmdStatus(result), "COMMIT") != 0)
        return error_set(err, ERR_INTERNAL, "A failed transaction cannot be committed.");
    return 0;
}

void db_tx_destroy(struct db_tx **tx_p)
{
    struct db_tx *self = TAKE_PTR(*tx_p);

    if (!self)
        return;
    if (self->conn && self->begun) {
        struct db_call *call = db_call_new(self->db, CALL_COMMAND);

        call->waiter = NULL;
        tx_end(self, call, "rollback");
    } else if (self->conn) {
        db_pool_release(self->conn);
    }
    free(self);
}
