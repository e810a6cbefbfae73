-- Keeps other instances from making keys, of the API and of the issuers, until the transaction ends:
-- the statements after it see those that were made before.
-- class: tx
-- rows: one
select from pg_advisory_xact_lock(hashtextextended('keys', 0))
