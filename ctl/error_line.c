/*
 * error_line.c - see error_line.h.
 */
#include "ctl/error_line.h"

#include <stdio.h>

void error_line_print(const char *program, const struct error *err)
{
    fprintf(stderr, "%s: %s", program, err->problems ? "" : err->message);
    for (const struct error_item *item = err->problems; item; item = item->next)
        fprintf(stderr, "%s %s%s", item->name, item->value, item->next ? "; " : "");
    if (err->detail[0])
        fprintf(stderr, " (%s)", err->detail);
    fputc('\n', stderr);
}
