#!/bin/bash
# run.sh - `make drill`: restores a lost PostgreSQL from a base backup and the write-ahead log, and measures the loss and the
# time. The suite's server has deploy/postgresql-archive.conf, pg_receivewal streams its log, and a client writes pages and
# records the acknowledged ones. Then the server is killed and its disk counts as lost. Three restores:
#
#   archive      base backup and archived segments
#   stream       the same with pg_receivewal's data
#   point        to the moment before a mistake (a table emptied by hand), from archive and stream
#
# For each: RPO (the age of the oldest missing acknowledged write, 0 when none is missing), RTO (from the start of the restore
# to the suite's first acknowledged write), and whether the audit log is intact. DRILL_SECONDS (80): duration of writing;
# DRILL_ROWS (20,000): additional rows in the base backup. Prints a table and one verdict; leaves nothing.
set -Eeuo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "${BUILD:-build}") seconds=${DRILL_SECONDS:-80} rows=${DRILL_ROWS:-20000}
LIMIT=60 work='' server='' stream='' suite='' writer=''
bin=$(find /usr/lib/postgresql -path '*/bin/initdb' | sort -V | tail -1)
bin=${bin%/initdb}

fail() {
    echo "drill: FAILED: $1" >&2
    [ -z "$work" ] || tail -n 5 "$work"/*.log >&2
    exit 1
}
trap 'fail "line $LINENO: $BASH_COMMAND"' ERR

cleanup() {
    local status=$?
    trap - EXIT ERR
    [ -z "$work" ] || touch "$work/enough"
    for pid in $writer $suite $stream; do kill "$pid" 2>/dev/null || true; done
    [ -z "$suite" ] || wait "$suite" 2>/dev/null || true
    [ -z "$server" ] || kill -INT "$server" 2>/dev/null || true
    wait 2>/dev/null || true
    [ -z "$work" ] || rm -rf "$work"
    exit "$status"
}

as_postgres() {
    if [ "$(id -u)" = 0 ]; then ${run:-} setpriv --reuid postgres --regid postgres --clear-groups "$@"; else ${run:-} "$@"; fi
}

now_ms() { echo $((${EPOCHREALTIME/./} / 1000)); }
until_true() {
    local deadline=$((SECONDS + LIMIT))
    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$deadline" ] || fail "in vain: $*"
        sleep 0.05
    done
}
sql() { psql -XqAt -h 127.0.0.1 -p "$port" -U postgres -v ON_ERROR_STOP=1 "$@"; }
free_port() { python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
in_tenths() { echo "$(($1 / 1000)).$(($1 / 100 % 10))"; }

start_server() { # DATA
    run=exec as_postgres "$bin/postgres" -D "$1" -c listen_addresses=127.0.0.1 -c "port=$port" \
        -c unix_socket_directories="$work/pg" >>"$work/server.log" 2>&1 &
    server=$!
}

kill_server() {
    [ -z "$server" ] || kill -QUIT "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
    server=''
}

put() { # NUMBER
    curl -s -m 5 -o /dev/null -w '%{http_code}' -X PUT "$api/cms/article/drill-$1/en" -H "Authorization: Bearer $token" \
        -H 'Content-Type: application/json' -d '{"title":"Drill"}'
}

# Writes pages one by one, and prints "NUMBER MS" of each acknowledged one.
write_on() {
    local number=0
    while [ ! -e "$work/enough" ]; do
        [ "$(put $number)" != 200 ] || { echo "$number $(now_ms)" >>"$work/acknowledged"; number=$((number + 1)); }
        sleep 0.02
    done
}

sign_in() {
    local code field
    field() { sed "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/"; }
    post() { curl -sS --fail-with-body "$api/auth/tenant/Practitioner/login/$1" -H 'Content-Type: application/json' -d "$2"; }
    code=$(post start "{\"email\":\"$(grep adminEmail "$work/dev/dev.json" | field adminEmail)\",
        \"password\":\"$(grep adminPassword "$work/dev/dev.json" | field adminPassword)\",\"tenantCode\":\"demo\",
        \"codeChallenge\":\"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM\"}" | tr -d '\n' | field sessionCode)
    token=$(post token "{\"sessionCode\":\"$code\",
        \"codeVerifier\":\"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk\"}" | tr -d '\n' | field accessToken)
}

prepare() {
    port=$(free_port)
    mkdir -p "$work"/pg/{wal,stream,base} "$work/dev"
    sed "s|/var/backups/atrium|$work/pg|g" deploy/postgresql-archive.conf >"$work/pg/archive.conf"
    [ "$(id -u)" != 0 ] || chown -R postgres "$work/pg"
    as_postgres "$bin/initdb" -D "$work/pg/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --data-checksums \
        --no-sync >"$work/initdb.log"
    as_postgres sh -c "echo \"include '$work/pg/archive.conf'\" >>'$work/pg/data/postgresql.conf'"
    start_server "$work/pg/data"
    until_true sql -d postgres -c 'select 1'
    "$build/bin/atriumctl" dev --dir "$work/dev" --port 0 --database "host=127.0.0.1 port=$port" >"$work/dev.out" 2>&1 &
    suite=$!
    until_true grep -q '^atrium: ready ' "$work/dev.out"
    api=$(sed -n 's/^atrium: ready //p' "$work/dev.out")
    sign_in
    [ "$rows" = 0 ] || sql -d atrium -c "create table public.ballast as select n, md5(n::text) || repeat('x', 2000) as text
        from generate_series(1, $rows) n" >/dev/null
}

back_up() {
    local before
    before=$(now_ms)
    as_postgres "$bin/pg_basebackup" -h 127.0.0.1 -p "$port" -U postgres -D "$work/pg/base" -X none -c fast --no-sync \
        2>"$work/basebackup.log"
    backup_ms=$(($(now_ms) - before)) backup_mb=$(du -sm "$work/pg/base" | cut -f1)
    run=exec as_postgres "$bin/pg_receivewal" -h 127.0.0.1 -p "$port" -U postgres -D "$work/pg/stream" --synchronous \
        2>"$work/receivewal.log" &
    stream=$!
}

# The mistake comes late, so that only the stream has the writes after the last archived segment.
load() {
    : >"$work/acknowledged"
    write_on &
    writer=$!
    sleep $((seconds - 10))
    # One statement: the rows that it counts were committed before this time.
    IFS='|' read -r pages_before_mistake before_mistake <<<"$(sql -d atrium -c "select count(*), clock_timestamp() from
        doc.content where key like 'drill-%'")"
    sleep 0.5
    sql -d atrium -c 'create table public.mistake (); truncate doc.content_word; delete from settings.tenant_code' >/dev/null
    sleep 9.5
}

lose_server() {
    kill -KILL "$server"
    disown "$server"
    lost_ms=$(now_ms)
    touch "$work/enough"
    wait "$writer" || true
    kill "$stream" 2>/dev/null || true
    wait "$stream" 2>/dev/null || true
    server='' writer='' stream=''
    # Ends its processes too.
    until_true sh -c "! ps -eo args | grep -q '[p]ostgres: .*$port'" || true
    rm -rf "$work/pg/data"
}

# restore NAME FOLDERS [TARGET]: takes the log from these directories in order.
restore() {
    local name=$1 folders=$2 target=${3:-} data=$work/pg/data-$1 began command
    kill_server
    began=$(now_ms)
    as_postgres cp -r "$work/pg/base" "$data"
    as_postgres chmod 700 "$data"
    command="for d in $folders; do for f in \$d/%f \$d/%f.partial; do [ ! -e \$f ] || exec cp \$f %p; done; done; exit 1"
    {
        echo "restore_command = '$command'"
        echo 'archive_mode = off'
        [ -z "$target" ] || printf "%s\n" "recovery_target_time = '$target'" "recovery_target_action = promote"
    } | as_postgres tee -a "$data/postgresql.conf" >/dev/null
    as_postgres touch "$data/recovery.signal"
    start_server "$data"
    until_true sh -c "[ \"\$(psql -XqAt -h 127.0.0.1 -p $port -U postgres -d atrium -c 'select pg_is_in_recovery()')\" = f ]"
    until_true sh -c "[ \"\$(curl -s -m 5 -o /dev/null -w '%{http_code}' -X PUT '$api/cms/article/after-$name/en' \
        -H 'Authorization: Bearer $token' -H 'Content-Type: application/json' -d '{\"title\":\"After\"}')\" = 200 ]"
    rto_ms=$(($(now_ms) - began))
    sql -d atrium -c "select substr(key, 7) from doc.content where key like 'drill-%'" | sort -n >"$work/restored"
    "$build/bin/atriumctl" --dir "$work/dev" audit verify >"$work/verify.log" 2>&1 || fail "$name: $(tail -1 "$work/verify.log")"
}

# Prints the number of missing acknowledged writes, and the time from the oldest of them to the loss.
measure() {
    missing=$(awk 'FILENAME == ARGV[1] { there[$1] = 1; next } !($1 in there)' "$work/restored" "$work/acknowledged" | wc -l)
    rpo_ms=$(awk -v lost="$lost_ms" 'FILENAME == ARGV[1] { there[$1] = 1; next } !($1 in there) { print lost - $2; exit }' \
        "$work/restored" "$work/acknowledged")
    rpo_ms=${rpo_ms:-0}
}

row() { printf '%-10s %10s %10s %10s %8s\n' "$@"; }

trap cleanup EXIT
trap 'exit 1' INT TERM
work=$(mktemp -d "${TMPDIR:-/tmp}/atrium-drill-XXXXXX")
chmod 711 "$work"
prepare
back_up
load
lose_server
row restore 'RPO s' 'RTO s' 'missing' 'audit'
restore archive "$work/pg/wal"
measure
row archive "$(in_tenths "$rpo_ms")" "$(in_tenths "$rto_ms")" "$missing" whole
archive_rpo_ms=$rpo_ms archive_rto_ms=$rto_ms
timeout_s=$(sed -n 's/^archive_timeout = \([0-9]*\)s.*/\1/p' deploy/postgresql-archive.conf)
[ "$rpo_ms" -le $((timeout_s * 1000 + 5000)) ] || fail "the archive is older than archive_timeout"
restore stream "$work/pg/wal $work/pg/stream"
measure
row stream "$(in_tenths "$rpo_ms")" "$(in_tenths "$rto_ms")" "$missing" whole
stream_rpo_ms=$rpo_ms stream_rto_ms=$rto_ms
[ "$rpo_ms" -le 1000 ] || fail 'the stream is older than a second'
[ "$(sql -d atrium -c "select count(*) from pg_tables where tablename = 'mistake'")" = 1 ] || fail 'no mistake to undo'
restore point "$work/pg/wal $work/pg/stream" "$before_mistake"
row point - "$(in_tenths "$rto_ms")" - whole
[ "$(sql -d atrium -c "select count(*) from pg_tables where tablename = 'mistake'")" = 0 ] || fail 'the mistake is still there'
[ "$(sql -d atrium -c 'select count(*) from settings.tenant_code')" -gt 0 ] || fail 'what the mistake took is not there'
[ "$(wc -l <"$work/restored")" -ge "$pages_before_mistake" ] || fail 'writes before the mistake are missing'
echo "drill: $(wc -l <"$work/acknowledged") writes in $seconds s; base back-up of $backup_mb MB in $(in_tenths $backup_ms) s; RPO" \
    "$(in_tenths "$archive_rpo_ms") s by archive, $(in_tenths "$stream_rpo_ms") s by stream; RTO $(in_tenths "$archive_rto_ms")" \
    "and $(in_tenths "$stream_rto_ms") s"
