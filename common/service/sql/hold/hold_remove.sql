-- Reverts hold_add for a project.
-- class: tx
-- in: holder uuid
-- rows: none
delete from project_hold where held_by = :holder
