-- True for a project that is not read-only (common/service/project_read_only.h). Statements over
-- many projects skip the others.
-- args: project
not exists (select from project_hold h where h.project_id = {project} offset 0)
