#!/bin/bash
# run.sh - `make bench`: the suite (one instance of each daemon) and a plain libmicrohttpd server, measured in turn by wrk
# over 32 keep-alive connections in three rounds. What counts are ratios to that baseline, or of sign-ins to the machine's
# rate of password hashes. Rates and CPU times are per operation, latencies per request. BENCH_SECONDS (default 5) is the
# duration of a measurement, BENCH_ROUNDS (default 3) their number, BENCH_ENTRIES (default 100000) the amount of content
# that is searched. Fails when a ratio below the table is less than required.
# BENCH_ONLY="small nginx_small" measures only these names (see the rounds below; also hashes, libvips, apertium,
# signatures, commits, copy).
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/bench/suite.sh
seconds=${BENCH_SECONDS:-5} rounds=${BENCH_ROUNDS:-3} connections=32 threads=2
entries=${BENCH_ENTRIES:-100000}
wanted() { # NAME: true when it is to be measured
    [[ -z ${BENCH_ONLY:-} || " floor $BENCH_ONLY " == *" $1 "* ]]
}

# ---- start both ----
suite_start suite \
    --set botd.translation_daily_characters=0,botd.allow_networks=127.0.0.1/32,botd.allow_plain_http=true
info=$scratch/suite/dev.json
base=$(suite_base suite)
"$build/tests/bench/floor" >"$scratch/floor.port" &
started+=($!)
until [ -s "$scratch/floor.port" ]; do sleep 0.05; done
floor_url=http://127.0.0.1:$(cat "$scratch/floor.port")

daemon_pid() { # NAME: the pid that dev.json names
    tr -d '\n ' <"$info" | grep -o "{\"name\":\"$1\",\"instance\":\"1\",\"pid\":[0-9]*" | grep -o '[0-9]*$'
}
our_pids() { for d in gateway authd settingsd maild docd botd; do daemon_pid "$d"; done; }
postgres_pids() {
    local main
    main=$(tr -d '\n ' <"$info" | sed -n 's/.*"postgres":{[^}]*"pid":\([0-9]*\).*/\1/p')
    echo "$main"
    pgrep -P "$main" || true
}
# Clock ticks used by the given processes.
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
memory=$(for d in gateway authd settingsd maild docd botd; do
    awk -v d="$d" '/^VmRSS/ {rss = $2} /^RssAnon/ {anon = $2}
        END {printf "%-34s %8.1f MiB private, %5.1f MiB resident\n", "idle " d, anon / 1024, rss / 1024}' \
        "/proc/$(daemon_pid "$d")/status"
done)

# ---- people ----
post() { curl -s -H 'Content-Type: application/json' -d "$2" "$base$1"; }
member() { sed -n "s/.*\"$1\":\"\\([^\"]*\\)\".*/\\1/p"; }
export BENCH_EMAIL=bench@patients.example BENCH_PASSWORD='correct horse' BENCH_THREADS=$threads
export BENCH_TOKENS=$scratch/tokens
BENCH_CLIENT=$(suite_text suite clientId)
export BENCH_CLIENT
register() { # EMAIL: a token response
    post /auth/tenant/Patient/register "{\"email\":\"$1\",\"password\":\"$BENCH_PASSWORD\",\"name\":\"Ben\",\"surname\":\"Bench\",\"tenantCode\":\"demo\"}"
}
register "$BENCH_EMAIL" >/dev/null # signs in repeatedly and collects a hundred sessions
patient=$(register reader@patients.example | member accessToken)
sign_in() { # ROLE EMAIL PASSWORD: a token response
    local code
    code=$(post "/auth/tenant/$1/login/start" "{\"email\":\"$2\",\"password\":\"$3\",\"tenantCode\":\"demo\",\"codeChallenge\":\"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM\"}" | member sessionCode)
    post "/auth/tenant/$1/login/token" "{\"sessionCode\":\"$code\",\"codeVerifier\":\"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk\"}"
}
admin=$(sign_in Practitioner "$(suite_text suite adminEmail)" "$(suite_text suite adminPassword)" | member accessToken)
[ -n "$patient" ] && [ -n "$admin" ] || { echo "bench: could not sign in" >&2; exit 1; }

