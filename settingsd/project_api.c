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
    snprintf(why, 96, "must contain only lower-case letters, digits and hyphens");
    return -1;
}

static const struct field organization_code_out_rows[] = {
    FIELD_TEXT(struct organization_code_out, code, 1, 64, FIELD_REQUIRED,
               "Tenant code of the caller's project.", "lakeside"),
    FIELD_UUID(struct organization_code_out, projectId, FIELD_REQUIRED, "ID of the project.",
               "0199a0c0-4b1e-7f20-8d35-6c1a9e4f7b02"),
};
FIELD_TABLE(organization_code_out);

static const struct field organization_code_email_rows[] = {
    FIELD_EMAIL(struct organization_code_email, email, FIELD_REQUIRED | FIELD_SECRET,
                "Email address that receives the tenant code.", "ana@example.org"),
};
FIELD_TABLE(organization_code_email);

static const struct field project_child_in_rows[] = {
    FIELD_CHECKED(struct project_child_in, name, 1, 200, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Name of the new project.", "Lakeside North"),
    FIELD_PATTERN(struct project_child_in, tenantCode, 3, 64, check_new_code, "^[a-z0-9-]{3,64}$",
                  FIELD_NULLABLE, "Tenant code; the default is derived from the name.",
                  "lakeside-north"),
};
FIELD_TABLE(project_child_in);

static const struct field project_child_out_rows[] = {
    FIELD_UUID(struct project_child_out, projectId, FIELD_REQUIRED, "ID of the new project.",
               "0199a0c0-4b1e-7f20-8d35-6c1a9e4f7b02"),
    FIELD_TEXT(struct project_child_out, tenantCode, 3, 64, FIELD_NULLABLE,
               "Tenant code of the project; null if it has none.", "lakeside-north"),
    FIELD_TEXT(struct project_child_out, name, 1, 200, FIELD_REQUIRED | FIELD_CHARACTERS,
               "Name of the new project.", "Lakeside North"),
};
FIELD_TABLE(project_child_out);

static const struct field project_create_in_rows[] = {
    FIELD_CHECKED(struct project_create_in, name, 1, 200, name_check,
                  FIELD_REQUIRED | FIELD_CHARACTERS, "Name of the project.", "Lakeside Clinic"),
    FIELD_CHECKED(struct project_create_in, tenantCode, 3, 64, check_new_code, 0,
                  "Tenant code; the default is derived from the name.", "lakeside"),
    FIELD_BOOL(struct project_create_in, noCode, false, 0,
               "Whether the project gets no tenant code."),
    FIELD_BOOL(struct project_create_in, strict, false, 0,
               "Whether the project gets the strictest account policy."),
};
FIELD_TABLE(project_create_in);

static const struct field project_list_in_rows[] = {
    FIELD_UUID(struct project_list_in, after, 0, "Last project on the previous page."),
    FIELD_INT(struct project_list_in, count, 1, LIST_MAX, 100, 0,
              "Maximum number of projects to return.", "100"),
};
FIELD_TABLE(project_list_in);

static const struct field project_suspend_in_rows[] = {
    FIELD_TEXT(struct project_suspend_in, tenantCode, 1, 64, FIELD_REQUIRED,
               "Tenant code or ID of the project.", "lakeside"),
    FIELD_BOOL(struct project_suspend_in, suspended, false, FIELD_REQUIRED,
               "Whether to suspend the project; false resumes it."),
    FIELD_BOOL(struct project_suspend_in, readOnly, false, 0,
               "Whether to make the project read-only instead of suspending it."),
};
FIELD_TABLE(project_suspend_in);

static const struct field project_tree_out_rows[] = {
    FIELD_TEXTS(struct project_tree_out, projectIds, 36, 36, PROJECT_TREE_MAX, FIELD_REQUIRED,
                "IDs of the project and of all projects below it.",
                "5f0c4a52-8c1e-4d8a-9b0e-0e8f1c2d3a4b"),
};
FIELD_TABLE(project_tree_out);

static const struct field project_delete_in_rows[] = {
    FIELD_TEXT(struct project_delete_in, tenantCode, 1, 64, FIELD_REQUIRED,
               "Tenant code or ID of the project.", "lakeside"),
};
FIELD_TABLE(project_delete_in);

static const struct field project_deletion_in_rows[] = {
    FIELD_UUID(struct project_deletion_in, projectId, FIELD_REQUIRED, "ID of the project.",
               "0199a0c0-4b1e-7f20-8d35-6c1a9e4f7b02"),
};
FIELD_TABLE(project_deletion_in);

static const struct field deletion_part_rows[] = {
    FIELD_TEXT(struct deletion_part, service, 1, 64, FIELD_REQUIRED, "Name of the service", "docd"),
    FIELD_INT(struct deletion_part, removed, 0, INT64_MAX, 0, 0,
              "Number of rows that the service has deleted", "100"),
    FIELD_BOOL(struct deletion_part, done, false, 0,
               "Whether the service has no data of the project left"),
    FIELD_TEXT(struct deletion_part, lastError, 0, 400, 0,
               "Why the last call of the service failed", "The service is not available."),
};
FIELD_TABLE(deletion_part);

static const struct field project_deletion_rows[] = {
    FIELD_UUID(struct project_deletion, projectId, FIELD_REQUIRED, "ID of the project.",
               "0199a0c0-4b1e-7f20-8d35-6c1a9e4f7b02"),
    FIELD_TEXT(struct project_deletion, tenantCode, 0, 64, 0, "Tenant code of the project.",
               "lakeside"),
    FIELD_BOOL(struct project_deletion, done, false, 0,
               "Whether the project is deleted and its tenant code is free."),
    FIELD_OBJECTS(struct project_deletion, parts, deletion_part, 16, 0,
                  "Progress of each service."),
};
FIELD_TABLE(project_deletion);
