-- Returns the last change's number.
-- class: read
-- rows: one
-- row: sequence int8
select sequence from change_counter
