-- Lists the exports that an account has requested, newest first.
-- class: read
-- in: project uuid, asked_by uuid, now int8, most int8
-- rows: many
-- row: struct account_export
select
    -- include: export_columns(from = e)
from export e
where project_id = :project and asked_by = :asked_by and (expires_at is null or expires_at > :now)
order by created_at desc
limit :most
