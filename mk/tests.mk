# The programs of tests/, their npm packages, and the checks beyond `make test`: sanitizers, fuzzing, coverage, other
# systems, the package and the image.

.PHONY: tests npm check-asan check-asan-touched check-valgrind check-tsan coverage fuzz fuzzers test-peers fault \
    test-patroni test-openid test-bridge test-lighthouse test-s3 test-image drill test-systemd test-bare test-mixed ci-nightly

# ---- each test_*.c is one CUnit program ----

# libmicrohttpd is for tests/support/identity_provider.c alone.
TEST_LIBS := -lcunit -lcurl -lcrypto -Wl,--push-state,--as-needed -lmicrohttpd -Wl,--pop-state

# UNIT_TESTS start no process or server, INTEGRATION_TESTS the ones that they need, HTTP_TESTS a whole suite. Each links
# the code that it tests, and the parts of tests/support that it calls.
tests_of = $(patsubst %.c,$(BUILD)/%,$(wildcard $(1:%=tests/%/test_*.c)))
UNIT_TESTS := $(call tests_of,unit)
INTEGRATION_TESTS := $(call tests_of,integration)
HTTP_TESTS := $(call tests_of,http fault)
ALL_TESTS := $(UNIT_TESTS) $(INTEGRATION_TESTS) $(HTTP_TESTS)
# Tests are compiled and linked as fast as possible; FORTIFY_SOURCE would need optimization.
$(ALL_TESTS:%=%.o): private OPTIMIZE := -O0 -g
$(ALL_TESTS:%=%.o): private HARDENING := -fPIE
MOLD := $(if $(shell command -v mold),-fuse-ld=mold)
$(ALL_TESTS): private LDFLAGS += $(MOLD)
# The tests of one tier, which each test names; see tests/tier.sh.
tier = $(patsubst %,$(BUILD)/tests/%,$(shell tests/tier.sh $(1)))
TEST_ARCHIVES := $(addprefix $(BUILD)/,libsupport.a libcurl_loop.a libapi.a libcommon.a)

