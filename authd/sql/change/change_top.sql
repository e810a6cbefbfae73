-- The number of the last change.
-- class: read
-- rows: one
-- row: sequence int8
select sequence from change_counter
