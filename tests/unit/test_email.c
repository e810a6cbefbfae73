/*
 * test_email.c - canonical email addresses.
 */
#include <string.h>

#include "common/wire/fields.h"
#include "tests/support/unit.h"

#define TEN "abcdefghij"
#define SIXTY TEN TEN TEN TEN TEN TEN
#define LABEL_63 SIXTY "abc"
#define DOMAIN_189 "@" LABEL_63 "." LABEL_63 "." SIXTY /* 189 bytes with the at sign */

struct email_case {
    const char *label, *text, *want; /* want NULL: refused */
};

static const struct email_case email_cases[] = {
    {"as it is", "ana@example.org", "ana@example.org"},
    {"upper case", "Ana.Lima@Example.ORG", "ana.lima@example.org"},
    {"blanks around", " \t ana@example.org\r\n", "ana@example.org"},
    {"plus and friends", "a+b_c-d!#$%&'*/=?^`{|}~@example.org",
     "a+b_c-d!#$%&'*/=?^`{|}~@example.org"},
    {"subdomains", "a@b.c.example.org", "a@b.c.example.org"},
    {"digits in the domain", "a@1and1.example", "a@1and1.example"},
    {"IDN",
     "ana@b\xc3\xbc"
     "cher.example",
     "ana@xn--bcher-kva.example"},
    {"IDN, upper case",
     "ana@B\xc3\x9c"
     "CHER.example",
     "ana@xn--bcher-kva.example"},
    {"IDN, decomposed",
     "ana@bu\xcc\x88"
     "cher.example",
     "ana@xn--bcher-kva.example"},
    {"IDN, sharp s stays",
     "ana@stra\xc3\x9f"
     "e.example",
     "ana@xn--strae-oqa.example"},
    {"IDN, already ASCII", "ana@XN--Bcher-KVA.example", "ana@xn--bcher-kva.example"},
    {"IDN, ideographic full stop",
     "ana@b\xc3\xbc"
     "cher\xe3\x80\x82"
     "example",
     "ana@xn--bcher-kva.example"},
    {"local part of 64", SIXTY "abcd@example.org", SIXTY "abcd@example.org"},
    {"254 bytes", SIXTY "abcd" DOMAIN_189 "a", SIXTY "abcd" DOMAIN_189 "a"},
    {"255 bytes", SIXTY "abcd" DOMAIN_189 "ab", NULL},
    {"local part of 65", SIXTY "abcde@example.org", NULL},
    {"label of 64", "a@" LABEL_63 "d.example", NULL},
    {"nothing", "", NULL},
    {"blank", "  ", NULL},
    {"no at sign", "example.org", NULL},
    {"no local part", "@example.org", NULL},
    {"no domain", "ana@", NULL},
    {"two at signs", "a@b@example.org", NULL},
    {"no dot", "ana@localhost", NULL},
    {"empty label", "ana@example..org", NULL},
    {"leading dot", "ana@.example.org", NULL},
    {"trailing dot", "ana@example.org.", NULL},
    {"hyphen first", "ana@-example.org", NULL},
    {"hyphen last", "ana@example-.org", NULL},
    {"underscore in the domain", "ana@ex_ample.org", NULL},
    {"address", "ana@127.0.0.1", NULL},
    {"address literal", "ana@[127.0.0.1]", NULL},
    {"dots at the ends", ".ana@example.org", NULL},
    {"dot at the end", "ana.@example.org", NULL},
    {"two dots", "a..b@example.org", NULL},
    {"blank inside", "a b@example.org", NULL},
    {"blank in the domain", "ana@exam ple.org", NULL},
    {"quoted", "\"a b\"@example.org", NULL},
    {"comment", "ana(x)@example.org", NULL},
    {"angle brackets", "<ana@example.org>", NULL},
    {"two addresses", "ana@example.org,eva@example.org", NULL},
    {"header injection", "ana@example.org\nBcc: eva@example.org", NULL},
    {"control character", "a\x01@example.org", NULL},
    {"DEL", "a\x7f@example.org", NULL},
    {"local part beyond ASCII", "\xc3\xa4na@example.org", NULL},
    {"no-break space", "ana\xc2\xa0@example.org", NULL},
    {"broken punycode", "ana@xn--\xc3\xbc.example", NULL},
    {"punycode of nothing", "ana@xn--a.example", NULL},
    {"bidi override", "ana@exa\xe2\x80\xaemple.org", NULL},
};

static void test_one_spelling_or_none(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(email_cases); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        const struct email_case *row = &email_cases[i];
        const char *email = fields_email(arena, row->text);

        if (row->want)
            UNIT_CHECK(email && strcmp(email, row->want) == 0, "%s: %s", row->label,
                       email ? email : "refused");
        else
            UNIT_CHECK(!email, "%s: %s", row->label, email ? email : "");
    }
}

/* Other daemons parse the address again, so the canonical form must be stable. */
static void test_normalised_addresses_are_unchanged(void)
{
    for (size_t i = 0; i < ARRAY_SIZE(email_cases); i++) {
        CLEANUP(arena_destroy) struct arena *arena = arena_new();
        const struct email_case *row = &email_cases[i];
        const char *again = row->want ? fields_email(arena, row->want) : NULL;

        if (row->want)
            UNIT_CHECK(again && strcmp(again, row->want) == 0, "%s", row->label);
    }
}

static const struct unit_case cases[] = {
    CASE(test_one_spelling_or_none),
    CASE(test_normalised_addresses_are_unchanged),
};

int main(void)
{
    return unit_run("email", cases, ARRAY_SIZE(cases));
}
