/* client.c - `atriumctl client ...`: a project's OAuth clients. */
#include <string.h>

#include "common/service/service.h"
#include "common/wire/codec.h"
#include "ctl/call.h"
#include "ctl/ctl_bus.h"
#include "ctl/files.h"
#include "ctl/output.h"
#include "ctl/project/client_demo.h"
#include "settingsd/client_api.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/tenant_api.h"

enum { SET_ATTEMPTS = 10 }; /* each failure means that another operator changed the client */

/* ---- settings ---- */

static const struct {
    const char *option, *member;
    bool list; /* separated by commas */
} settings[] = {
    {"--type", "type", false},
    {"--auth-method", "authMethod", false},
    {"--redirect-uris", "redirectUris", true},
    {"--grant-types", "grantTypes", true},
    {"--scopes", "scopes", true},
};

static json_t *words(struct arena *arena, const char *list)
{
    json_t *array = json_array();
    char *copy = arena_strdup(arena, list), *rest = NULL;

    for (char *word = strtok_r(copy, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest))
        json_array_append_new(array, json_string(word));
    return array;
}

/* Drops an authMethod that does not fit a new type. */
static void settings_from_options(struct ctl *ctl, json_t *client)
{
    const char *type = arguments_get(&ctl->args, "--type");
    const char *method = json_string_value(json_object_get(client, "authMethod"));

    if (type && method && (strcmp(type, "confidential") == 0) == (strcmp(method, "none") == 0))
        json_object_del(client, "authMethod");
    for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
        const char *value = arguments_get(&ctl->args, settings[i].option);

        if (value)
            json_object_set_new(client, settings[i].member,
                                settings[i].list ? words(ctl->arena, value) : json_string(value));
    }
}

/* Reads the format of `client show --json`. */
static int settings_from_file(struct ctl *ctl, json_t *client, struct error *err)
{
    const char *path = arguments_get(&ctl->args, "--file");
    char *text = path ? files_read(ctl->arena, path, err) : NULL;
    json_auto_t *file = text ? codec_parse_exact(text, strlen(text), true, err) : NULL;

    if (path && !file)
        return -1;
    if (file)
        json_object_update(client, file);
    return 0;
}

/* Writes a client. `etag` NULL: a new one. */
static int client_put_json(struct ctl *ctl, struct uuid id, const char *etag, json_t *client,
                           struct client_record *out, struct error *err)
{
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    struct client_in in;
    struct operator_client_put_in put = {.id = id, .settings = &in.settings, .ifMatch = etag};

    if (fields_read(&client_in_table, &(struct field_source){.body = client}, ctl->arena, &in,
                    err) < 0)
        return -1;
    put.name = in.name;
    req.tenant = arguments_get(&ctl->args, "--project");
    return settingsd_operator_client_put(ctl->bus->bus, &req, &put, out, err);
}

static int client_create_demo(struct ctl *ctl, json_t *client, struct error *err)
{
    struct request req = ctl_bus_request(ctl->bus, ctl->arena);
    struct tenant_lookup_in which = tenant_lookup_from_text(arguments_get(&ctl->args, "--project"));
    struct client_record made = {0}, out = {0};
    struct client_secret_in secret = {.previousHours = 0};
    struct client_demo demo = {.client = &out};
    struct common_config config;
    struct tenant tenant = {0};

    if (ctl_bus_config(ctl, &config, err) < 0 ||
        settingsd_tenant_lookup(ctl->bus->bus, &req, &which, &tenant, err) < 0)
        return -1;
    if (!tenant.tenantCode)
        return error_set(err, ERR_BAD_REQUEST, "The project has no tenant code.");
    if (!config.public_url)
        return error_set(err, ERR_BAD_REQUEST, "public_url is not configured: there is no issuer");
    demo.public_url = config.public_url;
    demo.tenant_code = tenant.tenantCode;
    client_demo_settings(client);
    settings_from_options(ctl, client);
    if (client_put_json(ctl, (struct uuid){""}, NULL, client, &made, err) < 0)
        return -1;
    secret.id = made.id;
    if (call(ctl, &settingsd_operator_client_secret_method, &secret, &out, err) < 0)
        return -1;
    client_demo_print(ctl, &demo);
    return 0;
}

int client_create_command(struct ctl *ctl, struct error *err)
{
    json_auto_t *client = json_object();
    struct client_record out = {0};

    json_object_set_new(client, "name", json_string(arguments_get(&ctl->args, "NAME")));
    if (arguments_has(&ctl->args, "--demo-rp"))
        return client_create_demo(ctl, client, err);
    if (settings_from_file(ctl, client, err) < 0)
        return -1;
    settings_from_options(ctl, client);
    if (client_put_json(ctl, (struct uuid){""}, NULL, client, &out, err) < 0)
        return -1;
    output_record(ctl, &client_record_table, &out);
    return 0;
}

/* Changes a client. CONFLICT: another change came first. */
static int client_change(struct ctl *ctl, json_t *file, struct client_record *out,
                         struct error *err)
{
    struct id_in in = {.id = {""}};
    json_auto_t *client = NULL;

    if (call(ctl, &settingsd_operator_client_get_method, &in, out, err) < 0)
        return -1;
    client = output_json(ctl->arena, &client_record_table, out);
    json_object_update(client, file);
    settings_from_options(ctl, client);
    json_object_del(client, "id");
    return client_put_json(ctl, in.id, out->etag, client, out, err);
}

/* Keeps other members, and concurrent changes. */
int client_set_command(struct ctl *ctl, struct error *err)
{
    json_auto_t *file = json_object();
    struct client_record out;
    int result = -1;

    if (settings_from_file(ctl, file, err) < 0)
        return -1;
    for (int attempt = 0; attempt < SET_ATTEMPTS; attempt++) {
        error_clear(err);
        out = (struct client_record){0};
        result = client_change(ctl, file, &out, err);
        if (result == 0 || err->code != ERR_CONFLICT)
            break;
    }
    if (result == 0)
        output_record(ctl, &client_record_table, &out);
    return result;
}
