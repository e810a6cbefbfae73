/*
 * test_log.c - the form of a line, read back from stderr.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/log.h"
#include "tests/unit/unit.h"

/* stderr goes into a file between begin and end. */
static struct unit_dir dir;
static int stderr_before;

static void capture_begin(void)
{
    const char *path;
    int fd;

    dir = unit_dir_make();
    path = unit_dir_write(&dir, "log", "");
    fd = open(path, O_WRONLY | O_CLOEXEC);
    stderr_before = dup(STDERR_FILENO);
    dup2(fd, STDERR_FILENO);
    close(fd);
}

static void capture_end(char *text, size_t size)
{
    char path[128];
    ssize_t length;
    int fd;

    dup2(stderr_before, STDERR_FILENO);
    close(stderr_before);
    snprintf(path, sizeof path, "%s/log", dir.path);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    length = read(fd, text, size - 1);
    text[length > 0 ? length : 0] = '\0';
    close(fd);
    unit_dir_remove(&dir);
}

static void test_lines(void)
{
    static const struct {
        const char *label, *key, *value, *want;
    } rows[] = {
        {"plain", "peer", "authd.1", " peer=authd.1\n"},
        {"quoted", "what", "a b", " what=\"a b\"\n"},
        {"quote and backslash", "what", "a\"b\\", " what=\"a\\\"b\\\\\"\n"},
        {"empty", "what", "", " what=\"\"\n"},
        {"line break cannot forge a line", "what", "x\n<3>forged", " what=x<3>forged\n"},
        {"nor within quotes", "what", "x y\n<3>forged", " what=\"x y<3>forged\"\n"},
        {"escape sequence", "what", "\033[31mred", " what=[31mred\n"},
        {"UTF-8 stays", "what", "ä", " what=ä\n"},
        {"no value, no pair", "what", NULL, " msg=\"m\"\n"},
    };
    char text[4096];

    log_open("atrium-test", "7", LOG_INFO);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char want[256];

        snprintf(want, sizeof want, "<6>program=atrium-test instance=7 topic=unit msg=\"m\"%s",
                 rows[i].value != NULL ? rows[i].want : "\n");
        capture_begin();
        log_event(LOG_INFO, "unit", "m", rows[i].key, rows[i].value, NULL);
        capture_end(text, sizeof text);
        UNIT_CHECK(strcmp(text, want) == 0, "%s: %s", rows[i].label, text);
    }
}

static void test_bounds(void)
{
    char text[8192], value[6000];

    memset(value, 'x', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    capture_begin();
    log_event(LOG_INFO, "unit", "m", "what", value, NULL);
    capture_end(text, sizeof text);
    CU_ASSERT(strlen(text) == 2048 && text[2047] == '\n');
}

static void test_levels(void)
{
    uint64_t warnings = log_count(LOG_WARNING), all = log_count(LOG_DEBUG);
    char text[4096];

    unit_expect_log(1);
    log_set_level(LOG_NOTICE);
    capture_begin();
    log_event(LOG_INFO, "unit", "not this", NULL);
    log_detail(LOG_WARNING, "unit", "but this", "n=%d", 5);
    capture_end(text, sizeof text);
    log_set_level(LOG_INFO);
    CU_ASSERT(strstr(text, "not this") == NULL);
    CU_ASSERT(strstr(text, "<4>") == text && strstr(text, "detail=\"n=5\"") != NULL);
    CU_ASSERT(log_count(LOG_WARNING) == warnings + 1 && log_count(LOG_DEBUG) == all + 1);
}

static const struct unit_case cases[] = {
    {"lines", test_lines},
    {"a long line is cut", test_bounds},
    {"levels and the count", test_levels},
};

int main(void)
{
    return unit_run("log", cases, ARRAY_SIZE(cases));
}
