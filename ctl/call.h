/* call.h - calls an operation with input from the command line. */
#ifndef ATRIUM_CTL_CALL_H
#define ATRIUM_CTL_CALL_H

#include "common/bus/bus.h"
#include "ctl/ctl.h"

/* Members of a command's row: calls one operation and prints a sentence, one record, or columns of
 * a list. */
#define CALL(operation, ...) .run = call_command, .call = {&operation##_method, __VA_ARGS__}
#define CALL_DONE(operation, sentence) CALL(operation, .done = sentence)
#define CALL_RECORD(operation) CALL(operation, .done = NULL)
#define CALL_LIST(operation, ...) \
    CALL(operation, .columns = (const char *const[]){__VA_ARGS__, NULL})

/* Fills `in`, calls the operation, and writes the response to `out`. Parks.
 *
 * An argument sets the member of its name: --previous-hours `previousHours`, ID `id`; CODE, --code,
 * --project and --tenant set `tenantCode`, or the project of an R_PROJECT operation. --project also
 * sets `projectId`. Missing numbers get the field's default; other members stay. Files (FILE...)
 * are not read. */
int call(struct ctl *ctl, const struct bus_method *method, void *in, void *out,
         struct error *err) MUST_USE;

ctl_command call_command;

#endif
