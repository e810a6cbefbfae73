-- Tests for a thing up to that id. More than one row is this statement's mistake.
-- class: read
-- in: up_to int8
-- rows: one
select from thing where id <= :up_to
