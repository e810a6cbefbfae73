#!/bin/bash
# run.sh PACKAGE.deb - installs the package on a Debian (debootstrap, cached), boots it with systemd-nspawn and runs inside.sh in
# it. Called by `make test-systemd`; ends with one verdict line and leaves nothing running. Without root, or if nspawn cannot
# boot, it says so and exits with 0, unless ATRIUM_REQUIRE_NSPAWN=1 is set.
set -euo pipefail
LIMIT=480 BOOT_LIMIT=60 BOOTSTRAP_LIMIT=600
here=$(dirname "$(realpath "$0")") package=$(realpath "$1")
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/atrium
base=$cache/bookworm work='' nspawn='' leader=''

skip() {
    echo "test-systemd: skipped: $1"
    exit "${ATRIUM_REQUIRE_NSPAWN:-0}"
}

inside() { nsenter --target "$leader" --all -- "$@"; }

cleanup() {
    status=$?
    trap - EXIT
    if [ -n "$leader" ]; then
        timeout 20 nsenter --target "$leader" --all -- systemctl poweroff --force --force 2>/dev/null || true
        kill -KILL "$leader" 2>/dev/null || true
    fi
    if [ -n "$nspawn" ]; then
        kill -KILL "$nspawn" 2>/dev/null || true
        wait "$nspawn" 2>/dev/null || true
    fi
    if [ -n "$work" ]; then
        for _ in {1..50}; do
            mountpoint -q "$work/root" || break
            umount "$work/root" 2>/dev/null || sleep 0.2
        done
        rm -rf --one-file-system "$work"
    fi
    [ "$status" = 0 ] || echo "test-systemd: FAILED"
    exit "$status"
}

# A Debian with PostgreSQL, nginx and the package's dependencies; made once, and again when those change.
make_base() {
    local packages new=$base.new
    packages="systemd systemd-sysv dbus postgresql nginx-light openssl curl procps acl $(
        dpkg-deb -f "$package" Depends | sed 's/([^)]*)//g; s/,/ /g' | tr -s ' ')"
    if [ "$(cat "$base/packages" 2>/dev/null)" = "$packages" ]; then return; fi
    echo "test-systemd: making $base"
    rm -rf --one-file-system "$base" "$new"
    mkdir -p "$cache"
    timeout "$BOOTSTRAP_LIMIT" debootstrap --variant=minbase bookworm "$new" >"$cache/debootstrap.log" 2>&1 ||
        skip "debootstrap failed, see $cache/debootstrap.log"
    printf '#!/bin/sh\nexit 101\n' >"$new/usr/sbin/policy-rc.d"
    chmod 755 "$new/usr/sbin/policy-rc.d"
    # shellcheck disable=SC2086 # words
    DEBIAN_FRONTEND=noninteractive timeout "$BOOTSTRAP_LIMIT" chroot "$new" \
        apt-get install -y -qq --no-install-recommends $packages >>"$cache/debootstrap.log" 2>&1 ||
        skip "apt-get failed, see $cache/debootstrap.log"
    rm "$new/usr/sbin/policy-rc.d"
    echo "$packages" >"$new/packages"
    mv "$new" "$base"
}

boot() {
    mkdir "$work/root" "$work/upper" "$work/work"
    mount -t overlay overlay -o "lowerdir=$base,upperdir=$work/upper,workdir=$work/work" "$work/root" ||
        skip "no overlay file system"
    cp "$package" "$work/root/root/atrium.deb"
    cp "$here/inside.sh" "$work/root/root/inside.sh"
    systemd-nspawn --quiet --directory="$work/root" --boot --register=no --keep-unit --private-network \
        --link-journal=no --console=pipe </dev/null >"$work/console" 2>&1 &
    nspawn=$!
    for ((i = 0; i < BOOT_LIMIT * 5; i++)); do
        kill -0 "$nspawn" 2>/dev/null || break
        leader=$(pgrep -P "$nspawn" | head -1 || true)
        if [ -n "$leader" ] && inside systemctl is-system-running 2>/dev/null | grep -qE 'running|degraded'; then
            return
        fi
        sleep 0.2
    done
    tail -5 "$work/console"
    skip "systemd-nspawn cannot boot here"
}

[ "$(id -u)" = 0 ] || skip "needs root"
trap cleanup EXIT
trap 'exit 1' INT TERM
make_base
work=$(mktemp -d "${TMPDIR:-/tmp}/atrium-systemd-XXXXXX")
boot
timeout --kill-after=10 "$LIMIT" nsenter --target "$leader" --all -- /bin/bash /root/inside.sh /root/atrium.deb
echo "test-systemd: passed in $SECONDS s"
