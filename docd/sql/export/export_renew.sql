-- Extends an export's lease, or releases it when `until` is now. 0 rows: another attempt has it, or
-- the account was deleted.
-- class: write
-- in: project uuid, id uuid, lease uuid, until int8
-- rows: none
update export
set due_at = :until
where project_id = :project and id = :id and lease = :lease
