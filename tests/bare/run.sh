#!/bin/bash
# run.sh - the README's two commands on a bare Debian 12 (debootstrap minbase with git and make, cached) in an unbooted
# systemd-nspawn container: as root, then as an ordinary user, without uid 1000 and with /tmp on a tmpfs. Called by
# `make test-bare`. Ends with one verdict line and leaves nothing running. Without root or network, or with port 8080
# taken, it says so and exits with 0, unless ATRIUM_REQUIRE_NSPAWN=1 is set.
# ATRIUM_BARE_USERS ("root builder") selects users, ATRIUM_TEST_ONLY programs of `make test` (tests/run.sh).
set -euo pipefail
BOOTSTRAP_LIMIT=600 RUN_LIMIT=1200 TEST_LIMIT=5400
here=$(dirname "$(realpath "$0")") tree=$(realpath "$(dirname "$0")/../..")
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/atrium
base=$cache/bare work=''

skip() {
    echo "test-bare: skipped: $1"
    exit "${ATRIUM_REQUIRE_NSPAWN:-0}"
}

cleanup() {
    status=$?
    trap - EXIT
    if [ -n "$work" ]; then
        for _ in {1..50}; do
            mountpoint -q "$work/root" || break
            umount "$work/root" 2>/dev/null || sleep 0.2
        done
        rm -rf --one-file-system "$work"
    fi
    [ "$status" = 0 ] || echo "test-bare: FAILED"
    exit "$status"
}

make_base() {
    [ ! -e "$base/made" ] || return 0
    echo "test-bare: making $base"
    rm -rf --one-file-system "$base" "$base.new"
    mkdir -p "$cache"
    timeout "$BOOTSTRAP_LIMIT" debootstrap --variant=minbase --include=git,make,ca-certificates bookworm "$base.new" \
        >"$cache/debootstrap-bare.log" 2>&1 || skip "debootstrap failed, see $cache/debootstrap-bare.log"
    chroot "$base.new" useradd --create-home --uid 2000 builder
    touch "$base.new/made"
    mv "$base.new" "$base"
}

# as USER LIMIT COMMAND...: runs it in a container, which ends with all its processes.
as() {
    local user=$1 limit=$2
    shift 2
    timeout --kill-after=30 "$limit" systemd-nspawn --quiet --directory="$work/root" --register=no --keep-unit \
        --link-journal=no --console=pipe --tmpfs=/tmp:mode=1777,size=50% --user="$user" \
        --setenv=LC_ALL=C.UTF-8 --setenv=ATRIUM_TEST_ONLY="${ATRIUM_TEST_ONLY:-}" -- "$@" </dev/null \
        2> >(grep -v 'Attempted to remove disk file system' >&2) # nspawn tries this on its own directory, in vain
}

# Tests the working tree without build output.
copy_tree() {
    local home=$1 owner=$2
    mkdir -p "$work/root$home/atrium"
    git -C "$tree" ls-files -z | tar -C "$tree" --null --no-recursion -T - -c | tar -C "$work/root$home/atrium" -x
    cp "$here/inside.sh" "$work/root$home/inside.sh"
    chroot "$work/root" chown -R "$owner" "$home"
}

# The two commands of a user.
try() {
    local user=$1 home=/root began=$SECONDS
    [ "$user" = root ] || home=/home/$user
    copy_tree "$home" "$user"
    as "$user" "$RUN_LIMIT" bash "$home/inside.sh" run "$home/atrium" || exit 1
    echo "test-bare: $user: make run serves a registration ($((SECONDS - began)) s)"
    began=$SECONDS
    as "$user" "$TEST_LIMIT" bash "$home/inside.sh" test "$home/atrium" || failed=1
    echo "test-bare: $user: $(tail -1 "$work/root$home/verdict" 2>/dev/null || echo 'make test has no verdict')" \
        "($((SECONDS - began)) s)"
}

[ "$(id -u)" = 0 ] || skip "needs root"
! (exec 3<>/dev/tcp/127.0.0.1/8080) 2>/dev/null || skip "port 8080, which make run takes, is taken"
trap cleanup EXIT
trap 'exit 1' INT TERM
make_base
work=$(mktemp -d "${TMPDIR:-/tmp}/atrium-bare-XXXXXX")
mkdir "$work/root" "$work/upper" "$work/work"
mount -t overlay overlay -o "lowerdir=$base,upperdir=$work/upper,workdir=$work/work" "$work/root" ||
    skip "no overlay file system"
failed=0
for user in ${ATRIUM_BARE_USERS:-root builder}; do try "$user"; done
[ "$failed" = 0 ] || exit 1
echo "test-bare: passed in $SECONDS s"
