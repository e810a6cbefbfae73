-- Writes the audit row for what an admin has read about a person, or has done without writing any
-- other row.
-- class: write tx
-- rows: none
with
-- include: audit(from = (select) one)
select
