/* audit_fhir.c - see audit_fhir.h. */
#include "common/service/audit_fhir.h"

#include <stdio.h>

#include "common/base/clock.h"
#include "common/wire/codec.h"

#define DCM "http://dicom.nema.org/resources/ontology/DCM"
#define LIFECYCLE "http://terminology.hl7.org/CodeSystem/iso-21089-lifecycle"
#define ENTITY_TYPE "http://terminology.hl7.org/CodeSystem/audit-entity-type"
#define SOURCE_TYPE "http://terminology.hl7.org/CodeSystem/security-source-type"
#define ACTIONS "urn:atrium:audit-action"

struct coding {
    const char *system, *code, *display;
};

/* AuditEvent.action of each verb, and the event type of actions that are not security events. */
static const struct verb {
    const char *name, *action;
    struct coding type;
} verbs[] = {
    {"create", "C", {LIFECYCLE, "originate", "Originate/Retain Record Lifecycle Event"}},
    {"import", "C", {LIFECYCLE, "originate", "Originate/Retain Record Lifecycle Event"}},
    {"register", "C", {LIFECYCLE, "originate", "Originate/Retain Record Lifecycle Event"}},
    {"prepare", "C", {LIFECYCLE, "originate", "Originate/Retain Record Lifecycle Event"}},
    {"delete", "D", {LIFECYCLE, "destroy", "Destroy/Delete Record Lifecycle Event"}},
    {"disable", "D", {LIFECYCLE, "destroy", "Destroy/Delete Record Lifecycle Event"}},
    {"remove", "D", {LIFECYCLE, "destroy", "Destroy/Delete Record Lifecycle Event"}},
    {"withdraw", "D", {LIFECYCLE, "destroy", "Destroy/Delete Record Lifecycle Event"}},
    {"drop", "D", {LIFECYCLE, "destroy", "Destroy/Delete Record Lifecycle Event"}},
    {"read", "R", {LIFECYCLE, "access", "Access/View Record Lifecycle Event"}},
    {"send", "E", {LIFECYCLE, "transmit", "Transmit Record Lifecycle Event"}},
    {"mail", "E", {LIFECYCLE, "transmit", "Transmit Record Lifecycle Event"}},
    {"retry", "E", {LIFECYCLE, "transmit", "Transmit Record Lifecycle Event"}},
    {"execute", "E", {DCM, "110100", "Application Activity"}},
    {NULL, "U", {LIFECYCLE, "amend", "Amend (Update) Record Lifecycle Event"}},
};

static const struct coding authentication = {DCM, "110114", "User Authentication"};
static const struct coding security = {DCM, "110113", "Security Alert"};
static const struct coding attributes = {DCM, "110137", "User Security Attributes Changed"};
static const struct coding login = {DCM, "110122", "Login"};
static const struct coding logout = {DCM, "110123", "Logout"};

/* Security events, named by an action or by its noun. If `action` is NULL, the verb's is used. */
static const struct {
    const char *name;
    const struct coding *type, *subtype;
    const char *action;
} nouns[] = {
    {"session.begin", &authentication, NULL, "E"},
    {"session.create", &authentication, &login, "E"},
    {"session.end", &authentication, &logout, "E"},
    {"session.refresh", &authentication, NULL, "E"},
    {"session.step-up", &authentication, NULL, "E"},
    {"account.register", &authentication, &login, "C"},
    {"password", &security, &attributes, NULL},
    {"mfa", &security, &attributes, NULL},
    {"passkey", &security, &attributes, NULL},
    {"admin", &security, &attributes, NULL},
    {"membership", &security, &attributes, NULL},
    {"invitation", &security, &attributes, NULL},
    {"key", &security, NULL, NULL},
};

struct event {
    const struct audit_record *record;
    const char *service;
    struct arena *arena;
    const json_t *json, *agent;
    const char *action, *detail;
    bool failure;
};

static const char *text_of(const json_t *json, const char *name)
{
    return json_string_value(json_object_get(json, name));
}

static json_t *coding_json(const struct coding *coding)
{
    return json_pack("{s:s, s:s, s:s}", "system", coding->system, "code", coding->code, "display",
                     coding->display);
}

static const struct verb *verb_of(const char *action)
{
    const char *name = strchr(action, '.');
    const struct verb *verb = verbs;

    while (verb->name && (!name || strcmp(verb->name, name + 1) != 0))
        verb++;
    return verb;
}

static bool has_noun(const char *action, const char *name)
{
    size_t length = strlen(name);

    return strncmp(action, name, length) == 0 && (action[length] == '\0' || action[length] == '.');
}

static void add_type(json_t *out, const struct event *event)
{
    const struct verb *verb = verb_of(event->action);
    const struct coding *type = &verb->type, *subtype = NULL;
    const char *action = verb->action;
    json_t *subtypes = json_array();

    for (size_t i = 0; i < ARRAY_SIZE(nouns); i++) {
        if (!has_noun(event->action, nouns[i].name))
            continue;
        type = nouns[i].type;
        subtype = nouns[i].subtype;
        action = nouns[i].action ? nouns[i].action : action;
        break;
    }
    json_object_set_new(out, "type", coding_json(type));
    if (subtype)
        json_array_append_new(subtypes, coding_json(subtype));
    json_array_append_new(subtypes,
                          json_pack("{s:s, s:s}", "system", ACTIONS, "code", event->action));
    json_object_set_new(out, "subtype", subtypes);
    codec_set_text(out, "action", action);
}

static void add_outcome(json_t *out, const struct event *event)
{
    bool grave = event->detail &&
                 (strcmp(event->detail, "replay") == 0 || strcmp(event->detail, "verifier") == 0);

    codec_set_text(out, "outcome", !event->failure ? "0" : grave ? "8" : "4");
    if (event->failure)
        codec_set_text(out, "outcomeDesc", event->detail);
}

