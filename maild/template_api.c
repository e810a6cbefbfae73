/* template_api.c - field tables of template_api.h. See maild_api.c. */
#include "maild/template_api.h"

#include "common/domain/language.h"
#include "common/domain/list_limit.h"

enum {
    TEMPLATE_NAME_MAX = 4096, /* a longer name is not found */
    SUBJECT_MAX = 998,        /* RFC 5322, section 2.1.1 */
    PART_MAX = 262144,
    PREVIEW_MAX = 7 * PART_MAX, /* worst case: {{undoUrl}} in a link's query becomes 68 bytes */
};

static const struct field email_template_in_rows[] = {
    FIELD_TEXT(struct email_template_in, name, 1, TEMPLATE_NAME_MAX, FIELD_PATH | FIELD_REQUIRED,
               "Name of the template.", "PATIENT_WELCOME"),
    FIELD_TEXT(struct email_template_in, language, 0, LANGUAGE_TAG_MAX, FIELD_NULLABLE,
               "Language (BCP 47). If absent, the template is for all languages without their own.",
               "en"),
    FIELD_TEXT(struct email_template_in, subject, 1, SUBJECT_MAX, FIELD_REQUIRED,
               "Subject line. Write `{{name}}` for a variable, here and in the parts.",
               "Welcome to {{projectName}}"),
    FIELD_TEXT(struct email_template_in, html, 0, PART_MAX, FIELD_NULLABLE,
               "HTML part. Values are escaped, and percent-encoded in the query of a link.",
               "<p>Welcome, {{recipientName}}.</p>"),
    FIELD_TEXT(struct email_template_in, text, 1, PART_MAX, FIELD_REQUIRED, "Text part.",
               "Welcome, {{recipientName}}."),
    FIELD_IF_MATCH(struct email_template_in, "the template"),
    FIELD_IF_NONE_MATCH(struct email_template_in, "the template"),
};
FIELD_TABLE(email_template_in);

static const struct field email_template_get_in_rows[] = {
    FIELD_TEXT(struct email_template_get_in, name, 1, TEMPLATE_NAME_MAX,
               FIELD_PATH | FIELD_REQUIRED, "Name of the template.", "PATIENT_WELCOME"),
    FIELD_TEXT(struct email_template_get_in, language, 0, LANGUAGE_TAG_MAX, FIELD_QUERY,
               "Language of the template; absent or empty for the one without a language.", "en"),
};
FIELD_TABLE(email_template_get_in);

static const struct field email_template_delete_in_rows[] = {
    FIELD_TEXT(struct email_template_delete_in, name, 1, TEMPLATE_NAME_MAX,
               FIELD_PATH | FIELD_REQUIRED, "Name of the template.", "PATIENT_WELCOME"),
    FIELD_TEXT(struct email_template_delete_in, language, 0, LANGUAGE_TAG_MAX, FIELD_QUERY,
               "Language to remove; if absent, all; if empty, the one without a language.", "en"),
};
FIELD_TABLE(email_template_delete_in);

static const struct field email_template_preview_in_rows[] = {
    FIELD_TEXT(struct email_template_preview_in, name, 1, TEMPLATE_NAME_MAX,
               FIELD_PATH | FIELD_REQUIRED, "Name of the template.", "PATIENT_WELCOME"),
    FIELD_TEXT(struct email_template_preview_in, language, 0, LANGUAGE_TAG_MAX, FIELD_NULLABLE,
               "Language of the recipient.", "en"),
};
FIELD_TABLE(email_template_preview_in);

static const struct field email_template_preview_rows[] = {
    FIELD_TEXT(struct email_template_preview, subject, 0, PREVIEW_MAX, FIELD_REQUIRED,
               "Subject line with sample values.", "Welcome to Lakeside Clinic"),
    FIELD_TEXT(struct email_template_preview, html, 0, PREVIEW_MAX, FIELD_NULLABLE,
               "HTML part with sample values.", "<p>Welcome, Ana Lima.</p>"),
    FIELD_TEXT(struct email_template_preview, text, 0, PREVIEW_MAX, FIELD_REQUIRED,
               "Text part with sample values.", "Welcome, Ana Lima."),
};
FIELD_TABLE(email_template_preview);

static const struct field template_mapped_in_rows[] = {
    FIELD_UUID(struct template_mapped_in, projectId, FIELD_REQUIRED, "ID of the project."),
    FIELD_TEXT(struct template_mapped_in, name, 1, TEMPLATE_NAME_MAX, FIELD_REQUIRED,
               "Name of the template.", "PATIENT_WELCOME"),
};
FIELD_TABLE(template_mapped_in);

static const struct field template_mapped_out_rows[] = {
    FIELD_BOOL(struct template_mapped_out, mapped, false, FIELD_REQUIRED,
               "Whether the project has the template, in any language."),
};
FIELD_TABLE(template_mapped_out);

