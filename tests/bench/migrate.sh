#!/bin/bash
# migrate.sh [REF] - `make bench-migrate`: an upgrade from REF (default HEAD~1) under load, with ACCOUNTS (default
# 1,000,000) accounts, messages and documents. Each instance of a suite with two instances per daemon gets today's
# program in turn, the gateways last. Meanwhile a client exchanges refresh tokens and a writer uses each daemon's tables
# in a loop: its wait is how long the table was locked. If REF has no seed program, today's is used; daemons that REF
# lacks are left out.
# Exits with 1 when a table was locked for longer than MIGRATE_LIMIT ms (default 1000).
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/bench/suite.sh
. tests/mixed/then.sh
today=$(realpath "$build") ref=${1:-HEAD~1} accounts=${ACCOUNTS:-1000000} limit=${MIGRATE_LIMIT:-1000}
daemons=(authd settingsd maild docd botd gateway)

commit=$(git rev-parse --verify --short "$ref^{commit}")
then_build "$scratch/then" "$commit" all
build=$scratch/then/build
if git cat-file -e "$commit:tests/bench/seed.c" 2>/dev/null; then
    make -s -C "$scratch/then" BUILD=build build/tests/bench/seed
else
    install -D "$today/tests/bench/seed" "$build/tests/bench/seed"
fi
for i in "${!daemons[@]}"; do [ -x "$build/bin/atrium-${daemons[i]}" ] || unset "daemons[i]"; done
suite_start suite --instances "$(printf '%s=2,' "${daemons[@]}" | sed 's/,$//')"
suite_seed suite 1000 "$accounts" $((accounts < 100000 ? accounts : 100000))
conninfo=$(suite_text suite conninfo)
sql() { psql -XAtq "$conninfo" -c "$1"; }
has() { [ "$(sql "select to_regclass('$1') is not null")" = t ]; }
migrations() {
    local schema
    for schema in auth settings mail doc bot; do
        ! has "$schema.schema_migration" || sql "select '$schema ' || name from $schema.schema_migration"
    done | sort
}
! has mail.message || sql "insert into mail.message (id, project_id, template, state, due_at, created_at)
    select gen_random_uuid(), gen_random_uuid(), 'PASSWORD_RESET', 'sent', at, at
    from generate_series(1, $accounts), lateral (select 1000 * extract(epoch from now())::bigint) t (at)"
! has doc.document || sql "with d as (insert into doc.document (project_id, id, author_type, author_id, author_display,
        file_name, content_type, uploads, updated_at)
    select gen_random_uuid(), gen_random_uuid(), 'Patient', gen_random_uuid(), 'Ana', 'a.txt', 'text/plain', 1, at
    from generate_series(1, $accounts), lateral (select 1000 * extract(epoch from now())::bigint) t (at) returning *)
    insert into doc.upload (project_id, id, document_id, number, file_name, content_type, expires_at)
    select project_id, gen_random_uuid(), id, 1, file_name, content_type, updated_at + 3600000 from d"
sql "vacuum (analyze)"
migrations >"$scratch/before"

sql "create table public.waited (at text primary key, ms double precision not null); create table public.over (at int)"
psql -Xq "$conninfo" >"$scratch/writer.log" 2>&1 <<'END' &
set search_path = public;
do $$
declare
    place text;
    began timestamptz;
begin
    while not exists (select from over) loop
        for place in select c.oid::regclass from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where n.nspname in ('auth', 'settings', 'mail', 'doc', 'bot') and c.relkind in ('r', 'p') loop
            commit;
            began := clock_timestamp();
            execute 'lock table ' || place || ' in row exclusive mode';
            insert into waited values (place, 1000 * extract(epoch from clock_timestamp() - began))
                on conflict (at) do update set ms = greatest(waited.ms, excluded.ms);
        end loop;
        commit;
        perform pg_sleep(0.005);
    end loop;
end $$;
END
writer=$!
started+=("$writer")
python3 tests/bench/migrate_client.py "$(suite_base suite)" "$scratch/suite.people" "$scratch/over" >"$scratch/client.out" &
client=$!
started+=("$client")

upgrade() { # DAEMON INSTANCE: stops it in order, so that the suite starts the new program
    local old state pid
    read -r state old <<<"$(state_of "$1" "$2")"
    kill "$old"
    for _ in $(seq 6000); do
        read -r state pid <<<"$(state_of "$1" "$2")"
        [ "$state" = up ] && [ "$pid" != "$old" ] && return
        sleep 0.1
    done
    echo "migrate: FAILED: $1 $2 does not come back, see its log:"
    tail -3 "$scratch/suite/log/$1.$2.log"
    exit 1
}
state_of() { # DAEMON INSTANCE: "up PID"
    "$build/bin/atriumctl" --dir "$scratch/suite" status 2>/dev/null |
        awk -v name="$1" -v instance="$2" '$1 == name && $2 == instance {print $3, $5}'
}
for daemon in "${daemons[@]}"; do
    cp "$today/bin/atrium-$daemon" "$build/bin/new"
    mv "$build/bin/new" "$build/bin/atrium-$daemon"
    upgrade "$daemon" 1
    upgrade "$daemon" 2
done
sql "insert into public.over values (1)"
touch "$scratch/over"
wait "$writer" || { cat "$scratch/writer.log"; exit 1; }
wait "$client"

echo "migrations that were applied to $accounts accounts:"
migrations | comm -13 "$scratch/before" - | sed 's/^/    /' | grep . || echo "    none"
echo "tables that a writer waited for longest:"
sql "select format('    %-28s %8s ms', at, round(ms::numeric, 1)) from public.waited order by ms desc limit 5"
read -r requests refused longest <"$scratch/client.out"
echo "a client made $requests requests; $refused were refused, the longest took $longest ms"
worst=$(sql "select ceil(max(ms)) from public.waited")
[ "$worst" -le "$limit" ] || { echo "migrate: FAILED: a table was locked for $worst ms"; exit 1; }
echo "migrate: passed: no table was locked for longer than $worst ms"