fresh_tokens() { # enough for every connection
    local i
    for i in $(seq 48); do echo "$(sign_in Patient "$BENCH_EMAIL" "$BENCH_PASSWORD" | member refreshToken)"; done >"$BENCH_TOKENS"
}

# One in five people is a practitioner of three tenants, one in five a patient with a second factor. Each of the patients
# signs in once; they suffice for more than a thousand sign-ins a second.
people=$((800 * rounds))
! { wanted login_mfa || wanted login_tenants; } || people=$((5 * 1000 * seconds * rounds))
suite_seed suite 20 "$people" "$people"
awk '$1 == "Practitioner"' "$scratch/suite.people" >"$scratch/practitioners"
awk '$1 == "Patient" && $5 == "-"' "$scratch/suite.people" >"$scratch/patients"
awk -v rounds="$rounds" -v to="$scratch/second-factors." '$5 != "-" {print > to (++n % rounds)}' "$scratch/suite.people"

# ---- documents, and nginx with the same files ----
mkdir "$scratch/www" "$scratch/nginx" "$scratch/forms"
head -c 10240 /dev/urandom >"$scratch/www/10k"
head -c 1048576 /dev/urandom >"$scratch/www/1m"
chmod 755 "$scratch" "$scratch/www" # nginx's workers are nobody
chmod 644 "$scratch"/www/*
nginx_port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
cat >"$scratch/nginx.conf" <<END
worker_processes $threads; daemon off; pid $scratch/nginx/pid; error_log stderr crit;
events { worker_connections 1024; }
http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000;
    client_body_temp_path $scratch/nginx/b; proxy_temp_path $scratch/nginx/p; fastcgi_temp_path $scratch/nginx/f;
    uwsgi_temp_path $scratch/nginx/u; scgi_temp_path $scratch/nginx/s;
    server { listen 127.0.0.1:$nginx_port; root $scratch/www;
        location = /bot { default_type application/json; return 200 '{"ok":true}'; } } }
END
PATH=$PATH:/usr/sbin nginx -c "$scratch/nginx.conf" -p "$scratch/nginx" &
started+=($!)
nginx=http://127.0.0.1:$nginx_port
new_document() { # [TOKEN TYPE]: the response to POST /document
    curl -s -H 'Content-Type: application/json' -H "Authorization: Bearer ${1:-$patient}" \
        -d "{\"fileName\":\"bench.bin\",\"contentType\":\"${2:-application/octet-stream}\"}" "$base/document"
}
form_of() { # stdin: such a response; prints the form up to the file's first byte
    sed 's/.*"fields":{\([^}]*\)}.*/\1/; s/"\([^"]*\)":"\([^"]*\)",*/--bench\r\nContent-Disposition: form-data; name="\1"\r\n\r\n\2\r\n/g'
    printf -- '--bench\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
}
put_document() { # FILE [TOKEN TYPE]: prints the id of a document with this content
    new_document "${@:2}" >"$scratch/made"
    { form_of <"$scratch/made"; cat "$1"; printf '\r\n--bench--\r\n'; } >"$scratch/body"
    curl -s -H 'Content-Type: multipart/form-data; boundary=bench' --data-binary "@$scratch/body" "$base/storage/documents" >&2
    document_id <"$scratch/made"
}
document_id() { sed 's/{"id":"\([^"]*\)".*/\1/'; }
drop_document() { curl -s -o /dev/null -X DELETE -H "Authorization: Bearer $patient" "$base/document/$1"; }
small=$(put_document "$scratch/www/10k") large=$(put_document "$scratch/www/1m")
etag=$(curl -s -o /dev/null -D - -H "Authorization: Bearer $patient" "$base/document/$small" | tr -d '\r' | sed -n 's/^ETag: //ip')
[ -n "$small" ] && [ -n "$large" ] && [ -n "$etag" ] || { echo "bench: could not make documents" >&2; exit 1; }
for _ in $(seq 98); do new_document >/dev/null; done

# ---- an image, and sharp behind the least of a server ----
photographer=$(register photographer@patients.example | member accessToken)
"$build/tests/bench/images" make "$scratch/www/image"
image=$(put_document "$scratch/www/image" "$photographer" image/jpeg)
[ -n "$image" ] || { echo "bench: could not make an image" >&2; exit 1; }
if [ -e build/npm/installed/sharp ]; then
    node tests/bench/sharp_server.cjs "$scratch/www/image" >"$scratch/sharp.port" &
    started+=($!)
    until [ -s "$scratch/sharp.port" ]; do sleep 0.05; done
fi
image_rate() { "$build/tests/bench/images" rate "$scratch/www/image" "$1"; }
export BENCH_IMAGES=$scratch/images
images_needed=$(awk -v rate="$(image_rate 1)" -v seconds="$seconds" 'BEGIN {print int(2 * rate * (seconds + 1)) + 100}')
fresh_images() { # documents with that image that no request used: copied rows, and links to its bytes
    psql -qAtX -v ON_ERROR_STOP=1 -v count="$images_needed" -v image="$image" "$(suite_text suite conninfo)" \
        >"$scratch/image.ids" <<'END'
begin;
select object_id from doc.document where id = :'image';
create temporary table fresh on commit drop as
    select d.* from doc.document d, generate_series(1, :count) where d.id = :'image';
update fresh set id = gen_random_uuid();
update fresh set object_id = id;
insert into doc.object (project_id, id, document_id) select project_id, id, id from fresh;
insert into doc.document select * from fresh;
select id from fresh;
commit;
END
    python3 -c 'import os, sys
place = lambda name: "%s/%s/%s" % (sys.argv[1], name[:2], name)
first, *copies = sys.stdin.read().split()
for name in copies: os.link(place(first), place(name))' "$scratch/suite/storage" <"$scratch/image.ids"
    tail -n +2 "$scratch/image.ids" >"$BENCH_IMAGES"
}

# ---- content ----
export BENCH_SEARCHES=$scratch/searches
wanted search || wanted searches || entries=100
tests/bench/entries.py "$entries" "$BENCH_SEARCHES" >"$scratch/entries.json"
"$build/bin/atriumctl" --dir "$scratch/suite" content import --project demo "$scratch/entries.json" >/dev/null 2>&1
rm "$scratch/entries.json"
# As autovacuum would do meanwhile. Separate commands, because neither runs in a transaction.
psql -q -d "$(suite_text suite conninfo)" -c 'vacuum (analyze)' -c checkpoint
export BENCH_FORMS=$scratch/forms BENCH_FILE=$scratch/www/1m
fresh_forms() { # one per connection, for documents that are deleted after the measurement
    local i
    for i in $(seq "$connections"); do
        new_document | tee "$scratch/made" | form_of >"$BENCH_FORMS/$i"
        document_id <"$scratch/made"
    done >"$scratch/forms.ids"
}

# ---- bots: an echo that is kept warm, and nginx as one that is called ----
printf '#!/bin/sh\nexec cat\n' >"$(suite_text suite botDir)/bench"
new_bot() { # NAME MEMBERS
    curl -s -o "$scratch/made" -H 'Content-Type: application/json' -H "Authorization: Bearer $admin" \
        -d "{\"name\":\"$1\",\"identifier\":[{\"system\":\"urn:bench\",\"value\":\"$1\"}],$2}" "$base/v1/project/bots"
    grep -q '"id"' "$scratch/made" || { echo "bench: no bot: $(cat "$scratch/made")" >&2; exit 1; }
}
new_bot warm '"kind":"program","program":"bench","warm":true'
new_bot http "\"kind\":\"http\",\"url\":\"$nginx/bot\""
measure_bots() {
    local kind
    for kind in warm http; do
        measure "bot_$kind" "$base/bots?identifier=urn:bench%7C$kind" -s tests/bench/bot.lua
    done
}

# ---- a client of the tenant's issuer, and one of its people ----
issuer=$(suite_text suite publicUrl)/t/demo redirect=http://127.0.0.1/bench
cat >"$scratch/client.json" <<END
{"authMethod": "client_secret_post", "firstParty": true, "redirectUris": ["$redirect"],
 "grantTypes": ["authorization_code", "client_credentials"], "scopes": ["openid", "email", "reports.read"]}
END
client() { # COMMAND ARGUMENT...
    "$build/bin/atriumctl" --dir "$scratch/suite" --json client "$1" --project demo "${@:2}" | tr -d ' '
}
client_id=$(client create bench --file "$scratch/client.json" --type confidential | member id)
client_secret=$(client secret "$client_id" | member secret)
# Forms must come from pages of the public URL.
person_token=$(tests/bench/person_token.py "$(suite_text suite publicUrl)/t/demo" "$client_id" "$client_secret" \
    "$redirect" reader@patients.example "$BENCH_PASSWORD")
# measure_form NAME ENDPOINT PARAMETERS: a client's request to its issuer.
measure_form() {
    BENCH_TYPE=application/x-www-form-urlencoded BENCH_BODY="client_id=$client_id&client_secret=$client_secret&$3" \
        measure "$1" "$issuer/$2" -s tests/bench/post.lua
}
# The rate of commits of one row each by as many clients.
commit_rate() {
    local pgbench
    pgbench=$(ls /usr/lib/postgresql/*/bin/pgbench | tail -1)
    psql -qX -d "$(suite_text suite conninfo)" -c 'create table if not exists bench_row (id uuid primary key)'
    echo 'insert into bench_row values (gen_random_uuid());' >"$scratch/commit.sql"
    "$pgbench" -n -M prepared -c "$connections" -j "$threads" -T "$seconds" -f "$scratch/commit.sql" \
        "$(suite_text suite conninfo)" 2>/dev/null | awk '/^tps/ {print $3}'
}
measure_issuer() {
    measure userinfo "$issuer/userinfo" -H "Authorization: Bearer $person_token"
    measure_form introspect introspect "token=$person_token"
    ! wanted signatures || "$build/tests/bench/cores" signatures "$seconds" >>"$scratch/signatures.rounds"
    ! wanted commits || commit_rate >>"$scratch/commits.rounds"
    measure_form client_token token 'grant_type=client_credentials&scope=reports.read'
    measure page "$issuer/sign-in"
}

# ---- accounts of another system, and COPY of the same rows into tables with the same indexes ----
imported=$((2000 * seconds))
import_file() { # PREFIX: a file of as many accounts
    awk -v prefix="$1" -v count="$imported" 'BEGIN {for (i = 1; i <= count; i++)
        printf "{\"email\":\"%s-%d@import.example\",\"firstName\":\"Ana\",\"lastName\":\"Lima\",\"passwordHash\":" \
            "\"$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy\"}\n", prefix, i}'
}
# Both rates. Waits for the import's remaining work, the leaves of the Merkle tree, so that it does not slow down other
# measurements.
import_rates() { # ROUND
    local before name
    import_file "round$1" >"$scratch/people.ndjson"
    measure_prepared import bash -c 'kill -STOP $$
        before=$(date +%s%N)
        "$@" >/dev/null || exit 1
        after=$(date +%s%N)
        awk -v n="$0" -v ns="$((after - before))" \
            "BEGIN {printf \"%d requests in %.2fs\nRequests/sec: %.2f\n\", n, ns / 1e9, n / ns * 1e9}"' \
        "$imported" "$build/bin/atriumctl" --dir "$scratch/suite" user import "$scratch/people.ndjson" --project demo
    for _ in $(seq 600); do
        [ "$(psql -AtX "$(suite_text suite conninfo)" -c 'select exists (select from auth.audit where sequence is null)')" = t ] ||
            break
        sleep 0.1
    done
    wanted copy || return 0
    psql -qX -v ON_ERROR_STOP=1 "$(suite_text suite conninfo)" <<END
set client_min_messages = warning;
drop schema if exists bench_copy cascade;
create schema bench_copy;
create temporary table made as
    select a.*, 'Account/' || a.id as entity from auth.account a where a.email like 'round$1-%@import.example';
\\copy (select a.* from auth.account a join made using (id) order by a.email) to '$scratch/copy.account'
\\copy (select c.* from auth.credential c join made on made.id = c.account_id) to '$scratch/copy.credential'
\\copy (select m.* from auth.membership m join made on made.id = m.account_id) to '$scratch/copy.membership'
\\copy (select a.id, a.at, a.project_id, a.entity, a.event, null, null from auth.audit a join made using (entity)) to '$scratch/copy.audit'
$(for name in account credential membership audit; do
        echo "create table bench_copy.$name (like auth.$name including all);"
    done)
END
    [ "$(wc -l <"$scratch/copy.audit")" = "$imported" ] || { echo "bench: not all rows were copied" >&2; exit 1; }
    before=$(date +%s%N)
    for name in account credential membership audit; do
        echo "\\copy bench_copy.$name from '$scratch/copy.$name'"
    done | psql -qX1 -v ON_ERROR_STOP=1 -f - "$(suite_text suite conninfo)"
    awk "BEGIN {printf \"%.1f\\n\", $imported / ($(date +%s%N) - $before) * 1e9}" >>"$scratch/copy.rounds"
}

# ---- measure ----
# measure NAME URL [wrk arguments]
measure() {
    local name=$1 url=$2
    shift 2
    measure_prepared "$name" bash -c 'kill -STOP $$; exec "$@"' wrk wrk -t"$threads" -c"$connections" -d"${seconds}s" --timeout 10s --latency "$@" "$url"
}
# measure_prepared NAME COMMAND...: runs a command with wrk's output, one line "rate p50ms p99ms ourUs postgresUs bad" per
# round. It stops itself once it is prepared.
measure_prepared() {
    local name=$1 command ours before_ours before_pg after_ours after_pg
    shift
    wanted "$name" || return 0
    "$@" >"$scratch/wrk" 2>&1 &
    command=$!
    started+=("$command")
    while [ -e "/proc/$command/stat" ] && [[ $(</proc/$command/stat) != *') T '* ]]; do sleep 0.02; done
    ours=$(our_pids)
    before_ours=$(ticks $ours) before_pg=$(ticks $(postgres_pids))
    kill -CONT "$command"
    wait "$command" || cat "$scratch/wrk" >&2
    after_ours=$(ticks $ours) after_pg=$(ticks $(postgres_pids))
    awk -v ours="$((after_ours - before_ours))" -v pg="$((after_pg - before_pg))" -v hz="$(getconf CLK_TCK)" '
        function ms(t) { return t ~ /us$/ ? t / 1000 : t ~ /ms$/ ? t + 0 : t * 1000 }
        $1 == "50%" {p50 = ms($2)} $1 == "99%" {p99 = ms($2)}
        /requests in/ {n = requests = $1} /^operations/ {n = $2}
        /^Requests\/sec/ {rate = $2} /Non-2xx/ {bad = $NF} /Socket errors/ {bad += $4 + $6 + $8 + $10}
        END {printf "%.1f %.2f %.2f %.1f %.1f %d\n", requests ? rate * n / requests : 0, p50, p99,
             n ? ours / hz * 1e6 / n : 0, n ? pg / hz * 1e6 / n : 0, bad}' "$scratch/wrk" >>"$scratch/$name.rounds"
}
measure_upload() {
    wanted upload || return 0
    fresh_forms
    measure upload "$base" -s tests/bench/upload.lua
    while read -r id; do drop_document "$id"; done <"$scratch/forms.ids"
}
# Twenty new sentences per request, compared with apertium alone on such sentences; and a remembered one.
sentences=4000
export BENCH_PATIENT=$patient
measure_translation() {
    local before after
    measure translate "$base" -s tests/bench/translate.lua
    measure remembered "$base/ai/translation" -s tests/bench/remembered.lua
    wanted apertium || return 0
    before=$(date +%s%N)
    apertium eng-spa "$scratch/sentences" /dev/null
    after=$(date +%s%N)
    awk "BEGIN {printf \"%.1f\\n\", $sentences / 20 / ($after - $before) * 1e9}" >>"$scratch/apertium.rounds"
}
for i in $(seq "$sentences"); do
    echo "The patient of room 1$i should take two of the red pills every day."
done >"$scratch/sentences"
for ((round = 1; round <= rounds; round++)); do
    printf '\rround %d of %d ' "$round" "$rounds" >&2
    measure floor "$floor_url/"
    measure health "$base/partner/health-check"
    measure me "$base/auth/me" -H "Authorization: Bearer $patient"
    measure settings "$base/v1/project/settings" -H "Authorization: Bearer $admin"
    ! wanted refresh || fresh_tokens
    measure refresh "$base" -s tests/bench/refresh.lua
    ! wanted hashes || "$build/tests/bench/cores" hashes "$seconds" >>"$scratch/hashes.rounds"
    BENCH_PEOPLE=$scratch/patients measure login "$base" -s tests/bench/login.lua
    BENCH_PEOPLE=$scratch/second-factors.$((round - 1)) measure login_mfa "$base" -s tests/bench/login_mfa.lua
    BENCH_PEOPLE=$scratch/practitioners measure login_tenants "$base" -s tests/bench/login_tenants.lua
    measure login_client "$base" -s tests/bench/login_client.lua
    measure_prepared passkeys "$build/tests/bench/passkeys" "$base" "$scratch/patients" "$((round - 1))" "$seconds"
    measure nginx_small "$nginx/10k"
    measure small "$base/document/$small" -H "Authorization: Bearer $patient"
    measure nginx_large "$nginx/1m"
    measure large "$base/document/$large" -H "Authorization: Bearer $patient"
    measure unchanged "$base/document/$small" -H "Authorization: Bearer $patient" -H "If-None-Match: $etag"
    measure list "$base/document" -H "Authorization: Bearer $patient"
    ! wanted libvips || image_rate "$seconds" >>"$scratch/libvips.rounds"
    [ ! -s "$scratch/sharp.port" ] || measure sharp "http://127.0.0.1:$(cat "$scratch/sharp.port")/"
    ! wanted resize || fresh_images
    measure resize "$base" -s tests/bench/resize.lua -H "Authorization: Bearer $photographer"
    measure resized "$base/document/$image?width=300&height=200" -H "Authorization: Bearer $photographer"
    measure search "$base" -c "$threads" -s tests/bench/search.lua -H "Authorization: Bearer $patient"
    measure searches "$base" -s tests/bench/search.lua -H "Authorization: Bearer $patient"
    measure_upload
    measure_translation
    measure_bots
    measure_issuer
    ! wanted import || import_rates "$round"
done
printf '\r                \r' >&2

# ---- time from a daemon's kill to its first response ----
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
median() { # NAME: nothing if it was not measured
    [ ! -e "$scratch/$1.rounds" ] || sort -g -k1,1 "$scratch/$1.rounds" | sed -n "$(((rounds + 1) / 2))p"
}
rate() { # NAME: the median round's; 1 if it was not measured
    local measured
    measured=$(median "$1" | cut -d' ' -f1)
    echo "${measured:-1}"
}
floor_rate=$(rate floor)
hash_rate=$(rate hashes)
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
row 'login start + mfa + token' login_mfa 'of the hashes' "$hash_rate"
row 'login start + token of 3 tenants' login_tenants 'of the hashes' "$hash_rate"
row 'POST /v2/auth/login (2 hashes)' login_client 'of half the hashes' "$(awk "BEGIN {print $hash_rate / 2}")"
row 'passkey start + finish + token' passkeys '7 of login start + token' "$(rate login)"
nginx_small_rate=$(rate nginx_small) nginx_large_rate=$(rate nginx_large) apertium_rate=$(rate apertium)
row 'nginx: a file of 10 KiB' nginx_small '' "$nginx_small_rate"
row 'GET /document/{id} of 10 KiB' small '0.25 of nginx' "$nginx_small_rate"
row 'nginx: a file of 1 MiB' nginx_large '' "$nginx_large_rate"
row 'GET /document/{id} of 1 MiB' large '0.5 of nginx' "$nginx_large_rate"
row 'GET /document/{id}, not modified' unchanged '0.15 of the floor' "$floor_rate"
row 'GET /document, 100 of them' list '3,000/s' "$floor_rate"
libvips_rate=$(rate libvips)
[ ! -s "$scratch/sharp.port" ] || row "sharp: 1600x1200 to 300x200" sharp 'of libvips' "$libvips_rate"
row "resized so (of $libvips_rate libvips/s)" resize '0.85 of libvips' "$libvips_rate"
row 'the same, resized before' resized '0.1 of the floor' "$floor_rate"
row "search of $entries entries, 2 clients" search 'p99 < 50 ms' "$floor_rate"
row "the same, $connections clients" searches '' "$floor_rate"
row 'upload of 1 MiB, synced' upload '200/s' "$floor_rate"
row "20 sentences (of $apertium_rate/s by apertium)" translate '0.5 of apertium' "$apertium_rate"
row 'a sentence that is remembered' remembered '5,000/s, p99 < 10 ms' "$floor_rate"
me_rate=$(rate me)
# One signature and one commit after the other.
token_rate=$(awk -v s="$(rate signatures)" -v c="$(rate commits)" 'BEGIN {printf "%.1f", 1 / (1 / s + 1 / c)}')
row 'userinfo of an issuer' userinfo '1.0 of GET /auth/me' "$me_rate"
row 'introspection' introspect '1.0 of GET /auth/me' "$me_rate"
row "client's token (ES256, commit: $token_rate)" client_token '0.5 of both' "$token_rate"
row 'page to sign in' page '0.5 of the floor' "$floor_rate"
copy_rate=$(rate copy)
row "import of accounts (COPY: $copy_rate)" import '20,000/s, 0.25 of COPY' "$copy_rate"
row 'a bot that is kept warm' bot_warm '2,000/s' "$floor_rate"
row 'a bot that is nginx' bot_http '3,000/s' "$floor_rate"
echo "$memory"
printf '%-34s %8d bytes (at most 8192)\n' 'page to sign in, by gzip' \
    "$(curl -s -H 'Accept-Encoding: gzip' "$issuer/sign-in" | wc -c)"
printf '%-34s %8d ms   (at most 300)\n' 'start of authd to its answer' "$authd_ms" \
    'start of settingsd to its answer' "$settingsd_ms" 'start of gateway to its answer' "$gateway_ms"

# ---- requirements: median ratios of two rates of one round ----
status=0
demand() { # LABEL NAME REFERENCE AT_LEAST
    local ratio
    { wanted "$2" && wanted "$3"; } || return 0
    ratio=$(paste -d' ' <(cut -d' ' -f1 "$scratch/$2.rounds") <(cut -d' ' -f1 "$scratch/$3.rounds") |
        awk '{printf "%.2f\n", ($2 > 0) ? $1 / $2 : 0}' | sort -g | sed -n "$(((rounds + 1) / 2))p")
    awk "BEGIN {exit !($ratio >= $4)}" || status=1
    printf '%-34s %8.2f      (at least %s)\n' "$1" "$ratio" "$4"
}
demand 'passkeys to passwords' passkeys login 7
demand 'import to COPY' import copy 0.25
exit "$status"