static const struct field template_put_in_rows[] = {
    FIELD_UUID(struct template_put_in, projectId, FIELD_REQUIRED, "Project of the template."),
    FIELD_TEXT(struct template_put_in, name, 1, 64, FIELD_REQUIRED, "Name of the template.",
               "PATIENT_WELCOME"),
    FIELD_TEXT(struct template_put_in, language, 0, LANGUAGE_TAG_MAX, 0,
               "Language of the template; absent for all languages without their own.", "en"),
    FIELD_TEXT(struct template_put_in, subject, 1, SUBJECT_MAX, FIELD_REQUIRED, "Subject line.",
               "Welcome to {{projectName}}"),
    FIELD_TEXT(struct template_put_in, html, 0, PART_MAX, 0, "HTML part.",
               "<p>Welcome, {{recipientName}}.</p>"),
    FIELD_TEXT(struct template_put_in, text, 1, PART_MAX, FIELD_REQUIRED, "Text part.",
               "Welcome, {{recipientName}}."),
};
FIELD_TABLE(template_put_in);

static const struct field template_record_rows[] = {
    FIELD_TEXT(struct template_record, name, 1, 64, FIELD_REQUIRED, "Name of the template.",
               "PATIENT_WELCOME"),
    FIELD_TEXT(struct template_record, language, 0, LANGUAGE_TAG_MAX, FIELD_NULLABLE, "Language.",
               "en"),
    FIELD_TEXT(struct template_record, subject, 1, SUBJECT_MAX, FIELD_REQUIRED, "Subject line.",
               "Welcome to {{projectName}}"),
    FIELD_TEXT(struct template_record, html, 0, PART_MAX, FIELD_NULLABLE, "HTML part.",
               "<p>Welcome, {{recipientName}}.</p>"),
    FIELD_TEXT(struct template_record, text, 0, PART_MAX, FIELD_REQUIRED, "Text part.",
               "Welcome, {{recipientName}}."),
    FIELD_TIME(struct template_record, lastUpdated, FIELD_REQUIRED,
               "When the template was last changed."),
    FIELD_ETAG(struct template_record),
};
FIELD_TABLE(template_record);

static const struct field template_mapping_rows[] = {
    FIELD_TEXT(struct template_mapping, name, 1, TEMPLATE_NAME_MAX, FIELD_REQUIRED,
               "Name of the template.", "PATIENT_WELCOME"),
    FIELD_BOOL(struct template_mapping, mapped, false, FIELD_REQUIRED,
               "Whether the project has the template."),
    FIELD_BOOL(struct template_mapping, anyLanguage, false, FIELD_REQUIRED,
               "Whether there is a template for all languages without their own."),
    FIELD_TEXTS(struct template_mapping, languages, 1, LANGUAGE_TAG_MAX, LIST_ROWS_MAX,
                FIELD_REQUIRED, "Languages with their own template.", "en"),
    FIELD_BOOL(struct template_mapping, builtin, false, 0,
               "Whether Atrium sends a built-in English email if the project has no template.",
               "false"),
};
FIELD_TABLE(template_mapping);

static const struct field template_mappings_rows[] = {
    FIELD_OBJECTS(struct template_mappings, templates, template_mapping, LIST_ROWS_MAX,
                  FIELD_REQUIRED, "All templates that exist."),
};
FIELD_TABLE(template_mappings);

static const struct field template_list_in_rows[] = {
    FIELD_UUID(struct template_list_in, projectId, FIELD_REQUIRED, "ID of the project."),
};
FIELD_TABLE(template_list_in);

static const struct field template_delete_in_rows[] = {
    FIELD_UUID(struct template_delete_in, projectId, FIELD_REQUIRED, "Project of the template."),
    FIELD_TEXT(struct template_delete_in, name, 1, TEMPLATE_NAME_MAX, FIELD_REQUIRED,
               "Name of the template.", "PATIENT_WELCOME"),
    FIELD_TEXT(struct template_delete_in, language, 0, LANGUAGE_TAG_MAX, 0,
               "Language to remove; if absent, all; if empty, the one without a language.", "en"),
};
FIELD_TABLE(template_delete_in);

static const struct field template_preview_in_rows[] = {
    FIELD_UUID(struct template_preview_in, projectId, FIELD_REQUIRED, "Project of the template."),
    FIELD_TEXT(struct template_preview_in, name, 1, 64, FIELD_REQUIRED, "Name of the template.",
               "PATIENT_WELCOME"),
    FIELD_TEXT(struct template_preview_in, language, 0, LANGUAGE_TAG_MAX, 0,
               "Language of the recipient.", "en"),
};
FIELD_TABLE(template_preview_in);

static const struct field template_records_rows[] = {
    FIELD_OBJECTS(struct template_records, resources, template_record, LIST_ROWS_MAX,
                  FIELD_REQUIRED, "Mail templates of the project, sorted by name and language."),
};
FIELD_TABLE(template_records);
