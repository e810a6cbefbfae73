/* call.h - one operation of a daemon, with the members of its input taken from the command line. */
#ifndef ATRIUM_CTL_CALL_H
#define ATRIUM_CTL_CALL_H

#include "common/bus/bus.h"
#include "ctl/ctl.h"

/* Rows of the table of commands, for a command that calls one operation and shows its answer: a
 * sentence where the answer has no members, one record, or the named columns of its list. */
#define CALL(operation, ...) .run = call_command, .call = {&operation##_method, __VA_ARGS__}
#define CALL_DONE(operation, sentence) CALL(operation, .done = sentence)
#define CALL_RECORD(operation) CALL(operation, .done = NULL)
#define CALL_LIST(operation, ...) \
    CALL(operation, .columns = (const char *const[]){__VA_ARGS__, NULL})

/* Fills `in` from the command line, calls the operation, and writes the answer to `out`. Parks.
 *
 * An argument sets the member of its name: --previous-hours `previousHours`, ID `id`; CODE, --code,
 * --project and --tenant set `tenantCode`, or name the project of an R_PROJECT operation.
 * `projectId` is that of --project. A number that is not given has the default of its row. What the
 * command has set before stays where no argument has that name. An argument that is a file
 * (FILE...) is left to the command. */
int call(struct ctl *ctl, const struct bus_method *method, void *in, void *out,
         struct error *err) MUST_USE;

/* Runs the operation of the command's row. */
ctl_command call_command;

#endif
