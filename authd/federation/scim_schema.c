/*
 * scim_schema.c - what this service provider can do (RFC 7643, sections 5, 6 and 7). Handlers:
 * scim_configuration, scim_resource_types, scim_resource_type, scim_schemas, scim_schema.
 */
#include <string.h>

#include "authd/federation/scim.h"
#include "authd/federation/scim_api.h"
#include "common/domain/endpoint.h"

/* An attribute; `subs` describe those of a complex one, ended by a row without a name. */
struct attribute {
    const char *name, *type;
    bool many, required, exact;
    const char *mutability; /* NULL: readWrite */
    const char *uniqueness; /* NULL: none */
    const struct attribute *subs;
};

static const struct attribute name_subs[] = {
    {"givenName", "string", .mutability = NULL},
    {"familyName", "string", .mutability = NULL},
    {"formatted", "string", .mutability = "readOnly"},
    {.name = NULL},
};

static const struct attribute email_subs[] = {
    {"value", "string", .required = true},
    {"type", "string", .mutability = NULL},
    {"primary", "boolean", .mutability = NULL},
    {.name = NULL},
};

static const struct attribute user_attributes[] = {
    {"userName", "string", .required = true, .uniqueness = "server"},
    {"name", "complex", .subs = name_subs},
    {"displayName", "string", .mutability = "readOnly"},
    {"emails", "complex", .many = true, .subs = email_subs},
    {"active", "boolean", .mutability = NULL},
    {.name = NULL},
};

static const struct attribute member_subs[] = {
    {"value", "string", .exact = true, .mutability = "immutable"},
    {.name = NULL},
};

static const struct attribute group_attributes[] = {
    {"displayName", "string", .required = true},
    {"members", "complex", .many = true, .subs = member_subs},
    {.name = NULL},
};

static const struct type {
    const char *name, *path, *schema;
    const struct attribute *attributes;
} types[] = {
    {"User", "/Users", SCIM_USER_SCHEMA, user_attributes},
    {"Group", "/Groups", SCIM_GROUP_SCHEMA, group_attributes},
};

static json_t *attributes_json(const struct attribute *attributes)
{
    json_t *list = json_array();

    for (const struct attribute *each = attributes; each->name; each++) {
        json_t *json =
            json_pack("{s:s, s:s, s:b, s:b, s:b, s:s, s:s, s:s}", "name", each->name, "type",
                      each->type, "multiValued", each->many, "required", each->required,
                      "caseExact", each->exact, "mutability",
                      each->mutability ? each->mutability : "readWrite", "returned", "default",
                      "uniqueness", each->uniqueness ? each->uniqueness : "none");

        if (each->subs)
            json_object_set_new(json, "subAttributes", attributes_json(each->subs));
        json_array_append_new(list, json);
    }
    return list;
}

static json_t *meta_of(const struct scim *self, const char *type, const char *path)
{
    return json_pack("{s:s, s:o}", "resourceType", type, "location",
                     json_sprintf("%s%s", self->base, path));
}

static json_t *type_json(const struct scim *self, size_t i)
{
    const char *path = arena_printf(self->req.arena, "/ResourceTypes/%s", types[i].name);

    return json_pack("{s:[s], s:s, s:s, s:s, s:s, s:o}", "schemas",
                     "urn:ietf:params:scim:schemas:core:2.0:ResourceType", "id", types[i].name,
                     "name", types[i].name, "endpoint", types[i].path, "schema", types[i].schema,
                     "meta", meta_of(self, "ResourceType", path));
}

static json_t *schema_json(const struct scim *self, size_t i)
{
    const char *path = arena_printf(self->req.arena, "/Schemas/%s", types[i].schema);

    return json_pack("{s:[s], s:s, s:s, s:o, s:o}", "schemas",
                     "urn:ietf:params:scim:schemas:core:2.0:Schema", "id", types[i].schema, "name",
                     types[i].name, "attributes", attributes_json(types[i].attributes), "meta",
                     meta_of(self, "Schema", path));
}

static json_t *no(void)
{
    return json_pack("{s:b}", "supported", 0);
}

/* RFC 7643, section 5. */
int scim_configuration(struct authd *d, const struct request *req, const struct scim_in *in,
                       struct endpoint_answer *out, struct error *err)
{
    CLEANUP(scim_close) struct scim self;

    if (scim_open(d, req, in, &self, err) < 0)
        return -1;
    scim_answer(&self, 200,
                json_pack("{s:[s], s:{s:b}, s:{s:b, s:i, s:i}, s:{s:b, s:i}, s:o, s:o, s:o, "
                          "s:[{s:s, s:s, s:s, s:s, s:b}], s:o}",
                          "schemas", "urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig",
                          "patch", "supported", 1, "bulk", "supported", 0, "maxOperations", 0,
                          "maxPayloadSize", 0, "filter", "supported", 1, "maxResults",
                          SCIM_PAGE_MAX, "changePassword", no(), "sort", no(), "etag", no(),
                          "authenticationSchemes", "type", "oauthbearertoken", "name",
                          "Bearer token", "description",
                          "A SCIM token that an admin of the project has made.", "specUri",
                          "https://www.rfc-editor.org/info/rfc6750", "primary", 1, "meta",
                          meta_of(&self, "ServiceProviderConfig", "/ServiceProviderConfig")),
                out);
    return 0;
}

static int list(struct authd *d, const struct request *req, const struct scim_in *in,
                json_t *make(const struct scim *self, size_t i), struct endpoint_answer *out,
                struct error *err)
{
    CLEANUP(scim_close) struct scim self;
    struct scim_page page;

    if (scim_open(d, req, in, &self, err) < 0)
        return -1;
    if (in->filter) /* RFC 7644, section 4 */
        return error_set(err, ERR_FORBIDDEN, "This list can't be filtered.");
    page = scim_page_read(&self);
    for (size_t i = 0; i < ARRAY_SIZE(types); i++)
        scim_page_add(&page, make(&self, i));
    scim_answer_page(&self, &page, out);
    return 0;
}

int scim_resource_types(struct authd *d, const struct request *req, const struct scim_in *in,
                        struct endpoint_answer *out, struct error *err)
{
    return list(d, req, in, type_json, out, err);
}

int scim_schemas(struct authd *d, const struct request *req, const struct scim_in *in,
                 struct endpoint_answer *out, struct error *err)
{
    return list(d, req, in, schema_json, out, err);
}

int scim_resource_type(struct authd *d, const struct request *req, const struct scim_in *in,
                       struct endpoint_answer *out, struct error *err)
{
    CLEANUP(scim_close) struct scim self;

    if (scim_open(d, req, in, &self, err) < 0)
        return -1;
    for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
        if (strcmp(types[i].name, in->id) == 0) {
            scim_answer(&self, 200, type_json(&self, i), out);
            return 0;
        }
    }
    return scim_not_found(err);
}

int scim_schema(struct authd *d, const struct request *req, const struct scim_in *in,
                struct endpoint_answer *out, struct error *err)
{
    CLEANUP(scim_close) struct scim self;

    if (scim_open(d, req, in, &self, err) < 0)
        return -1;
    for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
        if (strcmp(types[i].schema, in->id) == 0) {
            scim_answer(&self, 200, schema_json(&self, i), out);
            return 0;
        }
    }
    return scim_not_found(err);
}
