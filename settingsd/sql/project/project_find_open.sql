-- Returns whether a project is read-only. No row: it is being deleted or gone.
-- class: tx
-- in: project uuid
-- rows: one
-- row: read_only bool
select exists (select from project_hold h where h.project_id = p.id offset 0) as read_only
from project p
where p.id = :project and p.deleting_at is null
