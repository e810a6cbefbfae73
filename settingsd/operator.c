/*
 * operator.c - what atriumctl does to a project that it names by its code or its id.  Other
 * services are refused.
 */
#include "settingsd/client_api.h"
#include "settingsd/policy_api.h"
#include "settingsd/setting_api.h"
#include "settingsd/setting_names.h"
#include "settingsd/settingsd.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/tenant_api.h"

/* "" removes the policy. */
int operator_policy_default(struct settingsd *d, const struct request *req,
                            const struct operator_policy_default_in *in, struct nothing *out UNUSED,
                            struct error *err)
{
    struct tenant tenant = {0};
    struct settings_record record;

    if (project_find_writable(d, req, in->tenantCode, &tenant, err) < 0)
        return -1;
    return settings_write_text(d, req, tenant.projectId, SETTING_DEFAULT_PATIENT_POLICY, in->value,
                               NULL, &record, err);
}

int operator_policy_put(struct settingsd *d, const struct request *req,
                        const struct operator_policy_put_in *in, struct access_policy *out,
                        struct error *err)
{
    const struct access_policy_in policy = {
        .id = in->id, .name = in->name, .resource = in->resource, .ipAccessRule = in->ipAccessRule};
    struct tenant tenant = {0};

    if (project_find_writable(d, req, in->tenantCode, &tenant, err) < 0)
        return -1;
    return access_policy_put(d, req, tenant.projectId, &policy, out, err);
}

int operator_policy_list(struct settingsd *d, const struct request *req,
                         const struct tenant_lookup_in *in, struct access_policy_list *out,
                         struct error *err)
{
    struct tenant tenant = {0};

    if (tenant_lookup(d, req, in, &tenant, err) < 0)
        return -1;
    return access_policy_list_of(d, req, tenant.projectId, out, err);
}

int operator_policy_delete(struct settingsd *d, const struct request *req,
                           const struct operator_delete_in *in, struct nothing *out UNUSED,
                           struct error *err)
{
    struct tenant tenant = {0};

    if (project_find_writable(d, req, in->tenantCode, &tenant, err) < 0)
        return -1;
    return access_policy_remove(d, req, tenant.projectId, in->id, err);
}

int operator_client_create(struct settingsd *d, const struct request *req,
                           const struct operator_client_create_in *in, struct client *out,
                           struct error *err)
{
    const struct client_in client = {.name = in->name};
    struct client_record record;
    struct tenant tenant = {0};

    if (project_find_writable(d, req, in->tenantCode, &tenant, err) < 0 ||
        client_put(d, req, tenant.projectId, &client, &record, err) < 0)
        return -1;
    *out = (struct client){.id = record.id,
                           .name = record.name,
                           .lastUpdated = record.lastUpdated,
                           .type = record.settings.type,
                           .authMethod = record.settings.authMethod,
                           .grantTypes = "[]"};
    return 0;
}

/* Errors as PUT /v1/project/clients/{id}. */
int operator_client_put(struct settingsd *d, const struct request *req,
                        const struct operator_client_put_in *in, struct client_record *out,
                        struct error *err)
{
    struct client_in client = {.id = in->id, .name = in->name, .ifMatch = in->ifMatch};
    struct tenant tenant = {0};

    if (in->settings)
        client.settings = *in->settings;
    if (project_find_writable(d, req, in->tenantCode, &tenant, err) < 0)
        return -1;
    return client_put(d, req, tenant.projectId, &client, out, err);
}

int operator_client_get(struct settingsd *d, const struct request *req,
                        const struct operator_client_in *in, struct client_record *out,
                        struct error *err)
{
    struct tenant tenant = {0};

    if (project_find(d, req, in->tenantCode, &tenant, err) < 0)
        return -1;
    return client_read(d, req, tenant.projectId, in->id, out, err);
}

/* Errors as POST /v1/project/clients/{id}/secret. */
int operator_client_secret(struct settingsd *d, const struct request *req,
                           const struct operator_client_secret_in *in, struct client_record *out,
                           struct error *err)
{
    struct tenant tenant = {0};

    if (project_find_writable(d, req, in->tenantCode, &tenant, err) < 0)
        return -1;
    return client_secret_make(d, req, tenant.projectId, in->id, in->previousHours, out, err);
}

int operator_client_list(struct settingsd *d, const struct request *req,
                         const struct tenant_lookup_in *in, struct client_list *out,
                         struct error *err)
{
    struct tenant tenant = {0};

    if (tenant_lookup(d, req, in, &tenant, err) < 0)
        return -1;
    return client_list_of(d, req, tenant.projectId, out, err);
}

int operator_client_delete(struct settingsd *d, const struct request *req,
                           const struct operator_delete_in *in, struct nothing *out UNUSED,
                           struct error *err)
{
    struct tenant tenant = {0};

    if (project_find_writable(d, req, in->tenantCode, &tenant, err) < 0)
        return -1;
    return client_remove(d, req, tenant.projectId, in->id, err);
}

/* Errors as PATCH /locales. */
int operator_locales(struct settingsd *d, const struct request *req,
                     const struct operator_locales_in *in, struct locales *out, struct error *err)
{
    struct tenant tenant = {0};
    struct locales_in change = {in->languages, in->defaultLanguage, NULL};

    if (project_find_writable(d, req, in->tenantCode, &tenant, err) < 0)
        return -1;
    return locales_write(d, req, tenant.projectId, &change, out, err);
}

/* Errors as PUT /v1/project/settings/values/{name}. */
int operator_setting(struct settingsd *d, const struct request *req,
                     const struct operator_setting_in *in, struct nothing *out UNUSED,
                     struct error *err)
{
    struct tenant tenant = {0};
    struct settings_record record;

    if (project_find_writable(d, req, in->tenantCode, &tenant, err) < 0)
        return -1;
    return settings_write_text(d, req, tenant.projectId, in->name, in->value, NULL, &record, err);
}

/* Errors as PUT /v1/project/settings/{name}. */
int operator_switch(struct settingsd *d, const struct request *req,
                    const struct operator_switch_in *in, struct nothing *out UNUSED,
                    struct error *err)
{
    struct tenant tenant = {0};
    struct settings_record record;

    if (project_find_writable(d, req, in->tenantCode, &tenant, err) < 0)
        return -1;
    return settings_write_switch(d, req, tenant.projectId, in->name, in->enabled, NULL, &record,
                                 err);
}

/* Errors as PUT /v1/project/account-policy. */
int operator_account_policy(struct settingsd *d, const struct request *req,
                            const struct operator_account_policy_in *in, struct account_policy *out,
                            struct error *err)
{
    struct tenant tenant = {0};

    if (project_find_writable(d, req, in->tenantCode, &tenant, err) < 0)
        return -1;
    return account_policy_write(d, req, tenant.projectId, in->policy, out, err);
}
