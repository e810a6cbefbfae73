#!/bin/bash
# run.sh - `make bench`: the suite (one instance of each daemon) and a bare libmicrohttpd server, driven in turn in
# the same run by wrk over 32 keep-alive connections, three rounds, one table. Ratios to the floor are what counts:
# absolute rates are this machine's. BENCH_SECONDS (default 5) is the length of one measurement.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
seconds=${BENCH_SECONDS:-5} rounds=3 connections=32 threads=2
scratch=$(mktemp -d "${TMPDIR:-/tmp}/atrium-bench-XXXXXX")
dev='' floor=''
finish() {
    [ -z "$dev" ] || { kill "$dev" 2>/dev/null && wait "$dev"; } || true
    [ -z "$floor" ] || { kill "$floor" 2>/dev/null && wait "$floor"; } || true
    rm -rf "$scratch"
}
trap finish EXIT

# ---- start both ----
"$build/bin/atriumctl" dev --dir "$scratch/suite" --port 0 >"$scratch/dev.out" 2>"$scratch/dev.err" &
dev=$!
for _ in $(seq 600); do
    grep -q '^atrium: ready ' "$scratch/dev.out" 2>/dev/null && break
    kill -0 "$dev" 2>/dev/null || { cat "$scratch/dev.err" >&2; exit 1; }
    sleep 0.1
done
info=$scratch/suite/dev.json
base=$(sed -n 's/^atrium: ready //p' "$scratch/dev.out")
"$build/tests/bench/floor" >"$scratch/floor.port" &
floor=$!
until [ -s "$scratch/floor.port" ]; do sleep 0.05; done
floor_url=http://127.0.0.1:$(cat "$scratch/floor.port")

json() { tr -d '\n' <"$info" | sed -n "s/.*\"$1\": *\"\\([^\"]*\\)\".*/\\1/p"; }
daemon_pid() { # NAME: the pid that dev.json names
    tr -d '\n ' <"$info" | grep -o "{\"name\":\"$1\",\"instance\":\"1\",\"pid\":[0-9]*" | grep -o '[0-9]*$'
}
our_pids() { for d in gateway authd settingsd maild; do daemon_pid "$d"; done; }
postgres_pids() {
    local main
    main=$(tr -d '\n ' <"$info" | sed -n 's/.*"postgres":{[^}]*"pid":\([0-9]*\).*/\1/p')
    echo "$main"
    pgrep -P "$main" || true
}
# Clock ticks that the given processes have used so far.
ticks() {
    local sum=0 pid
    for pid; do
        [ -r "/proc/$pid/stat" ] || continue
        sum=$((sum + $(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null | awk '{print $12 + $13}')))
    done
    echo "$sum"
}

# ---- memory at rest, before anything was asked ----
sleep 2
memory=$(for d in gateway authd settingsd maild; do
    awk -v d="$d" '/^VmRSS/ {rss = $2} /^RssAnon/ {anon = $2}
        END {printf "%-34s %8.1f MiB private, %5.1f MiB resident\n", "idle " d, anon / 1024, rss / 1024}' \
        "/proc/$(daemon_pid "$d")/status"
done)

# ---- people ----
post() { curl -s -H 'Content-Type: application/json' -d "$2" "$base$1"; }
member() { sed -n "s/.*\"$1\":\"\\([^\"]*\\)\".*/\\1/p"; }
export BENCH_EMAIL=bench@patients.example BENCH_PASSWORD='correct horse' BENCH_THREADS=$threads
export BENCH_TOKENS=$scratch/tokens
register() { # EMAIL: a token response
    post /auth/tenant/Patient/register "{\"email\":\"$1\",\"password\":\"$BENCH_PASSWORD\",\"name\":\"Ben\",\"surname\":\"Bench\",\"tenantCode\":\"demo\"}"
}
register "$BENCH_EMAIL" >/dev/null # gathers a hundred sessions by signing in all the time
patient=$(register reader@patients.example | member accessToken)
sign_in() { # ROLE EMAIL PASSWORD: a token response
    local code
    code=$(post "/auth/tenant/$1/login/start" "{\"email\":\"$2\",\"password\":\"$3\",\"tenantCode\":\"demo\",\"codeChallenge\":\"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM\"}" | member sessionCode)
    post "/auth/tenant/$1/login/token" "{\"sessionCode\":\"$code\",\"codeVerifier\":\"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk\"}"
}
admin=$(sign_in Practitioner "$(json adminEmail)" "$(json adminPassword)" | member accessToken)
[ -n "$patient" ] && [ -n "$admin" ] || { echo "bench: could not sign in" >&2; exit 1; }

