-- Remembers that a project is deleted, for those who look again (common/service/project_purge.h). Times are
-- real time, ms.
-- class: write
-- in: project uuid, now int8
-- rows: none
insert into project_purge (project_id, began_at)
values (:project, :now)
on conflict (project_id) do nothing
