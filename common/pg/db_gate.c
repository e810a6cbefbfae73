/*
 * db_gate.c - statements that get no lock.
 *
 * A lock that an open transaction holds (psql, for example) blocks each statement that needs it,
 * which would use up the pool. So three timeouts in a row close a statement's gate: one call at a
 * time tries the statement, the others fail immediately, and a success opens the gate. A locked row
 * that only one account's requests need closes no gate, since other accounts' calls succeed in
 * between.
 */
#include "common/base/log.h"
#include "common/pg/db_private.h"

enum {
    TIMEOUTS_MAX = 3,
    FORGET_MS = 5000, /* after the last timeout, an untried gate opens */
};

static struct db_gate *gate_of(const struct db *db, const struct db_call *call)
{
    return &db->gates[db_statement_number(db, call->statement)];
}

/* Lets at most half of the pool's connections (at least one) try closed gates. */
static bool may_try(const struct db_pool *pool, const struct db_gate *gate)
{
    return !gate->tried && pool->tries < MAX(pool->max / 2, (size_t)1);
}

int db_gate_refuse(struct error *err)
{
    return error_retry(err, ERR_UNAVAILABLE, 1,
                       "Another request changed the same data. Please try again.");
}

int db_gate_enter(struct db_pool *pool, struct db_call *call, struct error *err)
{
    struct db_gate *gate = gate_of(pool->db, call);

    if (!gate->closed)
        return 0;
    if (!may_try(pool, gate))
        return db_gate_refuse(err);
    gate->tried = call->tries = true;
    pool->tries++;
    return 0;
}

bool db_gate_passes(struct db_pool *pool, const struct db_call *call)
{
    return !call->statement || call->tries || !gate_of(pool->db, call)->closed;
}

static void gate_set(struct db *db, struct db_gate *gate, bool closed)
{
    if (gate->closed == closed)
        return;
    gate->closed = closed;
    db->gates_closed += closed ? 1 : (size_t)-1;
    log_event(closed ? LOG_WARNING : LOG_NOTICE, "db",
              closed ? "statements on a table cannot get its lock"
                     : "statements on a table get its lock again",
              "statement", db_statement(db, (int)(gate - db->gates))->name, NULL);
}

void db_gate_sweep(struct db *db)
{
    size_t count = db->statement_count;
    int64_t now_ms = loop_mono_ms(db->loop);

    for (size_t i = 0; i < count && db->gates_closed > 0; i++) {
        struct db_gate *gate = &db->gates[i];

        if (gate->closed && !gate->tried && now_ms - gate->timed_out_mono_ms >= FORGET_MS) {
            gate->timeouts = 0;
            gate_set(db, gate, false);
        }
    }
}

/* True if the result says nothing about the lock, because the call never reached it: a deadlock, or
 * a cancelled, terminated or unprepared call. */
static bool tells_nothing(const PGresult *result)
{
    return db_result_is(result, "40") || db_result_is(result, "57") ||
           db_result_is(result, "26000");
}

void db_gate_leave(struct db *db, struct db_call *call, enum db_call_state state)
{
    struct db_gate *gate;

    if (!call->statement || call->kind != CALL_STATEMENT)
        return;
    gate = gate_of(db, call);
    if (call->tries) {
        db_pool_of(db, call->statement)->tries--;
        gate->tried = call->tries = false;
    }
    if (state != CALL_DONE)
        return;
    if (db_result_is(call->result, "55P03")) {
        gate->timeouts++;
        gate->timed_out_mono_ms = loop_mono_ms(db->loop);
        gate_set(db, gate, gate->timeouts >= TIMEOUTS_MAX);
    } else if (!tells_nothing(call->result)) {
        gate->timeouts = 0;
        gate_set(db, gate, false);
    }
}

bool db_gate_jams(const struct db_conn *conn)
{
    const struct db_call *call;

    if (conn->leased)
        return false;
    TAILQ_FOREACH(call, &conn->in_flight, link)
    if (call->kind == CALL_STATEMENT && gate_of(conn->pool->db, call)->closed)
        return true;
    return false;
}
