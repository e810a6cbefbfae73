-- Records that an export was fetched.
-- class: write
-- rows: none
with
-- include: audit(from = (select) one)
select
