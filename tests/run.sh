#!/bin/bash
# run.sh PROGRAM... - runs CUnit programs in parallel, the longest first, as many as the cores can run by tests/durations;
# then the tier `time` one by one, its quiet ones in parallel (tests/tier.sh). Prints each program's output when it ends, then
# the slowest twenty, then a line "N passed, N failed, N skipped": skipped are cases that called unit_leave_out(). Exits
# non-zero when anything failed or nothing ran.
# ATRIUM_TEST_ONLY is a pattern of programs ("test_bot*"), without test_coverage.
# ATRIUM_TEST_JOBS is the number of cores to use (default: all; 1: one program at a time);
# ATRIUM_TEST_COST multiplies tests/durations' CPU time (default 1), as with a sanitizer.
# ATRIUM_TEST_SECONDS limits each program (default 900); ATRIUM_TEST_COMMAND runs each program.
# ATRIUM_TEST_AGAIN is how many failed programs can be repeated alone (default 0), for a shared machine; if more failed, none
# is. Programs that pass then are reported.
set -u
here=$(dirname "$0")
parent=${TMPDIR:-/tmp}
# in hundredths of a core
all=$((100 * ${ATRIUM_TEST_JOBS:-$(nproc)}))
cost=${ATRIUM_TEST_COST:-1}
limit=${ATRIUM_TEST_SECONDS:-900}

# A run locks its directories when it makes them, so an older one without a lock is a killed run's.
remove_left() {
    local left
    find "$1" -maxdepth 1 -name 'atrium-test-*' -type d -user "$(id -u)" -mmin +1 2>/dev/null | while read -r left; do
        flock --nonblock "$left" rm -rf "$left"
    done
}
remove_left "$parent"
scratch=$(mktemp -d "$parent/atrium-test-XXXXXX")
exec 8<"$scratch"
flock 8
trap 'rm -rf "$scratch"' EXIT

# Prepared directories (tests/support/prepared.h), in memory if it has space.
room() {
    local shm available
    shm=$(df --output=avail -B1M /dev/shm 2>/dev/null | tail -1)
    available=$(awk '$1 == "MemAvailable:" { print int($2 / 1024) }' /proc/meminfo)
    [ -w /dev/shm ] && [ "${shm:-0}" -ge 6144 ] && [ "$available" -ge 8192 ]
}
if room; then
    remove_left /dev/shm
    ATRIUM_PREPARED=$(mktemp -d /dev/shm/atrium-test-XXXXXX)
    exec 7<"$ATRIUM_PREPARED"
    flock 7
else
    ATRIUM_PREPARED=$scratch/prepared
    mkdir "$ATRIUM_PREPARED"
fi
trap 'rm -rf "$scratch" "$ATRIUM_PREPARED"' EXIT
export ATRIUM_PREPARED
export ATRIUM_COVERAGE="$scratch/coverage"
: >"$ATRIUM_COVERAGE"

# A program's wall and CPU time go to NAME.time; no program inherits the lock.
run_one() {
    local program=$1 name TIMEFORMAT='%R %U %S'
    name=$(basename "$program")
    {
        time timeout --kill-after=30 "$limit" ${ATRIUM_TEST_COMMAND:-} "$program" >"$scratch/$name.out" 2>&1
    } 2>"$scratch/$name.time" 7<&- 8<&-
    echo $? >"$scratch/$name.rc"
    { # one writer at a time, so that outputs do not mix
        flock 9
        echo "==== $name"
        cat "$scratch/$name.out"
    } 9>"$scratch/lock"
}

