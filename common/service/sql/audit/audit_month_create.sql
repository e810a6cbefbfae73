-- Creates the partition of a month, see common/service/schema/audit.sql. Not done: another session
-- holds the table.
-- class: write
-- in: name text, from_at int8, until_at int8
-- rows: one
-- row: done bool
select audit_month(:name, :from_at, :until_at) as done
