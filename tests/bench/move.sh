#!/bin/bash
# move.sh - `make bench-move`: how long a tenant's writes are refused while it moves to another installation
# (docs/transfer.md). One of two local suites has a tenant with ACCOUNTS (default "1000 100000", one run each) people and
# DOCUMENTS (default 100) documents of 20 KB. move_client.py changes a setting in a loop while the tenant is exported
# with --read-only, imported, compared and resumed.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/bench/suite.sh
documents=${DOCUMENTS:-100}

ctl() { # SUITE ARGUMENT ...
    local name=$1
    shift
    "$build/bin/atriumctl" --dir "$scratch/$name" "$@" </dev/null
}
seconds() { sed -n 's/.*"seconds": *\([0-9.]*\).*/\1/p' "$1"; }

move() { # ACCOUNTS
    local file="$scratch/$1.tenant" from="from-$1" to="to-$1" key began
    suite_start "$from" --no-demo
    suite_start "$to" --no-demo
    suite_seed "$from" 1 "$1" 20 2>/dev/null
    python3 tests/bench/move_client.py "$(suite_base "$from")" "$scratch/$from.people" fill "$documents"
    key=$(ctl "$to" tenant key)
    mkfifo "$scratch/$1.end"
    python3 tests/bench/move_client.py "$(suite_base "$from")" "$scratch/$from.people" watch \
        <"$scratch/$1.end" >"$scratch/$1.window" &
    exec 3>"$scratch/$1.end"
    until grep -q watching "$scratch/$1.window" || ! kill -0 $! 2>/dev/null; do sleep 0.1; done
    ctl "$from" --json tenant export seed-0 "$file" --to "$key" --read-only >"$scratch/$1.export"
    ctl "$to" --json tenant import "$file" >"$scratch/$1.import"
    began=$(date +%s.%N)
    ctl "$to" tenant verify "$file" >/dev/null
    began=$(awk -v from="$began" -v to="$(date +%s.%N)" 'BEGIN {print to - from}')
    ctl "$from" project suspend seed-0 --resume >/dev/null
    sleep 1
    echo >&3
    exec 3>&-
    wait $!
    printf '%s accounts, %s documents, a file of %s MB: export %.1f s, import %.1f s, comparison %.1f s; writes were refused for %s s\n' \
        "$1" "$documents" $(($(stat -c %s "$file") / 1000000)) "$(seconds "$scratch/$1.export")" \
        "$(seconds "$scratch/$1.import")" "$began" "$(tail -n 1 "$scratch/$1.window")"
}
for accounts in ${ACCOUNTS:-1000 100000}; do
    move "$accounts"
done
