#!/bin/bash
# run.sh ARCHIVE - one half of `make test-image`: a suite from the image alone. buildah unpacks the image, and bubblewrap runs
# each daemon as its container would: image read-only, no privileges, shared /run/atrium, its configuration
# (deploy/compose/atrium.conf with other addresses), one seal key, its role's password. An operator makes a project; a patient
# registers, signs in, uploads a file, reads it resized, and uses a bot. Then the same as in Kubernetes: configuration of
# deploy/kubernetes, keys and bus.hosts from its keys.sh, and a /run/atrium per pod, so that the bus uses TCP with keys.
# PostgreSQL is this test's own, reached by TCP with passwords. Needs root for buildah's mount; otherwise it is skipped with a
# note.
set -Eeuo pipefail
cd "$(dirname "$0")/../.."
archive=$1 LIMIT=90
daemons=(settingsd authd maild docd botd gateway)
password='correct horse battery' work='' started=() database=''

say() { echo "test-image: $1 ($SECONDS s)"; }

fail() {
    echo "test-image: FAILED: $1" >&2
    [ -z "$work" ] || tail -n 5 "$work"/log/* >&2
    exit 1
}
trap 'fail "line $LINENO: $BASH_COMMAND"' ERR

in_buildah() { buildah --root "$work/store" --runroot "$work/storerun" --storage-driver vfs "$@"; }

cleanup() {
    local status=$?
    trap - EXIT ERR
    { [ ${#started[@]} = 0 ] || kill "${started[@]}" || true; [ -z "$database" ] || kill -INT "$database"; wait; } 2>/dev/null
    [ -z "$work" ] || { in_buildah rm -a && in_buildah rmi -a -f; } >/dev/null 2>&1 || true
    [ -z "$work" ] || rm -rf --one-file-system "$work"
    exit "$status"
}

until_true() {
    until "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt $LIMIT ] || fail "in vain: $*"
        sleep 0.1
    done
}

free_ports() {
    python3 -c 'import socket, sys
taken = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*(s.getsockname()[1] for s in taken))' "$1"
}

post() { curl -sS --fail-with-body "$api$1" -H 'Content-Type: application/json' "${@:3}" -d "$2"; }
text() { sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }

# Runs a command in the image as the image's user.
contained() { # DAEMON COMMAND...
    local role=$1
    shift
    ${run:-} bwrap --die-with-parent --unshare-user --unshare-pid --unshare-ipc --unshare-uts --uid "${user%:*}" --gid "${user#*:}" \
        --ro-bind "$root" / --proc /proc --dev /dev --tmpfs /tmp --bind "${run_dir:-$work/run}" /run/atrium \
        --bind "$work/data" /var/lib/atrium --ro-bind "${etc_dir:-$work/etc}" /etc/atrium --ro-bind "$work/secrets" /run/secrets \
        --clearenv --setenv POD_NAME "${pod:-}" --setenv PATH /usr/bin --setenv LANG C.UTF-8 --setenv PGPASSWORD "$role-$password" "$@"
}

ctl() { contained ctl atriumctl "$@"; }

as_postgres() { ${run:-} setpriv --reuid postgres --regid postgres --clear-groups "$@"; }

sql() { PGPASSWORD=$password psql -q -h 127.0.0.1 -p "$db_port" -U postgres -v ON_ERROR_STOP=1 "$@"; }

start_postgres() {
    local bin
    bin=$(find /usr/lib/postgresql -path '*/bin/initdb' | sort -V | tail -1)
    bin=${bin%/initdb}
    mkdir "$work/pg"
    echo "$password" >"$work/pg/password"
    chown -R postgres "$work/pg"
    as_postgres "$bin/initdb" -D "$work/pg/data" -U postgres -A scram-sha-256 --pwfile="$work/pg/password" -E UTF8 \
        --locale=C.UTF-8 --no-sync >"$work/log/initdb"
    run=exec as_postgres "$bin/postgres" -D "$work/pg/data" -c listen_addresses=127.0.0.1 -c "port=$db_port" \
        -c unix_socket_directories="$work/pg" -c fsync=off >"$work/log/postgres" 2>&1 &
    database=$!
    until_true sql postgres -c 'select 1'
    sql postgres -c "create database atrium template template0 encoding 'UTF8' locale 'C.UTF-8'"
    ctl database sql | sql atrium
    for daemon in "${daemons[@]:0:5}"; do
        sql atrium -c "alter role \"atrium-$daemon\" password '$daemon-$password'"
        od -An -N32 -tx1 /dev/urandom | tr -d ' \n' >"$work/secrets/${daemon}_key"
    done
    chmod 600 "$work"/secrets/*
}

unpack() {
    in_buildah pull -q "oci-archive:$archive" >/dev/null
    container=$(in_buildah from --isolation chroot "$(in_buildah images -q | head -1)")
    root=$(in_buildah mount "$container")
    user=$(in_buildah inspect --format '{{.OCIv1.Config.User}}' "$container")
    [ "$user" = 10001:10001 ] || fail "the image's user is \"$user\""
    [ -z "$(find "$root" -xdev \( -perm -4000 -o -perm -2000 \) -print -quit)" ] || fail "a program with other rights"
    say 'unpacked'
}

start_suite() {
    sed -e "s|host=172.30.0.2|host=127.0.0.1 port=$db_port|" -e "s|0.0.0.0:8080|127.0.0.1:$port|" \
        -e "s|0.0.0.0:9080|127.0.0.1:$admin_port|" -e "s|https://api.example.org|$api|" \
        -e 's|smtp://mail.example.org:587|smtp://127.0.0.1:1|' deploy/compose/atrium.conf >"$work/etc/atrium.conf"
    for daemon in "${daemons[@]}"; do
        contained "$daemon" "atrium-$daemon" --check-config
        run=exec contained "$daemon" "atrium-$daemon" >"$work/log/$daemon" 2>&1 &
        started+=($!)
    done
    until_true curl -sf "http://127.0.0.1:$admin_port/readyz"
    # The health check of each container.
    for daemon in "${daemons[@]}"; do ctl status "$daemon.1" >/dev/null; done
    ! ctl status authd.2 >/dev/null 2>&1 || fail 'the health check of an instance that there is not'
    say 'started, and healthy'
}

make_project() {
    local policy
    ctl project create 'North Clinic' --code north >/dev/null
    echo '{"name":"patients","resource":[{"resourceType":"DocumentReference"},{"resourceType":"Bot"}]}' >"$work/etc/policy.json"
    policy=$(ctl --json policy put --project north /etc/atrium/policy.json | tr -d '\n ' | text id)
    ctl project set north default-patient-access-policy "AccessPolicy/$policy" >/dev/null
    echo "$password" | ctl user create-admin --project north --email eve@example.org --name Eve --surname Admin >/dev/null
    printf '#!/bin/sh\nIFS= read -r line\nprintf "%%s\\n" "$line"\n' >"$work/data/bots/echo"
    chmod 755 "$work/data/bots/echo"
    echo '{"name":"Echo","identifier":[{"system":"https://atrium.example/bots","value":"echo"}],"kind":"program",
        "program":"echo"}' >"$work/etc/bot.json"
    ctl bot put --project north /etc/atrium/bot.json >/dev/null
    say 'a project, its admin, a bot'
}

sign_in() {
    local code
    post /auth/tenant/Patient/register "{\"email\":\"ana@example.org\",\"password\":\"$password\",\"name\":\"Ana\",
        \"surname\":\"Prova\",\"tenantCode\":\"north\"}" >/dev/null
    code=$(post /auth/tenant/Patient/login/start "{\"email\":\"ana@example.org\",\"password\":\"$password\",
        \"tenantCode\":\"north\",\"codeChallenge\":\"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM\"}" | text sessionCode)
    token=$(post /auth/tenant/Patient/login/token "{\"sessionCode\":\"$code\",
        \"codeVerifier\":\"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk\"}" | text accessToken)
    curl -sSf "$api/auth/me" -H "Authorization: Bearer $token" >/dev/null
    say 'registered and signed in'
}

# HEIC needs a module of libvips, and the decoder process its confinement.
send_file() {
    local made id form
    made=$(post /document '{"fileName":"small.heic","contentType":"image/heic"}' -H "Authorization: Bearer $token")
    form=$(sed 's/.*"fields":{\([^}]*\)}.*/\1/; s/"\([^"]*\)":"\([^"]*\)",*/-F \1=\2 /g' <<<"$made")
    id=$(sed 's/{"id":"\([^"]*\)".*/\1/' <<<"$made")
    # shellcheck disable=SC2086 # words
    curl -sS --fail-with-body "$api/storage/documents" $form -F file=@tests/integration/small.heic >/dev/null
    curl -sS --fail-with-body -o "$work/served" "$api/document/$id" -H "Authorization: Bearer $token"
    cmp "$work/served" tests/integration/small.heic
    curl -sS --fail-with-body -o "$work/resized" "$api/document/$id?width=16" -H "Authorization: Bearer $token"
    ! cmp -s "$work/resized" "$work/served" || fail 'the image was not resized'
    say 'a file sent, read and resized'
}

ask_bot() {
    local answer
    answer=$(post '/bots?identifier=https://atrium.example/bots%7Cecho' '{"n":3141}' -H "Authorization: Bearer $token")
    [[ $answer == *'"n":3141'* ]] || fail "the bot answered $answer"
    say "a bot asked; it is confined by $(ctl --json status botd.1 | tr -d '\n ' | text sandbox)"
}

end_suite() {
    kill "${started[@]}"
    wait "${started[@]}" 2>/dev/null || true
    started=()
    say 'ended'
}

# Makes each pod's /etc/atrium as keys.sh and the manifests would. All pods share one network here, so each instance listens
# on its own port, on all addresses.
make_pods() {
    local daemon ports index=0
    read -ra ports <<<"$(free_ports 6)"
    for daemon in "${daemons[@]}"; do
        index=$((index + 1))
        echo "$daemon-0 127.0.0.$((10 + index))"
    done >"$work/services"
    PATH=$root/usr/bin:$PATH LD_LIBRARY_PATH='' deploy/kubernetes/keys.sh "$work/keys" <"$work/services" >"$work/keys.yaml"
    cp "$work/secrets"/*_key "$work/keys"
    sed -n 's/^    \([a-z]*\.[a-z0-9-]* .*\)/\1/p' "$work/keys.yaml" >"$work/bus.hosts"
    for index in "${!daemons[@]}"; do sed -i "/^${daemons[index]}\./s/:71[0-9]* /:${ports[index]} /" "$work/bus.hosts"; done
    for daemon in "${daemons[@]}"; do
        mkdir -p "$work/pods/$daemon"/{run,etc/bus}
        cp "$work/keys/bus/$daemon.$daemon-0.key" "$work/pods/$daemon/etc/bus"
        [ "$daemon" = gateway ] || cp "$work/keys/${daemon}_key" "$work/pods/$daemon/etc/seal"
        cp "$work/bus.hosts" "$work/pods/$daemon/etc"
        sed -n '/^  atrium.conf: |/,/^---/s/^    //p' deploy/kubernetes/namespace.yaml |
            sed -e "s|host=10.0.0.21,10.0.0.22|host=127.0.0.1 port=$db_port|" -e 's| sslmode=[^"]*"|"|' \
                -e "s|0.0.0.0:8080|127.0.0.1:$port|" -e "s|0.0.0.0:9080|127.0.0.1:$admin_port|" \
                -e "s|https://api.example.org|$api|" -e 's|smtp://mail.example.org:587|smtp://127.0.0.1:1|' \
                >"$work/pods/$daemon/etc/atrium.conf"
    done
}

in_pod() { # DAEMON COMMAND...
    run_dir=$work/pods/$1/run etc_dir=$work/pods/$1/etc pod=$1-0 contained "$@"
}

start_pods() {
    local daemon
    for daemon in "${daemons[@]}"; do
        run=exec in_pod "$daemon" "atrium-$daemon" --instance "$daemon-0" >"$work/log/pod-$daemon" 2>&1 &
        started+=($!)
    done
    until_true curl -sf "http://127.0.0.1:$admin_port/readyz"
    for daemon in "${daemons[@]}"; do
        in_pod "$daemon" /bin/sh -c "exec atriumctl status \"$daemon.\$POD_NAME\"" >/dev/null
    done
    curl -sSf "$api/auth/me" -H "Authorization: Bearer $token" >/dev/null
    say 'started again as pods, with keys; healthy, and the token from before is good'
}

[ "$(id -u)" = 0 ] || { echo 'test-image: left out: buildah mounts an image as root only'; exit 0; }
trap cleanup EXIT
trap 'exit 1' INT TERM
work=$(mktemp -d "${TMPDIR:-/tmp}/atrium-image-XXXXXX")
chmod 711 "$work"
mkdir -p "$work"/{run,data/bots,data/storage,etc,secrets,log}
read -r port admin_port db_port <<<"$(free_ports 3)"
api=http://127.0.0.1:$port
echo 'common' >"$work/etc/atrium.conf"
unpack
start_postgres
start_suite
make_project
sign_in
send_file
ask_bot
end_suite
make_pods
start_pods
send_file
