-- Keeps other requests from changing what the text names until the transaction ends.
-- class: tx
-- in: name text
-- rows: one
select from pg_advisory_xact_lock(hashtextextended(:name, 0))
