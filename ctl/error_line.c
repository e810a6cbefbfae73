/* error_line.c - see error_line.h. */
#include "ctl/error_line.h"

#include <stdio.h>

#include "ctl/printable.h"

void error_line_print(const char *program, const struct error *err)
{
    fprintf(stderr, "%s: ", program);
    if (!err->problems)
        printable_put(err->message, stderr);
    for (const struct error_item *item = err->problems; item; item = item->next) {
        printable_put(item->name, stderr);
        fputc(' ', stderr);
        printable_put(item->value, stderr);
        fputs(item->next ? "; " : "", stderr);
    }
    if (err->detail[0]) {
        fputs(" (", stderr);
        printable_put(err->detail, stderr);
        fputc(')', stderr);
    }
    fputc('\n', stderr);
}
