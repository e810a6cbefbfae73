/*
 * test_bus_keys.c - `atriumctl keys bus`, and how daemons check its keys in their configuration.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/suite_command.h"
#include "tests/support/unit.h"

struct host {
    struct unit_dir dir;
    char config[96], keys[96], hosts[96];
};

static struct host host_make(void)
{
    struct host self = {.dir = unit_dir_make()};
    char text[512];

    snprintf(self.keys, sizeof(self.keys), "%s/bus", self.dir.path);
    snprintf(self.hosts, sizeof(self.hosts), "%s/hosts", self.dir.path);
    snprintf(text, sizeof(text),
             "common\n    run_dir = \"%s/run\"\n    bus_hosts = \"%s\"\n    bus_keys = \"%s\"\n",
             self.dir.path, self.hosts, self.keys);
    snprintf(self.config, sizeof(self.config), "%s",
             unit_dir_write(&self.dir, "atrium.conf", text));
    return self;
}

static void host_free(struct host *self)
{
    unit_dir_remove(&self->dir);
}
#define HOST CLEANUP(host_free) struct host

static struct program *run(const char *name, const struct host *host, const char *const *words)
{
    char *path = program_path(name);
    const char *argv[16] = {path, "--config", host->config};
    struct program *self;

    for (size_t i = 0; words[i]; i++)
        argv[3 + i] = words[i];
    self = program_run(argv, NULL);
    free(path);
    return self;
}
#define KEYS(host, ...) \
    run("atriumctl", (host), (const char *const[]){"keys", "bus", __VA_ARGS__, NULL})
#define CHECK(host, daemon, instance) \
    run(daemon, (host), (const char *const[]){"--check-config", "--instance", instance, NULL})

static void keys_are_made_once(void)
{
    HOST host = host_make();
    char path[160];
    struct stat status;

    PROGRAM first = KEYS(&host, "docd.c1", "--listen", "10.0.0.3:7103");
    CHECK_EXIT(first, DONE);
    CU_ASSERT_EQUAL(strncmp(first->out, "docd.c1 tcp://10.0.0.3:7103 ", 28), 0);
    CU_ASSERT_EQUAL(strlen(first->out), 28 + 40 + 1);
    snprintf(path, sizeof(path), "%s/docd.c1.key", host.keys);
    CU_ASSERT_EQUAL_FATAL(stat(path, &status), 0);
    CU_ASSERT_EQUAL(status.st_mode & 0777, 0600);
    CU_ASSERT_EQUAL(status.st_size, 65);

    PROGRAM again = KEYS(&host, "docd.c1", "--listen", "10.0.0.3:7103");
    CU_ASSERT_STRING_EQUAL(again->out, first->out);
    PROGRAM other = KEYS(&host, "docd.c2", "--listen", "10.0.0.3:7103");
    CU_ASSERT_STRING_NOT_EQUAL(other->out + 28, first->out + 28);
    PROGRAM next = KEYS(&host, "docd.c1", "--listen", "10.0.0.3:7103", "--next");
    CHECK_EXIT(next, DONE);
    CU_ASSERT_STRING_NOT_EQUAL(next->out, first->out);
    snprintf(path, sizeof(path), "%s/docd.c1.key.next", host.keys);
    CU_ASSERT_EQUAL(access(path, F_OK), 0);

    PROGRAM json = KEYS(&host, "gateway.a1", "--json");
    CU_ASSERT_STRING_EQUAL(program_text(json, "instance"), "gateway.a1");
    CU_ASSERT_STRING_EQUAL(program_text(json, "listen"), "-");
    CU_ASSERT_EQUAL(strlen(program_text(json, "key")), 40);
    CU_ASSERT_PTR_NULL(strstr(json->out, unit_dir_read(&host.dir, "bus/gateway.a1.key")));
}

static void wrong_names_are_refused(void)
{
    static const char *const names[] = {"docd",    "docd.",      "filed.c1",
                                        "docd.C1", "../docd.c1", "docd.c1/x"};
    HOST host = host_make();

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        PROGRAM key = KEYS(&host, names[i]);
        CHECK_REFUSED(key, FAILED, "no name of an instance");
    }
    PROGRAM name = KEYS(&host, "docd.c1", "--listen", "db.example:7103");
    CHECK_REFUSED(name, FAILED, "numeric address");
    PROGRAM open = KEYS(&host, "docd.c1", "--listen", "*:7103");
    CHECK_REFUSED(open, FAILED, "numeric address");
    CU_ASSERT_NOT_EQUAL(access(host.keys, F_OK), 0);
}

static void check_config_looks_at_the_hosts(void)
{
    HOST host = host_make();
    char text[512], path[160];

    PROGRAM absent = CHECK(&host, "atrium-docd", "c1");
    CHECK_REFUSED(absent, 1, "No such file");

    PROGRAM line = KEYS(&host, "docd.c1", "--listen", "10.0.0.3:7103");
    unit_dir_write(&host.dir, "hosts", line->out);
    PROGRAM good = CHECK(&host, "atrium-docd", "c1");
    CHECK_EXIT(good, 0);
    PROGRAM unlisted = CHECK(&host, "atrium-docd", "c2");
    CHECK_REFUSED(unlisted, 1, "docd.c2.key");

    snprintf(text, sizeof(text), "%sauthd.b1 tcp://10.0.0.2:7101\n", line->out);
    unit_dir_write(&host.dir, "hosts", text);
    PROGRAM plain = CHECK(&host, "atrium-docd", "c1");
    CHECK_REFUSED(plain, 1, "hosts:2: must be: INSTANCE");

    PROGRAM next = KEYS(&host, "docd.c1", "--listen", "10.0.0.3:7103", "--next");
    unit_dir_write(&host.dir, "hosts", next->out);
    PROGRAM stale = CHECK(&host, "atrium-docd", "c1");
    CHECK_REFUSED(stale, 1, "No line of bus_hosts has docd.c1");

    unit_dir_write(&host.dir, "hosts", line->out);
    snprintf(path, sizeof(path), "%s/docd.c1.key", host.keys);
    chmod(path, 0644);
    PROGRAM shown = CHECK(&host, "atrium-docd", "c1");
    CHECK_REFUSED(shown, 1, "accessible to others");
}

static const struct unit_case cases[] = {
    CASE(keys_are_made_once),
    CASE(wrong_names_are_refused),
    CASE(check_config_looks_at_the_hosts),
};

int main(void)
{
    return unit_run("keys of the bus", cases, ARRAY_SIZE(cases));
}
