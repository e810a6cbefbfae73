# Targets that measure, generate and check.

.PHONY: objects format format-check lint tidy refresh-domains compdb client-types collection docs docs-mail-templates \
    console-pictures bench bench-before bench-scale bench-curves bench-weigh bench-trail bench-people bench-move bench-migrate peers \
    bench-peers bench-smoke

# ---- sources ----

SOURCES := $(wildcard $(foreach d,common $(DAEMONS) ctl dev tests,$(d)/*.[ch] $(d)/*/*.[ch]))

# Compiles every file without linking, for another compiler's warnings (BUILD=build-clang CC=clang).
objects: $(call object,$(filter %.c,$(SOURCES)))

# Formats the sources with tests/lint/style.py and clang-format.
format:
	@tests/lint/style.py
	clang-format -i $(SOURCES)

# Fails if clang-format would change a source.
format-check:
	$(call install_packages,clang-format)
	@clang-format --dry-run -Werror $(SOURCES)

# Checks the tree's rules that no compiler checks. See tests/lint/lint.py, whose own test runs first.
lint:
	$(call install_packages,$(BUILD_PACKAGES) git python3)
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@tests/tier.sh all >/dev/null
	@tests/lint/test_lint.py
	@tests/lint/test_sqlgen.py
	@tests/lint/test_pagegen.py
	@web/console/check_texts.pl web/console docs/mail-templates.md
	@$(MAKE) --no-print-directory help >/dev/null
	@tests/lint/lint.py --objects $(BUILD) --headers '$(subst ','\'',$(CC) $(CFLAGS_ALL) -Werror)'

# Runs clang-tidy on the programs; four minutes.
tidy:
	$(call install_packages,$(BUILD_PACKAGES) clang-tidy)
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@printf '%s\n' $(filter-out tests/%,$(filter %.c,$(SOURCES))) | xargs -P $(JOBS) -I{} \
	    clang-tidy -quiet {} -- $(filter-out -Werror,$(CFLAGS_ALL)) 2>$(BUILD)/tidy.log

# Updates the lists in authd/data from npm packages. Review the difference before you commit it.
refresh-domains:
	@authd/data/refresh.sh

# Writes compile_commands.json for editors and tools.
compdb: deps
	@$(MAKE) --no-print-directory -Bn all tests | tests/lint/compdb.py > compile_commands.json.new
	@mv compile_commands.json.new compile_commands.json

# ---- generated files ----

# Writes the types of clients/typescript from /openapi.json; needs npm.
client-types: deps npm-client
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@BUILD=$(BUILD) tests/client/types.sh

# Writes a collection of all requests for Postman, Bruno and Insomnia; see clients/postman.
collection: deps
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@BUILD=$(BUILD) tests/examples/collection.sh $(BUILD)/atrium.postman_collection.json

# Builds the documentation and the man pages as a website with search: build/site/VERSION/index.html.
docs:
	$(call install_packages,$(DOCS_PACKAGES))
	@BUILD=$(BUILD) VERSION=$(VERSION) docs/site/build.sh
	@echo "docs: $(BUILD)/site/$(VERSION)/index.html"

# Writes docs/mail-templates.md from maild's tables.
docs-mail-templates: $(BUILD)/tests/unit/test_maild_template_page
	@ATRIUM_WRITE_DOCS=1 $<

# Takes the screenshots in docs/console with a demo tenant; needs npm. See tests/console/pictures.sh.
console-pictures: npm-console
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) chromium)
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@BUILD=$(BUILD) tests/console/pictures.sh docs/console

# ---- measurements ----

# Measures rates, latencies, CPU and memory, compared with a bare HTTP server (BENCH_ONLY="me list" BENCH_ROUNDS=
# BENCH_SECONDS=). Fails if passkeys sign in less than 7 times as fast as passwords, or an import has less than a
# quarter of COPY's speed.
bench:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(BENCH_PACKAGES))
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BENCH_PROGRAMS)
	@! command -v npm >/dev/null || tests/npm.sh sharp || true
	@BUILD=$(BUILD) tests/bench/run.sh

# Compares the CPU time of requests with a commit's build (REF=HEAD~1 BENCH_ONLY="me list" BENCH_ROUNDS=).
# See tests/bench/before.py.
bench-before:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(BENCH_PACKAGES) git)
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BENCH_PROGRAMS)
	@BUILD=$(BUILD) tests/bench/before.py $(REF)

