#!/bin/bash
# run.sh PROGRAM... - runs the CUnit programs two at a time, prints the output of each when it ends, then one
# line "N passed, N failed", and ", N skipped" when cases said that they cannot be run here (unit_leave_out()). Called by
# `make test`; non-zero when anything failed or nothing ran. ATRIUM_TEST_ONLY, if set, is a pattern of the programs to run
# ("test_bot*"); with it test_coverage is not among them.
# ATRIUM_TEST_SECONDS bounds each program (default 900); ATRIUM_TEST_COMMAND, if set, is what runs it.
set -u
scratch=$(mktemp -d "${TMPDIR:-/tmp}/atrium-test-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
export ATRIUM_COVERAGE="$scratch/coverage"
limit=${ATRIUM_TEST_SECONDS:-900}
: >"$ATRIUM_COVERAGE"

run_one() {
    local program=$1 name
    name=$(basename "$program")
    timeout --kill-after=30 "$limit" ${ATRIUM_TEST_COMMAND:-} "$program" >"$scratch/$name.out" 2>&1
    echo $? >"$scratch/$name.rc"
    { # one writer at a time keeps the programs' outputs whole
        flock 9
        echo "==== $name"
        cat "$scratch/$name.out"
    } 9>"$scratch/lock"
}

programs=() last=()
for program; do
    # shellcheck disable=SC2053 # a pattern
    [[ ${program##*/} == ${ATRIUM_TEST_ONLY:-*} ]] || continue
    case $program in
    */test_coverage) last+=("$program") ;; # reads what all the others did
    *) programs+=("$program") ;;
    esac
done

for program in "${programs[@]}"; do
    while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n; done
    run_one "$program" &
done
wait
for program in "${last[@]}"; do run_one "$program"; done

passed=0 failed=0 skipped=0
for rc in "$scratch"/*.rc; do
    name=$(basename "$rc" .rc)
    # CUnit's closing table: "tests  total  ran  passed  failed  inactive"
    counts=$(awk '$1 == "tests" && NF == 6 { p += $4; f += $5 + $6 } END { print p + 0, f + 0 }' "$scratch/$name.out")
    read -r p f <<<"$counts"
    # A program that crashed, hung or failed without saying so counts as one failure.
    if [ "$(cat "$rc")" != 0 ] && [ "$f" = 0 ]; then
        echo "$name: exit code $(cat "$rc")"
        f=1
    fi
    [ "$f" = 0 ] || echo "FAILED: $name"
    # A case that was left out counts as one that passed for CUnit.
    s=$(grep -ac 'left out: ' "$scratch/$name.out")
    [ "$s" = 0 ] || grep -a 'left out: ' "$scratch/$name.out" | sed "s/.*left out: \(.*\) \.\.\..*/$name: left out: \1/" | sort -u
    passed=$((passed + p - s)) failed=$((failed + f)) skipped=$((skipped + s))
done
[ "$skipped" = 0 ] && skips= || skips=", $skipped skipped"
echo "$passed passed, $failed failed$skips"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
