-- Renames all things up to an id.
-- class: tx
-- in: up_to int8, name text
-- rows: none
update thing set name = :name where id <= :up_to
