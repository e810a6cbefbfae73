/* cms_api.c - field tables of cms_api.h. See docd_api.c. */
#include "docd/cms_api.h"

#include <stdio.h>
#include <string.h>

#include "common/domain/language.h"

enum {
    CMS_TITLE_MAX = 500,
    CMS_TEXT_MAX = 100000,
    CMS_SEARCH_MAX = 200,
};

static int check_cms_name(const char *value, char why[static 96])
{
    if (value[strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0')
        return 0;
    snprintf(why, 96, "must contain only lower-case letters, digits and hyphens");
    return -1;
}

/* Rejects "map", because /cms/{type}/map is a route of its own. */
static int check_cms_key(const char *value, char why[static 96])
{
    if (strcmp(value, "map") != 0)
        return check_cms_name(value, why);
    snprintf(why, 96, "must not be map");
    return -1;
}

static int check_language(const char *value, char why[static 96])
{
    CLEANUP(arena_destroy) struct arena *arena = arena_new();

    if (value[0] && language_tag(arena, value))
        return 0;
    snprintf(why, 96, "must be a language tag such as en or pt-BR");
    return -1;
}

#define CMS_NAME_PATTERN "^[a-z0-9-]{1,100}$"
#define CMS_TYPE(s, flags_)                                                             \
    FIELD_PATTERN(s, type, 1, CMS_NAME_MAX, check_cms_name, CMS_NAME_PATTERN, (flags_), \
                  "Type of the content, such as `article`, `faq` or `exercise`.", "article")
#define CMS_KEY(s, flags_)                                                                \
    FIELD_PATTERN(s, key, 1, CMS_NAME_MAX, check_cms_key, CMS_NAME_PATTERN, (flags_),     \
                  "Key of the entry, unique in its type and the same in every language.", \
                  "back-pain-basics")
#define CMS_LANGUAGE(s, flags_, example_)                                                       \
    FIELD_PATTERN(s, language, 1, LANGUAGE_TAG_MAX, check_language, LANGUAGE_PATTERN, (flags_), \
                  "Language (BCP 47).", example_)
#define CMS_TITLE(s, flags_)                                                                       \
    FIELD_TEXT(s, title, 1, CMS_TITLE_MAX, (flags_) | FIELD_CHARACTERS, "Title in this language.", \
               "Back pain: the basics")
#define CMS_BODY(s, flags_)                                                                \
    FIELD_OBJECTS(s, sections, cms_section, CMS_SECTIONS_MAX, 0, "Sections of the text."), \
        FIELD_TEXT(s, author, 1, CMS_NAME_MAX * 2, (flags_) | FIELD_CHARACTERS, "Author.", \
                   "Dr. Ana Ruiz"),                                                        \
        FIELD_TEXT(s, code, 1, CMS_NAME_MAX, (flags_) | FIELD_CHARACTERS,                  \
                   "Code of the content in any code system.", "M54.5")

static const struct field cms_section_rows[] = {
    FIELD_TEXT(struct cms_section, title, 0, CMS_TITLE_MAX, FIELD_CHARACTERS, "Heading.",
               "When to see a doctor"),
    FIELD_TEXT(struct cms_section, text, 0, CMS_TEXT_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Text.", "Most back pain goes away within weeks."),
};
FIELD_TABLE(cms_section);

static const struct field cms_entry_rows[] = {
    CMS_TYPE(struct cms_entry, FIELD_REQUIRED),
    CMS_KEY(struct cms_entry, FIELD_REQUIRED),
    CMS_LANGUAGE(struct cms_entry, FIELD_REQUIRED, "en"),
    CMS_TITLE(struct cms_entry, FIELD_REQUIRED),
    CMS_BODY(struct cms_entry, 0),
    FIELD_TIME(struct cms_entry, lastUpdated, 0, "When the entry was last changed."),
    FIELD_ETAG(struct cms_entry),
};
FIELD_TABLE(cms_entry);

static const struct field cms_in_rows[] = {
    CMS_TYPE(struct cms_in, FIELD_PATH | FIELD_REQUIRED),
    CMS_KEY(struct cms_in, FIELD_PATH | FIELD_REQUIRED),
    CMS_LANGUAGE(struct cms_in, FIELD_PATH | FIELD_REQUIRED, "en"),
};
FIELD_TABLE(cms_in);

static const struct field cms_put_in_rows[] = {
    CMS_TYPE(struct cms_put_in, FIELD_PATH | FIELD_REQUIRED),
    CMS_KEY(struct cms_put_in, FIELD_PATH | FIELD_REQUIRED),
    CMS_LANGUAGE(struct cms_put_in, FIELD_PATH | FIELD_REQUIRED, "en"),
    CMS_TITLE(struct cms_put_in, FIELD_REQUIRED),
    CMS_BODY(struct cms_put_in, FIELD_NULLABLE),
    FIELD_BOOL(
        struct cms_put_in, reviewed, false, 0,
        "`true` changes `lastUpdated` even if nothing else changes, such as after the review "
        "of a translation whose source has changed."),
    FIELD_IF_MATCH(struct cms_put_in, "the entry"),
    FIELD_IF_NONE_MATCH(struct cms_put_in, "the entry"),
};
FIELD_TABLE(cms_put_in);

static const char *const cms_translations[] = {"missing", "outdated", NULL};

static const struct field cms_map_in_rows[] = {
    CMS_TYPE(struct cms_map_in, FIELD_PATH | FIELD_REQUIRED),
    CMS_LANGUAGE(struct cms_map_in, FIELD_PATH | FIELD_REQUIRED, "de"),
    FIELD_TEXT(struct cms_map_in, search, 0, CMS_SEARCH_MAX, FIELD_QUERY | FIELD_CHARACTERS,
               "Words to search for in title, section text, author and key, in either language. "
               "Misspelled words and words without accents match too, and so do parts of Chinese, "
               "Japanese and Korean text. Best matches come first.",
               "back pain"),
    FIELD_TEXT(struct cms_map_in, code, 0, CMS_NAME_MAX, FIELD_QUERY | FIELD_CHARACTERS,
               "Return only entries with this code.", "M54.5"),
    FIELD_CHOICE(struct cms_map_in, translation, cms_translations, FIELD_QUERY,
                 "Return only entries in the default language whose translation is `missing`, or "
                 "`outdated`: older than the entry in the default language.",
                 "outdated"),
    FIELD_INT(struct cms_map_in, _count, 1, 100, 10, FIELD_QUERY,
              "Maximum number of entries to return.", "10"),
    FIELD_INT(struct cms_map_in, _offset, 0, INT32_MAX, 0, FIELD_QUERY,
              "Number of entries to skip.", "0"),
};
FIELD_TABLE(cms_map_in);

static const struct field cms_side_rows[] = {
    FIELD_TEXT(struct cms_side, title, 1, CMS_TITLE_MAX, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Title in this language.", "Back pain: the basics"),
    FIELD_TEXT(struct cms_side, language, 1, LANGUAGE_TAG_MAX, FIELD_REQUIRED, "Language (BCP 47).",
               "en"),
    FIELD_TEXT(struct cms_side, key, 1, CMS_NAME_MAX, FIELD_REQUIRED, "Key of the entry.",
               "back-pain-basics"),
};
FIELD_TABLE(cms_side);

static const struct field cms_version_rows[] = {
    FIELD_TEXT(struct cms_version, language, 1, LANGUAGE_TAG_MAX, FIELD_REQUIRED,
               "Language (BCP 47).", "en"),
    FIELD_TIME(struct cms_version, lastUpdated, FIELD_REQUIRED,
               "When the entry was last changed in this language."),
};
FIELD_TABLE(cms_version);

static const struct field cms_pair_rows[] = {
    FIELD_OBJECT(struct cms_pair, source, cms_side, 0,
                 "Entry in the project's default language; absent if there is none."),
    FIELD_OBJECT(struct cms_pair, target, cms_side, 0,
                 "Entry in the requested language; absent if it is not translated.",
                 "{\"title\":\"Rückenschmerzen: die "
                 "Grundlagen\",\"language\":\"de\",\"key\":\"back-pain-basics\"}"),
    FIELD_OBJECTS(struct cms_pair, languages, cms_version, CMS_LANGUAGES_MAX, FIELD_REQUIRED,
                  "Languages of the entry. A translation is outdated if the entry in the default "
                  "language was changed after it."),
};
FIELD_TABLE(cms_pair);

static const struct field cms_map_rows[] = {
    FIELD_INT(struct cms_map, total, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of entries; in a search, at most the 500 that were compared.", "12"),
    FIELD_OBJECTS(struct cms_map, resources, cms_pair, 100, FIELD_REQUIRED,
                  "Entries on this page."),
};
FIELD_TABLE(cms_map);

static const struct field cms_draft_rows[] = {
    CMS_TYPE(struct cms_draft, FIELD_REQUIRED),
    CMS_KEY(struct cms_draft, FIELD_REQUIRED),
    CMS_LANGUAGE(struct cms_draft, FIELD_REQUIRED, "en"),
    CMS_TITLE(struct cms_draft, FIELD_REQUIRED),
    FIELD_TIME(struct cms_draft, lastUpdated, FIELD_REQUIRED, "When the draft was last changed."),
    FIELD_OBJECTS(struct cms_draft, languages, cms_version, CMS_LANGUAGES_MAX, FIELD_REQUIRED,
                  "Languages in which the entry is published."),
};
FIELD_TABLE(cms_draft);

static const struct field cms_drafts_in_rows[] = {
    CMS_TYPE(struct cms_drafts_in, FIELD_QUERY),
};
FIELD_TABLE(cms_drafts_in);

static const struct field cms_drafts_rows[] = {
    FIELD_OBJECTS(struct cms_drafts, resources, cms_draft, CMS_DRAFTS_MAX, FIELD_REQUIRED,
                  "All drafts, by type, key and language."),
};
FIELD_TABLE(cms_drafts);

static const struct field cms_draft_put_in_rows[] = {
    CMS_TYPE(struct cms_draft_put_in, FIELD_PATH | FIELD_REQUIRED),
    CMS_KEY(struct cms_draft_put_in, FIELD_PATH | FIELD_REQUIRED),
    CMS_LANGUAGE(struct cms_draft_put_in, FIELD_PATH | FIELD_REQUIRED, "en"),
    CMS_TITLE(struct cms_draft_put_in, FIELD_REQUIRED),
    CMS_BODY(struct cms_draft_put_in, FIELD_NULLABLE),
    FIELD_IF_MATCH(struct cms_draft_put_in, "the draft"),
    FIELD_IF_NONE_MATCH(struct cms_draft_put_in, "the draft"),
};
FIELD_TABLE(cms_draft_put_in);

static const struct field cms_import_in_rows[] = {
    FIELD_UUID(struct cms_import_in, projectId, FIELD_REQUIRED, "Project that gets the entries."),
    FIELD_OBJECTS(struct cms_import_in, entries, cms_entry, CMS_IMPORT_MAX, FIELD_REQUIRED,
                  "Entries, each in one language."),
};
FIELD_TABLE(cms_import_in);

static const struct field cms_imported_rows[] = {
    FIELD_INT(struct cms_imported, entries, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of entries in the request.", "2"),
    FIELD_INT(struct cms_imported, changed, 0, INT64_MAX, 0, FIELD_REQUIRED,
              "Number of entries that were new or different.", "1"),
};
FIELD_TABLE(cms_imported);
