-- The end of the chain.
-- class: read
-- rows: one
-- row: sequence int8
select sequence from audit_head
