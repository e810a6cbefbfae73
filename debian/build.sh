#!/bin/sh
# build.sh BUILD VERSION - makes BUILD/atrium_VERSION_ARCH.deb of what `make install` put into BUILD/deb.
set -eu
build=$1 version=$2 stage=$1/deb doc=$1/deb/usr/share/doc/atrium
[ "$(dpkg-parsechangelog -S Version)" = "$version" ] || {
    echo "debian/changelog must begin with version $version" >&2
    exit 1
}
# The operator's atrium.conf is not a file of the package, so dpkg does not ask about it; postinst makes it when there is
# none. Where an older package had it as a conffile it stays: dpkg keeps conffiles that a new version no longer has.
install -D -m 644 "$stage/etc/atrium/atrium.conf" "$stage/usr/share/atrium/local.conf"
rm "$stage/etc/atrium/atrium.conf"

package=$build/atrium_${version}_$(dpkg --print-architecture).deb

strip --strip-unneeded --remove-section=.comment "$stage"/usr/bin/*
find "$stage/usr/share/man" -type f -exec gzip -9n {} +
install -m 644 debian/copyright "$doc/copyright"
gzip -9n < debian/changelog > "$doc/changelog.gz"

mkdir -p "$stage/DEBIAN"
dpkg-shlibdeps -T"$build/substvars" "$stage"/usr/bin/*
dpkg-gencontrol -T"$build/substvars" -f"$build/files" -P"$stage"
install -m 755 debian/postinst debian/prerm debian/postrm "$stage/DEBIAN"
(cd "$stage" && find usr -type f -exec md5sum {} + > DEBIAN/md5sums)
chmod -R u=rwX,go=rX "$stage"
dpkg-deb --root-owner-group -Zxz --build "$stage" "$package"
