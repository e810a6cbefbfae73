-- Counts a message as handed over with an unknown outcome, and sets when it is due again if the
-- outcome stays unknown. 0 rows: another process has claimed it.
-- class: write
-- in: id uuid, lease uuid, until int8
-- rows: none
update message
set due_at = :until, unknowns = unknowns + 1
where id = :id and lease = :lease
