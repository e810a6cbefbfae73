-- Locks out others that add webhooks to the project until the transaction ends.
-- class: tx
-- in: project uuid
-- rows: one
select from pg_advisory_xact_lock(hashtextextended('webhooks ' || :project, 0))
