-- Keeps other requests from adding API keys to the project until the transaction ends.
-- class: tx
-- in: project uuid
-- rows: one
select from pg_advisory_xact_lock(hashtextextended('api keys ' || :project, 0))
