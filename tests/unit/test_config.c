/*
 * test_config.c - config.h: typed values, and errors with file and line.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/service/config.h"
#include "common/service/config_line.h"
#include "tests/support/unit.h"

struct shared {
    const char *run_dir, *log_level;
};
struct own {
    const char *text, *path, *key;
    int64_t number, part, wait, size;
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
    CONFIG_RATIO(struct own, part, "0.01", "A part."),
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
        void *out; /* filled by load; the caller owns it */
    } shared = {.from = &load->shared}, own = {.from = &load->own};

    sections[0] =
        (struct config_section){"common", shared_rows, ARRAY_SIZE(shared_rows), shared.out, NULL};
    sections[1] = (struct config_section){"own", own_rows, ARRAY_SIZE(own_rows), own.out, NULL};
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

static void test_types_what_it_reads(void)
{
    CLEANUP(load_destroy) struct load load = {0};

    load_text(&load, "\xef\xbb\xbf# a comment behind a byte order mark\n"
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
    CU_ASSERT(!load.own.list[3]);
}

static void test_falls_back(void)
{
    CLEANUP(load_destroy) struct load load = {0};

    load_text(&load, "own\n    key = /k");
    UNIT_REQUIRE(load.result == 0, "%s", load.err.message);
    CU_ASSERT_STRING_EQUAL(load.shared.run_dir, "/run/atrium");
    CU_ASSERT(!load.own.text && !load.own.path);
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
    {"duplicate key", OWN "    number = 1\n\n    number = 1\n",
     ":5: number is already set on line 3"},
    {"duplicate section", OWN "other\n" OWN, ":4: section \"own\" already began on line 1"},
    {"missing key", "common\nown\n    number = 1\n",
     ":2: section \"own\" must have the key \"key\""},
    {"missing section", "common\n", ": section \"own\" must have the key \"key\""},
    {"no number", OWN "    number = seven\n", ":3: number must be a number"},
    {"number with a tail", OWN "    number = 7x\n", ":3: number must be a number"},
    {"number with a plus", OWN "    number = +7\n", ":3: number must be a number"},
    {"number too large", OWN "    number = 101\n", ":3: number must be between -10 and 100"},
    {"number too small", OWN "    number = -11\n", ":3: number must be between -10 and 100"},
    {"number beyond int64", OWN "    number = 9223372036854775808\n", ":3: number must be a"},
    {"part above 1", OWN "    part = 1.000001\n", ":3: part must be between 0 and 1"},
    {"part of seven digits", OWN "    part = 0.1234567\n", ":3: part must be a part such as"},
    {"part without digits", OWN "    part = .5\n", ":3: part must be a part such as"},
    {"part with nothing behind the point", OWN "    part = 0.\n", ":3: part must be a part"},
    {"negative part", OWN "    part = -0.1\n", ":3: part must be a part such as"},
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
    {"key at the margin", "number = 1\n" OWN, ":1: \"number\" is outside of a section"},
    {"key before all sections", "    number = 1\n", ":1: a section's name must come before"},
    {"shallow", "own\n  key = /k\n", ":2: keys are indented by 4 spaces"},
    {"deep", OWN "        number = 1\n", ":3: keys are indented by 4 spaces"},
    {"tab", "own\n\tkey = /k\n", ":2: must be: name = \"value\""},
};

static void test_complains_with_file_and_line(void)
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

static void test_complains_of_syntax_with_file_and_line(void)
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

static void lines_are_taken_apart(void)
{
    static const struct {
        const char *line, *name, *value; /* name NULL: refused */
    } rows[] = {
        {"a", "a", ""},
        {"a # comment", "a", ""},
        {"a =", "a", ""},
        {"a = b", "a", "b"},
        {"a\t=\tb c \t# comment", "a", "b c"},
        {"a=b=c", "a", "b=c"},
        {"a = \"b # c\" # comment", "a", "b # c"},
        {"a = 'b \" c'\r", "a", "b \" c"},
        {"a = \"\"", "a", ""},
        {"a =#b", "a", ""},
        {"a = #b", "a", "#b"},
        {"a/b-c_d.e@f&g+$h = 1", "a/b-c_d.e@f&g+$h", "1"},
        {"\t# comment", "", ""},
        {"a b", NULL, NULL},
        {"a \"b\"", NULL, NULL},
        {"a = \"b", NULL, NULL},
        {"a = \"b'", NULL, NULL},
        {"a = \"b\" c", NULL, NULL},
        {"= b", NULL, NULL},
        {"\"a\" = b", NULL, NULL},
        {"/a = b", NULL, NULL},
        {"a/ = b", NULL, NULL},
        {"\xc3\xa9 = b", NULL, NULL},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char text[64];
        struct config_line line;
        const char *what;

        snprintf(text, sizeof(text), "%s", rows[i].line);
        what = config_line_split(text, &line);
        UNIT_CHECK(!what == !!rows[i].name, "%s: %s", rows[i].line, what ? what : "accepted");
        if (!what && rows[i].name) {
            UNIT_CHECK(strcmp(line.name, rows[i].name) == 0, "%s: %s", rows[i].line, line.name);
            UNIT_CHECK(strcmp(line.value, rows[i].value) == 0, "%s: %s", rows[i].line, line.value);
        }
    }
}

static void test_refuses_long_lines(void)
{
    CLEANUP(load_destroy) struct load load = {0};
    char text[5000] = OWN "    text = ";

    memset(text + strlen(text), 'x', sizeof(text) - strlen(text) - 1);
    load_text(&load, text);
    CU_ASSERT(load.result < 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(load.err.message, "a.conf:3: longer than"));
}

static void test_refuses_what_is_no_text(void)
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

static void test_finds_systemds_credentials(void)
{
    CLEANUP(load_destroy) struct load load = {0};

    setenv("CREDENTIALS_DIRECTORY", "/run/credentials/x", 1);
    load_text(&load, "own\n    key = $CREDENTIALS_DIRECTORY/seal\n");
    unsetenv("CREDENTIALS_DIRECTORY");
    UNIT_REQUIRE(load.result == 0, "%s", load.err.message);
    CU_ASSERT_STRING_EQUAL(load.own.key, "/run/credentials/x/seal");
}

static void test_prints_what_it_read(void)
{
    CLEANUP(load_destroy) struct load load = {0}, again = {0};
    struct config_section sections[2];
    char *text;

    load_text(&load, OWN "    text = 'a \"b\"'\n    wait = 90s\n    part = 0.125\n    size = "
                         "1536k\n    list = \"\"\n");
    UNIT_REQUIRE(load.result == 0, "%s", load.err.message);
    load_sections(&load, sections);
    text = config_print(sections, 2, load.arena);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "    # A part.\n    part = \"0.125\"\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "    # A time.\n    wait = \"90s\"\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "    # path is not set\n"));
    load_text(&again, text);
    UNIT_REQUIRE(again.result == 0, "%s", again.err.message);
    CU_ASSERT_STRING_EQUAL(again.own.text, "a \"b\"");
    CU_ASSERT(again.own.part == 125000 && load.own.part == 125000);
    CU_ASSERT(again.own.wait == 90000 && again.own.size == 1536 << 10 && again.own.flag);
    CU_ASSERT(!again.own.path && !again.own.list[0]);
}

/* A directory with the package's defaults, the operator's file and conf.d; NULL: missing file. */
struct layers {
    struct unit_dir dir;
    struct load load;
    struct config_origin origins[ARRAY_SIZE(own_rows)];
    const char **files;
};

static void layers_destroy(struct layers *self)
{
    load_destroy(&self->load);
    unit_dir_remove(&self->dir);
}

static void layers_load(struct layers *self, const char *defaults, const char *own,
                        const char *const (*parts)[2])
{
    struct config_section sections[2];
    struct load *load = &self->load;
    const char *path, *package;

    self->dir = unit_dir_make();
    memset(load, 0xa5, sizeof(*load));
    load->arena = arena_new();
    error_init(&load->err, load->arena);
    path = arena_printf(load->arena, "%s/atrium.conf", self->dir.path);
    package = arena_printf(load->arena, "%s/package.conf", self->dir.path);
    if (defaults)
        unit_dir_write(&self->dir, "package.conf", defaults);
    if (own)
        unit_dir_write(&self->dir, "atrium.conf", own);
    for (; parts && (*parts)[0]; parts++) {
        char name[64];

        CU_ASSERT_TRUE(mkdir(arena_printf(load->arena, "%s/conf.d", self->dir.path), 0700) == 0 ||
                       errno == EEXIST);
        snprintf(name, sizeof(name), "conf.d/%s", (*parts)[0]);
        unit_dir_write(&self->dir, name, (*parts)[1]);
    }
    load_sections(load, sections);
    sections[1].origins = self->origins;
    load->result = config_files(package, path, load->arena, &self->files, &load->err);
    if (load->result == 0)
        load->result = config_read(self->files, sections, 2, load->arena, &load->err);
}

static const struct config_origin *origin_of(const struct layers *self, const char *key)
{
    for (size_t i = 0; i < ARRAY_SIZE(own_rows); i++) {
        if (strcmp(own_rows[i].key, key) == 0)
            return &self->origins[i];
    }
    return NULL;
}

static bool ends_with(const char *text, const char *end)
{
    return text && strlen(text) >= strlen(end) &&
           strcmp(text + strlen(text) - strlen(end), end) == 0;
}

static void test_takes_the_value_of_the_last_file(void)
{
    static const char *const parts[][2] = {{"20-b.conf", "own\n    number = 4\n    wait = 1s\n"},
                                           {"10-a.conf", "own\n    number = 3\n    text = a\n"},
                                           {".hidden.conf", "broken"},
                                           {"30.conf.dpkg-old", "broken"},
                                           {"readme", "broken"},
                                           {NULL, NULL}};
    CLEANUP(layers_destroy) struct layers self = {0};

    layers_load(&self, "own\n    key = /package\n    number = 1\n    size = 1k\n    flag = false\n",
                "own\n    key = /own\n    number = 2\n    size = 2k\n", parts);
    UNIT_REQUIRE(self.load.result == 0, "%s", self.load.err.message);
    CU_ASSERT_STRING_EQUAL(self.load.own.key, "/own");
    CU_ASSERT_STRING_EQUAL(self.load.own.text, "a");
    CU_ASSERT(self.load.own.number == 4 && self.load.own.wait == 1000);
    CU_ASSERT(self.load.own.size == 2048 && !self.load.own.flag);
    UNIT_CHECK(ends_with(origin_of(&self, "number")->file, "/conf.d/20-b.conf"), "%s",
               origin_of(&self, "number")->file);
    CU_ASSERT(origin_of(&self, "wait")->line == 3);
    UNIT_CHECK(ends_with(origin_of(&self, "flag")->file, "/package.conf"), "%s",
               origin_of(&self, "flag")->file);
    CU_ASSERT_PTR_NULL(origin_of(&self, "list")->file);
}

static void test_names_the_file_of_a_complaint(void)
{
    static const char *const unknown[][2] = {{"a.conf", "own\n    nmber = 3\n"}, {NULL, NULL}};
    static const char *const value[][2] = {
        {"a.conf", "own\n    number = x\n"}, {"b.conf", "own\n    wait = 1s\n"}, {NULL, NULL}};
    CLEANUP(layers_destroy) struct layers key = {0}, bad = {0};

    layers_load(&key, NULL, OWN, unknown);
    UNIT_CHECK(key.load.result < 0 && strstr(key.load.err.message, "/conf.d/a.conf:2: section"),
               "%s", key.load.err.message);
    layers_load(&bad, NULL, OWN, value);
    UNIT_CHECK(bad.load.result < 0 && strstr(bad.load.err.message, "/conf.d/a.conf:2: number"),
               "%s", bad.load.err.message);
}

/* The package's file is enough; at least one of both is needed. */
static void test_needs_the_packages_file_or_the_operators(void)
{
    CLEANUP(layers_destroy) struct layers package = {0}, nothing = {0};

    layers_load(&package, OWN, NULL, NULL);
    UNIT_CHECK(package.load.result == 0, "%s", package.load.err.message);
    layers_load(&nothing, NULL, NULL, NULL);
    UNIT_CHECK(nothing.load.result < 0 && strstr(nothing.load.err.message, "/atrium.conf: No such"),
               "%s", nothing.load.err.message);
}

static void test_bounds_the_files_of_conf_d(void)
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    const char *parts[CONFIG_FILES_MAX + 2][2] = {{NULL}};
    CLEANUP(layers_destroy) struct layers self = {0};

    for (size_t i = 0; i <= CONFIG_FILES_MAX; i++) {
        parts[i][0] = arena_printf(arena, "%zu.conf", i);
        parts[i][1] = "";
    }
    layers_load(&self, NULL, OWN, parts);
    UNIT_CHECK(self.load.result < 0 &&
                   strstr(self.load.err.message, "conf.d has more than 64 files"),
               "%s", self.load.err.message);
}

