-- Finds the pending export of an account for a requester. No row: none.
-- class: read
-- in: project uuid, asked_by uuid, account uuid
-- rows: one
-- row: struct account_export
select
    -- include: export_columns(from = e)
from export e
where project_id = :project and asked_by = :asked_by and account_id = :account
    and state = 'pending'
