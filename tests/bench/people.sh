#!/bin/bash
# people.sh - `make bench-people`: the time of an admin's lists in a project of ACCOUNTS (default 1,000,000) people, see
# people.c. Exits with 1 when a kind's 99th percentile is PEOPLE_LIMIT_MS (default 20) or more or PostgreSQL read a whole
# table, 2 when a request failed. PEOPLE_TIMES (default 1000): requests per kind. Needs about 3 GB of disk.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/bench/suite.sh
accounts=${ACCOUNTS:-1000000}

suite_start suite --no-demo
suite_seed suite 1 "$accounts" 1

# Tables of some size that were read completely, with the rows read.
scanned() {
    psql -XAtF ' ' "$(suite_text suite conninfo)" -c "
        select schemaname || '.' || relname, seq_tup_read from pg_stat_user_tables
        where n_live_tup >= 100 and seq_tup_read > 0 order by 1"
}
scanned >"$scratch/scanned"
code=0
"$build/tests/bench/people" "$(suite_base suite)" "$scratch/suite.people" "$accounts" "${PEOPLE_LIMIT_MS:-20}" \
    "${PEOPLE_TIMES:-1000}" || code=$?
if ! scanned | diff "$scratch/scanned" - >"$scratch/scans"; then
    echo "people: FAILED: tables were read from end to end (before and after, rows):"
    cat "$scratch/scans"
    code=$((code == 0 ? 1 : code))
fi
exit "$code"
