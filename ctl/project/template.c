/* template.c - `atriumctl template ...`: a project's mail templates. */
#include "ctl/call.h"
#include "ctl/files.h"
#include "ctl/output.h"
#include "maild/maild_api.h"
#include "maild/template_api.h"

static int read_part(struct ctl *ctl, const char *option, const char **ret, struct error *err)
{
    const char *path = arguments_get(&ctl->args, option);

    if (path && !(*ret = files_read(ctl->arena, path, err)))
        return -1;
    return 0;
}

int template_put_command(struct ctl *ctl, struct error *err)
{
    struct template_put_in in = {.text = NULL};
    struct template_record out;

    if (read_part(ctl, "--text", &in.text, err) < 0 || read_part(ctl, "--html", &in.html, err) < 0)
        return -1;
    if (!in.text && !in.html)
        return error_set(err, ERR_BAD_REQUEST, "--text or --html is missing");
    if (call(ctl, &maild_template_put_method, &in, &out, err) < 0)
        return -1;
    output_record(ctl, &template_record_table, &out);
    return 0;
}
