/*
 * test_config.c - what config.h promises of the file: typed values, and complaints with file and line.
 */
#include <stdlib.h>
#include <string.h>

#include "common/config.h"
#include "tests/unit/unit.h"

struct shared {
    const char *run_dir, *log_level;
};
struct own {
    const char *text, *path, *key;
    int64_t number, wait, size;
    bool flag;
    const char **list;
};

static const struct config_row shared_rows[] = {
    CONFIG_PATH(struct shared, run_dir, "/run/atrium", 0, "Sockets."),
    CONFIG_TEXT(struct shared, log_level, "info", 0, "Least urgent level."),
};
static const struct config_row own_rows[] = {
    CONFIG_TEXT(struct own, text, NULL, 0, "Any text."),
    CONFIG_PATH(struct own, path, NULL, 0, "A path."),
    CONFIG_PATH(struct own, key, NULL, CONFIG_REQUIRED, "A path that must be there."),
    CONFIG_INT(struct own, number, "7", -10, 100, "A number."),
    CONFIG_DURATION(struct own, wait, "10s", 100, 86400000, "A time."),
    CONFIG_SIZE(struct own, size, "64k", 1, 0, "A size."),
    CONFIG_BOOL(struct own, flag, "true", "Yes or no."),
    CONFIG_LIST(struct own, list, "a, b", "Words."),
};

struct load {
    struct shared shared;
    struct own own;
    struct arena *arena;
    struct error err;
    int result;
};

static void load_destroy(struct load *load)
{
    arena_destroy(&load->arena);
}

static void load_sections(const struct load *load, struct config_section sections[static 2])
{
    union {
        const void *from;
        void *out; /* sections are filled by load, which the caller owns */
    } shared = {.from = &load->shared}, own = {.from = &load->own};

    sections[0] =
        (struct config_section){"common", shared_rows, ARRAY_SIZE(shared_rows), shared.out};
    sections[1] = (struct config_section){"own", own_rows, ARRAY_SIZE(own_rows), own.out};
}

static void load_path(struct load *ret, const char *path)
{
    struct config_section sections[2];

    memset(ret, 0xa5, sizeof(*ret)); /* every member must be set */
    ret->arena = arena_new();
    error_init(&ret->err, ret->arena);
    load_sections(ret, sections);
    ret->result = config_load(path, sections, 2, ret->arena, &ret->err);
}

static void load_text(struct load *ret, const char *text)
{
    struct unit_dir dir = unit_dir_make();

    load_path(ret, unit_dir_write(&dir, "a.conf", text));
    unit_dir_remove(&dir);
}

static void test_values(void)
{
    CLEANUP(load_destroy) struct load load = {0};

    load_text(&load, "# a comment\n"
                     "common\n"
                     "    run_dir = \"/tmp/x\"   # behind\n"
                     "\n"
                     "other\n"
                     "    unknown = 1\n"
                     "        deeper\n"
                     "own\r\n"
                     "    key = /k\n"
                     "    text = 'says \"#1\"'\n"
                     "    number = -3\n"
                     "    # between\n"
                     "    wait = 2h\n"
                     "    size = 3M\n"
                     "    flag = false\n"
                     "    list = \"one,two , three words\"\n");
    UNIT_REQUIRE(load.result == 0, "%s", load.err.message);
    CU_ASSERT_STRING_EQUAL(load.shared.run_dir, "/tmp/x");
    CU_ASSERT_STRING_EQUAL(load.shared.log_level, "info");
    CU_ASSERT_STRING_EQUAL(load.own.key, "/k");
    CU_ASSERT_STRING_EQUAL(load.own.text, "says \"#1\"");
    CU_ASSERT(load.own.number == -3 && load.own.wait == 7200000 && load.own.size == 3 << 20);
    CU_ASSERT(!load.own.flag);
    CU_ASSERT_STRING_EQUAL(load.own.list[0], "one");
    CU_ASSERT_STRING_EQUAL(load.own.list[1], "two");
    CU_ASSERT_STRING_EQUAL(load.own.list[2], "three words");
    CU_ASSERT(load.own.list[3] == NULL);
}

