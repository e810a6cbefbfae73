-- What was told directly need not be relayed.
-- class: write
-- in: id uuid
-- rows: none
delete from outbox where id = :id
