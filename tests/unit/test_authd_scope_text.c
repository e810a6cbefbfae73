/*
 * test_authd_scope_text.c - the consent page's descriptions of scopes, in each language.
 */
#include <string.h>

#include "authd/page/scope_text.h"
#include "authd/session/smart_scope.h"
#include "tests/support/unit.h"

static const char *line(struct arena *arena, enum page_language language, bool is_patient,
                        const char *word)
{
    const struct page_scopes_scope row = scope_text(arena, language, is_patient, word);
    struct page page;
    char *at, *end;

    page_init(&page, arena, language);
    page_consent(&page,
                 &(struct page_consent_in){.code = "north", .scope = &row, .scope_count = 1});
    at = strstr(page.text, "<li><span>");
    end = at ? strstr(at, "</span></li>") : NULL;
    if (!end)
        return "no line";
    *end = '\0';
    return at + strlen("<li><span>");
}

static void scopes_are_sentences(void)
{
    static const struct {
        const char *word;
        bool is_patient;
        enum page_language language;
        const char *want;
    } rows[] = {
        {"openid", true, PAGE_EN, "know that it is you"},
        {"offline_access", true, PAGE_DE, "weiterarbeiten, wenn Sie abgemeldet sind"},
        {"launch", false, PAGE_EN, "know which health record it was opened from"},
        {"launch/patient", true, PAGE_ES, "saber de qué historial clínico se trata"},
        {"patient/Observation.rs", true, PAGE_EN,
         "read and search measurements and laboratory results in your health record"},
        {"patient/Observation.rs", false, PAGE_EN,
         "read and search measurements and laboratory results in the health record of the patient"},
        {"patient/Observation.rs", true, PAGE_DE,
         "Messwerte und Laborergebnisse in Ihrer Krankenakte lesen und suchen"},
        {"patient/Observation.rs", true, PAGE_ES,
         "leer y buscar datos de mediciones y análisis en su historial clínico"},
        {"patient/*.read", true, PAGE_EN, "read and search all data in your health record"},
        {"patient/Goal.write", true, PAGE_EN,
         "add, change and delete treatment goals in your health record"},
        {"patient/*.*", true, PAGE_DE,
         "alle Daten in Ihrer Krankenakte lesen, suchen, hinzufügen, ändern und löschen"},
        {"user/Condition.r", false, PAGE_EN,
         "read diagnoses and health problems that you have access to"},
        {"user/*.d", false, PAGE_ES, "eliminar todos los datos a los que usted tiene acceso"},
        {"system/Immunization.s", false, PAGE_EN, "search vaccinations of all patients"},
        {"patient/Basic.r", true, PAGE_DE,
         "Einträge anderer Art (Basic) in Ihrer Krankenakte lesen"},
        {"patient/Observation.r?category=laboratory", true, PAGE_EN,
         "read measurements and laboratory results in your health record (only where "
         "category=laboratory)"},
        {"fhir/Observation.rs", true, PAGE_EN, "<bdi>fhir/Observation.rs</bdi>"},
        {"patient/Observation.sr", true, PAGE_EN, "<bdi>patient/Observation.sr</bdi>"},
        {"calendar", true, PAGE_ES, "<bdi>calendar</bdi>"},
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *got = line(arena, rows[i].language, rows[i].is_patient, rows[i].word);

        UNIT_CHECK(strcmp(got, rows[i].want) == 0, "%s: %s, not %s", rows[i].word, got,
                   rows[i].want);
    }
}

/* Names exactly the allowed actions, for 31 sets of letters per level. */
static void each_letter_is_named(void)
{
    static const char *const levels[] = {"patient", "user", "system"};
    static const struct {
        char letter;
        enum page_text text;
    } letters[] = {{'c', PAGE_TEXT_NOTE_MAY_CREATE},
                   {'r', PAGE_TEXT_NOTE_MAY_READ},
                   {'u', PAGE_TEXT_NOTE_MAY_UPDATE},
                   {'d', PAGE_TEXT_NOTE_MAY_DELETE},
                   {'s', PAGE_TEXT_NOTE_MAY_SEARCH}};
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    for (unsigned set = 1; set < 1U << ARRAY_SIZE(letters); set++) {
        char may[ARRAY_SIZE(letters) + 1] = "";

        for (size_t i = 0; i < ARRAY_SIZE(letters); i++)
            if (set & 1U << i)
                strncat(may, &letters[i].letter, 1);
        for (size_t level = 0; level < ARRAY_SIZE(levels); level++) {
            const char *word = arena_printf(arena, "%s/Device.%s", levels[level], may);

            for (enum page_language language = PAGE_EN; language <= PAGE_ES; language++) {
                const char *got = scope_text(arena, language, true, word).may;

                for (size_t i = 0; i < ARRAY_SIZE(letters); i++)
                    UNIT_CHECK(!strstr(got, page_text(language, letters[i].text)) ==
                                   !(set & 1U << i),
                               "%s: %s", word, got);
            }
        }
    }
}

/* Each way in which a client's or request's word reaches the page. */
static void hostile_words_are_text(void)
{
    static const char *const words[] = {
        "<script>alert(1)</script>",
        "patient/<b>.rs",
        "<i>/Observation.rs",
        "patient/Observation.rs<b>",
        "patient/Observation.rs?code=<script>alert(1)</script>",
        "user/Observation.r?\"'><img>",
    };
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        for (enum page_language language = PAGE_EN; language <= PAGE_ES; language++) {
            const char *got = line(arena, language, true, words[i]);

            UNIT_CHECK(strstr(got, "&lt;") || strstr(got, "&gt;"), "%s: %s", words[i], got);
            for (const char *at = got; (at = strchr(at, '<')); at++)
                UNIT_CHECK(strncmp(at, "<bdi>", 5) == 0 || strncmp(at, "</bdi>", 6) == 0, "%s: %s",
                           words[i], got);
        }
    }
}

int main(void)
{
    static const struct unit_case cases[] = {
        CASE(scopes_are_sentences),
        CASE(each_letter_is_named),
        CASE(hostile_words_are_text),
    };

    return unit_run("authd scope_text", cases, ARRAY_SIZE(cases));
}
