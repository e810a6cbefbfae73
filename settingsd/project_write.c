/*
 * project_write.c - common parts of project writes: the audit row, and the error if another write
 * came first.
 */
#include "settingsd/settingsd.h"

struct sql_audit project_audit(const struct request *req, const char *action, struct uuid project,
                               const char *detail)
{
    return audit_row(req, &(struct audit){.action = action,
                                          .project = project,
                                          .type = "Project",
                                          .id = project,
                                          .detail = detail});
}

int project_require_unchanged(int rows, struct error *err)
{
    return sql_require(rows, err, ERR_CONFLICT, "The project changed during the write.");
}