/* Refers to FHIR's resources by path, to others by identifier. */
static json_t *reference(struct arena *arena, const char *entity)
{
    static const char *const known[] = {"Patient/", "Practitioner/", "DocumentReference/"};
    const char *id = strchr(entity, '/');
    json_t *json = json_object();
    struct uuid uuid;

    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        if (strncmp(entity, known[i], strlen(known[i])) == 0)
            codec_set_text(json, "reference", entity);
    if (json_object_size(json) == 0 && id && uuid_parse(id + 1, &uuid) == 0)
        json_object_set_new(json, "identifier",
                            json_pack("{s:s, s:s}", "system", "urn:ietf:rfc:3986", "value",
                                      arena_printf(arena, "urn:uuid:%s", uuid.text)));
    codec_set_text(json, "display", entity);
    return json;
}

static void add_agent(json_t *out, const struct event *event)
{
    const char *profile = text_of(event->agent, "profile");
    const char *account = text_of(event->json, "account");
    const char *service = text_of(event->agent, "service");
    const char *address = text_of(event->json, "address");
    json_t *agent = json_object(), *who;

    if (profile)
        who = reference(event->arena, profile);
    else if (account && service && strcmp(service, "gateway") == 0)
        who = reference(event->arena, arena_printf(event->arena, "Account/%s", account));
    else
        who = json_pack("{s:s}", "display", service ? service : event->service);
    json_object_set_new(agent, "who", who);
    codec_set_text(agent, "altId", text_of(event->agent, "membership"));
    json_object_set_new(agent, "requestor", json_true());
    if (address)
        json_object_set_new(agent, "network",
                            json_pack("{s:s, s:s}", "address", address, "type", "2"));
    json_object_set_new(out, "agent", json_pack("[o]", agent));
}

static void add_source(json_t *out, const struct event *event)
{
    const struct coding type = {SOURCE_TYPE, "4", "Application Server"};
    const char *observer = arena_printf(event->arena, "atrium-%s", event->service);

    json_object_set_new(out, "source",
                        json_pack("{s:{s:s, s:s}, s:[o]}", "observer", "type", "Device", "display",
                                  observer, "type", coding_json(&type)));
}

static void add_detail(json_t *details, const char *type, const char *value)
{
    if (value && value[0] != '\0')
        json_array_append_new(details, json_pack("{s:s, s:s}", "type", type, "valueString", value));
}

/* Returns "sealed", or "erased" after its account, for a hidden network address. */
static const char *address_state(const struct event *event)
{
    if (json_is_true(json_object_get(event->json, "addressErased")))
        return "erased";
    return text_of(event->json, "addressSealed") ? "sealed" : NULL;
}

static void add_entities(json_t *out, const struct event *event)
{
    const struct coding type = {ENTITY_TYPE, "2", "System Object"};
    const char *account = text_of(event->json, "account");
    json_t *entity = json_object(), *details = json_array();

    if (event->record->entity)
        json_object_set_new(entity, "what", reference(event->arena, event->record->entity));
    else if (account)
        json_object_set_new(entity, "what",
                            reference(event->arena,
                                      arena_printf(event->arena, "Account/%s", account)));
    json_object_set_new(entity, "type", coding_json(&type));
    codec_set_text(entity, "name", event->detail);
    add_detail(details, "account", account);
    add_detail(details, "role", text_of(event->json, "role"));
    add_detail(details, "project", event->record->project.text);
    add_detail(details, "reason", text_of(event->json, "reason"));
    add_detail(details, "trace", text_of(event->json, "trace"));
    add_detail(details, "address", address_state(event));
    add_detail(details, "sequence",
               arena_printf(event->arena, "%lld", (long long)event->record->sequence));
    json_object_set_new(entity, "detail", details);
    json_object_set_new(out, "entity", json_pack("[o]", entity));
}

json_t *audit_fhir_event(const char *service, const struct audit_record *record,
                         struct arena *arena)
{
    json_auto_t *json = json_loads(record->event, JSON_REJECT_DUPLICATES, NULL);
    const char *action = text_of(json, "action"), *outcome = text_of(json, "outcome");
    const struct event event = {
        .record = record,
        .service = service,
        .arena = arena,
        .json = json,
        .agent = json_object_get(json, "agent"),
        .action = action ? action : "unknown",
        .detail = text_of(json, "detail"),
        .failure = outcome && strcmp(outcome, "failure") == 0,
    };
    json_t *out = json_object();
    char recorded[25];

    clock_format_iso(record->at, recorded);
    codec_set_text(out, "resourceType", "AuditEvent");
    codec_set_text(out, "id", arena_printf(arena, "%s-%lld", service, (long long)record->sequence));
    add_type(out, &event);
    codec_set_text(out, "recorded", recorded);
    add_outcome(out, &event);
    add_agent(out, &event);
    add_source(out, &event);
    add_entities(out, &event);
    return out;
}

const char *audit_fhir_url(const struct audit_record *record, struct arena *arena)
{
    uint8_t bytes[16] = {0};
    char text[33];

    memcpy(bytes, record->hash.bytes, MIN(record->hash.size, sizeof(bytes)));
    bytes[6] = (uint8_t)((bytes[6] & 0x0f) | 0x80); /* version 8, RFC 9562 */
    bytes[8] = (uint8_t)((bytes[8] & 0x3f) | 0x80);
    for (size_t i = 0; i < sizeof(bytes); i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return arena_printf(arena, "urn:uuid:%.8s-%.4s-%.4s-%.4s-%.12s", text, text + 8, text + 12,
                        text + 16, text + 20);
}