static void test_fallbacks(void)
{
    CLEANUP(load_destroy) struct load load = {0};

    load_text(&load, "own\n    key = /k");
    UNIT_REQUIRE(load.result == 0, "%s", load.err.message);
    CU_ASSERT_STRING_EQUAL(load.shared.run_dir, "/run/atrium");
    CU_ASSERT(load.own.text == NULL && load.own.path == NULL);
    CU_ASSERT(load.own.number == 7 && load.own.wait == 10000 && load.own.size == 65536);
    CU_ASSERT(load.own.flag);
    CU_ASSERT_STRING_EQUAL(load.own.list[1], "b");
}

struct bad_case {
    const char *label, *text;
    const char *want; /* in the message, after the file's name */
};

#define OWN "own\n    key = /k\n"
static const struct bad_case bad_cases[] = {
    {"unknown key", OWN "    nmber = 1\n", ":3: section \"own\" has no key \"nmber\""},
    {"unknown key of common", "common\n    x = 1\n" OWN, ":2: section \"common\" has no key"},
    {"duplicate key", OWN "    number = 1\n\n    number = 1\n", ":5: number was given on line 3"},
    {"duplicate section", OWN "other\n" OWN, ":4: section \"own\" began on line 1"},
    {"missing key", "common\nown\n    number = 1\n",
     ":2: section \"own\" must have the key \"key\""},
    {"missing section", "common\n", ": section \"own\" must have the key \"key\""},
    {"no number", OWN "    number = seven\n", ":3: number must be a number"},
    {"number with a tail", OWN "    number = 7x\n", ":3: number must be a number"},
    {"number with a plus", OWN "    number = +7\n", ":3: number must be a number"},
    {"number too large", OWN "    number = 101\n", ":3: number must be between -10 and 100"},
    {"number too small", OWN "    number = -11\n", ":3: number must be between -10 and 100"},
    {"number beyond int64", OWN "    number = 9223372036854775808\n", ":3: number must be a"},
    {"time without unit", OWN "    wait = 10\n", ":3: wait must be a time"},
    {"time of no unit", OWN "    wait = 10y\n", ":3: wait must be a time"},
    {"negative time", OWN "    wait = -1s\n", ":3: wait must be a time"},
    {"time too long", OWN "    wait = 2d\n", ":3: wait must be between 100ms and 1d"},
    {"time that overflows", OWN "    wait = 9000000000000000d\n", ":3: wait must be a time"},
    {"size of no unit", OWN "    size = 1T\n", ":3: size must be a size"},
    {"size too small", OWN "    size = 0\n", ":3: size must be between 1 and"},
    {"flag", OWN "    flag = yes\n", ":3: flag must be true or false"},
    {"empty word", OWN "    list = \"a,,b\"\n", ":3: list has an empty word"},
    {"empty last word", OWN "    list = \"a,\"\n", ":3: list has an empty word"},
    {"relative path", OWN "    path = x/y\n", ":3: path must be an absolute path"},
    {"empty path", OWN "    path =\n", ":3: path must be an absolute path"},
    {"credential without systemd", OWN "    path = $CREDENTIALS_DIRECTORY/x\n",
     ":3: path: $CREDENTIALS_DIRECTORY is not set"},
    {"key at the margin", "number = 1\n" OWN, ":1: \"number\" stands outside of a section"},
    {"key before all sections", "    number = 1\n", ":1: a section's name must stand before"},
    {"shallow", "own\n  key = /k\n", ":2: keys are indented by 4 spaces"},
    {"deep", OWN "        number = 1\n", ":3: keys are indented by 4 spaces"},
    {"tab", "own\n\tkey = /k\n", ":2: must be: name = \"value\""},
};

