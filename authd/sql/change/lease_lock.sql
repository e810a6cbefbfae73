-- A lease that begins waits for the changes under way, and those that follow wait for it: none
-- falls between.
-- class: tx
-- rows: one
-- row: sequence int8
select sequence from change_counter for share
