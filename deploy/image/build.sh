#!/bin/bash
# build.sh BUILD VERSION - `make image`: builds BUILD/atrium_VERSION_ARCH.oci.tar, one image with all programs, with
# buildah.
#
# It contains only what the programs need: no package manager and one shell, /bin/sh (dash), with which botd tests its
# sandbox. All other files are copied from Debian packages installed here, libraries as listed by ldd. For each package
# the image has its stanza in /var/lib/dpkg/status.d, which scanners read, and its copyright. Nothing is downloaded.
# Fails when the compressed image exceeds IMAGE_MAX bytes.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "$1") version=$2 IMAGE_MAX=80000000 uid=10001
arch=$(dpkg --print-architecture) triplet=$(gcc -print-multiarch)
stage=$build/image root=$build/image/root archive=$build/atrium_${version}_$arch.oci.tar
modules=(/usr/lib/"$triplet"/vips-modules-*/vips-heif.so)
data=(/etc/ssl/certs/ca-certificates.crt /usr/share/publicsuffix/public_suffix_list.dafsa
    /usr/share/publicsuffix/public_suffix_list.dat /usr/lib/file/magic.mgc)

fail() { echo "image: $1" >&2; exit 1; }

# Copies a file of an installed package under the same name. Programs and libraries go to /usr, whatever the link says.
copy() {
    local to=$root${1/#\/lib/\/usr\/lib}
    [ -e "$to" ] && return
    install -D -m "$(stat -L -c %a "$1")" "$1" "$to"
    realpath "$1" >>"$stage/files"
}

copy_libraries() { # PROGRAM...
    local library
    for library in $(ldd "$@" | awk '$2 == "=>" { print $3 } $1 ~ "^/" && NF == 2 { print $1 }' | sort -u); do
        copy "${library/#\/lib64/\/lib\/$triplet}"
    done
}

# dpkg can know files in /usr by their names without /usr.
packages() {
    while read -r file; do
        dpkg-query -S "$file" 2>/dev/null || dpkg-query -S "${file#/usr}" 2>/dev/null || true
    done <"$stage/files" | grep -v '^diversion ' | sed 's/: .*//; s/, /\n/g' | sort -u
}

record() { # PACKAGE
    local name=${1%%:*}
    dpkg-query -s "$1" >"$root/var/lib/dpkg/status.d/$name"
    install -D -m 644 "/usr/share/doc/$name/copyright" "$root/usr/share/doc/$name/copyright"
}

make_root() {
    local program package
    mkdir -p "$root"/{dev,proc,sys,tmp,etc/atrium,run/atrium,run/secrets,usr/bin,usr/lib/"$triplet",usr/share/misc,usr/sbin} \
        "$root"/{usr/lib64,var/lib/atrium/bots,var/lib/atrium/storage,var/lib/dpkg/status.d}
    for link in bin sbin lib lib64; do ln -s "usr/$link" "$root/$link"; done
    for program in gateway authd settingsd maild docd botd; do
        install -m 755 "$build/bin/atrium-$program" "$root/usr/bin"
    done
    install -m 755 "$build/bin/atriumctl" "$root/usr/bin"
    strip --strip-unneeded "$root"/usr/bin/*
    : >"$stage/files"
    copy /usr/bin/dash
    copy /usr/bin/bwrap
    ln -s dash "$root/usr/bin/sh"
    for file in "${modules[@]}" "${data[@]}"; do copy "$file"; done
    copy_libraries "$root"/usr/bin/{atrium-*,atriumctl,dash,bwrap} "${modules[@]}"
    [ ! -e "$root/usr/lib/$triplet/ld-linux-x86-64.so.2" ] ||
        ln -s "../lib/$triplet/ld-linux-x86-64.so.2" "$root/usr/lib64/ld-linux-x86-64.so.2"
    ln -s ../../lib/file/magic.mgc "$root/usr/share/misc/magic.mgc"
    mkdir "$root/usr/lib/locale"
    cp -r /usr/lib/locale/C.utf8 "$root/usr/lib/locale"
    for package in $(packages) libc-bin base-files; do record "$package"; done
    install -D -m 644 LICENSE "$root/usr/share/doc/atrium/copyright"
    install -m 644 authd/data/LICENSES "$root/usr/share/doc/atrium/LICENSES.lists"
    install -m 644 web/console/vendor/LICENSES "$root/usr/share/doc/atrium/LICENSES.console"
    cp /usr/lib/os-release "$root/usr/lib/os-release"
    ln -s ../usr/lib/os-release "$root/etc/os-release"
    printf 'root:x:0:0::/:/bin/sh\natrium:x:%s:%s::/:/bin/sh\n' $uid $uid >"$root/etc/passwd"
    printf 'root:x:0:\natrium:x:%s:\n' $uid >"$root/etc/group"
    printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
    cp "$build/atrium.conf" "$root/etc/atrium/atrium.conf"
}

# Makes one layer, equal for equal files: sorted, with the commit's time.
make_layer() {
    local when own=(run/atrium var/lib/atrium)
    when=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
    chmod -R u=rwX,go=rX "$root"
    chmod 1777 "$root/tmp"
    tar -C "$root" --sort=name --mtime="@$when" --owner=0 --group=0 --numeric-owner --exclude=./run/atrium \
        --exclude=./var/lib/atrium -cf "$stage/layer.tar" .
    tar -C "$root" --sort=name --mtime="@$when" --owner=$uid --group=$uid --numeric-owner -rf "$stage/layer.tar" "${own[@]}"
    echo "$when" >"$stage/when"
}

in_buildah() { buildah --root "$stage/store" --runroot "$stage/run" --storage-driver vfs "$@"; }

make_image() {
    local container image
    container=$(in_buildah from --isolation chroot scratch)
    in_buildah add -q "$container" "$stage/layer.tar" / >/dev/null
    in_buildah config --user $uid:$uid --env PATH=/usr/bin --env LANG=C.UTF-8 --cmd '["atriumctl","--help"]' \
        --port 8080/tcp --port 9080/tcp --workingdir / --stop-signal SIGTERM \
        --label org.opencontainers.image.title=atrium --label org.opencontainers.image.version="$version" \
        --label org.opencontainers.image.licenses=Apache-2.0 --history-comment 'make image' "$container"
    image=$(in_buildah commit -q --format oci --timestamp "$(cat "$stage/when")" "$container")
    rm -f "$archive"
    in_buildah push -q "$image" "oci-archive:$archive:atrium:$version"
    in_buildah rm -a >/dev/null
    in_buildah rmi -a -f >/dev/null
}

rm -rf "$stage"
mkdir -p "$stage"
make_root
make_layer
make_image
rm -rf "$stage/store" "$stage/run" "$stage/layer.tar"
size=$(stat -c %s "$archive")
packages=$(find "$root/var/lib/dpkg/status.d" -type f | wc -l)
echo "image: $archive: $((size / 1000000)).$((size / 100000 % 10)) MB compressed, files of $packages Debian packages"
[ "$size" -le $IMAGE_MAX ] || fail "larger than $((IMAGE_MAX / 1000000)) MB"