# Compares a large suite with one of ten tenants, and fails above a ratio of 1.3 (TENANTS=10000 ACCOUNTS=1000000).
# See tests/bench/scale.sh.
bench-scale:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES))
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BENCH_PROGRAMS)
	@BUILD=$(BUILD) TENANTS=$(TENANTS) ACCOUNTS=$(ACCOUNTS) tests/bench/scale.sh

# Measures the cost of a request with more instances, connections and accounts, and with TLS (CURVES_ONLY="tls bus").
# Ten minutes. Fails if a request is rejected, or a refresh with a million accounts takes 1.3 times as long. See
# tests/bench/curves.py.
bench-curves:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(BENCH_PACKAGES) openssl)
	$(call install_packages,haproxy,without services)
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BENCH_PROGRAMS)
	@BUILD=$(BUILD) tests/bench/curves.py

# Counts PostgreSQL's work for one sign-in and one refresh. See tests/bench/weigh.sh.
bench-weigh:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) python3)
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BENCH_PROGRAMS)
	@BUILD=$(BUILD) tests/bench/weigh.sh

# Measures the trees and proofs of the audit log (BENCH_ROWS=10000000 BENCH_TENANTS=1). See tests/bench/trail.sh.
bench-trail:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES))
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BENCH_PROGRAMS)
	@BUILD=$(BUILD) BENCH_ROWS=$(BENCH_ROWS) BENCH_TENANTS=$(BENCH_TENANTS) tests/bench/trail.sh

# Measures an admin's lists and searches of people, and fails above a p99 of 20 ms (ACCOUNTS=1000000).
# See tests/bench/people.sh.
bench-people:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES))
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BENCH_PROGRAMS)
	@BUILD=$(BUILD) ACCOUNTS=$(ACCOUNTS) tests/bench/people.sh

# Measures how long a tenant's writes are rejected during its move (ACCOUNTS="1000 100000" DOCUMENTS=100).
# See tests/bench/move.sh.
bench-move:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) python3)
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BENCH_PROGRAMS)
	@BUILD=$(BUILD) ACCOUNTS="$(ACCOUNTS)" DOCUMENTS=$(DOCUMENTS) tests/bench/move.sh

# Upgrades a suite under load, and fails if a migration locks a table for a second (REF=HEAD~1 ACCOUNTS=1000000).
# See tests/bench/migrate.sh.
bench-migrate:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) git python3)
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@BUILD=$(BUILD) ACCOUNTS=$(ACCOUNTS) tests/bench/migrate.sh $(REF)

# glewlwyd is unpacked, not installed: its package would ask for a database, start a service and have a well-known
# password.
build/peers/glewlwyd/usr/bin/glewlwyd:
	@mkdir -p build/peers
	cd build/peers && apt-get download -qq -o APT::Sandbox::User=$$(id -un) glewlwyd && dpkg -x glewlwyd_*.deb glewlwyd

# Installs the peers of bench-peers and test-peers: Debian's glewlwyd in build/peers, and npm packages.
peers: build/peers/glewlwyd/usr/bin/glewlwyd npm-peers

# Compares the suite with PocketBase, Directus, glewlwyd and nginx (BENCH_ONLY= BENCH_PEERS="pocketbase nginx"
# BENCH_ROUNDS=). See tests/bench/peers.py.
bench-peers:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(BENCH_PACKAGES) $(PEERS_PACKAGES))
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BENCH_PROGRAMS) peers
	@BUILD=$(BUILD) tests/bench/peers.py

# Runs bench, bench-before and bench-curves for a few seconds, to check that they work.
bench-smoke:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(BENCH_PACKAGES) openssl)
	@$(MAKE) --no-print-directory -j$(JOBS) all $(BENCH_PROGRAMS)
	@BUILD=$(BUILD) BENCH_ONLY=me BENCH_ROUNDS=1 BENCH_SECONDS=1 tests/bench/run.sh
	@BUILD=$(BUILD) BENCH_ONLY=me BENCH_ROUNDS=1 BENCH_SECONDS=1 tests/bench/before.py $(BUILD)
	@BUILD=$(BUILD) CURVES_ONLY=bus CURVES_ROUNDS=1 CURVES_SECONDS=1 tests/bench/curves.py
