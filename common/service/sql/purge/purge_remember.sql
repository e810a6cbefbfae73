-- Remembers a deleted project for further purges (common/service/project_purge.h). Times are real,
-- in ms.
-- class: write
-- in: project uuid, now int8
-- rows: none
insert into project_purge (project_id, began_at)
values (:project, :now)
on conflict (project_id) do nothing
