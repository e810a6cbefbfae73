/*
 * person_claims.c - see person_claims.h.
 */
#include "authd/oauth/person_claims.h"

#include "authd/oauth/word_list.h"
#include "authd/sql/oauth.h"

typedef json_t *value_fn(const struct issuer *issuer, const struct sql_person_row *person);

static json_t *name(const struct issuer *issuer UNUSED, const struct sql_person_row *person)
{
    return json_sprintf("%s %s", person->name, person->surname);
}

static json_t *given_name(const struct issuer *issuer UNUSED, const struct sql_person_row *person)
{
    return json_string(person->name);
}

static json_t *family_name(const struct issuer *issuer UNUSED, const struct sql_person_row *person)
{
    return json_string(person->surname);
}

static json_t *locale(const struct issuer *issuer, const struct sql_person_row *person UNUSED)
{
    return json_string(issuer->tenant.defaultLanguage ? issuer->tenant.defaultLanguage : "en");
}

static json_t *email(const struct issuer *issuer UNUSED, const struct sql_person_row *person)
{
    return json_string(person->email);
}

static json_t *email_verified(const struct issuer *issuer UNUSED,
                              const struct sql_person_row *person)
{
    return json_boolean(person->verified);
}

static json_t *fhir_user(const struct issuer *issuer UNUSED, const struct sql_person_row *person)
{
    return json_sprintf("%s/%s", role_text(person->role), person->profile.text);
}

static const struct {
    const char *name, *scope;
    value_fn *value;
} rows[] = {
    {"name", "profile", name},
    {"given_name", "profile", given_name},
    {"family_name", "profile", family_name},
    {"locale", "profile", locale},
    {"email", "email", email},
    {"email_verified", "email", email_verified},
    {"fhirUser", "fhirUser", fhir_user},
};

const char *person_claims_named(struct arena *arena, const json_t *members)
{
    const char *names = NULL;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (json_object_get(members, rows[i].name))
            names = names ? arena_printf(arena, "%s %s", names, rows[i].name) : rows[i].name;
    return names;
}

void person_claims_set(json_t *claims, const struct issuer *issuer,
                       const struct sql_person_row *person, const char *scope, const char *names)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (word_list_has(scope, rows[i].scope) && (!names || word_list_has(names, rows[i].name)))
            json_object_set_new(claims, rows[i].name, rows[i].value(issuer, person));
}
