# Atrium: the one entry point. `make run` starts everything, `make test` proves it; docs/ tells the rest.

VERSION := 0.2.0
PREFIX  ?= /usr
BUILD   ?= build
ifeq ($(origin CC),default)
CC := gcc
endif
JOBS    ?= $(shell nproc)

DAEMONS := gateway authd settingsd maild docd botd
SCHEMAS := authd settingsd maild docd botd
APIS    := authd settingsd maild docd botd

# ---- what it is built with (Debian 12) ----

# Build-Depends of debian/control but debhelper, which the package alone needs, and what a Debian that compiles has.
BUILD_PACKAGES := gcc make libc6-dev \
    $(shell sed -n '/^Build-Depends:/,/^[A-Z]/s/^ \([a-z0-9.+-]*\),*$$/\1/p' debian/control)
RUN_PACKAGES   := postgresql postgresql-contrib publicsuffix util-linux procps curl bubblewrap apertium \
    apertium-eng-spa
TEST_PACKAGES  := mold golang-go golang-golang-x-mod-dev python3-aiosmtpd nodejs openssl iproute2 curl
BROWSER_PACKAGES := chromium python3-fido2
OPENID_PACKAGES := chromium apache2-bin libapache2-mod-auth-openidc libapache2-mod-oauth2 python3-authlib python3-requests oidc-agent-cli
BENCH_PACKAGES := wrk nginx-light python3 nodejs
PEERS_PACKAGES := $(if $(shell command -v npm),,npm) openssl libulfius2.7 libhoel1.4 libiddawc1.1 librhonabwy1.1 libconfig9 libcbor0.8 libldap-2.5-0
DEB_PACKAGES   := dpkg-dev debhelper
NSPAWN_PACKAGES := $(DEB_PACKAGES) debootstrap systemd-container
S3_PACKAGES    := ceph-mon ceph-osd radosgw python3 openssl
IMAGE_PACKAGES := buildah ca-certificates dash bubblewrap publicsuffix libmagic-mgc
PATRONI_PACKAGES := patroni python3-etcd etcd-server haproxy postgresql openssl
CHECK_PACKAGES := python3 clang clang-format clang-tidy libclang-rt-14-dev valgrind \
    $(if $(shell command -v npm),,nodejs npm)

# CI fails at a warning: WERROR=1.
WARNINGS := -Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Wformat=2 -Wcast-qual \
    -Wwrite-strings -Wundef -Wvla $(if $(WERROR),-Werror)
# With the sanitizers' checks in the code gcc takes every pointer that is checked for one that may be null.
ifneq ($(findstring -fsanitize=,$(CFLAGS)),)
WARNINGS += $(if $(findstring clang,$(CC)),,-Wno-format-overflow -Wno-format-truncation -Wno-nonnull)
endif
HARDENING ?= -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fPIE
OPTIMIZE  ?= -O2 -g
# Asked when the first file is compiled.
PKG_CFLAGS = $(eval PKG_CFLAGS := $(shell pkg-config --cflags libpq gobject-2.0))$(PKG_CFLAGS)
CFLAGS_ALL = -std=gnu17 $(OPTIMIZE) $(HARDENING) $(WARNINGS) -I. -I$(BUILD)/gen -D_GNU_SOURCE \
    -DATRIUM_VERSION='"$(VERSION)"' $(PKG_CFLAGS) $(CFLAGS)
# Tables full of pointers: packed, their relocations take a fiftieth of the space. mold 1.10 omits the version that
# glibc demands then.
RELR := -Wl,-z,pack-relative-relocs
# Not `:=`: LDFLAGS may name the program.
LDFLAGS_ALL = -pie -Wl,-z,relro,-z,now $(if $(findstring mold,$(LDFLAGS)),,$(RELR)) -Wl,--as-needed $(LDFLAGS)

# Of Boost.Context only the switch of stacks, without its C++ library.
COMMON_LIBS  := -l:libboost_context.a -lseccomp -lczmq -lzmq -lmsgpackc -lpq -ljansson -lsodium -largon2 -lcrypt -lidn2 -lpsl -lunistring \
    -lcrypto -lsystemd -lacl -lpthread -lm
gateway_LIBS := -lmicrohttpd -ljwt -lcrypto -lbrotlienc -lz -lcurl
authd_LIBS   := -ljwt -lcrypto -lcurl -lfido2 -lcbor -loath -lqrencode -lpng -lunistring
maild_LIBS   := -lcurl -lgumbo
botd_LIBS    := -lcurl -lmd4c
docd_LIBS    := -lmagic -lcurl -lexpat -lzip -lvips -lwebpmux -lwebp -lgobject-2.0 -lglib-2.0
dev_LIBS     := -lcurl
TEST_LIBS    := -lcunit -lcurl -lcrypto

# ---- what is built ----

# What `make install` installs. atrium-dev, which `atriumctl dev` runs, stays in the build tree.
PROGRAMS := $(DAEMONS:%=$(BUILD)/bin/atrium-%) $(BUILD)/bin/atriumctl

.DELETE_ON_ERROR:
.PHONY: all help npm tests objects run deps deps-check deps-all deps-s3 test test-browser test-fault test-time test-all console-pictures client-types check-asan check-asan-touched check-valgrind check-tsan bench-smoke coverage compdb docs-mail-templates fuzz fuzzers bench bench-before bench-peers peers bench-scale bench-curves bench-weigh bench-trail bench-people bench-move bench-migrate fault test-peers test-patroni test-openid test-lighthouse clean format format-check lint tidy install deb test-systemd test-bare ci-nightly test-mixed test-s3 refresh-domains sbom

# Builds the daemons, atriumctl and atrium-dev in build/bin (BUILD=build-clang CC=clang CFLAGS= LDFLAGS=).
all: $(PROGRAMS) $(BUILD)/bin/atrium-dev

object = $(patsubst %.c,$(BUILD)/%.o,$(1))
# A program: the files of its folder and of the folders in it.
sources = $(wildcard $(1)/*.c $(1)/*/*.c)