# From tests/durations: an unlisted program takes a second of one core.
declare -A seconds shares marks
while read -r duration cpu name; do
    [[ $duration == \#* ]] || seconds[$name]=$duration shares[$name]=$((100 * cpu / duration))
done <"$here/durations"
for name in $("$here/tier.sh" time); do marks[${name##*/}]=alone; done
for name in $("$here/tier.sh" quiet); do marks[${name##*/}]=quiet; done

longest_first() {
    local path
    for path; do echo "${seconds[${path##*/}]:-1} $path"; done | sort -rn -k1,1 | cut -d' ' -f2
}

together=() quiet=() single=() last=()
for program in $(longest_first "$@"); do
    name=${program##*/}
    # shellcheck disable=SC2053 # a pattern
    [[ $name == ${ATRIUM_TEST_ONLY:-*} ]] || continue
    if [ "$name" = test_coverage ]; then
        last+=("$program") # reads the output of all others
    elif [ "${marks[$name]:-}" = quiet ] && [ "$all" -gt 100 ]; then
        quiet+=("$program")
    elif [ "${marks[$name]:-}" = alone ] || [ "${marks[$name]:-}" = quiet ]; then
        single+=("$program")
    else
        together+=("$program")
    fi
done

# A program's cost: a twentieth of a core more than its average, and at least a quarter, because a starting suite needs a whole
# core for a second.
declare -A needs
for program in "${together[@]}"; do
    share=$((cost * ${shares[${program##*/}]:-70} + 5))
    [ "$share" -ge 25 ] || share=25
    [ "$all" -gt 100 ] && [ "$share" -le "$all" ] || share=$all
    needs[$program]=$share
done

# Each program starts when there is capacity; shorter ones overtake one that needs more. An ended program frees its capacity.
declare -A taken=()
left=$all
waiting=("${together[@]}")
while [ "${#waiting[@]}" -gt 0 ]; do
    for i in "${!waiting[@]}"; do
        program=${waiting[$i]}
        [ "${needs[$program]}" -le "$left" ] || continue
        run_one "$program" &
        taken[$!]=${needs[$program]}
        left=$((left - needs[$program]))
        unset "waiting[$i]"
    done
    wait -n -p ended
    left=$((left + taken[$ended]))
done
wait
for program in "${quiet[@]}"; do run_one "$program" & done
wait
for program in "${single[@]}" "${last[@]}"; do run_one "$program"; done

# A failed program's cases with their assertions.
failures() {
    awk '/^ *Test: / { head = $0; shown = 0 }
        /\.\.\.FAILED/ { shown = 1; print head; next }
        shown && /^ *[0-9]+\. / { print }' "$1" | cut -c1-300 | head -40
}

failing=()
for program in "${together[@]}" "${quiet[@]}" "${single[@]}"; do
    [ "$(cat "$scratch/${program##*/}.rc")" = 0 ] || failing+=("$program")
done
if [ "${#failing[@]}" -le "${ATRIUM_TEST_AGAIN:-0}" ]; then
    for program in "${failing[@]}"; do
        mv "$scratch/${program##*/}.out" "$scratch/${program##*/}.first"
        run_one "$program"
    done
fi

passed=0 failed=0 skipped=0
for rc in "$scratch"/*.rc; do
    name=$(basename "$rc" .rc)
    # CUnit's closing table: "tests  total  ran  passed  failed  inactive"
    counts=$(awk '$1 == "tests" && NF == 6 { p += $4; f += $5 + $6 } END { print p + 0, f + 0 }' "$scratch/$name.out")
    read -r p f <<<"$counts"
    # A program that crashed, hung or failed without a report counts as one failure.
    if [ "$(cat "$rc")" != 0 ] && [ "$f" = 0 ]; then
        echo "$name: exit code $(cat "$rc")"
        f=1
    fi
    if [ "$f" != 0 ]; then
        echo "FAILED: $name"
        failures "$scratch/$name.out"
    elif [ -e "$scratch/$name.first" ]; then
        echo "FAILED AT FIRST: $name, which passed when it ran again, alone"
        failures "$scratch/$name.first"
    fi
    # CUnit counts a case that was left out as passed.
    s=$(grep -ac 'left out: ' "$scratch/$name.out")
    [ "$s" = 0 ] || grep -a 'left out: ' "$scratch/$name.out" | sed "s/.*left out: \(.*\) \.\.\..*/$name: left out: \1/" | sort -u
    passed=$((passed + p - s)) failed=$((failed + f)) skipped=$((skipped + s))
done

# Also the source of tests/durations.
echo "Slowest programs, seconds and seconds of CPU:"
for time in "$scratch"/*.time; do
    awk -v name="$(basename "$time" .time)" 'END { printf "%8.1f %8.1f  %s\n", $1, $2 + $3, name }' "$time"
done | sort -rn | head -n "${ATRIUM_TEST_SLOWEST:-20}"

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
