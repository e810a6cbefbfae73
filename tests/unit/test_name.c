/*
 * test_name.c - refused names, and the others' form in emails.
 */
#include <string.h>

#include "common/domain/name.h"
#include "tests/support/unit.h"

static void harmful_names_are_refused(void)
{
    static const struct {
        const char *label, *input;
        bool fine;
    } rows[] = {
        {"plain", "Ana Lima", true},
        {"accents", "Zoë Çelik-Đorđević", true},
        {"Arabic, with a joiner", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", true},
        {"emoji", "\U0001f469\u200d\u2695\ufe0f", true},
        {"one letter", "x", true},
        {"LF", "Ana\nYour account is closed", false},
        {"CR", "Ana\rx", false},
        {"tab", "Ana\tx", false},
        {"ESC", "Ana\x1b[2J", false},
        {"DEL", "Ana\x7f", false},
        {"C1", "Ana\xc2\x85x", false},
        {"line separator", "Ana\u2028x", false},
        {"override", "Ana\u202exe", false},
        {"embedding", "\u202aAna", false},
        {"isolate", "Ana\u2066x\u2069", false},
        {"spaces", "   ", false},
        {"no-break space", "\u00a0\u3000", false},
        {"zero width", "\u200b\u200d\ufeff", false},
        {"Hangul filler", "\u3164", false},
        {"tags", "\U000e0041", false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char why[96] = "";
        bool fine = name_check(rows[i].input, why) == 0;

        UNIT_CHECK(fine == rows[i].fine && fine == (why[0] == '\0'), "%s: %s", rows[i].label, why);
    }
}

static void shown_names_are_no_links(void)
{
    static const struct {
        const char *input, *want;
    } rows[] = {
        {"Ana Lima", "Ana Lima"},
        {"Dr. Ana", "Dr. Ana"},
        {"evil.example", "evil.\u2060example"},
        {"www.evil.example", "www.\u2060evil.\u2060example"},
        {"b\u00fccher.example", "b\u00fccher.\u2060example"},
        {"192.0.2.7", "192.\u20600.\u20602.\u20607"},
        {"a@b", "a@\u2060b"},
        {"http://x", "http:\u2060//x"},
        {"end.", "end."},
        {"..", ".."},
        {"a\r\nb\u202ec", "a  b c"},
        {"", ""},
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();
    char long_name[301] = "";

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *shown = name_shown(arena, rows[i].input);

        UNIT_CHECK(strcmp(shown, rows[i].want) == 0, "%s: %s", rows[i].input, shown);
    }
    for (int i = 0; i < 100; i++)
        strcat(long_name, "\u20ac");
    CU_ASSERT_EQUAL(strlen(name_shown(arena, long_name)), 64 * 3);
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE(harmful_names_are_refused),
        CASE(shown_names_are_no_links),
    };

    return unit_run("name", cases, ARRAY_SIZE(cases));
}