# What needs libcurl is an archive of its own, for the programs that are linked with it.
CURL_SOURCES   := common/runtime/curl_loop.c common/service/fetch.c
COMMON_OBJECTS := $(call object,$(filter-out $(CURL_SOURCES),$(wildcard common/*/*.c))) \
    $(BUILD)/gen/common/service/sql.o $(BUILD)/gen/common/service/config_known.o
API_OBJECTS    := $(foreach d,$(APIS),$(call object,$(wildcard $(d)/*_api.c)))

# Statements: each <owner>/sql/<subject>/*.sql becomes calls in C; see common/pg/sqlgen.pl. The stamp is as old as the
# last run; headers change only when what they say does.
SQL_OWNERS := common/service $(SCHEMAS) tests/support/statement_kit
define sql_rule
$(BUILD)/gen/$(1)/sql.stamp: common/pg/sqlgen.pl $(wildcard $(1)/sql $(1)/sql/* $(1)/sql/*/*.sql common/service/sql/part/*.sql)
	@mkdir -p $$(@D)
	./common/pg/sqlgen.pl $(BUILD)/gen $(1) common/service
	@touch $$@
$(BUILD)/gen/$(1)/sql.c $(BUILD)/gen/$(1)/sql_part.h: $(BUILD)/gen/$(1)/sql.stamp ;
$(BUILD)/gen/$(1)/sql/%.h: $(BUILD)/gen/$(1)/sql.stamp ;
$(BUILD)/gen/$(1)/sql.o: $(BUILD)/gen/$(1)/sql.stamp | deps-check
	$$(CC) $$(CFLAGS_ALL) -MMD -MP -c $(BUILD)/gen/$(1)/sql.c -o $$@
endef
$(foreach o,$(SQL_OWNERS),$(eval $(call sql_rule,$(o))))
SQL_STAMPS := $(SQL_OWNERS:%=$(BUILD)/gen/%/sql.stamp)

# Templates of pages: FOLDER:PREFIX, see authd/page/pagegen.pl.
PAGE_OWNERS := authd/pages:page tests/support/page_kit:kit
define page_rule
$(BUILD)/gen/$(1)/pages.stamp: authd/page/pagegen.pl $(wildcard $(1) $(1)/* $(1)/*/*)
	@mkdir -p $$(@D)
	./authd/page/pagegen.pl $(BUILD)/gen $(1) $(2)
	@touch $$@
$(BUILD)/gen/$(1)/pages.c $(BUILD)/gen/$(1)/pages.h: $(BUILD)/gen/$(1)/pages.stamp ;
$(BUILD)/gen/$(1)/pages.o: $(BUILD)/gen/$(1)/pages.stamp | deps-check
	$$(CC) $$(CFLAGS_ALL) -MMD -MP -c $(BUILD)/gen/$(1)/pages.c -o $$@
endef
$(foreach o,$(PAGE_OWNERS),$(eval $(call page_rule,$(word 1,$(subst :, ,$(o))),$(word 2,$(subst :, ,$(o))))))
PAGE_STAMPS := $(foreach o,$(PAGE_OWNERS),$(BUILD)/gen/$(word 1,$(subst :, ,$(o)))/pages.stamp)
PAGE_KIT := $(BUILD)/gen/tests/support/page_kit/pages.o

# The console: what the gateway serves below /console/. The assembler finds the files in build/gen by their names.
$(BUILD)/gen/web/console/console_files.c: $(wildcard web/console/*.* web/console/*/*) docs/mail-templates.md | deps-check
	@mkdir -p $(@D)
	./web/console/build.sh $(@D)
$(BUILD)/gen/web/console/console_files.o: $(BUILD)/gen/web/console/console_files.c | deps-check
	$(CC) $(CFLAGS_ALL) -c $< -o $@

$(BUILD)/%.o: %.c | deps-check $(SQL_STAMPS) $(PAGE_STAMPS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -MMD -MP -c $< -o $@

$(BUILD)/libcommon.a: $(COMMON_OBJECTS)
	@rm -f $@
	ar rcs $@ $^

# What every program knows of the daemons: the shapes of their operations.
$(BUILD)/libapi.a: $(API_OBJECTS)
	@rm -f $@
	ar rcs $@ $^

$(BUILD)/libcurl_loop.a: $(call object,$(CURL_SOURCES))
	@rm -f $@
	ar rcs $@ $^

# The schema files of a daemon, inside its program. The folder is younger than a file that came or went.
define schema_rule
$(BUILD)/gen/$(1)_schema.c: $(1)/schema $(sort $(wildcard $(1)/schema/*.sql)) common/pg/embed.sh
	@mkdir -p $$(@D)
	./common/pg/embed.sh $(1) $$(filter %.sql,$$^) > $$@
$(BUILD)/gen/$(1)_schema.o: $(BUILD)/gen/$(1)_schema.c | deps-check
	$$(CC) $$(CFLAGS_ALL) -c $$< -o $$@
endef
$(foreach d,$(SCHEMAS),$(eval $(call schema_rule,$(d))))
# ctl/schema/ is what a superuser runs for all of them.
$(eval $(call schema_rule,ctl))

# The keys that each daemon has in the configuration, for the others.
$(BUILD)/gen/common/service/config_known.c: common/service/config_known.pl common/service/service.h $(foreach d,$(DAEMONS),$(d)/$(d).c)
	@mkdir -p $(@D)
	./common/service/config_known.pl $(filter-out %.pl,$^) > $@.new
	@mv $@.new $@
$(BUILD)/gen/common/service/config_known.o: $(BUILD)/gen/common/service/config_known.c | deps-check
	$(CC) $(CFLAGS_ALL) -c $< -o $@

# What the assembler includes is in no .d file.
$(BUILD)/authd/account/mail_domain_data.o: authd/data/free_mail.txt authd/data/throwaway.txt
$(BUILD)/authd/credential/common_password.o: $(BUILD)/gen/authd/common_passwords.filter

# The list of common passwords as authd carries it. atriumctl makes it, as it makes an operator's: when the list changes,
# or what makes filters.
$(BUILD)/gen/authd/common_passwords.filter: authd/data/common_passwords.txt $(wildcard common/domain/password_*.[ch]) \
    | $(BUILD)/bin/atriumctl
	@mkdir -p $(@D)
	@rm -f $@
	$(BUILD)/bin/atriumctl passwords build $< $@ >/dev/null
	$(BUILD)/bin/atriumctl passwords verify $@ --list $< >/dev/null

# A program NAME of NAME_OBJECTS and these libraries.
define link_rule
$(BUILD)/bin/$(1): $$($(1)_OBJECTS) $(BUILD)/libapi.a $(BUILD)/libcommon.a $(if $(filter -lcurl,$(2)),$(BUILD)/libcurl_loop.a)
	@mkdir -p $$(@D)
	$$(CC) $$(LDFLAGS_ALL) -o $$@ $$($(1)_OBJECTS) $(if $(filter -lcurl,$(2)),$(BUILD)/libcurl_loop.a) \
	    $(BUILD)/libapi.a $(BUILD)/libcommon.a $(2) $(COMMON_LIBS)
endef

# A daemon is every file of its folder but the API, which libapi.a carries for all.
define daemon_rule
atrium-$(1)_OBJECTS := $$(call object,$$(filter-out $$(wildcard $(1)/*_api.c),$$(call sources,$(1)))) \
    $(if $(filter $(1),$(SCHEMAS)),$(BUILD)/gen/$(1)_schema.o $(BUILD)/gen/$(1)/sql.o) \
    $(if $(filter authd,$(1)),$(BUILD)/gen/authd/pages/pages.o) \
    $(if $(filter gateway,$(1)),$(BUILD)/gen/web/console/console_files.o)
$$(eval $$(call link_rule,atrium-$(1),$($(1)_LIBS)))
endef
$(foreach d,$(DAEMONS),$(eval $(call daemon_rule,$(d))))

# ctl/ has two: atriumctl, and atrium-dev, which is not installed, with a few files of ctl/ that both need.
atriumctl_OBJECTS  := $(call object,$(wildcard ctl/*.c)) $(BUILD)/gen/ctl_schema.o
atrium-dev_OBJECTS := $(call object,$(wildcard ctl/dev/*.c) \
    $(addprefix ctl/,arguments.c ctl_bus.c error_line.c files.c printable.c provision.c)) $(BUILD)/gen/ctl_schema.o
$(eval $(call link_rule,atriumctl,))
$(eval $(call link_rule,atrium-dev,$(dev_LIBS)))

# ---- tests: each test_*.c is one CUnit program ----

# UNIT_TESTS start no process and no server, INTEGRATION_TESTS what they need; each is linked with what it tests.
# HTTP_TESTS start a whole suite. What they share is in tests/support: a test is linked with what it calls of that.
tests_of = $(patsubst %.c,$(BUILD)/%,$(wildcard $(1:%=tests/%/test_*.c)))
UNIT_TESTS := $(call tests_of,unit)
INTEGRATION_TESTS := $(call tests_of,integration)
HTTP_TESTS := $(call tests_of,http fault)
ALL_TESTS := $(UNIT_TESTS) $(INTEGRATION_TESTS) $(HTTP_TESTS)
# They are compiled and linked in the least time; FORTIFY_SOURCE would need an optimization.
$(ALL_TESTS:%=%.o): private OPTIMIZE := -O0 -g
$(ALL_TESTS:%=%.o): private HARDENING := -fPIE
$(ALL_TESTS): private LDFLAGS += $(if $(shell command -v mold),-fuse-ld=mold)
# Those of one tier; tests/tier.sh says how a test names its own.
tier = $(patsubst %,$(BUILD)/tests/%,$(shell tests/tier.sh $(1)))
TEST_ARCHIVES := $(addprefix $(BUILD)/,libsupport.a libcurl_loop.a libapi.a libcommon.a)

$(BUILD)/libsupport.a: $(call object,$(wildcard tests/support/*.c)) $(BUILD)/gen/tests/support/statement_kit/sql.o $(PAGE_KIT)
	@rm -f $@
	ar rcs $@ $^

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(TEST_ARCHIVES)
	$(CC) $(LDFLAGS_ALL) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(COMMON_LIBS) $(TEST_LIBS)

# A test named after a program's folder (test_authd_token.c) is linked with all of it but its main file.
define program_test_rule
$(BUILD)/tests/$(3)/test_$(1)_%: $(BUILD)/tests/$(3)/test_$(1)_%.o $(2) $(TEST_ARCHIVES)
	$$(CC) $$(LDFLAGS_ALL) -o $$@ $$^ $($(1)_LIBS) $$(COMMON_LIBS) $$(TEST_LIBS)
endef
$(foreach f,unit integration,\
    $(foreach d,$(DAEMONS),$(eval $(call program_test_rule,$(d),$(filter-out $(BUILD)/$(d)/$(d).o,$(atrium-$(d)_OBJECTS)),$(f))))\
    $(eval $(call program_test_rule,ctl,$(sort $(filter-out $(BUILD)/ctl/ctl.o $(BUILD)/ctl/dev/dev.o,\
        $(atriumctl_OBJECTS) $(atrium-dev_OBJECTS))),$(f))))

# What the fuzz targets call, beside common/. A target fuzz_x.c is the function fuzz_x(): libFuzzer gets it under its own
# name, test_fuzz_corpus has them all.
FUZZ_TARGETS := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_SUPPORT := $(PAGE_KIT) $(call object,tests/fuzz/fuzz.c authd/page/page.c authd/page/page_put.c authd/credential/user_agent.c authd/passkey/webauthn.c $(wildcard botd/translation/mask*.c) \
    botd/bot/token_search.c docd/document/disposition.c docd/store/post_policy.c docd/store/sigv4.c docd/document/sniff.c gateway/http/decode.c gateway/http/framing.c gateway/auth/keys.c \
    gateway/http/multipart.c gateway/http/range.c gateway/endpoint/routes.c gateway/auth/token.c maild/buffer.c maild/render.c \
    maild/template_html.c maild/template_names.c)
FUZZ_LIBS := -lmagic -lfido2 -lcbor -lcrypto -lgumbo -lmd4c
$(BUILD)/tests/unit/test_fuzz_corpus: $(FUZZ_TARGETS:%=$(BUILD)/tests/fuzz/%.o) $(FUZZ_SUPPORT)
$(BUILD)/tests/unit/test_fuzz_corpus: TEST_LIBS += $(FUZZ_LIBS)

# The mask without the rest of botd, whose programs have the names of those of the tests.
$(BUILD)/tests/integration/test_markup: $(call object,$(wildcard botd/translation/mask*.c))
$(BUILD)/tests/integration/test_markup: TEST_LIBS += -lmd4c

FUZZERS := $(FUZZ_TARGETS:%=$(BUILD)/tests/fuzz/%)
$(FUZZERS): %: %.o $(FUZZ_SUPPORT) $(BUILD)/libapi.a $(BUILD)/libcommon.a
	$(CC) $(LDFLAGS_ALL) -fsanitize=fuzzer -Wl,--defsym=LLVMFuzzerTestOneInput=$(@F) -o $@ $^ $(FUZZ_LIBS) $(COMMON_LIBS)

# By `make test-patroni` alone.
PATRONI_TEST := $(BUILD)/tests/patroni/test_patroni
$(PATRONI_TEST): $(BUILD)/tests/patroni/patroni.o

# By `make test-openid` alone.
OPENID_TEST := $(BUILD)/tests/openid/test_openid
# By `make test-lighthouse` alone.
LIGHTHOUSE_TEST := $(BUILD)/tests/lighthouse/test_lighthouse

BENCH_PROGRAMS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/bench/*.c))
# seed writes what authd would: it is linked with all of it but its main file. It says how far it is as atriumctl does.
$(BUILD)/tests/bench/seed: $(filter-out $(BUILD)/authd/authd.o,$(atrium-authd_OBJECTS)) $(BUILD)/ctl/progress.o
$(BUILD)/tests/bench/passkeys: $(BUILD)/tests/support/authenticator.o
$(BUILD)/tests/bench/trail: $(BUILD)/tests/support/trail_proof.o
$(addprefix $(BUILD)/tests/bench/,people scale seed trail): $(BUILD)/tests/support/bench.o
$(BENCH_PROGRAMS): $(BUILD)/tests/bench/%: $(BUILD)/tests/bench/%.o $(BUILD)/libapi.a $(BUILD)/libcurl_loop.a $(BUILD)/libcommon.a
	$(CC) $(LDFLAGS_ALL) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(gateway_LIBS) $(authd_LIBS) $(docd_LIBS) -lcurl \
	    $(COMMON_LIBS)

.PRECIOUS: $(BUILD)/%.o

# Builds every test and benchmark program.
tests: $(ALL_TESTS) $(PATRONI_TEST) $(OPENID_TEST) $(LIGHTHOUSE_TEST) $(BENCH_PROGRAMS)

-include $(shell find $(BUILD) -name node_modules -prune -o -type f -name '*.d' -print 2>/dev/null)

# ---- the targets people type ----

# Sets $missing to those of these packages that are not installed.
find_missing = have=" $$(dpkg-query -W -f '$${Package}=$${db:Status-Status} ' $(1) 2>/dev/null)"; missing=""; \
	for p in $(1); do case "$$have" in *" $$p=installed "*) ;; *) missing="$$missing $$p" ;; esac; done

# One apt call for what is missing, or a clear list when it cannot be made. With a second argument no service of the
# packages is started (policy-rc.d, for this call alone).
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

# Prints this list.
help:
	@awk -f tests/lint/help.awk $(filter Makefile mk/%,$(MAKEFILE_LIST))

# Installs the Debian packages that building and running need.
deps:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES))

# Lists the Debian packages that building needs and that are missing, and fails if there are any. Elsewhere than on Debian
# the compiler tells.
deps-check:
	@command -v dpkg-query >/dev/null || exit 0; $(call find_missing,$(BUILD_PACKAGES)); [ -z "$$missing" ] || \
	    { echo "Debian packages are missing:$$missing. \`make deps\` installs them." >&2; exit 1; }

# Installs the Debian packages that building, running, testing and measuring need.
deps-all:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES) $(BENCH_PACKAGES) $(CHECK_PACKAGES) \
	    $(NSPAWN_PACKAGES) $(BROWSER_PACKAGES))

# Installs Ceph for test-s3.
deps-s3:
	$(call install_packages,$(S3_PACKAGES))

# Installs what is missing, builds, and starts a suite with a demo tenant.
run: deps
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@exec $(BUILD)/bin/atriumctl dev

# $(1): a tier, or "all".
define run_tier
	@$(MAKE) --no-print-directory -j$(JOBS) all $(call tier,$(1))
	@BUILD=$(BUILD) tests/run.sh $(call tier,$(1))
endef
define install_npm
	@! command -v npm >/dev/null || tests/npm.sh $(NPM_TESTS) || true
endef

# Runs the unit tests, the integration tests, every route over HTTP and one death for each mechanism, without a browser
# and npm (ATRIUM_TEST_ONLY='test_bot*' ATRIUM_TEST_JOBS=).
test:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES))
	@$(MAKE) --no-print-directory -j$(JOBS) all $(call tier,test)
	@BUILD=$(BUILD) tests/run.sh $(call tier,test); status=$$?; \
	    echo 'Other tiers: make test-browser, make test-fault, make test-time; make test-all runs all four.'; exit $$status

# Runs the tests of the console and the hosted pages in Chromium, of the TypeScript client and of what else needs npm.
test-browser:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES) $(BROWSER_PACKAGES))
	$(install_npm)
	$(call run_tier,browser)

# Runs the tests that kill daemons, PostgreSQL and servers at every moment, or cut the lines between hosts.
test-fault:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES))
	$(install_npm)
	$(call run_tier,fault)

# Runs the tests that assert a duration or need the machine alone, one by one.
test-time:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES))
	$(install_npm)
	$(call run_tier,time)

# Runs the tests of all four tiers, with one closing line.
test-all:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES) $(BROWSER_PACKAGES))
	$(install_npm)
	$(call run_tier,all)

# Packages of the npm registry that the tests use, all in build/npm; see tests/npm.sh. Without them the tests that need them
# say so and are left out; .ci/run insists on them. What is large and for one target alone is not among them.
NPM_TESTS := client console fhir import markup openapi-clients otlp pages passkeys s3 sharp webhooks

# Installs what the tests need of the npm registry in build/npm; `make npm-WORKSPACE` installs one folder's of tests/ beside.
npm:
	@tests/npm.sh $(NPM_TESTS)

npm-%:
	@tests/npm.sh $*

# Writes the types of clients/typescript from this tree's /openapi.json; needs npm.
client-types: deps npm-client
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@BUILD=$(BUILD) tests/client/types.sh

# AddressSanitizer and UndefinedBehaviorSanitizer in every program; a report fails the test that it belongs to.
# AddressSanitizer's strstr() measures all of the text at each call: a template with thousands of placeholders would take
# longer than a request may. Beside each program is the map of its linker.
ASAN_MAKE = $(MAKE) --no-print-directory -j$(JOBS) BUILD=build-asan OPTIMIZE='-O1 -g' \
    HARDENING=-fno-omit-frame-pointer CFLAGS=-fsanitize=address,undefined \
    LDFLAGS='-fsanitize=address,undefined -Wl,-Map=$$@.map'
ASAN_RUN = BUILD=build-asan ATRIUM_TEST_JOBS=2 ATRIUM_TEST_COST=2 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
    ASAN_OPTIONS=intercept_strstr=0 tests/run.sh

# Runs the tests with AddressSanitizer and UndefinedBehaviorSanitizer in every program.
check-asan:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES))
	@$(ASAN_MAKE) all tests
	@$(ASAN_RUN) $(ALL_TESTS:$(BUILD)/%=build-asan/%)

# Runs as check-asan the programs that a change touches, as many as there is time for (REF=HEAD~1
# ATRIUM_ASAN_SECONDS=240). See tests/touched.py.
check-asan-touched:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES) git python3)
	@$(ASAN_MAKE) all tests
	@programs=$$(tests/touched.py build-asan '$(REF)' "$${ATRIUM_ASAN_SECONDS:-240}" $(patsubst $(BUILD)/%,build-asan/%,$(filter-out %/test_coverage,$(ALL_TESTS)))) && \
	    { [ -z "$$programs" ] || $(ASAN_RUN) $$programs; }

# Valgrind over the programs of unit and integration. It has no pidfd and no openat2, and is itself what /proc/self/exe names, by which some
# start their other processes: those are left to check-asan, as are hundreds of megapixels. Then over the daemons, while
# some HTTP programs drive them.
NOT_UNDER_VALGRIND := $(addprefix $(BUILD)/tests/integration/test_,botd_sandbox bus bus_deaths bus_garbage bus_tcp ctl_suite docd_image \
    docd_image_process docd_image_start docd_variant \
    maild_queue outbox)
VALGRIND := valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect \
    --child-silent-after-fork=yes
UNDER_VALGRIND := $(addprefix $(BUILD)/tests/http/test_,address_rules content ctl_commands documents file_cache locales settings)

# Runs the unit and integration programs under Valgrind, then the daemons while some HTTP programs drive them.
check-valgrind:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES) valgrind)
	@$(MAKE) --no-print-directory -j$(JOBS) all tests
	@BUILD=$(BUILD) ATRIUM_TEST_JOBS=2 ATRIUM_TEST_COST=4 ATRIUM_TEST_COMMAND='$(VALGRIND)' tests/run.sh $(filter-out $(NOT_UNDER_VALGRIND),$(UNIT_TESTS) $(INTEGRATION_TESTS))
	@BUILD=$(BUILD) tests/valgrind.sh '$(VALGRIND)' $(UNDER_VALGRIND)

# ThreadSanitizer over the programs of what runs on threads: fibers, the loop, pools, the resolver, SMTP. What it
# passes over, and why: tests/tsan_suppressions.
UNDER_TSAN := $(addprefix build-tsan/tests/,unit/test_fiber unit/test_loop unit/test_offload integration/test_maild_smtp \
    integration/test_resolver)

# Runs the unit programs of what uses threads with ThreadSanitizer.
check-tsan:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES))
	@$(MAKE) --no-print-directory -j$(JOBS) BUILD=build-tsan OPTIMIZE='-O1 -g' HARDENING=-fno-omit-frame-pointer \
	    CFLAGS=-fsanitize=thread LDFLAGS=-fsanitize=thread $(UNDER_TSAN)
	@BUILD=build-tsan TSAN_OPTIONS=halt_on_error=1:suppressions=$(CURDIR)/tests/tsan_suppressions \
	    tests/run.sh $(UNDER_TSAN)

# Runs bench, bench-before and bench-curves for a few seconds, to see that they still run.
bench-smoke:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(BENCH_PACKAGES) openssl)
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BENCH_PROGRAMS)
	@BUILD=$(BUILD) BENCH_ONLY=me BENCH_ROUNDS=1 BENCH_SECONDS=1 tests/bench/run.sh
	@BUILD=$(BUILD) BENCH_ONLY=me BENCH_ROUNDS=1 BENCH_SECONDS=1 tests/bench/before.py $(BUILD)
	@BUILD=$(BUILD) CURVES_ONLY=bus CURVES_ROUNDS=1 CURVES_SECONDS=1 tests/bench/curves.py

# Prints which lines the tests run, by folder (COVERAGE_ONLY='test_db*'). See tests/coverage.py.
coverage:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES) python3)
	@$(MAKE) --no-print-directory -j$(JOBS) BUILD=build-coverage OPTIMIZE='-O0 -g' HARDENING= CFLAGS=--coverage \
	    LDFLAGS=--coverage all tests
	@find build-coverage -name '*.gcda' -delete
	@BUILD=build-coverage ATRIUM_TEST_ONLY='$(COVERAGE_ONLY)' \
	    tests/run.sh $(ALL_TESTS:$(BUILD)/%=build-coverage/%) || true
	@tests/coverage.py build-coverage

# Writes docs/mail-templates.md from the rows of maild.
docs-mail-templates: $(BUILD)/tests/unit/test_maild_template_page
	@ATRIUM_WRITE_DOCS=1 $<

# Writes compile_commands.json for editors and tools.
compdb: deps
	@$(MAKE) --no-print-directory -Bn all tests | tests/lint/compdb.py > compile_commands.json.new
	@mv compile_commands.json.new compile_commands.json

FUZZ_SECONDS ?= 60
FUZZ_SEED ?= 0

# Fuzzes each parser of bytes from outside, two at a time (FUZZ_SECONDS=60 for each, FUZZ_SEED= for the same inputs
# again). Inputs that break something are left in build-fuzz/tests/fuzz/finds. See tests/fuzz/run.sh.
fuzz:
	$(call install_packages,$(BUILD_PACKAGES) clang libclang-rt-14-dev)
	@$(MAKE) --no-print-directory -j$(JOBS) BUILD=build-fuzz CC=clang OPTIMIZE='-O1 -g' \
	    HARDENING=-fno-omit-frame-pointer \
	    CFLAGS='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all' \
	    LDFLAGS=-fsanitize=address,undefined fuzzers
	@FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_SEED=$(FUZZ_SEED) tests/fuzz/run.sh $(FUZZ_TARGETS:%=build-fuzz/tests/fuzz/%)

# Builds the fuzz targets, with the flags of fuzz.
fuzzers: $(FUZZERS)

# Measures rates, latencies, CPU and memory beside a bare HTTP server (BENCH_ONLY="me list" BENCH_ROUNDS=
# BENCH_SECONDS=). Fails where passkeys sign in at less than 7 times the rate of passwords, or an import is slower than a
# quarter of COPY.
bench:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(BENCH_PACKAGES))
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BENCH_PROGRAMS)
	@! command -v npm >/dev/null || tests/npm.sh sharp || true
	@BUILD=$(BUILD) tests/bench/run.sh

# Measures the CPU time of requests beside the build of a commit (REF=HEAD~1 BENCH_ONLY="me list" BENCH_ROUNDS=).
# See tests/bench/before.py.
bench-before:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(BENCH_PACKAGES) git)
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BENCH_PROGRAMS)
	@BUILD=$(BUILD) tests/bench/before.py $(REF)

# glewlwyd is unpacked and not installed: its package would ask for a database, start a service and keep a well-known
# password.
build/peers/glewlwyd/usr/bin/glewlwyd:
	@mkdir -p build/peers
	cd build/peers && apt-get download -qq -o APT::Sandbox::User=$$(id -un) glewlwyd && dpkg -x glewlwyd_*.deb glewlwyd

# Installs what bench-peers and test-peers compare with: Debian's glewlwyd in build/peers, packages of the npm registry.
peers: build/peers/glewlwyd/usr/bin/glewlwyd npm-peers

# Measures the suite beside PocketBase, Directus, glewlwyd and nginx (BENCH_ONLY= BENCH_PEERS="pocketbase nginx"
# BENCH_ROUNDS=). See tests/bench/peers.py.
bench-peers:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(BENCH_PACKAGES) $(PEERS_PACKAGES))
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BENCH_PROGRAMS) peers
	@BUILD=$(BUILD) tests/bench/peers.py

# Imports the people of better-auth, PocketBase, Directus, Parse Server and glewlwyd, and signs them in.
# See tests/import/export.py.
test-peers:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES) $(PEERS_PACKAGES))
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BUILD)/tests/http/test_import_peers
	@$(MAKE) --no-print-directory npm-import peers
	@BUILD=$(BUILD) ATRIUM_REQUIRE_ALL=1 ATRIUM_REQUIRE_PEERS=1 tests/run.sh $(BUILD)/tests/http/test_import_peers

# Kills daemons and PostgreSQL under mixed load, and reports what was lost, wrong or late (FAULT_SECONDS=300
# FAULT_SEED=). tests/fault/test_chaos.c says what else can be set.
fault:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES))
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BUILD)/tests/fault/test_chaos
	@FAULT_SECONDS=$${FAULT_SECONDS:-300} FAULT_EVERY_MS=$${FAULT_EVERY_MS:-5000} \
	    FAULT_STALL_MS=$${FAULT_STALL_MS:-2000} $(BUILD)/tests/fault/test_chaos

# Runs PostgreSQL under Patroni behind HAProxy by the recipes in deploy/, and cuts power under load; three minutes.
# See tests/patroni/test_patroni.c.
test-patroni:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES))
	$(call install_packages,$(PATRONI_PACKAGES),without services)
	@$(MAKE) --no-print-directory -j$(JOBS) all $(PATRONI_TEST)
	@ATRIUM_TEST_SECONDS=600 tests/run.sh $(PATRONI_TEST)

# Signs people in by OpenID Connect clients from npm and Debian; a minute. See tests/openid/test_openid.c.
test-openid: npm-openid
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES) $(OPENID_PACKAGES),without services)
	@$(MAKE) --no-print-directory -j$(JOBS) all $(OPENID_TEST)
	@BUILD=$(BUILD) tests/run.sh $(OPENID_TEST)

# Measures the hosted pages and the console by Lighthouse; ten minutes (ATRIUM_LIGHTHOUSE_ONLY=WORD).
# See tests/lighthouse/lighthouse.mjs.
test-lighthouse: npm-lighthouse
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES) chromium)
	@$(MAKE) --no-print-directory -j$(JOBS) all $(LIGHTHOUSE_TEST)
	@BUILD=$(BUILD) ATRIUM_TEST_SECONDS=1260 tests/run.sh $(LIGHTHOUSE_TEST)

# Takes the pictures in docs/console of a demo tenant; needs npm. See tests/console/pictures.sh.
console-pictures: npm-console
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) chromium)
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@BUILD=$(BUILD) tests/console/pictures.sh docs/console

# Compares a large suite with one of ten tenants, and fails beyond a ratio of 1.3 (TENANTS=10000 ACCOUNTS=1000000).
# See tests/bench/scale.sh.
bench-scale:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES))
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BENCH_PROGRAMS)
	@BUILD=$(BUILD) TENANTS=$(TENANTS) ACCOUNTS=$(ACCOUNTS) tests/bench/scale.sh

# Measures what a request costs with more instances, connections and accounts, and behind TLS (CURVES_ONLY="tls bus").
# Ten minutes. Fails when a request is refused, or a renewal among a million accounts takes 1.3 times as long.
# See tests/bench/curves.py.
bench-curves:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(BENCH_PACKAGES) openssl)
	$(call install_packages,haproxy,without services)
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BENCH_PROGRAMS)
	@BUILD=$(BUILD) tests/bench/curves.py

# Counts what one sign-in and one refresh cost PostgreSQL. See tests/bench/weigh.sh.
bench-weigh:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) python3)
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BENCH_PROGRAMS)
	@BUILD=$(BUILD) tests/bench/weigh.sh

# Measures the trees and proofs of the audit trail (BENCH_ROWS=10000000 BENCH_TENANTS=1). See tests/bench/trail.sh.
bench-trail:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES))
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BENCH_PROGRAMS)
	@BUILD=$(BUILD) BENCH_ROWS=$(BENCH_ROWS) BENCH_TENANTS=$(BENCH_TENANTS) tests/bench/trail.sh

# Measures an admin's lists and searches of people, and fails at a p99 of 20 ms (ACCOUNTS=1000000).
# See tests/bench/people.sh.
bench-people:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES))
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BENCH_PROGRAMS)
	@BUILD=$(BUILD) ACCOUNTS=$(ACCOUNTS) tests/bench/people.sh

# Measures for how long a tenant's writes are refused while it moves (ACCOUNTS="1000 100000" DOCUMENTS=100).
# See tests/bench/move.sh.
bench-move:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) python3)
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BENCH_PROGRAMS)
	@BUILD=$(BUILD) ACCOUNTS="$(ACCOUNTS)" DOCUMENTS=$(DOCUMENTS) tests/bench/move.sh

# Upgrades a suite under load, and fails when a migration locks a table for a second (REF=HEAD~1 ACCOUNTS=1000000).
# See tests/bench/migrate.sh.
bench-migrate:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) git python3)
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@BUILD=$(BUILD) ACCOUNTS=$(ACCOUNTS) tests/bench/migrate.sh $(REF)

# What completes the commands of atriumctl in a shell, where each looks for it.
COMPLETIONS := bash-completion/completions/atriumctl zsh/site-functions/_atriumctl fish/vendor_completions.d/atriumctl.fish
$(COMPLETIONS:%=$(BUILD)/share/%): $(BUILD)/share/%: $(BUILD)/bin/atriumctl
	@mkdir -p $(@D)
	$< completion $(firstword $(subst -, ,$(subst /, ,$*))) > $@

# Installs programs, systemd units, man pages and an example of the configuration (DESTDIR= PREFIX=/usr).
install: all $(BUILD)/atrium.conf $(BUILD)/sbom.cdx.json $(COMPLETIONS:%=$(BUILD)/share/%)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)/etc/atrium/conf.d
	install -m 755 $(PROGRAMS) $(DESTDIR)$(PREFIX)/bin
	for d in $(DAEMONS); do \
	    install -D -m 644 $$d/$$d.8 $(DESTDIR)$(PREFIX)/share/man/man8/atrium-$$d.8 || exit 1; done
	install -D -m 644 ctl/atriumctl.1 $(DESTDIR)$(PREFIX)/share/man/man1/atriumctl.1
	for file in $(COMPLETIONS); do \
	    install -D -m 644 $(BUILD)/share/$$file $(DESTDIR)$(PREFIX)/share/$$file || exit 1; done
	install -D -m 644 common/service/atrium.conf.5 $(DESTDIR)$(PREFIX)/share/man/man5/atrium.conf.5
	for unit in systemd/*.service systemd/*.socket systemd/*.target systemd/*.timer; do \
	    install -D -m 644 $$unit $(DESTDIR)$(PREFIX)/lib/systemd/system/$${unit##*/} || exit 1; done
	sed -i 's|=/usr/bin/|=$(PREFIX)/bin/|' $(DESTDIR)$(PREFIX)/lib/systemd/system/atrium-*.service
	install -D -m 644 systemd/atrium.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/atrium.conf
	install -D -m 644 systemd/atrium.tmpfiles $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/atrium.conf
	install -d $(DESTDIR)$(PREFIX)/share/doc/atrium
	install -m 644 CHANGELOG.md docs/*.md $(DESTDIR)$(PREFIX)/share/doc/atrium
	install -d $(DESTDIR)$(PREFIX)/share/doc/atrium/console
	install -m 644 docs/console/* $(DESTDIR)$(PREFIX)/share/doc/atrium/console
	install -d $(DESTDIR)$(PREFIX)/share/doc/atrium/monitoring
	install -m 644 docs/monitoring/* $(DESTDIR)$(PREFIX)/share/doc/atrium/monitoring
	install -d $(DESTDIR)$(PREFIX)/share/doc/atrium/measurements
	install -m 644 docs/measurements/* $(DESTDIR)$(PREFIX)/share/doc/atrium/measurements
	for file in $(wildcard deploy/*.* deploy/compose/*.conf deploy/kubernetes/*); do \
	    install -D -m 644 $$file $(DESTDIR)$(PREFIX)/share/doc/atrium/$$file || exit 1; done
	install -D -m 644 authd/data/common_passwords.txt $(DESTDIR)$(PREFIX)/share/atrium/common_passwords.txt
	install -m 644 $(BUILD)/sbom.cdx.json $(DESTDIR)$(PREFIX)/share/doc/atrium
	install -D -m 644 authd/data/LICENSES $(DESTDIR)$(PREFIX)/share/doc/atrium/LICENSES.lists
	install -D -m 644 web/console/vendor/LICENSES $(DESTDIR)$(PREFIX)/share/doc/atrium/LICENSES.console
	install -D -m 644 $(BUILD)/atrium.conf $(DESTDIR)$(PREFIX)/share/atrium/atrium.conf
	[ -e $(DESTDIR)/etc/atrium/atrium.conf ] || \
	    install -m 644 common/service/atrium.conf $(DESTDIR)/etc/atrium/atrium.conf

# Writes build/sbom.cdx.json, the bill of materials of the programs. See debian/sbom.pl.
sbom: $(BUILD)/sbom.cdx.json

$(BUILD)/sbom.cdx.json: $(PROGRAMS) debian/sbom.pl debian/control debian/copyright debian/changelog
	@debian/sbom.pl $(PROGRAMS) > $@

# What the package sets, which the operator's file overrides: each section as its program prints it, the keys commented
# out, because the programs know their defaults. The units hand each daemon its seal key as a credential.
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

.PHONY: image test-image drill

# Builds an OCI image with all programs, from installed Debian packages. See deploy/image/build.sh.
image:
	$(call install_packages,$(BUILD_PACKAGES) $(IMAGE_PACKAGES),without services)
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BUILD)/atrium.conf
	@deploy/image/build.sh $(BUILD) $(VERSION)

# Runs a suite out of the OCI image, and checks the manifests in deploy/ against schemas; needs root.
# What cannot run says so.
test-image: image
	$(call install_packages,$(RUN_PACKAGES) python3)
	@tests/image/run.sh $(BUILD)/atrium_$(VERSION)_$$(dpkg --print-architecture).oci.tar
	@if command -v npm >/dev/null; then tests/npm.sh manifests && tests/manifests/run.sh; \
	else echo 'test-image: manifests: left out: there is no npm'; fi

# Loses PostgreSQL and restores it from base backup and write-ahead log (DRILL_ROWS= DRILL_SECONDS=).
# See tests/drill/run.sh.
drill:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) python3)
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@BUILD=$(BUILD) tests/drill/run.sh

# Installs, restarts, kills, upgrades and purges the package on a Debian of its own; needs root. Says so and does
# nothing else.
test-systemd:
	$(call install_packages,$(BUILD_PACKAGES) $(NSPAWN_PACKAGES))
	@$(MAKE) --no-print-directory deb
	@tests/systemd/run.sh $(BUILD)/atrium_$(VERSION)_$$(dpkg --print-architecture).deb

# Runs the README's two commands on a bare Debian in a container; needs root (ATRIUM_BARE_USERS=root ATRIUM_TEST_ONLY=).
test-bare:
	$(call install_packages,$(NSPAWN_PACKAGES))
	@tests/bare/run.sh

# Runs the checks that take too long for each change, one after the other. The first that fails ends it.
ci-nightly:
	@for target in test-bare tidy fuzz check-asan check-valgrind check-tsan bench-smoke test-s3 test-mixed test-patroni test-openid test-lighthouse test-image test-peers drill fault; do \
	    echo "ci-nightly: $$target"; $(MAKE) --no-print-directory WERROR=1 $$target || exit 1; done

# Tests an upgrade half done, with daemons of both builds (REF=HEAD~1). See tests/mixed/run.sh.
test-mixed:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES) git python3)
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@BUILD=$(BUILD) tests/mixed/run.sh $(REF)

S3_TESTS := $(addprefix $(BUILD)/tests/http/,test_s3 test_s3_faults)

# Runs the tests of S3 against a Ceph cluster. Buckets are in paths, then in hosts; one program at a time, as there is one
# bucket.
test-s3: deps-s3
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES))
	@$(MAKE) --no-print-directory -j$(JOBS) all $(S3_TESTS)
	@tests/npm.sh s3
	@for style in path host; do \
	    echo "test-s3: $$style"; \
	    BUILD=$(BUILD) ATRIUM_TEST_JOBS=1 ATRIUM_REQUIRE_ALL=1 ATRIUM_S3_STYLE=$$style tests/s3/radosgw.sh \
	        tests/run.sh $(S3_TESTS) || exit 1; \
	done

SOURCES := $(wildcard $(foreach d,common $(DAEMONS) ctl tests,$(d)/*.[ch] $(d)/*/*.[ch]))

# Compiles every file and links no program, to see what another compiler warns of (BUILD=build-clang CC=clang).
objects: $(call object,$(filter %.c,$(SOURCES)))

# Formats the sources: tests/lint/style.py and clang-format.
format:
	@tests/lint/style.py
	clang-format -i $(SOURCES)

# Fails where clang-format would change a source.
format-check:
	$(call install_packages,clang-format)
	@clang-format --dry-run -Werror $(SOURCES)

# Checks the rules of the tree that no compiler checks. See tests/lint/lint.py; its own test runs first.
lint:
	$(call install_packages,$(BUILD_PACKAGES) git python3)
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@tests/tier.sh all >/dev/null
	@tests/lint/test_lint.py
	@tests/lint/test_sqlgen.py
	@tests/lint/test_pagegen.py
	@$(MAKE) --no-print-directory help >/dev/null
	@tests/lint/lint.py --objects $(BUILD) --headers '$(subst ','\'',$(CC) $(CFLAGS_ALL) -Werror)'

# Runs clang-tidy over the programs; four minutes.
tidy:
	$(call install_packages,$(BUILD_PACKAGES) clang-tidy)
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@printf '%s\n' $(filter-out tests/%,$(filter %.c,$(SOURCES))) | xargs -P $(JOBS) -I{} \
	    clang-tidy -quiet {} -- $(filter-out -Werror,$(CFLAGS_ALL)) 2>$(BUILD)/tidy.log

# Writes the lists in authd/data anew from npm packages. Look at the difference before you commit it.
refresh-domains:
	@authd/data/refresh.sh

# Removes build/.
clean:
	rm -rf $(BUILD)
