/* project_api.h - projects, their codes and their deletion. */
#ifndef ATRIUM_SETTINGSD_PROJECT_API_H
#define ATRIUM_SETTINGSD_PROJECT_API_H

#include "common/wire/fields.h"

struct organization_code_out {
    const char *code;
    struct uuid projectId;
};
FIELD_DECLARE(organization_code_out);

struct organization_code_email {
    const char *email;
};
FIELD_DECLARE(organization_code_email);

struct project_child_in {
    const char *name, *tenantCode;
};
FIELD_DECLARE(project_child_in);

struct project_child_out {
    struct uuid projectId;
    const char *tenantCode, *name;
};
FIELD_DECLARE(project_child_out);

struct project_create_in {
    const char *name, *tenantCode;
    bool noCode; /* no tenant code */
    bool strict; /* has the strictest account policy */
};
FIELD_DECLARE(project_create_in);

struct project_list_in {
    struct uuid after; /* paging: last project of the page before, or absent */
    int64_t count;
};
FIELD_DECLARE(project_list_in);

struct project_suspend_in {
    const char *tenantCode;
    bool suspended;
    bool readOnly; /* make the project read-only, not suspended; false ends the read-only state */
};
FIELD_DECLARE(project_suspend_in);

enum { PROJECT_TREE_MAX = 4000 };
struct project_tree_out {
    struct field_texts projectIds;
};
FIELD_DECLARE(project_tree_out);

struct project_delete_in {
    const char *tenantCode;
};
FIELD_DECLARE(project_delete_in);

struct project_deletion_in {
    struct uuid projectId;
};
FIELD_DECLARE(project_deletion_in);

struct deletion_part {
    const char *service;
    int64_t removed; /* rows */
    bool done;
    const char *lastError; /* error of the service's last call, or NULL */
};
FIELD_DECLARE(deletion_part);

struct project_deletion {
    struct uuid projectId;
    const char *tenantCode;  /* only in answers of project_delete */
    bool done;               /* project deleted, its code free again */
    struct field_list parts; /* struct deletion_part */
};
FIELD_DECLARE(project_deletion);

#endif
