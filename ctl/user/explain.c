/* explain.c - `atriumctl explain sign-in`: why a person cannot sign in. */
#include <stdio.h>
#include <string.h>

#include "authd/authd_api.h"
#include "authd/operation_api.h"
#include "ctl/call.h"
#include "ctl/output.h"

int explain_sign_in_command(struct ctl *ctl, struct error *err)
{
    static const char *const columns[] = {"check", "outcome", "hint", NULL};
    struct sign_in_explain_in in = {0};
    struct sign_in_explain_out out;
    const struct explain_step *steps;
    bool skipped = false;

    if (call(ctl, &authd_sign_in_explain_method, &in, &out, err) < 0)
        return -1;
    if (ctl->json)
        output_record(ctl, &sign_in_explain_out_table, &out);
    else
        output_list(ctl, &explain_step_table, &out.steps, columns);
    steps = out.steps.items;
    for (size_t i = 0; i < out.steps.count; i++) {
        if (strcmp(steps[i].outcome, "fail") == 0) {
            output_note(ctl, "\nThe first check that fails: %s", steps[i].check);
            return error_set(err, ERR_CONFLICT, "the sign-in fails at the check %s",
                             steps[i].check);
        }
        skipped = skipped || strcmp(steps[i].outcome, "skipped") == 0;
    }
    if (ctl->json)
        return 0;
    printf("\nWith the right password%s the sign-in succeeds%s.\n",
           out.secondFactor ? " and a code of the second factor" : "",
           skipped ? ", unless a skipped check fails" : "");
    return 0;
}
