/*
 * scope_text.c - see scope_text.h.
 */
#include "authd/page/scope_text.h"

#include <string.h>

#include "authd/session/smart_scope.h"

struct named {
    const char *name;
    enum page_text text;
};

static const struct named fixed[] = {
    {"openid", PAGE_TEXT_NOTE_SCOPE_OPENID},
    {"profile", PAGE_TEXT_NOTE_SCOPE_PROFILE},
    {"email", PAGE_TEXT_NOTE_SCOPE_EMAIL},
    {"fhirUser", PAGE_TEXT_NOTE_SCOPE_FHIR_USER},
    {"offline_access", PAGE_TEXT_NOTE_SCOPE_OFFLINE_ACCESS},
    {"launch", PAGE_TEXT_NOTE_SCOPE_LAUNCH},
    {"launch/patient", PAGE_TEXT_NOTE_SCOPE_LAUNCH_PATIENT},
};

/* FHIR R4 types for which people have a word. */
static const struct named types[] = {
    {"*", PAGE_TEXT_NOTE_DATA_ALL},
    {"AllergyIntolerance", PAGE_TEXT_NOTE_DATA_ALLERGIES},
    {"Appointment", PAGE_TEXT_NOTE_DATA_APPOINTMENTS},
    {"CarePlan", PAGE_TEXT_NOTE_DATA_CARE_PLANS},
    {"CareTeam", PAGE_TEXT_NOTE_DATA_CARE_TEAMS},
    {"Condition", PAGE_TEXT_NOTE_DATA_CONDITIONS},
    {"Consent", PAGE_TEXT_NOTE_DATA_CONSENTS},
    {"Coverage", PAGE_TEXT_NOTE_DATA_COVERAGE},
    {"Device", PAGE_TEXT_NOTE_DATA_DEVICES},
    {"DiagnosticReport", PAGE_TEXT_NOTE_DATA_REPORTS},
    {"DocumentReference", PAGE_TEXT_NOTE_DATA_DOCUMENTS},
    {"Encounter", PAGE_TEXT_NOTE_DATA_ENCOUNTERS},
    {"FamilyMemberHistory", PAGE_TEXT_NOTE_DATA_FAMILY},
    {"Goal", PAGE_TEXT_NOTE_DATA_GOALS},
    {"ImagingStudy", PAGE_TEXT_NOTE_DATA_IMAGES},
    {"Immunization", PAGE_TEXT_NOTE_DATA_VACCINATIONS},
    {"Location", PAGE_TEXT_NOTE_DATA_LOCATIONS},
    {"Medication", PAGE_TEXT_NOTE_DATA_MEDICATIONS},
    {"MedicationRequest", PAGE_TEXT_NOTE_DATA_PRESCRIPTIONS},
    {"MedicationStatement", PAGE_TEXT_NOTE_DATA_MEDICATIONS_TAKEN},
    {"Observation", PAGE_TEXT_NOTE_DATA_OBSERVATIONS},
    {"Organization", PAGE_TEXT_NOTE_DATA_ORGANIZATIONS},
    {"Patient", PAGE_TEXT_NOTE_DATA_PATIENTS},
    {"Practitioner", PAGE_TEXT_NOTE_DATA_PRACTITIONERS},
    {"Procedure", PAGE_TEXT_NOTE_DATA_PROCEDURES},
    {"QuestionnaireResponse", PAGE_TEXT_NOTE_DATA_ANSWERS},
    {"ServiceRequest", PAGE_TEXT_NOTE_DATA_REFERRALS},
};

/* In the order of a sentence. */
static const struct {
    unsigned allows;
    enum page_text text;
} actions[] = {
    {SMART_READ, PAGE_TEXT_NOTE_MAY_READ},     {SMART_SEARCH, PAGE_TEXT_NOTE_MAY_SEARCH},
    {SMART_CREATE, PAGE_TEXT_NOTE_MAY_CREATE}, {SMART_UPDATE, PAGE_TEXT_NOTE_MAY_UPDATE},
    {SMART_DELETE, PAGE_TEXT_NOTE_MAY_DELETE},
};

static enum page_text find(const struct named *rows, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].text;
    return PAGE_NO_TEXT;
}

/* "read, search and change" */
static const char *may(struct arena *arena, enum page_language language, unsigned allows)
{
    const char *and = page_text(language, PAGE_TEXT_NOTE_MAY_AND);
    const char *all = "";

    for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
        const char *one = page_text(language, actions[i].text);

        if (!(allows & actions[i].allows))
            continue;
        allows &= ~actions[i].allows;
        if (*all == '\0')
            all = one;
        else
            all = allows ? arena_printf(arena, "%s, %s", all, one)
                         : arena_printf(arena, "%s %s %s", all, and, one);
    }
    return all;
}

/* Returns the plural, such as "measurements", or "entries of another kind (Basic)" if the type has
 * no word. */
static const char *what(struct arena *arena, enum page_language language, const char *type)
{
    enum page_text text = find(types, ARRAY_SIZE(types), type);

    if (text != PAGE_NO_TEXT)
        return page_text(language, text);
    return arena_printf(arena, "%s (%s)", page_text(language, PAGE_TEXT_NOTE_DATA_OTHER), type);
}

static enum page_text whose(bool is_patient, const char *level)
{
    if (strcmp(level, "patient") == 0)
        return is_patient ? PAGE_TEXT_NOTE_WHOSE_OWN : PAGE_TEXT_NOTE_WHOSE_PATIENT;
    return strcmp(level, "user") == 0 ? PAGE_TEXT_NOTE_WHOSE_USER : PAGE_TEXT_NOTE_WHOSE_ALL;
}

struct page_scopes_scope scope_text(struct arena *arena, enum page_language language,
                                    bool is_patient, const char *word)
{
    struct page_scopes_scope row = {.name = word, .text = find(fixed, ARRAY_SIZE(fixed), word)};
    struct smart_scope scope;

    if (smart_scope_parse(word, &scope) < 0)
        return row;
    row.may = may(arena, language, scope.allows);
    row.what = what(arena, language, scope.type);
    row.whose = page_text(language, whose(is_patient, scope.level));
    row.query = scope.query;
    return row;
}

struct page_scopes_scope *scope_texts(struct arena *arena, enum page_language language,
                                      enum role role, const char *scopes, size_t *ret_count)
{
    struct page_scopes_scope *rows = arena_calloc(arena, strlen(scopes) + 1, sizeof(*rows));
    char *rest = NULL, *text = arena_strdup(arena, scopes);
    bool is_patient = role == ROLE_PATIENT;

    *ret_count = 0;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        rows[(*ret_count)++] = scope_text(arena, language, is_patient, word);
    return rows;
}
