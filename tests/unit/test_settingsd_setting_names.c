/*
 * test_settingsd_setting_names.c - each setting is named in every place that must know it.
 * settingsd compares its record's columns itself at start.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/ctl.h"
#include "settingsd/setting_api.h"
#include "settingsd/setting_names.h"
#include "tests/support/unit.h"

static const struct place {
    const char *path, *before, *after;
    bool switches_only;
} places[] = {
    {"settingsd/sql/part/tenant.sql", "'", "'", false},
    {"settingsd/sql/tenant/tenant_insert_project.sql", "(g.settings->>'", "')::boolean", true},
    {"ctl/project/project.c", "\"", "\"", false},
    {"ctl/atriumctl.1", "", "", false},
    {"web/console/screens/settings.js", "name: '", "'", false},
    {"web/console/screens/names.js", " ", ": N('", false},
};

static void every_setting_is_named_where_it_is_used(void)
{
    for (size_t p = 0; p < ARRAY_SIZE(places); p++) {
        const struct place *place = &places[p];
        char *text = unit_read_file(place->path), words[128];

        for (size_t i = 0; i < settings_values_table.count; i++) {
            const struct field *row = &settings_values_table.rows[i];

            if (place->switches_only && row->type != FIELD_TYPE_BOOL)
                continue;
            snprintf(words, sizeof(words), "%s%s%s", place->before, row->name, place->after);
            UNIT_CHECK(strstr(text, words), "%s lacks %s", place->path, words);
        }
        free(text);
    }
}

static bool is_word_of_command(const char *name)
{
    char words[sizeof(PROJECT_SETTINGS) + 2], word[128];

    snprintf(words, sizeof(words), "|%s|", PROJECT_SETTINGS);
    snprintf(word, sizeof(word), "|%s|", name);
    return strstr(words, word) != NULL;
}

static void every_setting_can_be_written(void)
{
    for (size_t i = 0; i < settings_values_table.count; i++) {
        const struct field *row = &settings_values_table.rows[i];
        const struct setting *setting = setting_find(row->name);

        UNIT_CHECK(setting && !setting->hidden, "settingsd/setting_names.c lacks %s", row->name);
        UNIT_CHECK(
            !setting || (setting->kind == SETTING_SWITCH) == (row->type == FIELD_TYPE_BOOL),
            "settingsd/setting_names.c and settingsd/setting_api.c: a switch is a FIELD_BOOL, "
            "%s is not",
            row->name);
        UNIT_CHECK(is_word_of_command(row->name), "ctl/ctl.h: PROJECT_SETTINGS lacks %s",
                   row->name);
    }
}

static const struct unit_case cases[] = {
    CASE(every_setting_is_named_where_it_is_used),
    CASE(every_setting_can_be_written),
};

int main(void)
{
    return unit_run("settingsd setting names", cases, ARRAY_SIZE(cases));
}
