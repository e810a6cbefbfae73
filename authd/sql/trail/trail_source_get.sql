-- Returns the position up to which a daemon's log is in the trees. No row: not yet.
-- class: read tx
-- in: daemon text
-- rows: one
-- row: sequence int8
select sequence from trail_source where daemon = :daemon
