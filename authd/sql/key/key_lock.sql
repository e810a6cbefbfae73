-- Keeps other instances from creating keys, of the API or the issuers, until the transaction ends.
-- Later statements see all earlier keys.
-- class: tx
-- rows: one
select from pg_advisory_xact_lock(hashtextextended('keys', 0))
