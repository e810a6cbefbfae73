/*
 * smart_grant.c - see smart_grant.h.
 */
#include "authd/oauth/smart_grant.h"

#include <string.h>

#include "authd/oauth/client.h"
#include "authd/oauth/oauth_error.h"
#include "authd/session/admission.h"
#include "authd/session/smart_scope.h"
#include "authd/sql/signin.h"
#include "authd/sql/smart.h"
#include "common/domain/policy.h"
#include "common/wire/codec.h"
#include "settingsd/client_api.h"
#include "settingsd/settingsd_api.h"
#include "settingsd/tenant_api.h"

enum {
    GRANTED_SCOPE_MAX = 2048, /* bytes, in each token */
    DOCUMENTS_ALL = SMART_CREATE | SMART_READ | SMART_UPDATE | SMART_DELETE | SMART_SEARCH,
};

struct narrowing {
    struct arena *arena;
    const struct field_texts *client;
    json_t *server; /* array of strings */
    bool patient;   /* the grant has a patient */
    bool launched;
    unsigned documents; /* bits that the person can use, like SMART_READ */
    const char *scope;  /* the result */
};

static void add(struct narrowing *self, const char *word)
{
    if (!word_list_has(self->scope, word))
        self->scope =
            arena_printf(self->arena, "%s%s%s", self->scope, *self->scope ? " " : "", word);
}

/* Removes what the person can't do from a document scope; false if nothing is left. */
static bool is_left(const struct narrowing *self, struct smart_scope *scope)
{
    if (strcmp(scope->type, DOCUMENT_TYPE) == 0)
        scope->allows &= self->documents;
    return scope->allows != 0;
}

/* Drops a scope with a query if the server lists none for the type: the server might ignore the
 * query and allow more. */
static void add_of_server(struct narrowing *self, const struct smart_scope *wanted)
{
    struct smart_scope limit, both;
    json_t *each;
    size_t i;

    json_array_foreach(self->server, i, each)
    {
        if (smart_scope_parse(json_string_value(each), &limit) == 0 &&
            !(wanted->query && !limit.query) && smart_scope_meet(wanted, &limit, &both) &&
            is_left(self, &both) && strlen(self->scope) <= GRANTED_SCOPE_MAX)
            add(self, smart_scope_print(self->arena, &both));
    }
}

static void add_clinical(struct narrowing *self, const struct smart_scope *wanted)
{
    struct smart_scope limit, both;

    if (strcmp(wanted->level, "patient") == 0 && !self->patient)
        return;
    for (size_t i = 0; i < self->client->count; i++)
        if (smart_scope_parse(self->client->items[i], &limit) == 0 &&
            smart_scope_meet(wanted, &limit, &both))
            add_of_server(self, &both);
}

static void add_word(struct narrowing *self, const char *word)
{
    struct smart_scope wanted;

    if (strcmp(word, "launch") == 0 && !self->launched)
        return;
    if (strcmp(word, "launch/patient") == 0 && !self->patient)
        return;
    if (smart_scope_is_personal(word) && smart_scope_parse(word, &wanted) == 0)
        add_clinical(self, &wanted);
    else
        add(self, word);
}

static int refuse(struct error *err, const char *word, const char *text)
{
    return oauth_fail(err, ERR_BAD_REQUEST, word, text);
}

static int find_launched(struct authd *d, const struct request *req, struct uuid project,
                         const struct caller *caller, const struct auth_request *request,
                         struct uuid *ret, struct error *err)
{
    uint8_t hash[SECRET_HASH_SIZE];
    const struct sql_smart_launch_get_in get = {.project = project,
                                                .hash = {hash, sizeof(hash)},
                                                .account = caller->account,
                                                .client_id = request->client.clientId,
                                                .server = request->server.id,
                                                .now = req->now_ms};
    struct sql_smart_launch_get_row row;
    int found;

    if (!word_list_has(request->scope, "launch"))
        return refuse(err, "invalid_request", "launch needs the scope launch.");
    secret_hash(request->in.launch, hash);
    found = sql_smart_launch_get(d->svc.db, req, &get, &row, err);
    if (found < 0)
        return -1;
    if (found == 0)
        return refuse(err, "invalid_request", "The launch is unknown or has expired.");
    *ret = row.patient;
    return 0;
}

static int read_texts(const char *text, json_t **ret, struct error *err)
{
    *ret = codec_parse_json(text, strlen(text), false, err);
    return *ret ? 0 : -1;
}

static void narrow_words(struct narrowing *self, const char *scope)
{
    char *rest = NULL, *text = arena_strdup(self->arena, scope);

    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        add_word(self, word);
}

static bool is_about_patient(const char *scope)
{
    return word_list_has(scope, "launch") || word_list_has(scope, "launch/patient") ||
           word_list_has_prefix(scope, "patient/");
}

/* Returns the rights to documents that scopes can express. */
static unsigned allowed_by(const char *rules, bool is_patient)
{
    static const struct {
        enum policy_interaction interaction;
        unsigned letter;
    } rows[] = {{POLICY_CREATE, SMART_CREATE},
                {POLICY_READ, SMART_READ},
                {POLICY_UPDATE, SMART_UPDATE},
                {POLICY_DELETE, SMART_DELETE},
                {POLICY_SEARCH, SMART_SEARCH}};
    enum policy_scope least = is_patient ? POLICY_OWN : POLICY_ALL;
    unsigned allows = 0;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (policy_scope(rules, DOCUMENT_TYPE, rows[i].interaction) >= least)
            allows |= rows[i].letter;
    return allows;
}

