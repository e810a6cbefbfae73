-- Returns the chain's end, locked until the commit. No row: another instance holds it.
-- class: tx
-- rows: one
-- row: sequence int8, hash bytea
select sequence, hash from audit_head for update skip locked