/* Complaints that zconfig makes of its own go to stdout: they do no harm but are not ours. */
static void test_complaints(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(bad_cases); i++) {
        CLEANUP(load_destroy) struct load load = {0};
        const struct bad_case *row = &bad_cases[i];
        const char *name;

        load_text(&load, row->text);
        UNIT_CHECK(load.result < 0, "%s", row->label);
        name = load.result < 0 ? strstr(load.err.message, "a.conf") : NULL;
        UNIT_CHECK(name && strncmp(name + 6, row->want, strlen(row->want)) == 0, "%s: %s",
                   row->label, load.err.message);
    }
}

static void test_syntax(void)
{
    static const char *const lines[] = {"    number 1", "    number = \"1", "    number = \"1\" x",
                                        "    = 1", "    nu!mber = 1"};

    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        CLEANUP(load_destroy) struct load load = {0};
        char text[128];

        snprintf(text, sizeof(text), OWN "%s\n", lines[i]);
        load_text(&load, text);
        UNIT_CHECK(load.result < 0 && strstr(load.err.message, "a.conf:3: must be: name"), "%s: %s",
                   lines[i], load.err.message);
    }
}

static void test_long_line(void)
{
    CLEANUP(load_destroy) struct load load = {0};
    char text[5000] = OWN "    text = ";

    memset(text + strlen(text), 'x', sizeof(text) - strlen(text) - 1);
    load_text(&load, text);
    CU_ASSERT(load.result < 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(load.err.message, "a.conf:3: longer than"));
}

static void test_no_text(void)
{
    CLEANUP(load_destroy) struct load missing = {0}, directory = {0}, latin = {0};

    load_path(&missing, "/nonexistent/atrium.conf");
    CU_ASSERT(missing.result < 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(missing.err.message, "/nonexistent/atrium.conf: No such file"));
    load_path(&directory, "/");
    CU_ASSERT(directory.result < 0);
    load_text(&latin, OWN "    text = \xe9\n");
    CU_ASSERT(latin.result < 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(latin.err.message, "UTF-8"));
}

static void test_credentials(void)
{
    CLEANUP(load_destroy) struct load load = {0};

    setenv("CREDENTIALS_DIRECTORY", "/run/credentials/x", 1);
    load_text(&load, "own\n    key = $CREDENTIALS_DIRECTORY/seal\n");
    unsetenv("CREDENTIALS_DIRECTORY");
    UNIT_REQUIRE(load.result == 0, "%s", load.err.message);
    CU_ASSERT_STRING_EQUAL(load.own.key, "/run/credentials/x/seal");
}

/* What is printed is a configuration that says the same. */
static void test_print(void)
{
    CLEANUP(load_destroy) struct load load = {0}, again = {0};
    struct config_section sections[2];
    char *text;

    load_text(&load,
              OWN "    text = 'a \"b\"'\n    wait = 90s\n    size = 1536k\n    list = \"\"\n");
    UNIT_REQUIRE(load.result == 0, "%s", load.err.message);
    load_sections(&load, sections);
    text = config_print(sections, 2, load.arena);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "    # A time.\n    wait = \"90s\"\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "    # path is not set\n"));
    load_text(&again, text);
    UNIT_REQUIRE(again.result == 0, "%s", again.err.message);
    CU_ASSERT_STRING_EQUAL(again.own.text, "a \"b\"");
    CU_ASSERT(again.own.wait == 90000 && again.own.size == 1536 << 10 && again.own.flag);
    CU_ASSERT(again.own.path == NULL && again.own.list[0] == NULL);
}

static const struct unit_case cases[] = {
    {"types what it reads", test_values},
    {"falls back", test_fallbacks},
    {"complains with file and line", test_complaints},
    {"complains of syntax with file and line", test_syntax},
    {"refuses long lines", test_long_line},
    {"refuses what is no text", test_no_text},
    {"finds systemd's credentials", test_credentials},
    {"prints what it read", test_print},
};

int main(void)
{
    unsetenv("CREDENTIALS_DIRECTORY");
    return unit_run("config", cases, ARRAY_SIZE(cases));
}