$(BUILD)/libsupport.a: $(call object,$(wildcard tests/support/*.c) dev/server_user.c) $(BUILD)/gen/tests/support/statement_kit/sql.o $(PAGE_KIT)
	@rm -f $@
	ar rcs $@ $^

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(TEST_ARCHIVES)
	$(CC) $(LDFLAGS_ALL) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(COMMON_LIBS) $(TEST_LIBS)

# A test named after a program's folder (test_authd_token.c) links all of it except its main file.
define program_test_rule
$(BUILD)/tests/$(3)/test_$(1)_%: $(BUILD)/tests/$(3)/test_$(1)_%.o $(2) $(TEST_ARCHIVES)
	$$(CC) $$(LDFLAGS_ALL) -o $$@ $$^ $($(1)_LIBS) $$(COMMON_LIBS) $$(TEST_LIBS)
endef
$(foreach f,unit integration,\
    $(foreach d,$(DAEMONS),$(eval $(call program_test_rule,$(d),$(filter-out $(BUILD)/$(d)/$(d).o,$(atrium-$(d)_OBJECTS)),$(f))))\
    $(eval $(call program_test_rule,ctl,$(filter-out $(BUILD)/ctl/ctl.o,$(atriumctl_OBJECTS)),$(f)))\
    $(eval $(call program_test_rule,dev,$(filter-out $(BUILD)/dev/dev.o,$(atrium-dev_OBJECTS)),$(f))))

# Code that the fuzz targets call, in addition to common/. A target fuzz_x.c is the function fuzz_x(): the linker
# renames it for libFuzzer, and test_fuzz_corpus has all of them.
FUZZ_TARGETS := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_SUPPORT := $(PAGE_KIT) $(call object,tests/fuzz/fuzz.c authd/page/page.c authd/page/page_put.c authd/credential/user_agent.c authd/passkey/webauthn.c authd/federation/scim_filter.c authd/federation/scim_patch.c $(wildcard botd/translation/mask*.c) \
    botd/bot/token_search.c docd/document/disposition.c docd/store/post_policy.c docd/store/sigv4.c docd/document/sniff.c gateway/http/decode.c gateway/http/framing.c gateway/auth/keys.c \
    gateway/http/multipart.c gateway/http/range.c gateway/endpoint/routes.c gateway/auth/token.c maild/buffer.c maild/render.c \
    maild/template_html.c maild/template_names.c)
FUZZ_LIBS := -lmagic -lfido2 -lcbor -lcrypto -lgumbo -lmd4c
$(BUILD)/tests/unit/test_fuzz_corpus: $(FUZZ_TARGETS:%=$(BUILD)/tests/fuzz/%.o) $(FUZZ_SUPPORT)
$(BUILD)/tests/unit/test_fuzz_corpus: TEST_LIBS += $(FUZZ_LIBS)

# The mask without the rest of botd, whose function names would clash with the test's.
$(BUILD)/tests/integration/test_markup: $(call object,$(wildcard botd/translation/mask*.c))
$(BUILD)/tests/integration/test_markup: TEST_LIBS += -lmd4c
# Only tests use libjwt; see docs/adr/0014-own-jwt.md.
$(addprefix $(BUILD)/tests/unit/test_,authd_jws authd_token gateway_token): TEST_LIBS += -ljwt

FUZZERS := $(FUZZ_TARGETS:%=$(BUILD)/tests/fuzz/%)
$(FUZZERS): %: %.o $(FUZZ_SUPPORT) $(BUILD)/libapi.a $(BUILD)/libcommon.a
	$(CC) $(LDFLAGS_ALL) -fsanitize=fuzzer -Wl,--defsym=LLVMFuzzerTestOneInput=$(@F) -o $@ $^ $(FUZZ_LIBS) $(COMMON_LIBS)

# Run by `make test-patroni` only.
PATRONI_TEST := $(BUILD)/tests/patroni/test_patroni
$(PATRONI_TEST): $(BUILD)/tests/patroni/patroni.o

# Run by `make test-openid` only.
OPENID_TEST := $(BUILD)/tests/openid/test_openid
# Run by `make test-lighthouse` only.
LIGHTHOUSE_TEST := $(BUILD)/tests/lighthouse/test_lighthouse

BENCH_PROGRAMS := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/bench/*.c))
# seed writes rows as authd does, so it links all of authd except its main file. It shows its progress as atriumctl
# does.
$(BUILD)/tests/bench/seed: $(filter-out $(BUILD)/authd/authd.o,$(atrium-authd_OBJECTS)) $(BUILD)/ctl/progress.o
$(BUILD)/tests/bench/passkeys: $(BUILD)/tests/support/authenticator.o
$(BUILD)/tests/bench/trail: $(BUILD)/tests/support/trail_proof.o
$(addprefix $(BUILD)/tests/bench/,people scale seed trail): $(BUILD)/tests/support/bench.o
# The test runs the benchmark.
$(BUILD)/tests/http/test_scale: | $(addprefix $(BUILD)/tests/bench/,seed scale)
$(BENCH_PROGRAMS): $(BUILD)/tests/bench/%: $(BUILD)/tests/bench/%.o $(BUILD)/libapi.a $(BUILD)/libcurl_loop.a $(BUILD)/libcommon.a
	$(CC) $(LDFLAGS_ALL) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(gateway_LIBS) $(authd_LIBS) $(docd_LIBS) -lcurl \
	    $(COMMON_LIBS)

.PRECIOUS: $(BUILD)/%.o

# Builds every test and benchmark program.
tests: $(ALL_TESTS) $(PATRONI_TEST) $(OPENID_TEST) $(LIGHTHOUSE_TEST) $(BENCH_PROGRAMS)

# The tests' npm packages, all in build/npm; see tests/npm.sh. Tests whose packages are missing are skipped with a
# message, except in .ci/run. Large packages of a single target are not in this list.
NPM_TESTS := client console examples fhir import markup openapi-clients otlp pages passkeys s3 sharp webhooks

# Installs the tests' npm packages in build/npm; `make npm-WORKSPACE` adds those of one folder of tests/.
npm:
	@tests/npm.sh $(NPM_TESTS)

npm-%:
	@tests/npm.sh $*

# ---- sanitizers, coverage, fuzzing ----

# All programs have AddressSanitizer and UndefinedBehaviorSanitizer, whose report fails the test. AddressSanitizer's
# strstr() measures the whole text at each call, so a template with thousands of placeholders would exceed a request's
# time. Uninitialized variables hold 0xfe, which is an invalid boolean or pointer. Each program has a linker map.
ASAN_MAKE = $(MAKE) --no-print-directory -j$(JOBS) BUILD=build-asan OPTIMIZE='-O1 -g' \
    HARDENING='-fno-omit-frame-pointer -ftrivial-auto-var-init=pattern' CFLAGS=-fsanitize=address,undefined \
    LDFLAGS='-fsanitize=address,undefined -Wl,-Map=$$@.map'
ASAN_RUN = BUILD=build-asan ATRIUM_TEST_JOBS=2 ATRIUM_TEST_COST=2 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
    ASAN_OPTIONS=intercept_strstr=0 tests/run.sh

# Runs the tests with AddressSanitizer and UndefinedBehaviorSanitizer.
check-asan:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES))
	@$(ASAN_MAKE) all tests
	@$(ASAN_RUN) $(ALL_TESTS:$(BUILD)/%=build-asan/%)

# Runs check-asan for the tests that a change touches, within a time limit (REF=HEAD~1 ATRIUM_ASAN_SECONDS=240). See
# tests/touched.py.
check-asan-touched:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES) git python3)
	@$(ASAN_MAKE) all tests
	@programs=$$(tests/touched.py build-asan '$(REF)' "$${ATRIUM_ASAN_SECONDS:-240}" $(patsubst $(BUILD)/%,build-asan/%,$(filter-out %/test_coverage,$(ALL_TESTS)))) && \
	    { [ -z "$$programs" ] || $(ASAN_RUN) $$programs; }

# Valgrind lacks pidfd and openat2, and its /proc/self/exe is Valgrind itself, which breaks programs that start
# themselves. Only check-asan runs those, and tests with hundreds of megapixels.
NOT_UNDER_VALGRIND := $(addprefix $(BUILD)/tests/integration/test_,botd_sandbox bus bus_deaths bus_garbage bus_tcp dev_suite docd_image \
    docd_image_process docd_image_start docd_variant \
    maild_queue outbox)
VALGRIND := valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect \
    --child-silent-after-fork=yes
UNDER_VALGRIND := $(addprefix $(BUILD)/tests/http/test_,address_rules content ctl_commands documents file_cache locales settings)

# Runs the unit and integration tests under Valgrind, then the daemons with some HTTP tests.
check-valgrind:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES) valgrind)
	@$(MAKE) --no-print-directory -j$(JOBS) all tests
	@BUILD=$(BUILD) ATRIUM_TEST_JOBS=2 ATRIUM_TEST_COST=4 ATRIUM_TEST_COMMAND='$(VALGRIND)' tests/run.sh $(filter-out $(NOT_UNDER_VALGRIND),$(UNIT_TESTS) $(INTEGRATION_TESTS))
	@BUILD=$(BUILD) tests/valgrind.sh '$(VALGRIND)' $(UNDER_VALGRIND)

# Tests of code with threads: fibers, the loop, pools, the resolver, SMTP. tests/tsan_suppressions has the exceptions
# and their reasons.
UNDER_TSAN := $(addprefix build-tsan/tests/,unit/test_fiber unit/test_loop unit/test_offload integration/test_maild_smtp \
    integration/test_resolver)

# Runs the tests of code with threads with ThreadSanitizer.
check-tsan:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES))
	@$(MAKE) --no-print-directory -j$(JOBS) BUILD=build-tsan OPTIMIZE='-O1 -g' HARDENING=-fno-omit-frame-pointer \
	    CFLAGS=-fsanitize=thread LDFLAGS=-fsanitize=thread $(UNDER_TSAN)
	@BUILD=build-tsan TSAN_OPTIONS=halt_on_error=1:suppressions=$(CURDIR)/tests/tsan_suppressions \
	    tests/run.sh $(UNDER_TSAN)

# Prints the tests' line coverage by folder (COVERAGE_ONLY='test_db*'). See tests/coverage.py.
coverage:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES) python3)
	@$(MAKE) --no-print-directory -j$(JOBS) BUILD=build-coverage OPTIMIZE='-O0 -g' HARDENING= CFLAGS=--coverage \
	    LDFLAGS=--coverage all tests
	@find build-coverage -name '*.gcda' -delete
	@BUILD=build-coverage ATRIUM_TEST_ONLY='$(COVERAGE_ONLY)' \
	    tests/run.sh $(ALL_TESTS:$(BUILD)/%=build-coverage/%) || true
	@tests/coverage.py build-coverage

FUZZ_SECONDS ?= 60
FUZZ_SEED ?= 0

# Fuzzes each parser of untrusted bytes, two at a time (FUZZ_SECONDS=60 for each, FUZZ_SEED= to repeat inputs). Inputs
# that fail stay in build-fuzz/tests/fuzz/finds. See tests/fuzz/run.sh.
fuzz:
	$(call install_packages,$(BUILD_PACKAGES) clang libclang-rt-14-dev)
	@$(MAKE) --no-print-directory -j$(JOBS) BUILD=build-fuzz CC=clang OPTIMIZE='-O1 -g' \
	    HARDENING=-fno-omit-frame-pointer \
	    CFLAGS='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all' \
	    LDFLAGS=-fsanitize=address,undefined fuzzers
	@FUZZ_SECONDS=$(FUZZ_SECONDS) FUZZ_SEED=$(FUZZ_SEED) tests/fuzz/run.sh $(FUZZ_TARGETS:%=build-fuzz/tests/fuzz/%)

# Builds the fuzz targets, with fuzz's flags.
fuzzers: $(FUZZERS)

# ---- other systems, and separate machines ----

# Imports accounts of better-auth, PocketBase, Directus, Parse Server and glewlwyd, and signs them in.
# See tests/import/export.py.
test-peers:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES) $(PEERS_PACKAGES))
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BUILD)/tests/http/test_import_peers
	@$(MAKE) --no-print-directory npm-import peers
	@BUILD=$(BUILD) ATRIUM_REQUIRE_ALL=1 ATRIUM_REQUIRE_PEERS=1 tests/run.sh $(BUILD)/tests/http/test_import_peers

# Kills daemons and PostgreSQL under mixed load, and reports lost, wrong or late answers (FAULT_SECONDS=300
# FAULT_SEED=). tests/fault/test_chaos.c has more variables.
fault:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES))
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BUILD)/tests/fault/test_chaos
	@FAULT_SECONDS=$${FAULT_SECONDS:-300} FAULT_EVERY_MS=$${FAULT_EVERY_MS:-5000} \
	    FAULT_STALL_MS=$${FAULT_STALL_MS:-2000} $(BUILD)/tests/fault/test_chaos

# Runs PostgreSQL with Patroni and HAProxy as in deploy/, and cuts power under load; three minutes.
# See tests/patroni/test_patroni.c.
test-patroni:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES))
	$(call install_packages,$(PATRONI_PACKAGES),without services)
	@$(MAKE) --no-print-directory -j$(JOBS) all $(PATRONI_TEST)
	@ATRIUM_TEST_SECONDS=600 tests/run.sh $(PATRONI_TEST)

# Signs people in with OpenID Connect clients from npm and Debian; one minute. See tests/openid/test_openid.c.
test-openid: npm-openid
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES) $(OPENID_PACKAGES),without services)
	@$(MAKE) --no-print-directory -j$(JOBS) all $(OPENID_TEST)
	@BUILD=$(BUILD) tests/run.sh $(OPENID_TEST)

# Signs people of slapd and of a SAML identity provider in through the bridge of deploy/bridge; two minutes. See
# tests/bridge/test_bridge.mjs.
test-bridge: npm-bridge
	$(call install_packages,$(BRIDGE_PACKAGES),without services)
	@tests/bridge/run.sh

# Measures the hosted pages and the console with Lighthouse; ten minutes (ATRIUM_LIGHTHOUSE_ONLY=WORD).
# See tests/lighthouse/lighthouse.mjs.
test-lighthouse: npm-lighthouse
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES) chromium)
	@$(MAKE) --no-print-directory -j$(JOBS) all $(LIGHTHOUSE_TEST)
	@BUILD=$(BUILD) ATRIUM_TEST_SECONDS=1260 tests/run.sh $(LIGHTHOUSE_TEST)

S3_TESTS := $(addprefix $(BUILD)/tests/http/,test_s3 test_s3_faults)

# Runs the tests of S3 against a Ceph cluster. Addresses buckets by path, then by host. Tests share one bucket, so they
# run one by one.
test-s3: deps-s3
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES))
	@$(MAKE) --no-print-directory -j$(JOBS) all $(S3_TESTS)
	@tests/npm.sh s3
	@for style in path host; do \
	    echo "test-s3: $$style"; \
	    BUILD=$(BUILD) ATRIUM_TEST_JOBS=1 ATRIUM_REQUIRE_ALL=1 ATRIUM_S3_STYLE=$$style tests/s3/radosgw.sh \
	        tests/run.sh $(S3_TESTS) || exit 1; \
	done

# Runs a suite from the OCI image, and checks the manifests in deploy/ against schemas; needs root. Parts that cannot
# run print a message.
test-image: image
	$(call install_packages,$(RUN_PACKAGES) python3)
	@tests/image/run.sh $(BUILD)/atrium_$(VERSION)_$$(dpkg --print-architecture).oci.tar
	@if command -v npm >/dev/null; then tests/npm.sh manifests && tests/manifests/run.sh; \
	else echo 'test-image: manifests: left out: there is no npm'; fi

# Deletes PostgreSQL and restores it from base backup and write-ahead log (DRILL_ROWS= DRILL_SECONDS=).
# See tests/drill/run.sh.
drill:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) python3)
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@BUILD=$(BUILD) tests/drill/run.sh

# Installs, restarts, kills, upgrades and purges the package on a separate Debian; needs root. Without root it only
# prints a message.
test-systemd:
	$(call install_packages,$(BUILD_PACKAGES) $(NSPAWN_PACKAGES))
	@$(MAKE) --no-print-directory deb
	@tests/systemd/run.sh $(BUILD)/atrium_$(VERSION)_$$(dpkg --print-architecture).deb

# Runs the README's two commands in a container with a minimal Debian; needs root (ATRIUM_BARE_USERS=root
# ATRIUM_TEST_ONLY=).
test-bare:
	$(call install_packages,$(NSPAWN_PACKAGES))
	@tests/bare/run.sh

# Tests a half-finished upgrade, with daemons of both builds (REF=HEAD~1). See tests/mixed/run.sh.
test-mixed:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES) git python3)
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@BUILD=$(BUILD) tests/mixed/run.sh $(REF)

# Runs the checks that take too long for each change, one by one. The first failure ends it.
ci-nightly:
	@for target in test-bare tidy fuzz check-asan check-valgrind check-tsan bench-smoke test-s3 test-mixed test-patroni test-openid test-bridge test-lighthouse test-image test-peers drill fault; do \
	    echo "ci-nightly: $$target"; $(MAKE) --no-print-directory WERROR=1 $$target || exit 1; done
