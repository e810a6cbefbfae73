-- Whether a project is not read-only (common/service/project_read_only.h): for statements that change rows of
-- many projects, which leave the others alone.
-- args: project
not exists (select from project_hold h where h.project_id = {project} offset 0)
