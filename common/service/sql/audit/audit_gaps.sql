-- Returns parts of the chain that were exported and removed.
-- class: read
-- in: after int8, count int8
-- rows: many
-- row: struct audit_gap
select first, last, hash from audit_gap where last > :after order by first limit :count
