/*
 * test_ctl_printable.c - other people's names and messages cannot control an operator's terminal.
 */
#include <stdlib.h>
#include <string.h>

#include "ctl/error_line.h"
#include "ctl/output.h"
#include "ctl/printable.h"
#include "tests/support/unit.h"

/* ESC ]0;x BEL sets a title, U+009B is short for ESC [. */
#define ORDERS            \
    "a\x1b]0;x\a\xc2\x9b" \
    "2J\x7f\r\nb\xc3\xa4\t\xc2\xa0"
#define LINE "a ]0;x   2J   b\xc3\xa4 \xc2\xa0"

static char *printed(FILE *stream, void (*print)(void))
{
    FILE *file = tmpfile();
    int saved = dup(fileno(stream));
    static char text[1024];
    size_t size;

    fflush(stream);
    dup2(fileno(file), fileno(stream));
    print();
    fflush(stream);
    dup2(saved, fileno(stream));
    close(saved);
    rewind(file);
    size = fread(text, 1, sizeof(text) - 1, file);
    text[size] = '\0';
    fclose(file);
    return text;
}

static struct arena *arena;

static struct ctl ctl_new(bool json)
{
    return (struct ctl){.arena = arena, .json = json};
}

static void texts_are_one_line(void)
{
    char text[] = ORDERS, lines[] = "a\n\t\x1b[b\xc2\x80";

    CU_ASSERT_STRING_EQUAL(printable_line(text), LINE);
    CU_ASSERT_STRING_EQUAL(printable_lines(lines), "a\n\t [b  ");
}

static void print_error(void)
{
    struct error err;

    error_init(&err, arena);
    error_set(&err, ERR_CONFLICT, "%s", ORDERS);
    error_detail(&err, "%s", ORDERS);
    error_line_print("p", &err);
}

static void print_problems(void)
{
    struct error err;

    error_init(&err, arena);
    (void)error_problem(&err, "na\x1bme", ORDERS);
    error_line_print("p", &err);
}

static void errors_give_no_orders(void)
{
    const char *text = printed(stderr, print_error);

    UNIT_CHECK(strcmp(text, "p: " LINE " (" LINE ")\n") == 0, "%s", text);
    text = printed(stderr, print_problems);
    UNIT_CHECK(strcmp(text, "p: na me " LINE "\n") == 0, "%s", text);
}

static void print_note(void)
{
    const struct ctl ctl = ctl_new(false);

    output_note(&ctl, "\n%s.", "x\x1b[2J\xc2\x9b");
    output_done(&ctl, "%s.", "y\x1b[2J\xc2\x9b");
}

static void print_json(void)
{
    const struct ctl ctl = ctl_new(true);

    output_note(&ctl, "nothing");
    output_done(&ctl, "%s", "y\x1b\n\x7f\xc2\x9b\xc2\xa0");
}

static void sentences_give_no_orders(void)
{
    const char *text = printed(stdout, print_note);

    UNIT_CHECK(strcmp(text, "\nx [2J  .\ny [2J  .\n") == 0, "%s", text);
}

/* JSON escapes it, because programs print it too. */
static void json_gives_no_orders(void)
{
    const char *text = printed(stdout, print_json);
    json_auto_t *json = json_loads(text, 0, NULL);

    UNIT_CHECK(strstr(text, "\"y\\u001B\\n\\u007F\\u009B\xc2\xa0\""), "%s", text);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(json, "message")),
                           "y\x1b\n\x7f\xc2\x9b\xc2\xa0");
}

struct reading {
    const char *value;
};
FIELD_DECLARE(reading);
static const struct field reading_rows[] = {
    FIELD_JSON(struct reading, value, 64, 0, "As it was measured.", "5.40"),
};
FIELD_TABLE(reading);

static void print_reading(void)
{
    const struct ctl ctl = ctl_new(false);

    output_record(&ctl, &reading_table, &(struct reading){"5.40"});
    output_record(&ctl, &reading_table, &(struct reading){"[18446744073709551616]"});
}

static void print_reading_json(void)
{
    const struct ctl ctl = ctl_new(true);

    output_record(&ctl, &reading_table, &(struct reading){"{\"n\":[5.40,1e400]}"});
}

static void numbers_are_shown_as_they_are_written(void)
{
    const char *text = printed(stdout, print_reading);

    UNIT_CHECK(strcmp(text, "value  5.40\nvalue  [18446744073709551616]\n") == 0, "%s", text);
    text = printed(stdout, print_reading_json);
    UNIT_CHECK(strstr(text, "\n      5.40,\n      1e400\n"), "%s", text);
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE(texts_are_one_line),
        CASE(errors_give_no_orders),
        CASE(sentences_give_no_orders),
        CASE(json_gives_no_orders),
        CASE(numbers_are_shown_as_they_are_written),
    };
    int failed;

    arena = arena_new();
    failed = unit_run("ctl printable", cases, ARRAY_SIZE(cases));
    arena_destroy(&arena);
    return failed;
}
