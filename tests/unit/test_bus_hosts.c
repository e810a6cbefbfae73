/*
 * test_bus_hosts.c - the hosts file: valid content, refusals, and owners of keys.
 */
#include <string.h>

#include "common/bus/bus_hosts.h"
#include "tests/support/bus_kit.h"

static struct bus_hosts *read_text(const char *text, struct arena *arena, struct error *err)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    struct bus_hosts *hosts = NULL;

    error_init(err, NULL);
    if (bus_hosts_read(unit_dir_write(&dir, "hosts", text), arena, &hosts, err) < 0)
        return NULL;
    return hosts;
}

static void test_reads_what_is_right(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct kit_key a = kit_key_new(), b = kit_key_new(), c = kit_key_new(), d = kit_key_new();
    const struct bus_host *found[BUS_HOST_KEYS_MAX];
    struct bus_hosts *hosts;
    struct error err;

    hosts = read_text(arena_printf(arena,
                                   "\xef\xbb\xbf# who is where\n\n"
                                   "gateway.a1   -                     %s\n"
                                   "authd.b1\ttcp://10.0.0.2:7101  %s\r\n"
                                   "  docd.c-1   tcp://[fd00::3]:7103  %s\n"
                                   "authd.b1     tcp://10.0.0.2:7101   %s",
                                   a.text, b.text, c.text, d.text),
                      arena, &err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(hosts);
    CU_ASSERT_EQUAL(hosts->count, 4);
    CU_ASSERT_STRING_EQUAL(hosts->rows[0].service, "gateway");
    CU_ASSERT_STRING_EQUAL(hosts->rows[0].instance, "a1");
    CU_ASSERT_PTR_NULL(hosts->rows[0].endpoint);
    CU_ASSERT_STRING_EQUAL(hosts->rows[2].name, "docd.c-1");
    CU_ASSERT_STRING_EQUAL(hosts->rows[2].endpoint, "tcp://[fd00::3]:7103");
    CU_ASSERT(memcmp(hosts->rows[3].key, d.public, BUS_KEY_SIZE) == 0);

    CU_ASSERT_EQUAL(bus_hosts_by_name(hosts, "authd.b1", found), 2);
    CU_ASSERT(found[0] == &hosts->rows[1] && found[1] == &hosts->rows[3]);
    CU_ASSERT_EQUAL(bus_hosts_by_name(hosts, "gateway.a1", found), 0);
    CU_ASSERT_EQUAL(bus_hosts_by_name(hosts, "authd.b2", found), 0);
    CU_ASSERT_EQUAL(bus_hosts_by_name(NULL, "authd.b1", found), 0);
    CU_ASSERT(bus_hosts_by_key(hosts, d.public) == &hosts->rows[3]);
    CU_ASSERT_PTR_NULL(bus_hosts_by_key(hosts, a.secret));
}

/* In the rows, KEY and OTHER stand for two valid keys. */
static void test_refuses_what_is_not(void)
{
    static const struct {
        const char *label, *text, *want;
    } rows[] = {
        {"no key", "authd.b1 tcp://10.0.0.2:7101\n", ":1: must be: INSTANCE"},
        {"nothing but a name", "authd.b1\n", ":1: must be: INSTANCE"},
        {"too much", "authd.b1 - KEY more\n", ":1: there is text after the key"},
        {"a comment behind", "authd.b1 - KEY # mine\n", ":1: there is text after the key"},
        {"no instance", "authd - KEY\n", "is not the name"},
        {"an empty instance", "authd. - KEY\n", "is not the name"},
        {"two dots", "authd.b.1 - KEY\n", "is not the name"},
        {"capitals", "Authd.b1 - KEY\n", "is not the name"},
        {"no scheme", "authd.b1 10.0.0.2:7101 KEY\n", "must be tcp://"},
        {"another scheme", "authd.b1 ipc:///run/x KEY\n", "must be tcp://"},
        {"a host's name", "authd.b1 tcp://db.example:7101 KEY\n", "must be tcp://"},
        {"no port", "authd.b1 tcp://10.0.0.2 KEY\n", "must be tcp://"},
        {"an empty port", "authd.b1 tcp://10.0.0.2: KEY\n", "must be tcp://"},
        {"port 0", "authd.b1 tcp://10.0.0.2:0 KEY\n", "must be tcp://"},
        {"port 65536", "authd.b1 tcp://10.0.0.2:65536 KEY\n", "must be tcp://"},
        {"any port", "authd.b1 tcp://10.0.0.2:* KEY\n", "must be tcp://"},
        {"any address", "authd.b1 tcp://*:7101 KEY\n", "must be tcp://"},
        {"a bare IPv6 address", "authd.b1 tcp://fd00::2:7101 KEY\n", "must be tcp://"},
        {"half a bracket", "authd.b1 tcp://[fd00::2:7101 KEY\n", "must be tcp://"},
        {"a source address", "authd.b1 tcp://10.0.0.1:0;10.0.0.2:7101 KEY\n", "must be tcp://"},
        {"a short key", "authd.b1 - abc\n", "not a public key"},
        {"no Z85", "authd.b1 - ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n", "not a public key"},
        {"a key twice", "authd.b1 - KEY\nauthd.b2 - OTHER\ndocd.c1 - KEY\n",
         ":3: the key is already on line 1"},
        {"an endpoint twice", "authd.b1 tcp://10.0.0.2:1 KEY\ndocd.b1 tcp://10.0.0.2:1 OTHER\n",
         ":2: docd.b1 has the same address as"},
        {"two places", "authd.b1 tcp://10.0.0.2:1 KEY\nauthd.b1 tcp://10.0.0.2:2 OTHER\n",
         ":2: authd.b1 has a different address"},
        {"a place and none", "authd.b1 tcp://10.0.0.2:1 KEY\nauthd.b1 - OTHER\n",
         ":2: authd.b1 has a different address"},
        {"three keys", "authd.b1 - KEY\nauthd.b1 - OTHER\nauthd.b1 - THIRD\n",
         ":3: authd.b1 has more than 2 keys"},
    };
    static const char *const words[] = {"KEY", "OTHER", "THIRD"};

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        char *text = arena_strdup(arena, rows[i].text), *at;
        struct error err;

        for (size_t w = 0; w < ARRAY_SIZE(words); w++) {
            struct kit_key key = kit_key_new();

            while ((at = strstr(text, words[w])))
                text = arena_printf(arena, "%.*s%s%s", (int)(at - text), text, key.text,
                                    at + strlen(words[w]));
        }
        UNIT_CHECK(!read_text(text, arena, &err), "%s", rows[i].label);
        UNIT_CHECK(strstr(err.message, rows[i].want) != NULL, "%s: %s", rows[i].label, err.message);
    }
}

