/* bot.c - `atriumctl bot ...`: a project's bots. */
#include <stdio.h>
#include <string.h>

#include "botd/botd_api.h"
#include "common/wire/codec.h"
#include "ctl/call.h"
#include "ctl/ctl_bus.h"
#include "ctl/files.h"
#include "ctl/output.h"
#include "ctl/printable.h"

enum { BOT_RUN_MS = 30000 }; /* longest timeout of a bot */

/* Reads a bot from a file in the API's format. */
static int read_bot(struct ctl *ctl, struct bot_in *ret, struct error *err)
{
    char *text = files_read(ctl->arena, arguments_get(&ctl->args, "FILE.json"), err);
    json_auto_t *json = text ? codec_parse_exact(text, strlen(text), true, err) : NULL;

    return json ? fields_read(&bot_in_table, &(struct field_source){.body = json}, ctl->arena, ret,
                              err)
                : -1;
}

int bot_put_command(struct ctl *ctl, struct error *err)
{
    struct bot_in bot;
    struct operator_bot_put_in in = {.bot = &bot};
    struct bot out;

    if (read_bot(ctl, &bot, err) < 0 ||
        call(ctl, &botd_operator_bot_put_method, &in, &out, err) < 0)
        return -1;
    output_record(ctl, &bot_table, &out);
    return 0;
}

int bot_run_command(struct ctl *ctl, struct error *err)
{
    const char *file = arguments_get(&ctl->args, "--input");
    struct operator_bot_run_in in = {.identifier = arguments_get(&ctl->args, "IDENTIFIER"),
                                     .input = file ? files_read(ctl->arena, file, err) : "{}"};
    struct bot_answer out = {0};
    struct request req;

    if (!in.input || project_from_args(ctl, &in.projectId, err) < 0)
        return -1;
    if (!codec_is_json(in.input, strlen(in.input)))
        return error_set(err, ERR_BAD_REQUEST, "%s: must be a JSON object", file);
    req = ctl_bus_request(ctl->bus, ctl->arena);
    req.deadline_mono_ms += BOT_RUN_MS;
    if (botd_operator_bot_run(ctl->bus->bus, &req, &in, &out, err) < 0)
        return -1;
    printable_json_text(out.output, stdout);
    putchar('\n');
    return 0;
}
