-- Records that an admin has read about a person.
-- class: write
-- rows: none
with
-- include: audit(from = (select) one)
select