/* A program knows other programs' keys in a section, but no other sections. */
static void test_keys_of_other_sections_are_known(void)
{
    static const struct config_row other_rows[] = {{.key = "theirs"}, {.key = "size"}};
    static const struct {
        const char *text, *want;
    } rows[] = {
        {OWN "other\n    theirs = \"any value\"\n    size = none\n", NULL},
        {OWN "other\n    number = 1\n", ":4: section \"other\" has no key \"number\""},
        {OWN "other\n    theirs = 1\n    theirs = 2\n", ":5: theirs is already set on line 4"},
        {OWN "another\n    theirs = 1\n", ":3: no program has a section \"another\""},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        CLEANUP(load_destroy) struct load load = {.arena = arena_new()};
        struct unit_dir dir = unit_dir_make();
        struct config_section sections[3];

        error_init(&load.err, load.arena);
        load_sections(&load, sections);
        sections[2] =
            (struct config_section){"other", other_rows, ARRAY_SIZE(other_rows), NULL, NULL};
        load.result = config_load(unit_dir_write(&dir, "a.conf", rows[i].text), sections, 3,
                                  load.arena, &load.err);
        UNIT_CHECK(rows[i].want ? load.result < 0 && strstr(load.err.message, rows[i].want)
                                : load.result == 0,
                   "%s: %s", rows[i].text, load.err.message);
        unit_dir_remove(&dir);
    }
}

static const struct unit_case cases[] = {
    CASE(test_keys_of_other_sections_are_known),
    CASE(test_types_what_it_reads),
    CASE(test_falls_back),
    CASE(test_complains_with_file_and_line),
    CASE(test_complains_of_syntax_with_file_and_line),
    CASE(lines_are_taken_apart),
    CASE(test_refuses_long_lines),
    CASE(test_refuses_what_is_no_text),
    CASE(test_finds_systemds_credentials),
    CASE(test_prints_what_it_read),
    CASE(test_takes_the_value_of_the_last_file),
    CASE(test_names_the_file_of_a_complaint),
    CASE(test_needs_the_packages_file_or_the_operators),
    CASE(test_bounds_the_files_of_conf_d),
};

int main(void)
{
    unsetenv("CREDENTIALS_DIRECTORY");
    return unit_run("config", cases, ARRAY_SIZE(cases));
}
