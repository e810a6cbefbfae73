/* audit.c - see audit.h. */
#include "common/service/audit.h"

#include <jansson.h>

#include "common/service/audit_address.h"
#include "common/wire/codec.h"

static void set_uuid(json_t *json, const char *name, struct uuid id)
{
    codec_set_text(json, name, id.text);
}

/* Returns the actor: a person with its place in a project, or a service of the suite. */
static json_t *agent(const struct request *req)
{
    json_t *json = json_object();

    if (req->caller) {
        set_uuid(json, "account", req->caller->account);
        set_uuid(json, "membership", req->caller->membership);
        codec_set_text(json, "profile",
                       arena_printf(req->arena, "%s/%s", role_text(req->caller->role),
                                    req->caller->profile.text));
    }
    codec_set_text(json, "service", req->service);
    return json;
}

/* Returns the key of the account whose owner uses the client's address; NULL if unknown. */
static const char *key_of(const struct request *req, struct uuid account)
{
    const struct address_key *each = req->addressKeys ? *req->addressKeys : NULL;

    if (req->caller)
        return req->caller->addressKey;
    while (each && !uuid_equal(&each->account, &account))
        each = each->next;
    return each ? each->key : NULL;
}

static void set_address(const struct request *req, struct uuid account, json_t *event)
{
    const char *key = key_of(req, account);

    if (!req->address || req->address[0] == '\0' || !req->service ||
        strcmp(req->service, "gateway") != 0)
        return;
    if (req->caller)
        account = req->caller->account;
    if (!uuid_is_set(&account))
        codec_set_text(event, "address", req->address);
    else if (key)
        codec_set_text(event, "addressSealed", audit_address_seal(req->arena, key, req->address));
}

struct sql_audit audit_row(const struct request *req, const struct audit *what)
{
    const struct caller *caller = req->caller;
    struct sql_audit row = {.project = what->project, .at = req->now_ms};
    struct uuid account = uuid_is_set(&what->account) || !caller ? what->account : caller->account;
    json_t *event = json_object();

    if (!uuid_is_set(&row.project) && caller)
        row.project = caller->project;
    if (what->type && uuid_is_set(&what->id))
        row.entity = arena_printf(req->arena, "%s/%s", what->type, what->id.text);
    codec_set_text(event, "action", what->action);
    codec_set_text(event, "outcome", what->failure ? "failure" : "success");
    set_uuid(event, "account", account);
    codec_set_text(event, "role", role_text(what->role));
    json_object_set_new(event, "agent", agent(req));
    set_address(req, account, event);
    codec_set_text(event, "trace", req->trace);
    codec_set_text(event, "detail", what->detail);
    codec_set_text(event, "reason", what->reason);
    row.event = codec_dump_json(req->arena, event);
    json_decref(event);
    return row;
}
