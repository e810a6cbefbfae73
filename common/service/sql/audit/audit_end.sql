-- Returns the chain's end.
-- class: read
-- rows: one
-- row: sequence int8
select sequence from audit_head
