-- Locks out others that add or replace bots of the project until the transaction ends.
-- class: tx
-- in: project uuid
-- rows: one
select from pg_advisory_xact_lock(hashtextextended('bots ' || :project, 0))
