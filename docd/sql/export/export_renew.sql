-- Prolongs the lease of an export, or lets it go when `until` is now. 0 rows: another attempt has
-- it, or the account is gone.
-- class: write
-- in: project uuid, id uuid, lease uuid, until int8
-- rows: none
update export
set due_at = :until
where project_id = :project and id = :id and lease = :lease
