-- Locks out other writers of the project's templates until the transaction ends.
-- class: tx
-- in: project uuid
-- rows: one
select from pg_advisory_xact_lock(hashtextextended('templates ' || :project, 0))
