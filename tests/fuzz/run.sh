#!/bin/bash
# run.sh FUZZER... - gives each libFuzzer program its corpus and its regressions, then FUZZ_SECONDS (default 60) of
# inputs of its own, two programs at a time; ends with "N passed, N failed". Called by `make fuzz`.
#
# FUZZ_SEED makes a run try the same inputs again, as far as it gets in its time: what it finds is then due to the
# change that it runs on. That takes addresses that stay (compared pointers count as coverage) and a corpus that is read
# once. Without FUZZ_SEED the inputs are others in each run.
#
# Beside the programs lie corpus/<target>, what they learnt and start from next time, and finds/<target>: an input there
# has crashed, hung or leaked. Once that is mended, the input belongs into tests/fuzz/regression/<target>.
set -u
cd "$(dirname "$0")/../.."
seconds=${FUZZ_SECONDS:-60} seed=${FUZZ_SEED:-0}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/atrium-fuzz-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1

# Ten seconds an input, which leaves room for a busy machine, and no more than this of memory; inputs of at most 4 KiB
# find more in the same time.
limits=(-timeout=10 -rss_limit_mb=1024 -malloc_limit_mb=64 -max_len=4096)
repeatable=()
if [ "$seed" != 0 ] && setarch -R true 2>/dev/null; then repeatable=(setarch -R); fi

run_one() {
    local program=$1 target learnt finds options=("${limits[@]}") kept=()
    target=$(basename "$program") target=${target#fuzz_}
    learnt=$(dirname "$program")/corpus/$target finds=$(dirname "$program")/finds/$target
    mkdir -p "$learnt" "$finds"
    [ -e "tests/fuzz/dict/$target" ] && options+=("-dict=tests/fuzz/dict/$target")
    for dir in "tests/fuzz/corpus/$target" "tests/fuzz/regression/$target"; do
        [ -d "$dir" ] && kept+=("$dir")
    done
    options+=("-artifact_prefix=$finds/" -print_final_stats=1 "-seed=$seed" -reload=0)
    {
        "$program" "${options[@]}" -runs=0 "${kept[@]}" &&
            "${repeatable[@]}" "$program" "${options[@]}" "-max_total_time=$seconds" "$learnt" "${kept[@]}"
    } >"$scratch/$target.out" 2>&1
    echo $? >"$scratch/$target.rc"
}

for program; do
    while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n; done
    run_one "$program" &
done
wait

passed=0 failed=0
for rc in "$scratch"/*.rc; do
    target=$(basename "$rc" .rc) out=${rc%.rc}.out
    if [ "$(cat "$rc")" = 0 ]; then
        passed=$((passed + 1))
        printf '%-14s %10s inputs, %6s a second\n' "$target" \
            "$(awk '/stat::number_of_executed_units/ { n = $2 } END { print n }' "$out")" \
            "$(awk '/stat::average_exec_per_sec/ { n = $2 } END { print n }' "$out")"
    else
        failed=$((failed + 1))
        echo "==== $target"
        grep -v '^#[0-9]*[[:space:]]*\(NEW\|REDUCE\|pulse\|RELOAD\)' "$out" | tail -60
        echo "FAILED: $target"
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
