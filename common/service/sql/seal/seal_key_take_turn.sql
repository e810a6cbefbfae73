-- Lets one instance at a time reseal values with key `id`: this one until `until`. Times are real,
-- in ms. No row: another instance's turn.
-- class: write
-- in: id text, instance text, now int8, until int8
-- rows: none
update seal_key
set busy_by = :instance, busy_until = :until
where id = :id and (busy_by = :instance or busy_until <= :now)
