-- Locks a key until the transaction ends. No row: no such key.
-- class: tx
-- in: project uuid, type text, key text
-- rows: one
select from content where project_id = :project and type = :type and key = :key for update