/* Uses the current access policy; an admin needs none. */
static int find_documents(struct authd *d, const struct request *req, const struct caller *caller,
                          bool is_patient, unsigned *ret, struct error *err)
{
    const struct sql_standing_get_in get = {.account = caller->account, .project = caller->project};
    struct caller_context_in in = {.projectId = caller->project};
    struct caller_context_out context;
    struct sql_standing_get_row row;
    int found = sql_standing_get(d->svc.db, req, &get, &row, err);

    *ret = 0;
    if (found <= 0)
        return found;
    if (admission_is_admin(caller->role, row.admin)) {
        *ret = DOCUMENTS_ALL;
        return 0;
    }
    in.policyId = row.policy;
    if (settingsd_caller_context(d->svc.bus, req, &in, &context, err) < 0)
        return -1;
    *ret = allowed_by(context.policyResource, is_patient);
    return 0;
}

/* The maximum scopes of a role. */
struct limits {
    const struct field_texts *client;
    const char *server; /* JSON */
};

static struct limits limits_of(const struct auth_request *request, bool is_patient)
{
    const struct oauth_settings *settings = request->client.settings;
    const struct fhir_server *server = &request->server;

    return is_patient ? (struct limits){&settings->patientScopes, server->patientScopes}
                      : (struct limits){&settings->practitionerScopes, server->practitionerScopes};
}

/* True if a result may contain a document scope. */
static bool names_documents(const struct limits *limits, const char *scope)
{
    bool named = strstr(limits->server, DOCUMENT_TYPE) || strstr(scope, DOCUMENT_TYPE);

    for (size_t i = 0; i < limits->client->count && !named; i++)
        named = strstr(limits->client->items[i], DOCUMENT_TYPE) != NULL;
    return named;
}

/* Narrows to the lists of client and server, and document scopes to self->documents. */
static int narrow_to(struct narrowing *self, const struct limits *limits, struct uuid patient,
                     struct auth_request *request, struct error *err)
{
    self->client = limits->client;
    self->patient = uuid_is_set(&patient);
    self->scope = "";
    if (read_texts(limits->server, &self->server, err) < 0)
        return -1;
    narrow_words(self, request->scope);
    json_decref(self->server);
    if (*self->scope == '\0' || strlen(self->scope) > GRANTED_SCOPE_MAX)
        return refuse(err, "invalid_scope", "None of these scopes can be granted at this server.");
    request->scope = self->scope;
    if (is_about_patient(self->scope))
        request->patient = patient;
    return 0;
}

/* Like narrow_to(), and finds the person's rights to documents. */
static int narrow(struct authd *d, const struct request *req, const struct caller *caller,
                  struct uuid patient, bool launched, struct auth_request *request,
                  struct error *err)
{
    bool is_patient = caller->role == ROLE_PATIENT;
    const struct limits limits = limits_of(request, is_patient);
    struct narrowing self = {.arena = req->arena, .launched = launched};

    if (names_documents(&limits, request->scope) &&
        find_documents(d, req, caller, is_patient, &self.documents, err) < 0)
        return -1;
    return narrow_to(&self, &limits, patient, request, err);
}

int smart_narrow(struct authd *d, const struct request *req, struct uuid project,
                 const struct caller *caller, struct auth_request *request, struct error *err)
{
    struct uuid patient = {.text = ""};

    if (!request->smart)
        return 0;
    if (request->in.launch) {
        if (find_launched(d, req, project, caller, request, &patient, err) < 0)
            return -1;
    } else if (caller->role == ROLE_PATIENT) {
        patient = caller->profile;
    }
    return narrow(d, req, caller, patient, request->in.launch, request, err);
}

int smart_narrow_grant(struct authd *d, const struct request *req, const struct caller *caller,
                       struct uuid patient, struct auth_request *request, struct error *err)
{
    if (!request->smart)
        return 0;
    return narrow(d, req, caller, patient, word_list_has(request->scope, "launch"), request, err);
}

int smart_narrow_registered(const struct request *req, enum role role, struct uuid patient,
                            struct auth_request *request, struct error *err)
{
    const struct limits limits = limits_of(request, role == ROLE_PATIENT);
    struct narrowing self = {.arena = req->arena,
                             .launched = word_list_has(request->scope, "launch"),
                             .documents = DOCUMENTS_ALL};

    return request->smart ? narrow_to(&self, &limits, patient, request, err) : 0;
}

static const char *system_word(struct arena *arena, const struct field_texts *limits,
                               const struct smart_scope *wanted)
{
    const char *scope = "";
    struct smart_scope limit, both;

    for (size_t i = 0; i < limits->count; i++) {
        if (smart_scope_parse(limits->items[i], &limit) < 0 ||
            !smart_scope_meet(wanted, &limit, &both))
            continue;
        scope = arena_printf(arena, "%s%s%s", scope, *scope ? " " : "",
                             smart_scope_print(arena, &both));
    }
    return scope;
}

const char *smart_system_scope(struct arena *arena, const struct oauth_client *client,
                               const char *scope)
{
    const struct field_texts *limits = &client->settings->scopes;
    char *rest = NULL, *text = arena_strdup(arena, scope);
    const char *all = "";

    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        struct smart_scope wanted;
        const char *given = word;

        if (smart_scope_parse(word, &wanted) == 0 && strcmp(wanted.level, "system") == 0)
            given = system_word(arena, limits, &wanted);
        else if (!oauth_client_allows(limits, word))
            return NULL;
        if (*given && !word_list_has(all, given))
            all = arena_printf(arena, "%s%s%s", all, *all ? " " : "", given);
    }
    return *all ? all : NULL;
}