static void test_files_that_are_none(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    char long_line[600] = "#", path[128];
    struct bus_hosts *hosts = NULL;
    struct error err;

    error_init(&err, NULL);
    snprintf(path, sizeof(path), "%s/none", dir.path);
    CU_ASSERT(bus_hosts_read(path, arena, &hosts, &err) < 0);
    CU_ASSERT(strstr(err.message, "No such file") != NULL);
    CU_ASSERT(bus_hosts_read(dir.path, arena, &hosts, &err) < 0);

    snprintf(path, sizeof(path), "%s", unit_dir_write(&dir, "hosts", "# nobody\n"));
    CU_ASSERT(bus_hosts_read(path, arena, &hosts, &err) == 0 && hosts->count == 0);
    chmod(path, 0666);
    CU_ASSERT(bus_hosts_read(path, arena, &hosts, &err) < 0);
    CU_ASSERT(strstr(err.message, "other users cannot write") != NULL);

    memset(long_line + 1, 'x', sizeof(long_line) - 2);
    CU_ASSERT(bus_hosts_read(unit_dir_write(&dir, "long", long_line), arena, &hosts, &err) < 0);
    CU_ASSERT(strstr(err.message, ":1: longer than") != NULL);
}

static void test_an_instance_takes_its_own_key(void)
{
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct kit_key old = kit_key_new(), new = kit_key_new(), stray = kit_key_new();
    struct bus_hosts *hosts;
    struct error err;

    hosts = read_text(arena_printf(arena,
                                   "docd.c1 tcp://10.0.0.3:7103 %s\n"
                                   "docd.c1 tcp://10.0.0.3:7103 %s\nbotd.c1 - %s\n",
                                   old.text, new.text, stray.text),
                      arena, &err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(hosts);
    CU_ASSERT(bus_hosts_take_key(hosts, dir.path, "docd.c1", &err) < 0);
    unit_dir_write(&dir, "docd.c1.key", stray.digits);
    CU_ASSERT(bus_hosts_take_key(hosts, dir.path, "docd.c1", &err) < 0);
    CU_ASSERT(strstr(err.message, "No line of bus_hosts has docd.c1") != NULL);
    CU_ASSERT_PTR_NULL(hosts->own);
    unit_dir_write(&dir, "docd.c1.key", new.digits);
    CU_ASSERT(bus_hosts_take_key(hosts, dir.path, "docd.c1", &err) == 0);
    CU_ASSERT(hosts->own == &hosts->rows[1]);
    CU_ASSERT(memcmp(hosts->secret_key, new.secret, BUS_KEY_SIZE) == 0);
    chmod(arena_printf(arena, "%s/docd.c1.key", dir.path), 0644);
    CU_ASSERT(bus_hosts_take_key(hosts, dir.path, "docd.c1", &err) < 0);
    CU_ASSERT(strstr(err.message, "accessible to others") != NULL);
}

/* Translated addresses keep the line's port. */
static void test_an_address_to_listen_at(void)
{
    static const struct {
        const char *address, *want;
    } rows[] = {
        {"0.0.0.0", "tcp://0.0.0.0:7103"},
        {"::", "tcp://[::]:7103"},
        {"docd", NULL},
        {"", NULL},
        {"0.0.0.0:7103", NULL},
    };
    CLEANUP(unit_dir_remove) struct unit_dir dir = unit_dir_make();
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    struct kit_key key = kit_key_new(), silent = kit_key_new();
    const char *text =
        arena_printf(arena, "docd.c1 tcp://10.0.0.3:7103 %s\nctl.c1 - %s\n", key.text, silent.text);
    struct bus_hosts *hosts;
    struct error err;

    unit_dir_write(&dir, "docd.c1.key", key.digits);
    unit_dir_write(&dir, "ctl.c1.key", silent.digits);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        hosts = read_text(text, arena, &err);
        CU_ASSERT(bus_hosts_take_key(hosts, dir.path, "docd.c1", &err) == 0);
        if (rows[i].want) {
            CU_ASSERT(bus_hosts_listen(hosts, rows[i].address, arena, &err) == 0);
            CU_ASSERT_STRING_EQUAL(hosts->listen, rows[i].want);
        } else {
            CU_ASSERT(bus_hosts_listen(hosts, rows[i].address, arena, &err) < 0);
            CU_ASSERT(strstr(err.message, "is not a numeric address") != NULL);
        }
    }
    hosts = read_text(text, arena, &err);
    CU_ASSERT(bus_hosts_take_key(hosts, dir.path, "ctl.c1", &err) == 0);
    CU_ASSERT(bus_hosts_listen(hosts, "0.0.0.0", arena, &err) == 0);
    CU_ASSERT_PTR_NULL(hosts->listen); /* an instance without `listen` has no callers */
}

/* The caller's computed public key equals libzmq's. */
static void test_the_public_half_of_a_key(void)
{
    struct kit_key key = kit_key_new();
    char secret[BUS_KEY_TEXT_SIZE], public[BUS_KEY_TEXT_SIZE];

    zmq_z85_encode(secret, key.secret, BUS_KEY_SIZE);
    CU_ASSERT(zmq_curve_public(public, secret) == 0);
    CU_ASSERT_STRING_EQUAL(public, key.text);
}

static const struct unit_case cases[] = {
    CASE(test_reads_what_is_right),     CASE(test_refuses_what_is_not),
    CASE(test_files_that_are_none),     CASE(test_an_instance_takes_its_own_key),
    CASE(test_an_address_to_listen_at), CASE(test_the_public_half_of_a_key),
};

int main(void)
{
    return unit_run("bus hosts", cases, ARRAY_SIZE(cases));
}
