#!/bin/bash
# run.sh [REF] - `make test-mixed`: the middle of an upgrade. Builds programs and tests of REF (default HEAD~1) in a temporary
# directory and runs these tests three times: with today's gateway and old daemons, with today's maild and settingsd among old
# programs (the package restarts them first), and with today's daemons and the old gateway. Clients must be able to do all that
# they could before. The tests use the old atriumctl, so today's programs also get the old configuration. Then routes.py
# requests every route that only today's gateway has.
# MIXED_TESTS selects the tests. Ends with one verdict line and leaves nothing.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/mixed/then.sh
build=$(realpath "${BUILD:-build}") ref=${1:-HEAD~1} failed=0
daemons=(authd settingsd maild docd botd)
names=${MIXED_TESTS:-register sign_in sessions settings documents mail mfa passwords templates content bots locales \
    oauth_clients settings_cache}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/atrium-mixed-XXXXXX") suites=()

cleanup() {
    { [ ${#suites[@]} = 0 ] || { kill "${suites[@]}"; wait; }; } 2>/dev/null || true
    rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

commit=$(git rev-parse --verify --short "$ref^{commit}")
programs=()
for name in $names; do
    git cat-file -e "$commit:tests/http/test_$name.c" 2>/dev/null && programs+=("tests/http/test_$name")
done
then_build "$scratch/then" "$commit" all "${programs[@]/#/build/}" || { echo "mixed: FAILED to build $commit"; exit 1; }

# Makes an old build directory with these of today's programs. Programs find each other by their directory.
mixed() { # NAME PROGRAM...
    local name=$1 program
    shift
    mkdir -p "$scratch/$name/tests/http"
    cp -r "$scratch/then/build/bin" "$scratch/$name/bin"
    cp "${programs[@]/#/$scratch/then/build/}" "$scratch/$name/tests/http"
    for program; do cp "$build/bin/atrium-$program" "$scratch/$name/bin"; done
}

tests() { # NAME: in the old tree, where its tests find their files
    echo "mixed: $1"
    (cd "$scratch/then" && BUILD=$scratch/$1 tests/run.sh "${programs[@]/#/$scratch/$1/}") >"$scratch/$1.log" 2>&1 ||
        { failed=1; grep -E '\.\.\.FAILED|^ +[0-9]+\. |^FAILED|exit code' "$scratch/$1.log" || true; }
    tail -1 "$scratch/$1.log"
}

mixed new-gateway gateway
mixed new-settingsd maild settingsd
mixed new-daemons "${daemons[@]}"
tests new-gateway
tests new-settingsd
tests new-daemons

# Two separate suites, for the routes that only one gateway has.
for name in new-gateway new-daemons; do
    mkdir "$scratch/$name/dev"
    "$scratch/$name/bin/atriumctl" dev --dir "$scratch/$name/dev" --port 0 >"$scratch/$name/out" 2>"$scratch/$name/err" &
    suites+=($!)
    for _ in {1..600}; do
        grep -q '^atrium: ready ' "$scratch/$name/out" && break
        kill -0 $! 2>/dev/null || { cat "$scratch/$name/err"; break; }
        sleep 0.1
    done
done
timeout 600 python3 tests/mixed/routes.py "$scratch/new-gateway/dev" "$scratch/new-daemons/dev" || failed=1

[ "$failed" = 0 ] || { echo "mixed: FAILED with $commit"; exit 1; }
echo "mixed: passed with $commit in $SECONDS s"
