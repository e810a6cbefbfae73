/*
 * template.c - `atriumctl template ...`: which mails a project sends, and with which words.
 */
#include "ctl/ctl.h"
#include "ctl/ctl_bus.h"
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
    struct template_put_in in = {.name = arguments_get(&ctl->args, "NAME"),
                                 .subject = arguments_get(&ctl->args, "--subject"),
                                 .language = arguments_get(&ctl->args, "--language")};
    struct template_record out = {0};
    struct request req;

    if (read_part(ctl, "--text", &in.text, err) < 0 || read_part(ctl, "--html", &in.html, err) < 0)
        return -1;
    if (!in.text && !in.html)
        return error_set(err, ERR_BAD_REQUEST, "--text or --html is missing");
    if (project_from_args(ctl, &in.projectId, err) < 0)
        return -1;
    req = ctl_bus_request(ctl->bus, ctl->arena);
    if (maild_template_put(ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    output_record(ctl, &template_record_table, &out);
    return 0;
}

int template_list_command(struct ctl *ctl, struct error *err)
{
    static const char *const columns[] = {"name", "language", "subject", "lastUpdated", NULL};
    struct template_list_in in = {0};
    struct template_records out = {0};
    struct request req;

    if (project_from_args(ctl, &in.projectId, err) < 0)
        return -1;
    req = ctl_bus_request(ctl->bus, ctl->arena);
    if (maild_template_list(ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    output_list(ctl, &template_record_table, &out.resources, columns);
    return 0;
}

int template_delete_command(struct ctl *ctl, struct error *err)
{
    struct template_delete_in in = {.name = arguments_get(&ctl->args, "NAME"),
                                    .language = arguments_get(&ctl->args, "--language")};
    struct nothing out;
    struct request req;

    if (project_from_args(ctl, &in.projectId, err) < 0)
        return -1;
    req = ctl_bus_request(ctl->bus, ctl->arena);
    if (maild_template_delete(ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    output_done(ctl, "The mail template is deleted.");
    return 0;
}

int template_preview_command(struct ctl *ctl, struct error *err)
{
    struct template_preview_in in = {.name = arguments_get(&ctl->args, "NAME"),
                                     .language = arguments_get(&ctl->args, "--language")};
    struct email_template_preview out = {0};
    struct request req;

    if (project_from_args(ctl, &in.projectId, err) < 0)
        return -1;
    req = ctl_bus_request(ctl->bus, ctl->arena);
    if (maild_template_preview(ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    output_record(ctl, &email_template_preview_table, &out);
    return 0;
}
