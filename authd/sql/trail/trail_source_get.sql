-- Up to where the trail of a daemon is in the trees. No row: it is not yet.
-- class: read tx
-- in: daemon text
-- rows: one
-- row: sequence int8
select sequence from trail_source where daemon = :daemon
