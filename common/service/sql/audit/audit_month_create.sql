-- Creates a month's partition, see common/service/schema/audit.sql. Not done: another session locks
-- the table.
-- class: write
-- in: name text, from_at int8, until_at int8
-- rows: one
-- row: done bool
select audit_month(:name, :from_at, :until_at) as done
