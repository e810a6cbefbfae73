-- Is there a thing up to that id? More than one is a mistake of this statement.
-- class: read
-- in: up_to int8
-- rows: one
select from thing where id <= :up_to
