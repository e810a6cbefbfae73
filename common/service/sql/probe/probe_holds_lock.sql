-- Returns whether the process still holds a lock on the table `locked`.
-- class: vital
-- in: pid int8, locked text
-- rows: one
-- row: holds bool
select exists (
    select
    from pg_locks
    where pid = :pid::int4 and granted and relation = to_regclass(:locked)
) as holds
