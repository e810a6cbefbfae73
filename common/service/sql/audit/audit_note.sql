-- A row of the trail for what leaves no other trace.
-- class: write
-- rows: none
with
-- include: audit(from = (select) one)
select
