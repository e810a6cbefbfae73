#!/bin/bash
# weigh.sh - `make bench-weigh`: PostgreSQL's work for a sign-in and a refresh (rows, transactions, WAL bytes, minus the
# idle suite's in the same time), and an idle daemon's cost: connections and memory of each instance. ACCOUNTS (default
# 20,000) are in ten tenants; PEOPLE (default 1,500) of them do each thing once.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/bench/suite.sh
accounts=${ACCOUNTS:-20000} people=${PEOPLE:-1500}

suite_start suite --no-demo
suite_seed suite 10 "$accounts" $((2 * people))
conninfo=$(suite_text suite conninfo)

# Backends report their counts at most ten seconds after their last statement.
counted() {
    sleep 11
    psql -XAtF ' ' "$conninfo" -c "
        select 'rows ' || schemaname || '.' || regexp_replace(relname, '^audit_.*', 'audit') || ' ' || what, sum(n)
        from pg_stat_user_tables,
            lateral (values ('inserted', n_tup_ins), ('updated', n_tup_upd), ('deleted', n_tup_del)) v (what, n)
        group by 1
        union all select 'transactions, of reads too', xact_commit from pg_stat_database where datname = current_database()
        union all select 'bytes of the write-ahead log', wal_bytes from pg_stat_wal
        union all select 'whole pages in it', wal_fpi from pg_stat_wal"
}
# BEFORE AFTER SECONDS TIMES IDLE_BEFORE IDLE_AFTER IDLE_SECONDS: per time, minus the idle part
difference() {
    awk -v seconds="$3" -v times="$4" -v idle="$7" '
        {n = $NF; $NF = ""; sub(/ $/, "")}
        FILENAME == ARGV[1] {before[$0] = n} FILENAME == ARGV[2] {after[$0] = n}
        FILENAME == ARGV[3] {idle_before[$0] = n} FILENAME == ARGV[4] {idle_after[$0] = n}
        END {
            for (name in after) {
                each = (after[name] - before[name] - (idle_after[name] - idle_before[name]) * seconds / idle) / times
                if (each > 0.02 || each < -0.02) printf "    %-44s %10.2f\n", name, each
            }
        }' "$1" "$2" "$5" "$6" | sort
}
weigh() { # LABEL FIRST WHAT
    local began=$SECONDS done
    counted >"$scratch/before"
    read -r done _ <<<"$(python3 tests/bench/weigh_client.py "$(suite_base suite)" "$scratch/suite.people" "$2" "$people" "$3")"
    counted >"$scratch/after"
    echo "$1, each of $done:"
    difference "$scratch/before" "$scratch/after" $((SECONDS - began)) "$done" "$scratch/idle.before" "$scratch/idle.after" 30
}

counted >"$scratch/idle.before"
sleep 19
counted >"$scratch/idle.after"
echo "instances that nobody asks:"
"$build/bin/atriumctl" --dir "$scratch/suite" status | awk '$3 == "up" {print $1, $2, $5}' | while read -r daemon instance pid; do
    connections=$(psql -XAtq "$conninfo" -c "select count(*) from pg_stat_activity where usename = 'atrium-$daemon'")
    private=$(awk '/^Private_/ {sum += $2} END {printf "%.1f", sum / 1024}' "/proc/$pid/smaps_rollup")
    printf '    %-12s %3s connections %6s MiB private\n' "$daemon" "$connections" "$private"
done
weigh "sign-in (start and token)" 0 sign-in
weigh "refresh" "$people" refresh
