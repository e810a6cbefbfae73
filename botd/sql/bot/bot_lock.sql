-- Keeps other bots of the project from being added or replaced until the transaction ends.
-- class: tx
-- in: project uuid
-- rows: one
select from pg_advisory_xact_lock(hashtextextended('bots ' || :project, 0))
