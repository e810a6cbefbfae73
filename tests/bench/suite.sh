# suite.sh - sourced by run.sh and scale.sh: development suites in a scratch directory, which end with the script.
build=${BUILD:-build}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/atrium-bench-XXXXXX")
started=() # pids

finish() {
    local pid
    for pid in "${started[@]}"; do
        { kill "$pid" && wait "$pid"; } 2>/dev/null || true
    done
    rm -rf "$scratch"
}
trap finish EXIT

suite_start() { # NAME [option of atriumctl dev ...]: waits until it is ready
    local name=$1
    shift
    "$build/bin/atriumctl" dev --dir "$scratch/$name" --port 0 "$@" >"$scratch/$name.out" 2>"$scratch/$name.err" &
    started+=($!)
    for _ in $(seq 600); do
        grep -q '^atrium: ready ' "$scratch/$name.out" 2>/dev/null && return
        kill -0 $! 2>/dev/null || break
        sleep 0.1
    done
    cat "$scratch/$name.err" >&2
    exit 1
}
suite_base() { # NAME: its URL
    sed -n 's/^atrium: ready //p' "$scratch/$1.out"
}
suite_text() { # NAME MEMBER: a text of its dev.json
    tr -d '\n' <"$scratch/$1/dev.json" | sed -n "s/.*\"$2\": *\"\\([^\"]*\\)\".*/\\1/p"
}
suite_seed() { # NAME TENANTS ACCOUNTS SAMPLE: the sample is in $scratch/NAME.people, see seed.c
    "$build/tests/bench/seed" "$(suite_text "$1" conninfo)" "$scratch/$1/keys/authd.key" "$2" "$3" "$4" \
        >"$scratch/$1.people"
    # authd writes the keys that they are searched by
    until [ "$(psql -XAt "$(suite_text "$1" conninfo)" -c 'select exists (select from auth.member_search_due)')" = f ]; do
        sleep 0.5
    done
    psql -XAqt "$(suite_text "$1" conninfo)" -c 'vacuum (analyze) auth.member_search, auth.member_search_due, auth.member_order'
}
