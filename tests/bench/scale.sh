#!/bin/bash
# scale.sh - `make bench-scale`: does anything slow down with the number of tenants? Two suites, one with ten tenants and
# one with TENANTS (default 10,000) and ACCOUNTS (default 1,000,000), get the same requests in turn, see scale.c. Exits
# with 1 when a median takes more than SCALE_LIMIT (default 1.3) times as long or PostgreSQL read a whole table, 2 when a
# request failed. SCALE_ROUNDS (default 15): rounds; SCALE_SAMPLE (default 16000): people of each suite, each in one
# round only; SCALE_LOGINS (default 80): sign-ins per round.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/bench/suite.sh
tenants=${TENANTS:-10000} accounts=${ACCOUNTS:-1000000}
sample=$(($accounts < ${SCALE_SAMPLE:-16000} ? $accounts : ${SCALE_SAMPLE:-16000}))

# Ten tenants with enough people that none is needed twice.
suite_start small --no-demo
suite_start large --no-demo
suite_seed small 10 "$sample" "$sample"
suite_seed large "$tenants" "$accounts" "$sample"

# The first change of a page after a checkpoint writes the whole page to the write-ahead log. Refreshes of a million people
# meet a new page each, those of a few thousand share pages. Each page of the sample is therefore changed once before, so
# that both compare at the same distance from a checkpoint. `make bench-curves` measures first changes too.
change_sessions() { # NAME
    awk -F'\t' '{print $3}' "$scratch/$1.people" >"$scratch/$1.emails"
    psql -qXAt -v ON_ERROR_STOP=1 -d "$(suite_text "$1" conninfo)" <<END
checkpoint;
create temporary table sample (email text primary key);
\\copy sample from '$scratch/$1.emails'
analyze sample;
update auth.session s set last_updated = s.last_updated from sample e join auth.account a on a.email = e.email
where s.account_id = a.id;
END
}
change_sessions small
change_sessions large

# Tables of some size that were read completely, with the rows read.
scanned() {
    psql -XAtF ' ' "$(suite_text large conninfo)" -c "
        select schemaname || '.' || relname, seq_tup_read from pg_stat_user_tables
        where n_live_tup >= 100 and seq_tup_read > 0 order by 1"
}
scanned >"$scratch/scanned"
code=0
"$build/tests/bench/scale" "${SCALE_LIMIT:-1.3}" "${SCALE_ROUNDS:-15}" "${SCALE_LOGINS:-80}" \
    "$(suite_base small)" "$scratch/small.people" "$(suite_base large)" "$scratch/large.people" || code=$?
echo "bytes on disk for each of $accounts accounts, with indexes:"
psql -XAtF ' ' "$(suite_text large conninfo)" -c "
    select schemaname || '.' || relname, round(pg_total_relation_size(relid)::numeric / $accounts, 1),
        round(pg_indexes_size(relid)::numeric / $accounts, 1)
    from pg_stat_user_tables where pg_total_relation_size(relid) > $accounts
    union all select 'all', round(pg_database_size(current_database())::numeric / $accounts, 1), null order by 2 desc" |
    awk '{printf "    %-28s %8s  of which indexes %8s\n", $1, $2, $3}'
if ! scanned | diff "$scratch/scanned" - >"$scratch/scans"; then
    echo "scale: FAILED: tables were read from end to end (before and after, rows):"
    cat "$scratch/scans"
    code=$((code == 0 ? 1 : code))
fi
exit "$code"
