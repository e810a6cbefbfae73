#!/bin/bash
# run.sh PROGRAM... - runs CUnit programs side by side, the longest first, as many as the cores have room for by
# tests/durations; then one by one those of the tier `time`, but the quiet ones of them side by side (tests/tier.sh).
# Prints the output of each when it ends, then the slowest twenty, then one line "N passed, N failed, N skipped": skipped
# are cases that said that they cannot run here (unit_leave_out()). Non-zero when anything failed or nothing ran.
# ATRIUM_TEST_ONLY, if set, is a pattern of the programs to run ("test_bot*"); with it test_coverage is not among them.
# ATRIUM_TEST_JOBS is how many cores they may use (default: those of the machine; 1: one program at a time);
# ATRIUM_TEST_COST, by how many times more than tests/durations says they use (default 1), as with a sanitizer.
# ATRIUM_TEST_SECONDS bounds each program (default 900); ATRIUM_TEST_COMMAND, if set, is what runs it.
# ATRIUM_TEST_AGAIN is how many programs that failed may run once more, alone (default 0): for a machine that others use
# too. If more failed than that, none does. What passes then is reported.
set -u
here=$(dirname "$0")
parent=${TMPDIR:-/tmp}
# In hundredths of a core.
all=$((100 * ${ATRIUM_TEST_JOBS:-$(nproc)}))
cost=${ATRIUM_TEST_COST:-1}
limit=${ATRIUM_TEST_SECONDS:-900}

# A run locks its directories as soon as it has made them: an older one without a lock is what a killed run has left.
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

# Where the programs find and keep prepared directories (tests/support/prepared.h): in memory if that has room.
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

# A program's wall time and CPU time go to NAME.time; no program inherits the lock.
run_one() {
    local program=$1 name TIMEFORMAT='%R %U %S'
    name=$(basename "$program")
    {
        time timeout --kill-after=30 "$limit" ${ATRIUM_TEST_COMMAND:-} "$program" >"$scratch/$name.out" 2>&1
    } 2>"$scratch/$name.time" 7<&- 8<&-
    echo $? >"$scratch/$name.rc"
    { # one writer at a time keeps the programs' outputs whole
        flock 9
        echo "==== $name"
        cat "$scratch/$name.out"
    } 9>"$scratch/lock"
}

# Of tests/durations: a program that it does not have takes a second of one core.
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
        last+=("$program") # reads what all the others did
    elif [ "${marks[$name]:-}" = quiet ] && [ "$all" -gt 100 ]; then
        quiet+=("$program")
    elif [ "${marks[$name]:-}" = alone ] || [ "${marks[$name]:-}" = quiet ]; then
        single+=("$program")
    else
        together+=("$program")
    fi
done

# What each counts for: a twentieth of a core more than it uses on average, and at least a quarter, since a suite that
# starts needs a whole one for a second.
declare -A needs
for program in "${together[@]}"; do
    share=$((cost * ${shares[${program##*/}]:-70} + 5))
    [ "$share" -ge 25 ] || share=25
    [ "$all" -gt 100 ] && [ "$share" -le "$all" ] || share=$all
    needs[$program]=$share
done

# Each starts as soon as there is room for it; shorter ones go before one that needs more than there is. One that ends
# gives back what it has taken.
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

# The cases of a program that failed, with their assertions.
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
    # A program that crashed, hung or failed without saying so counts as one failure.
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
    # A case that was left out counts as one that passed for CUnit.
    s=$(grep -ac 'left out: ' "$scratch/$name.out")
    [ "$s" = 0 ] || grep -a 'left out: ' "$scratch/$name.out" | sed "s/.*left out: \(.*\) \.\.\..*/$name: left out: \1/" | sort -u
    passed=$((passed + p - s)) failed=$((failed + f)) skipped=$((skipped + s))
done

# Also what tests/durations is written from.
echo "Slowest programs, seconds and seconds of CPU:"
for time in "$scratch"/*.time; do
    awk -v name="$(basename "$time" .time)" 'END { printf "%8.1f %8.1f  %s\n", $1, $2 + $3, name }' "$time"
done | sort -rn | head -n "${ATRIUM_TEST_SLOWEST:-20}"

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
