/*
 * marked_text.c - see marked_text.h.
 */
#include "tests/support/marked_text.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/unit.h"

enum { PARTS_MAX = 24 };

static const char *const kept[] = {
    "{{name}}",
    "{{ user.first }}",
    "{{{raw}}}",
    "{{#each a}}",
    "{{/each}}",
    "<b>",
    "</b>",
    "<a href=\"https://a.example/?q={{id}}&r=1\">",
    "</a>",
    "<br/>",
    "<img src=x alt='y'>",
    "&amp;",
    "&nbsp;",
    "&#8217;",
    "<!-- note -->",
    "`code {{x}}`",
    "**",
    "*",
    "~~",
    "[",
    "](https://b.example)",
    "https://c.example/d?e=f",
    "me@d.example",
    "\n",
    "\n\n",
    "\n- ",
    "\n1. ",
    "\n## ",
    "\n> ",
    "\n```js\nlet {{y}} = '<b>';\n```\n",
    "<code>a<b</code>",
    "| ",
    "\\*",
    "<ul><li>",
    "</li></ul>",
    "<p dir=\"rtl\">",
    "</p>",
    "<i>",
    "</i>",
};
static const char *const words[] = {
    "the",
    "red house",
    "Your appointment",
    "is",
    "not",
    "on Monday.",
    "don't",
    "3.5",
    "(maybe)",
    "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xd7\xa2\xd7\x95\xd7\x9c\xd7\x9d",
    "\xd9\x85\xd8\xb1\xd8\xad\xd8\xa8\xd8\xa7",
    "\xf0\x9f\x98\x80",
    "\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7",
    "caf\xc3\xa9",
    "a < b",
    "2 * 3",
    "x_y_z",
    "\"quoted\"",
    "\xe2\x80\x94",
    "$5",
    "50%",
    "@home",
    "{",
    "}",
    "^",
    "/",
    "O'Brien",
    "\xe4\xbd\xa0\xe5\xa5\xbd",
};

char *marked_text(unsigned *seed)
{
    char *text = calloc(1, PARTS_MAX * 128);
    size_t parts = 1 + (size_t)rand_r(seed) % PARTS_MAX;

    for (size_t i = 0; i < parts; i++) {
        bool mark = rand_r(seed) % 2;

        if (mark && i > 0 && text[strlen(text) - 1] != ' ') /* otherwise it is not an address */
            strcat(text, " ");
        strcat(text, mark ? kept[(size_t)rand_r(seed) % ARRAY_SIZE(kept)]
                          : words[(size_t)rand_r(seed) % ARRAY_SIZE(words)]);
        if (mark || rand_r(seed) % 4 > 0)
            strcat(text, " ");
    }
    return text;
}

bool marked_text_kept(const char *text, const char *result)
{
    for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
        if (unit_occurrences(text, kept[i]) != unit_occurrences(result, kept[i]))
            return false;
    return true;
}
