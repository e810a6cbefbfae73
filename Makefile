# Atrium: `make run` starts everything, `make test` tests it, `make help` lists all targets.

VERSION := 0.3.0
PREFIX  ?= /usr
BUILD   ?= build
ifeq ($(origin CC),default)
CC := gcc
endif
JOBS    ?= $(shell nproc)

DAEMONS := gateway authd settingsd maild docd botd
SCHEMAS := authd settingsd maild docd botd
APIS    := authd settingsd maild docd botd

# ---- flags and libraries ----

# CI sets WERROR=1, so that a warning fails the build.
WARNINGS := -Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Wformat=2 -Wcast-qual \
    -Wwrite-strings -Wundef -Wvla $(if $(WERROR),-Werror)
# The sanitizers' checks make gcc think that each checked pointer can be null.
ifneq ($(findstring -fsanitize=,$(CFLAGS)),)
WARNINGS += $(if $(findstring clang,$(CC)),,-Wno-format-overflow -Wno-format-truncation -Wno-nonnull)
endif
HARDENING ?= -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fPIE
OPTIMIZE  ?= -O2 -g
# Evaluated when the first file is compiled.
PKG_CFLAGS = $(eval PKG_CFLAGS := $(shell pkg-config --cflags libpq gobject-2.0))$(PKG_CFLAGS)
CFLAGS_ALL = -std=gnu17 $(OPTIMIZE) $(HARDENING) $(WARNINGS) -I. -I$(BUILD)/gen -D_GNU_SOURCE \
    -DATRIUM_VERSION='"$(VERSION)"' $(PKG_CFLAGS) $(CFLAGS)
# Packing the relocations of large pointer tables saves 98 % of their space. mold 1.10 omits the symbol version that
# glibc then requires.
RELR := -Wl,-z,pack-relative-relocs
# Not `:=`: LDFLAGS can contain the program's name.
LDFLAGS_ALL = -pie -Wl,-z,relro,-z,now $(if $(findstring mold,$(LDFLAGS)),,$(RELR)) -Wl,--as-needed $(LDFLAGS)

# The static Boost.Context has only the stack switch, without the C++ library.
COMMON_LIBS  := -l:libboost_context.a -lseccomp -lczmq -lzmq -lmsgpackc -lpq -ljansson -lsodium -largon2 -lcrypt -lidn2 -lpsl -lunistring \
    -lcrypto -lsystemd -lacl -lpthread -lm
gateway_LIBS := -lmicrohttpd -lcrypto -lbrotlienc -lz -lcurl
authd_LIBS   := -lcrypto -lcurl -lfido2 -lcbor -loath -lqrencode -lpng -lunistring
maild_LIBS   := -lcurl -lgumbo
botd_LIBS    := -lcurl -lmd4c
docd_LIBS    := -lmagic -lcurl -lexpat -lzip -lvips -lwebpmux -lwebp -lgobject-2.0 -lglib-2.0
dev_LIBS     := -lcurl

# ---- what is built ----

# Installed programs. atrium-dev, which `atriumctl dev` runs, stays in the build tree.
PROGRAMS := $(DAEMONS:%=$(BUILD)/bin/atrium-%) $(BUILD)/bin/atriumctl

.DELETE_ON_ERROR:
.PHONY: all help run test test-browser test-fault test-time test-all install clean

# Builds the daemons, atriumctl and atrium-dev in build/bin (BUILD=build-clang CC=clang CFLAGS= LDFLAGS=).
all: $(PROGRAMS) $(BUILD)/bin/atrium-dev

object = $(patsubst %.c,$(BUILD)/%.o,$(1))
# A program's sources: the files of its folder and that folder's folders.
sources = $(wildcard $(1)/*.c $(1)/*/*.c)

