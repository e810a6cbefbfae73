/* confirm.c - see confirm.h. */
#include "ctl/confirm.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ctl/printable.h"
#include "ctl/typed_line.h"

enum { LINE_SIZE = 512 };

int confirm(struct ctl *ctl, const char *question, const char *name, struct error *err)
{
    char line[LINE_SIZE];

    if (arguments_has(&ctl->args, "--yes"))
        return 0;
    if (!isatty(STDIN_FILENO))
        return error_set(err, ERR_BAD_REQUEST, "--yes is needed: this cannot be undone");
    printable_put(question, stderr);
    fputs("\nType ", stderr);
    printable_put(name, stderr);
    fputs(" to continue: ", stderr);
    if (typed_line_read(ctl, false, line, sizeof(line), err) < 0)
        return -1;
    return strcmp(line, name) == 0 ? 0 : error_set(err, ERR_BAD_REQUEST, "nothing was deleted");
}
