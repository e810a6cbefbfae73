#!/bin/bash
# run.sh FUZZER... - runs each libFuzzer program with its corpus and regressions, then FUZZ_SECONDS (default 60) with
# generated inputs, two programs at a time; ends with "N passed, N failed". Called by `make fuzz`.
#
# FUZZ_SEED repeats the inputs of a run, as far as the time allows, so that a new finding is due to the tested change. This
# needs constant addresses (compared pointers count as coverage) and a corpus that is read once. Without FUZZ_SEED the inputs
# differ in each run.
#
# corpus/<target> beside the programs has learned inputs, which the next run uses; finds/<target> has inputs that crashed,
# hung or leaked. Move a fixed one to tests/fuzz/regression/<target>.
set -u
cd "$(dirname "$0")/../.."
seconds=${FUZZ_SECONDS:-60} seed=${FUZZ_SEED:-0}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/atrium-fuzz-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1

# Ten seconds per input leave time for a busy machine; memory is limited. Inputs of at most 4 KiB find more in the same
# time.
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
