/* operator.c - atriumctl's operations whose shapes differ from the routes'. */
#include "settingsd/client_api.h"
#include "settingsd/policy_api.h"
#include "settingsd/settingsd.h"

int operator_client_create(struct settingsd *d, const struct request *req,
                           const struct operator_client_create_in *in, struct client *out,
                           struct error *err)
{
    const struct client_in client = {.name = in->name};
    struct client_record record;

    if (client_create(d, req, &client, &record, err) < 0)
        return -1;
    *out = (struct client){.id = record.id,
                           .name = record.name,
                           .lastUpdated = record.lastUpdated,
                           .type = record.settings.type,
                           .authMethod = record.settings.authMethod,
                           .grantTypes = "[]"};
    return 0;
}

int operator_client_put(struct settingsd *d, const struct request *req,
                        const struct operator_client_put_in *in, struct client_record *out,
                        struct error *err)
{
    struct client_in client = {.id = in->id, .name = in->name, .ifMatch = in->ifMatch};

    if (in->settings)
        client.settings = *in->settings;
    return client_replace(d, req, &client, out, err);
}

int operator_account_policy(struct settingsd *d, const struct request *req,
                            const struct operator_account_policy_in *in, struct account_policy *out,
                            struct error *err)
{
    return account_policy_put(d, req, in->policy, out, err);
}