fresh_tokens() { # enough for every connection, with some to spare
    local i
    for i in $(seq 48); do echo "$(sign_in Patient "$BENCH_EMAIL" "$BENCH_PASSWORD" | member refreshToken)"; done >"$BENCH_TOKENS"
}

# ---- measure ----
# measure NAME REQUESTS_PER_OPERATION URL [wrk arguments]: one line "rate p50ms p99ms ourUs postgresUs bad" per round
measure() {
    local name=$1 per=$2 url=$3 ours before_ours before_pg after_ours after_pg
    shift 3
    ours=$(our_pids)
    before_ours=$(ticks $ours) before_pg=$(ticks $(postgres_pids))
    wrk -t"$threads" -c"$connections" -d"${seconds}s" --timeout 10s --latency "$@" "$url" >"$scratch/wrk" 2>&1
    after_ours=$(ticks $ours) after_pg=$(ticks $(postgres_pids))
    awk -v per="$per" -v ours="$((after_ours - before_ours))" -v pg="$((after_pg - before_pg))" -v hz="$(getconf CLK_TCK)" '
        function ms(t) { return t ~ /us$/ ? t / 1000 : t ~ /ms$/ ? t + 0 : t * 1000 }
        $1 == "50%" {p50 = ms($2)} $1 == "99%" {p99 = ms($2)}
        /requests in/ {requests = $1} /^Requests\/sec/ {rate = $2} /Non-2xx/ {bad = $NF} /Socket errors/ {bad += $4 + $6 + $8 + $10}
        END {n = requests / per; printf "%.1f %.2f %.2f %.1f %.1f %d\n", rate / per, p50, p99,
             n ? ours / hz * 1e6 / n : 0, n ? pg / hz * 1e6 / n : 0, bad}' "$scratch/wrk" >>"$scratch/$name.rounds"
}
for ((round = 1; round <= rounds; round++)); do
    printf '\rround %d of %d ' "$round" "$rounds" >&2
    measure floor 1 "$floor_url/"
    measure health 1 "$base/partner/health-check"
    measure me 1 "$base/auth/me" -H "Authorization: Bearer $patient"
    measure settings 1 "$base/v1/project/settings" -H "Authorization: Bearer $admin"
    fresh_tokens
    measure refresh 1 "$base" -s tests/bench/refresh.lua
    "$build/tests/bench/hashes" "$seconds" >>"$scratch/hashes.rounds"
    measure login 2 "$base" -s tests/bench/login.lua
done
printf '\r                \r' >&2

# ---- start of a daemon to its first answer: killed, restarted by the suite ----
now_ms() { date +%s%3N; }
first_answer() { # NAME PATH TOKEN
    local pid started
    pid=$(daemon_pid "$1")
    kill -9 "$pid"
    while [ "$(daemon_pid "$1")" = "$pid" ] || [ "$(daemon_pid "$1")" = 0 ]; do sleep 0.002; done
    started=$(now_ms)
    until [ "$(curl -s -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $3" "$base$2")" = 200 ]; do :; done
    echo $(($(now_ms) - started))
}
authd_ms=$(first_answer authd /auth/me "$patient")
settingsd_ms=$(first_answer settingsd /v1/project/settings "$admin")
gateway_ms=$(first_answer gateway /partner/health-check "$patient")

# ---- the table: the median round of each ----
median() { sort -g -k1,1 "$scratch/$1.rounds" | sed -n "$(((rounds + 1) / 2))p"; }
floor_rate=$(median floor | cut -d' ' -f1)
hash_rate=$(median hashes)
row() { # LABEL NAME TARGET REFERENCE_RATE
    median "$2" | awk -v label="$1" -v target="$3" -v reference="$4" '
        {printf "%-34s %10.1f %9.2f %9.2f %8.2f %9.1f %9.1f %6d   %s\n", label, $1, $2, $3, $1 / reference, $4, $5, $6, target}'
}
printf '%-34s %10s %9s %9s %8s %9s %9s %6s   %s\n' operation 'per s' 'p50 ms' 'p99 ms' ratio 'us ours' 'us pg' bad 'at least'
row 'floor (bare libmicrohttpd)' floor '' "$floor_rate"
row 'partner health check' health '0.70 of the floor' "$floor_rate"
row 'GET /auth/me' me '0.15, p99 < 10 ms' "$floor_rate"
row 'GET /v1/project/settings' settings '0.15, p99 < 10 ms' "$floor_rate"
row 'POST /auth/refresh-token' refresh '5,000/s' "$floor_rate"
row "login start + token (of $hash_rate hashes/s)" login '0.85 of the hashes' "$hash_rate"
echo "$memory"
printf '%-34s %8d ms   (at most 300)\n' 'start of authd to its answer' "$authd_ms" \
    'start of settingsd to its answer' "$settingsd_ms" 'start of gateway to its answer' "$gateway_ms"
