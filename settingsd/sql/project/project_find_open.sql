-- A project that is not being deleted. No row: it is, or is gone.
-- class: tx
-- in: project uuid
-- rows: one
select from project where id = :project and deleting_at is null
