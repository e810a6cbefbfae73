/* policy.c - `atriumctl policy ...`: a project's access policies. */
#include "common/wire/codec.h"
#include "ctl/call.h"
#include "ctl/files.h"
#include "ctl/output.h"
#include "settingsd/policy_api.h"
#include "settingsd/settingsd_api.h"

static const char *member_text(struct ctl *ctl, const json_t *policy, const char *name)
{
    const json_t *value = json_object_get(policy, name);

    return value ? codec_dump_json(ctl->arena, value) : NULL;
}

/* The file has the API's format. */
int policy_put_command(struct ctl *ctl, struct error *err)
{
    char *text = files_read(ctl->arena, arguments_get(&ctl->args, "FILE.json"), err);
    json_auto_t *policy = text ? codec_parse_exact(text, strlen(text), true, err) : NULL;
    struct access_policy_in in = {.name = NULL};
    struct access_policy out;

    if (!policy)
        return -1;
    in.name = json_string_value(json_object_get(policy, "name"));
    in.resource = member_text(ctl, policy, "resource");
    in.ipAccessRule = member_text(ctl, policy, "ipAccessRule");
    if (call(ctl, &settingsd_operator_policy_put_method, &in, &out, err) < 0)
        return -1;
    output_record(ctl, &access_policy_table, &out);
    return 0;
}
