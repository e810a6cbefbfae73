-- Keeps other templates of the project from being written until the transaction ends.
-- class: tx
-- in: project uuid
-- rows: one
select from pg_advisory_xact_lock(hashtextextended('templates ' || :project, 0))
