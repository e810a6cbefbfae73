#!/bin/bash
# radosgw.sh [COMMAND [ARGUMENT...]] - a Ceph cluster (one monitor, three stores with all data in memory three times, a RADOS
# Gateway) on free ports of 127.0.0.1, with a user and an empty bucket. Runs the command with ATRIUM_S3_URL, _KEY, _SECRET,
# _REGION and _BUCKET in its environment and exits with its exit code; without a command it prints these as shell lines and
# waits for its end. The gateway also knows buckets as <bucket>.<ATRIUM_S3_HOST>. Nothing remains running, however the script
# ends.
#
# Ceph 16 differs from Amazon: it ignores x-amz-copy-source-if-match of parts, so docd checks their source again before they
# become an object; and it completes no upload with parts that are not in the list.
set -euo pipefail
START_LIMIT=120 STORES=3
needed=(ceph-mon ceph-osd radosgw radosgw-admin ceph monmaptool setpriv python3 openssl curl)
scratch='' started=()

fail() {
    echo "radosgw: $1" >&2
    [ -z "$scratch" ] || tail -n 5 "$scratch"/*.err >&2 2>/dev/null || true
    exit 1
}

# Their data is in memory and disposable, so they can be killed.
cleanup() {
    local status=$?
    trap '' INT TERM
    { [ ${#started[@]} = 0 ] || kill -KILL "${started[@]}" || true; wait; } 2>/dev/null
    [ -z "$scratch" ] || rm -rf "$scratch"
    exit "$status"
}

# Starts a background daemon that the kernel ends if this script is killed.
daemon() { # NAME COMMAND...
    local name=$1
    shift
    setpriv --pdeathsig KILL "$@" >"$scratch/$name.out" 2>"$scratch/$name.err" </dev/null &
    started+=($!)
}

within() { # WHAT COMMAND...: repeats the command until it succeeds
    local what=$1
    shift
    until "$@" >"$scratch/within.out" 2>"$scratch/within.err"; do
        [ "$SECONDS" -lt "$START_LIMIT" ] || fail "$what after $START_LIMIT s"
        sleep 0.1
    done
}

limited() { timeout "$START_LIMIT" "$@"; }

free_ports() { # COUNT
    python3 -c 'import socket, sys
taken = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*(s.getsockname()[1] for s in taken))' "$1"
}

# No authentication between the parts, which only this machine reaches, and therefore no encryption.
configuration() {
    local side
    cat <<END
[global]
fsid = $fsid
mon host = v2:127.0.0.1:$mon_port
public addr = 127.0.0.1
cluster addr = 127.0.0.1
auth cluster required = none
auth service required = none
auth client required = none
$(for side in client cluster service 'mon client' 'mon cluster' 'mon service'; do echo "ms $side mode = crc"; done)
paxos propose interval = 0.05
mon data avail warn = 1
mon data avail crit = 0
mon data = $scratch/mon
osd data = $scratch/osd\$id
osd objectstore = memstore
osd crush chooseleaf type = 0
osd pool default size = $STORES
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
run dir = $scratch
crash dir = $scratch
log file = $scratch/\$name.log
mon cluster log file = $scratch/cluster.log
admin socket =
pid file =
rgw data = $scratch/rgw
rgw frontends = beast endpoint=127.0.0.1:$port
rgw dns name = $host
END
}

stores_up() { [ "$(ceph osd stat -f json | grep -o '"num_up_osds":[0-9]*')" = "\"num_up_osds\":$STORES" ]; }

answer() { # STATUS CURL_ARGUMENT...
    local status=$1
    shift
    [ "$(curl -s -m 10 -o "$scratch/answer" -w '%{http_code}' "$@")" = "$status" ]
}

signed() { # STATUS CURL_ARGUMENT...: a request signed by the user
    answer "$@" --aws-sigv4 "aws:amz:$region:s3" --user "$key:$secret" -H 'x-amz-content-sha256: UNSIGNED-PAYLOAD'
}

for program in "${needed[@]}"; do
    command -v "$program" >/dev/null || missing="${missing:-}$program "
done
[ -z "${missing:-}" ] || fail "not installed: ${missing% }; \`make deps-s3\` installs them"
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
scratch=$(mktemp -d "${TMPDIR:-/tmp}/atrium-s3-XXXXXX")
read -r mon_port port <<<"$(free_ports 2)"
fsid=$(</proc/sys/kernel/random/uuid) host=s3.localhost bucket=atrium region=us-east-1
key=$(openssl rand -hex 10) secret=$(openssl rand -hex 20)
export CEPH_CONF=$scratch/ceph.conf
configuration >"$CEPH_CONF"

mkdir "$scratch/mon" "$scratch/rgw"
limited monmaptool --create --addv a "[v2:127.0.0.1:$mon_port]" --fsid "$fsid" "$scratch/monmap" >/dev/null
limited ceph-mon -i a --mkfs --monmap "$scratch/monmap"
daemon mon ceph-mon -f -i a
within 'the monitor does not answer' timeout 10 ceph status
for ((store = 0; store < STORES; store++)); do
    mkdir "$scratch/osd$store"
    uuid=$(</proc/sys/kernel/random/uuid)
    limited ceph osd new "$uuid" >/dev/null
    limited ceph-osd -i "$store" --mkfs --osd-uuid "$uuid" 2>"$scratch/mkfs.err" || fail "no store $store"
    daemon "osd$store" ceph-osd -f -i "$store"
done
within 'the stores are not up' stores_up
limited radosgw-admin user create --uid=atrium --display-name=Atrium --access-key="$key" --secret="$secret" \
    >/dev/null 2>"$scratch/user.err" || fail "no user"
daemon rgw radosgw -f -n client.rgw
within 'the gateway does not answer' answer 200 "http://127.0.0.1:$port/"
within 'no bucket' signed 200 -X PUT "http://127.0.0.1:$port/$bucket"

export ATRIUM_S3_URL=http://127.0.0.1:$port ATRIUM_S3_KEY=$key ATRIUM_S3_SECRET=$secret
export ATRIUM_S3_REGION=$region ATRIUM_S3_BUCKET=$bucket ATRIUM_S3_HOST=$host
echo "radosgw: ready after $SECONDS s" >&2
if [ $# -gt 0 ]; then
    unset CEPH_CONF
    setpriv --pdeathsig TERM "$@" &
else
    env | grep '^ATRIUM_S3_' | sed 's/^/export /'
    setpriv --pdeathsig TERM sleep infinity &
fi
command=$!
trap 'kill "$command" 2>/dev/null || true; exit 143' TERM
trap 'kill "$command" 2>/dev/null || true; exit 130' INT
wait "$command"
