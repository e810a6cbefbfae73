-- Adds an audit row for an action that changes no other row.
-- class: write
-- rows: none
with
-- include: audit(from = (select) one)
select
