-- The export of an account that is being made for who asked. No row: none is.
-- class: read
-- in: project uuid, asked_by uuid, account uuid
-- rows: one
-- row: struct account_export
select
    -- include: export_columns(from = e)
from export e
where project_id = :project and asked_by = :asked_by and account_id = :account
    and state = 'pending'
