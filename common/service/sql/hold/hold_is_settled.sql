-- Whether no transaction is under way that is as old as this one: each that writes now sees what
-- this one has written.
-- class: read
-- in: xact int8
-- rows: one
-- row: settled bool
select pg_snapshot_xmin(pg_current_snapshot())::text::int8 > :xact as settled
