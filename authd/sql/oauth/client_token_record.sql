-- Records that a client has got a token in its own name.
-- class: write
-- rows: none
with
-- include: audit(from = (select) one)
select