# Files that need libcurl are a separate archive, for programs that link it.
CURL_SOURCES   := common/runtime/curl_loop.c common/service/fetch.c
COMMON_OBJECTS := $(call object,$(filter-out $(CURL_SOURCES),$(wildcard common/*/*.c))) \
    $(BUILD)/gen/common/service/sql.o $(BUILD)/gen/common/service/config_known.o
# The operations' field tables, and their checks.
API_OBJECTS    := $(call object,$(filter %_api.c,$(foreach d,$(APIS),$(call sources,$(d)))) \
    authd/credential/pkce.c authd/session/smart_scope.c settingsd/color.c)

# Statements: each <owner>/sql/<subject>/*.sql becomes calls in C; see common/pg/sqlgen.pl. The stamp has the last run's
# time; headers change only with their content.
SQL_OWNERS := common/service $(SCHEMAS) tests/support/statement_kit
define sql_rule
$(BUILD)/gen/$(1)/sql.stamp: common/pg/sqlgen.pl $(wildcard $(1)/sql $(1)/sql/* $(1)/sql/*/*.sql common/service/sql/part/*.sql common/service/sql/call/*.sql)
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

# Page templates as FOLDER:PREFIX, see authd/page/pagegen.pl.
PAGE_OWNERS := authd/page/template:page tests/support/page_kit:kit
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

# The console, which the gateway serves below /console/. The assembler includes its files from build/gen.
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

# The daemons' operations, for all programs.
$(BUILD)/libapi.a: $(API_OBJECTS)
	@rm -f $@
	ar rcs $@ $^

$(BUILD)/libcurl_loop.a: $(call object,$(CURL_SOURCES))
	@rm -f $@
	ar rcs $@ $^

# A daemon's schema files, inside its program. The folder is a prerequisite because it changes when files come or go.
define schema_rule
$(BUILD)/gen/$(1)_schema.c: $(1)/schema $(sort $(wildcard $(1)/schema/*.sql)) common/pg/embed.sh
	@mkdir -p $$(@D)
	./common/pg/embed.sh $(1) $$(filter %.sql,$$^) > $$@
$(BUILD)/gen/$(1)_schema.o: $(BUILD)/gen/$(1)_schema.c | deps-check
	$$(CC) $$(CFLAGS_ALL) -c $$< -o $$@
endef
$(foreach d,$(SCHEMAS),$(eval $(call schema_rule,$(d))))
# ctl/schema/ has the SQL that a superuser runs for all daemons.
$(eval $(call schema_rule,ctl))

# Each daemon's configuration keys, for the other programs.
$(BUILD)/gen/common/service/config_known.c: common/service/config_known.pl common/service/service.h $(foreach d,$(DAEMONS),$(d)/$(d).c)
	@mkdir -p $(@D)
	./common/service/config_known.pl $(filter-out %.pl,$^) > $@.new
	@mv $@.new $@
$(BUILD)/gen/common/service/config_known.o: $(BUILD)/gen/common/service/config_known.c | deps-check
	$(CC) $(CFLAGS_ALL) -c $< -o $@

# Files that the assembler includes are in no .d file.
$(BUILD)/authd/account/mail_domain_data.o: authd/data/free_mail.txt authd/data/throwaway.txt
$(BUILD)/authd/credential/common_password.o: $(BUILD)/gen/authd/common_passwords.filter

# The filter of common passwords in authd. atriumctl builds it as it builds an operator's, when the list or the filter's
# code changes.
$(BUILD)/gen/authd/common_passwords.filter: authd/data/common_passwords.txt $(wildcard common/domain/password_*.[ch]) \
    | $(BUILD)/bin/atriumctl
	@mkdir -p $(@D)
	@rm -f $@
	$(BUILD)/bin/atriumctl passwords build $< $@ >/dev/null
	$(BUILD)/bin/atriumctl passwords verify $@ --list $< >/dev/null

# Links NAME_OBJECTS and these libraries to program NAME.
define link_rule
$(BUILD)/bin/$(1): $$($(1)_OBJECTS) $(BUILD)/libapi.a $(BUILD)/libcommon.a $(if $(filter -lcurl,$(2)),$(BUILD)/libcurl_loop.a)
	@mkdir -p $$(@D)
	$$(CC) $$(LDFLAGS_ALL) -o $$@ $$($(1)_OBJECTS) $(if $(filter -lcurl,$(2)),$(BUILD)/libcurl_loop.a) \
	    $(BUILD)/libapi.a $(BUILD)/libcommon.a $(2) $(COMMON_LIBS)
endef

# A daemon links all files of its folder except the API, which is in libapi.a.
define daemon_rule
atrium-$(1)_OBJECTS := $$(filter-out $$(API_OBJECTS),$$(call object,$$(call sources,$(1)))) \
    $(if $(filter $(1),$(SCHEMAS)),$(BUILD)/gen/$(1)_schema.o $(BUILD)/gen/$(1)/sql.o) \
    $(if $(filter authd,$(1)),$(BUILD)/gen/authd/page/template/pages.o) \
    $(if $(filter gateway,$(1)),$(BUILD)/gen/web/console/console_files.o)
$$(eval $$(call link_rule,atrium-$(1),$($(1)_LIBS)))
endef
$(foreach d,$(DAEMONS),$(eval $(call daemon_rule,$(d))))

# atriumctl and atrium-dev share a few files of ctl/.
atriumctl_OBJECTS  := $(call object,$(call sources,ctl)) $(BUILD)/gen/ctl_schema.o
atrium-dev_OBJECTS := $(call object,$(wildcard dev/*.c) \
    $(addprefix ctl/,arguments.c ctl_bus.c error_line.c files.c printable.c provision.c)) $(BUILD)/gen/ctl_schema.o
$(eval $(call link_rule,atriumctl,))
$(eval $(call link_rule,atrium-dev,$(dev_LIBS)))

# ---- targets for people; `make help` lists all ----

# Prints this list.
help:
	@awk -f tests/lint/help.awk $(filter Makefile mk/%,$(MAKEFILE_LIST))

# Installs what is missing, builds, and starts a suite with a demo tenant (PORT=8081).
run: deps
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@exec $(BUILD)/bin/atriumctl dev $(if $(filter command,$(origin PORT)),--port $(PORT))

# $(1): a tier, or "all".
define run_tier
	@$(MAKE) --no-print-directory -j$(JOBS) all $(call tier,$(1))
	@BUILD=$(BUILD) tests/run.sh $(call tier,$(1))
endef
define install_npm
	@! command -v npm >/dev/null || tests/npm.sh $(NPM_TESTS) || true
endef

# Runs the unit tests, the integration tests, every route over HTTP and one crash for each mechanism, without a browser
# or npm (ATRIUM_TEST_ONLY='test_bot*' ATRIUM_TEST_JOBS=).
test:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES))
	@$(MAKE) --no-print-directory -j$(JOBS) all $(call tier,test)
	@BUILD=$(BUILD) tests/run.sh $(call tier,test); status=$$?; \
	    echo 'Other tiers: make test-browser, make test-fault, make test-time; make test-all runs all four.'; exit $$status

# Runs the tests of the console and the hosted pages in Chromium, and all tests that need npm.
test-browser:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES) $(BROWSER_PACKAGES))
	$(call install_packages,nginx-light,without services)
	$(install_npm)
	$(call run_tier,browser)

# Runs the tests that kill daemons, PostgreSQL and servers at any moment, or cut connections between hosts.
test-fault:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES))
	$(install_npm)
	$(call run_tier,fault)

# Runs the tests that measure a duration or need the whole machine, one by one.
test-time:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES))
	$(install_npm)
	$(call run_tier,time)

# Runs the tests of all four tiers.
test-all:
	$(call install_packages,$(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES) $(BROWSER_PACKAGES))
	$(call install_packages,nginx-light,without services)
	$(install_npm)
	$(call run_tier,all)

# atriumctl's completions, in each shell's directory.
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

# Removes build/.
clean:
	rm -rf $(BUILD)

include mk/debian.mk mk/tests.mk mk/tools.mk

-include $(shell find $(BUILD) -name node_modules -prune -o -type f -name '*.d' -print 2>/dev/null)
