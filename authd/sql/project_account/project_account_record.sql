-- Records what an admin has read about a person, or done for one without another row.
-- class: write tx
-- rows: none
with
-- include: audit(from = (select) one)
select
