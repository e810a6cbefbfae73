-- Makes this transaction the only one that adds leaves. No row: another one does.
-- class: tx
-- rows: one
select where pg_try_advisory_xact_lock(hashtextextended('trail', 0))
