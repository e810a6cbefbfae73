-- Returns whether all transactions up to the number `xact` have ended, so that each that still
-- writes sees the rows of the transaction `xact`.
-- class: read
-- in: xact int8
-- rows: one
-- row: settled bool
select pg_snapshot_xmin(pg_current_snapshot())::text::int8 > :xact as settled
