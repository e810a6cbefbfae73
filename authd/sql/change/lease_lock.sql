-- Makes a new lease wait for current changes, and later changes for the lease, so that it misses
-- none.
-- class: tx
-- rows: one
-- row: sequence int8
select sequence from change_counter for share
