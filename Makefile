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

# ---- flags and libraries ----

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
gateway_LIBS := -lmicrohttpd -lcrypto -lbrotlienc -lz -lcurl
authd_LIBS   := -lcrypto -lcurl -lfido2 -lcbor -loath -lqrencode -lpng -lunistring
maild_LIBS   := -lcurl -lgumbo
botd_LIBS    := -lcurl -lmd4c
docd_LIBS    := -lmagic -lcurl -lexpat -lzip -lvips -lwebpmux -lwebp -lgobject-2.0 -lglib-2.0
dev_LIBS     := -lcurl

# ---- what is built ----

# What `make install` installs. atrium-dev, which `atriumctl dev` runs, stays in the build tree.
PROGRAMS := $(DAEMONS:%=$(BUILD)/bin/atrium-%) $(BUILD)/bin/atriumctl

.DELETE_ON_ERROR:
.PHONY: all help run test test-browser test-fault test-time test-all install clean

# Builds the daemons, atriumctl and atrium-dev in build/bin (BUILD=build-clang CC=clang CFLAGS= LDFLAGS=).
all: $(PROGRAMS) $(BUILD)/bin/atrium-dev

object = $(patsubst %.c,$(BUILD)/%.o,$(1))
# A program: the files of its folder and of the folders in it.
sources = $(wildcard $(1)/*.c $(1)/*/*.c)

# What needs libcurl is an archive of its own, for the programs that are linked with it.
CURL_SOURCES   := common/runtime/curl_loop.c common/service/fetch.c
COMMON_OBJECTS := $(call object,$(filter-out $(CURL_SOURCES),$(wildcard common/*/*.c))) \
    $(BUILD)/gen/common/service/sql.o $(BUILD)/gen/common/service/config_known.o
# The shapes of operations, and what checks them.
API_OBJECTS    := $(call object,$(filter %_api.c,$(foreach d,$(APIS),$(call sources,$(d)))) \
    authd/credential/pkce.c authd/session/smart_scope.c settingsd/color.c)

# Statements: each <owner>/sql/<subject>/*.sql becomes calls in C; see common/pg/sqlgen.pl. The stamp is as old as the
# last run; headers change only when what they say does.
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

# Templates of pages: FOLDER:PREFIX, see authd/page/pagegen.pl.
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
atrium-$(1)_OBJECTS := $$(filter-out $$(API_OBJECTS),$$(call object,$$(call sources,$(1)))) \
    $(if $(filter $(1),$(SCHEMAS)),$(BUILD)/gen/$(1)_schema.o $(BUILD)/gen/$(1)/sql.o) \
    $(if $(filter authd,$(1)),$(BUILD)/gen/authd/page/template/pages.o) \
    $(if $(filter gateway,$(1)),$(BUILD)/gen/web/console/console_files.o)
$$(eval $$(call link_rule,atrium-$(1),$($(1)_LIBS)))
endef
$(foreach d,$(DAEMONS),$(eval $(call daemon_rule,$(d))))

# atriumctl, and atrium-dev, which is not installed, with a few files of ctl/ that both need.
atriumctl_OBJECTS  := $(call object,$(call sources,ctl)) $(BUILD)/gen/ctl_schema.o
atrium-dev_OBJECTS := $(call object,$(wildcard dev/*.c) \
    $(addprefix ctl/,arguments.c ctl_bus.c error_line.c files.c printable.c provision.c)) $(BUILD)/gen/ctl_schema.o
$(eval $(call link_rule,atriumctl,))
$(eval $(call link_rule,atrium-dev,$(dev_LIBS)))

# ---- the targets people type; `make help` lists all ----

# Prints this list.
help:
	@awk -f tests/lint/help.awk $(filter Makefile mk/%,$(MAKEFILE_LIST))

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
	$(call install_packages,nginx-light,without services)
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
	$(call install_packages,nginx-light,without services)
	$(install_npm)
	$(call run_tier,all)

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

# Removes build/.
clean:
	rm -rf $(BUILD)

include mk/debian.mk mk/tests.mk mk/tools.mk

-include $(shell find $(BUILD) -name node_modules -prune -o -type f -name '*.d' -print 2>/dev/null)
