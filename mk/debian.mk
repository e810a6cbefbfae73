# The Debian packages for building, running and testing, and the files for installations: package, bill of materials,
# image.

.PHONY: deps deps-check deps-all deps-s3 sbom deb image

# Build-Depends of debian/control except debhelper, which only the package needs; and packages that Debian takes for
# granted.
BUILD_PACKAGES := gcc make libc6-dev \
    $(shell sed -n '/^Build-Depends:/,/^[A-Z]/s/^ \([a-z0-9.+-]*\),*$$/\1/p' debian/control)
RUN_PACKAGES   := postgresql postgresql-contrib publicsuffix util-linux procps curl bubblewrap apertium \
    apertium-eng-spa
TEST_PACKAGES  := libjwt-dev mold bind9 golang-go golang-golang-x-mod-dev python3-aiosmtpd python3-requests nodejs openssl iproute2 curl
BROWSER_PACKAGES := chromium firefox-esr python3-fido2
OPENID_PACKAGES := chromium apache2-bin libapache2-mod-auth-openidc libapache2-mod-oauth2 python3-authlib python3-requests oidc-agent-cli
# LemonLDAP::NG with the packages that the bridge needs of those that Debian only recommends (deploy/bridge/README.md).
BRIDGE_PACKAGES := chromium nodejs openssl nginx-light slapd ldap-utils lemonldap-ng-fastcgi-server \
    liblemonldap-ng-portal-perl liblemonldap-ng-manager-perl liblasso-perl libnet-ldap-perl libstring-random-perl \
    libio-string-perl libio-socket-timeout-perl libunicode-string-perl libconvert-base32-perl libxml-simple-perl \
    libglib-perl libmime-tools-perl libemail-sender-perl \
    libgd-securityimage-perl libimage-magick-perl $(if $(shell command -v npm),,npm)
BENCH_PACKAGES := wrk nginx-light python3 nodejs
PEERS_PACKAGES := $(if $(shell command -v npm),,npm) openssl libulfius2.7 libhoel1.4 libiddawc1.1 librhonabwy1.1 libconfig9 libcbor0.8 libldap-2.5-0
DOCS_PACKAGES  := mkdocs mkdocs-material mandoc
DEB_PACKAGES   := dpkg-dev debhelper
NSPAWN_PACKAGES := $(DEB_PACKAGES) debootstrap systemd-container
S3_PACKAGES    := ceph-mon ceph-osd radosgw python3 openssl
IMAGE_PACKAGES := buildah ca-certificates dash bubblewrap publicsuffix libmagic-mgc
PATRONI_PACKAGES := patroni python3-etcd etcd-server haproxy postgresql openssl
CHECK_PACKAGES := python3 clang clang-format clang-tidy libclang-rt-14-dev valgrind \
    $(if $(shell command -v npm),,nodejs npm)

# Sets $missing to the packages that are not installed.
find_missing = have=" $$(dpkg-query -W -f '$${Package}=$${db:Status-Status} ' $(1) 2>/dev/null)"; missing=""; \
	for p in $(1); do case "$$have" in *" $$p=installed "*) ;; *) missing="$$missing $$p" ;; esac; done

# Installs missing packages with one apt call, or lists them if that is not possible. With a second argument, the
# packages' services are not started (policy-rc.d, for this call only).
define install_packages
	@$(call find_missing,$(1)); [ -z "$$missing" ] && exit 0; \
	if [ "$$(id -u)" = 0 ]; then sudo=; elif command -v sudo >/dev/null; then sudo=sudo; \
	else echo "Debian packages are missing. As root: apt-get install --no-install-recommends$$missing" >&2; \
	    exit 1; fi; \
	echo "Installing:$$missing"; \
	$(if $(2),policy=/usr/sbin/policy-rc.d; if [ ! -e $$policy ]; then trap "$$sudo rm -f $$policy" EXIT INT TERM; \
	    printf '#!/bin/sh\nexit 101\n' | $$sudo tee $$policy >/dev/null; $$sudo chmod 755 $$policy; fi;) \
	$$sudo apt-get update -qq && \
	$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing
endef

# Installs the Debian packages that building and running need.
deps:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES))

# Lists missing Debian packages for building, and fails if there are any. On other systems the compiler reports them.
deps-check:
	@command -v dpkg-query >/dev/null || exit 0; $(call find_missing,$(BUILD_PACKAGES)); [ -z "$$missing" ] || \
	    { echo "Debian packages are missing:$$missing. \`make deps\` installs them." >&2; exit 1; }

# Installs the Debian packages that building, running, testing and measuring need.
deps-all:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES) $(BENCH_PACKAGES) $(CHECK_PACKAGES) \
	    $(NSPAWN_PACKAGES) $(BROWSER_PACKAGES) $(DOCS_PACKAGES))

# Installs Ceph for test-s3.
deps-s3:
	$(call install_packages,$(S3_PACKAGES))

# Writes build/sbom.cdx.json, the bill of materials of the programs. See debian/sbom.pl.
sbom: $(BUILD)/sbom.cdx.json

$(BUILD)/sbom.cdx.json: $(PROGRAMS) debian/sbom.pl debian/control debian/copyright debian/changelog
	@debian/sbom.pl $(PROGRAMS) > $@

# The package's settings, which the operator's file overrides: each section as its program prints it, with keys
# commented out, because programs know their defaults. Units pass each daemon its seal key as a credential.
$(BUILD)/atrium.conf: $(PROGRAMS)
	@{ echo '# Defaults of Atrium, see atrium.conf(5). Keys behind a # have the value that is shown. The next upgrade'; \
	echo '# replaces this file: settings belong to /etc/atrium/atrium.conf and /etc/atrium/conf.d, which override it.'; \
	for section in common $(DAEMONS); do \
	    program=$(BUILD)/bin/atrium-$$([ $$section = common ] && echo $(firstword $(DAEMONS)) || echo $$section); \
	    $$program --config /dev/null --print-config | \
	        awk -v section=$$section '/^[a-z]/ {inside = $$0 == section; if (inside) print ""} inside' | \
	        sed -e 's|^    seal_key = .*|    seal_key = "$$CREDENTIALS_DIRECTORY/seal"|' -e t \
	            -e 's/^    \([a-z0-9_]* = \)/    #\1/'; \
	done; } > $@

# Builds the Debian package build/atrium_VERSION_ARCH.deb.
deb:
	$(call install_packages,$(BUILD_PACKAGES) $(DEB_PACKAGES))
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@[ "$$(dpkg-parsechangelog -S Version)" = $(VERSION) ] || \
	    { echo 'debian/changelog must begin with version $(VERSION)' >&2; exit 1; }
	@BUILD=$(BUILD) dpkg-buildpackage --build=binary --no-sign --no-check-builddeps --post-clean \
	    --buildinfo-file=$(BUILD)/atrium.buildinfo --buildinfo-option=-u$(BUILD) \
	    --changes-file=$(BUILD)/atrium.changes --changes-option=-u$(BUILD)

# Builds an OCI image with all programs, from installed Debian packages. See deploy/image/build.sh.
image:
	$(call install_packages,$(BUILD_PACKAGES) $(IMAGE_PACKAGES),without services)
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BUILD)/atrium.conf
	@deploy/image/build.sh $(BUILD) $(VERSION)
