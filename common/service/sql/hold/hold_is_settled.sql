-- Tells if all transactions as old as this one have ended, so that each that writes sees this one's
-- rows.
-- class: read
-- in: xact int8
-- rows: one
-- row: settled bool
select pg_snapshot_xmin(pg_current_snapshot())::text::int8 > :xact as settled
