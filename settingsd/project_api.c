/* project_api.c - see project_api.h. */
#include "settingsd/project_api.h"

#include <stdio.h>
#include <string.h>

#include "common/domain/name.h"
#include "settingsd/shape_api.h"

/* Checks a new tenant code; existing ones can differ. */
static int check_new_code(const char *value, char why[static 96])
{
    if (value[strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0')
        return 0;
    snprintf(why, 96, "must consist of lower-case letters, digits and hyphens");
    return -1;
}

static const struct field organization_code_out_rows[] = {
    FIELD_TEXT(struct organization_code_out, code, 1, 64, FIELD_REQUIRED,
               "Tenant code of the caller's project, as users type it when they sign in.",
               "lakeside"),
    FIELD_UUID(struct organization_code_out, projectId, FIELD_REQUIRED,
               "Project that the code belongs to."),
};
FIELD_TABLE(organization_code_out);

static const struct field organization_code_email_rows[] = {
    FIELD_EMAIL(struct organization_code_email, email, FIELD_REQUIRED | FIELD_SECRET,
                "Who is told the tenant code, when the project maps ORGANIZATION_CODE.",
                "ana@example.org"),
};
FIELD_TABLE(organization_code_email);

static const struct field project_child_in_rows[] = {
    FIELD_CHECKED(struct project_child_in, name, 1, 200, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Name of the new project.", "Lakeside North"),
    FIELD_PATTERN(struct project_child_in, tenantCode, 3, 64, check_new_code, "^[a-z0-9-]{3,64}$",
                  FIELD_NULLABLE, "Tenant code to take; made from the name when absent.",
                  "lakeside-north"),
};
FIELD_TABLE(project_child_in);

static const struct field project_child_out_rows[] = {
    FIELD_UUID(struct project_child_out, projectId, FIELD_REQUIRED, "The new project."),
    FIELD_TEXT(struct project_child_out, tenantCode, 3, 64, FIELD_NULLABLE,
               "Its tenant code; null for a project without one.", "lakeside-north"),
    FIELD_TEXT(struct project_child_out, name, 1, 200, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Its name.", "Lakeside North"),
};
FIELD_TABLE(project_child_out);

static const struct field project_create_in_rows[] = {
    FIELD_CHECKED(struct project_create_in, name, 1, 200, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Name of the project.", "Lakeside Clinic"),
    FIELD_CHECKED(struct project_create_in, tenantCode, 3, 64, check_new_code, 0,
                  "Code to take; made from the name when absent.", "lakeside"),
    FIELD_BOOL(struct project_create_in, noCode, false, 0, "Give it no code."),
    FIELD_BOOL(struct project_create_in, strict, false, 0, "Give it the strict account policy."),
};
FIELD_TABLE(project_create_in);

static const struct field project_list_in_rows[] = {
    FIELD_UUID(struct project_list_in, after, 0, "Last project of the page before."),
    FIELD_INT(struct project_list_in, count, 1, LIST_MAX, 100, 0, "Projects on a page.", "100"),
};
FIELD_TABLE(project_list_in);

static const struct field project_suspend_in_rows[] = {
    FIELD_TEXT(struct project_suspend_in, tenantCode, 1, 64, FIELD_REQUIRED, "The project.",
               "lakeside"),
    FIELD_BOOL(struct project_suspend_in, suspended, false, FIELD_REQUIRED, "Suspend, or resume."),
    FIELD_BOOL(struct project_suspend_in, readOnly, false, 0, "Make it read-only instead."),
};
FIELD_TABLE(project_suspend_in);

static const struct field project_tree_out_rows[] = {
    FIELD_TEXTS(struct project_tree_out, projectIds, 36, 36, PROJECT_TREE_MAX, FIELD_REQUIRED,
                "The project, and those below it.", "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
};
FIELD_TABLE(project_tree_out);

static const struct field project_delete_in_rows[] = {
    FIELD_TEXT(struct project_delete_in, tenantCode, 1, 64, FIELD_REQUIRED, "The project.",
               "lakeside"),
};
FIELD_TABLE(project_delete_in);

static const struct field project_deletion_in_rows[] = {
    FIELD_UUID(struct project_deletion_in, projectId, FIELD_REQUIRED, "The project."),
};
FIELD_TABLE(project_deletion_in);

static const struct field deletion_part_rows[] = {
    FIELD_TEXT(struct deletion_part, service, 1, 64, FIELD_REQUIRED, "Service", "docd"),
    FIELD_INT(struct deletion_part, removed, 0, INT64_MAX, 0, 0, "Rows that it has deleted", "100"),
    FIELD_BOOL(struct deletion_part, done, false, 0, "It has nothing more of the project"),
    FIELD_TEXT(struct deletion_part, lastError, 0, 400, 0, "Why its last call failed",
               "The service is not available."),
};
FIELD_TABLE(deletion_part);

static const struct field project_deletion_rows[] = {
    FIELD_UUID(struct project_deletion, projectId, FIELD_REQUIRED, "The project."),
    FIELD_TEXT(struct project_deletion, tenantCode, 0, 64, 0, "Its code.", "lakeside"),
    FIELD_BOOL(struct project_deletion, done, false, 0, "It is gone, and its code is free."),
    FIELD_OBJECTS(struct project_deletion, parts, deletion_part, 16, 0, "Of each service."),
};
FIELD_TABLE(project_deletion);
