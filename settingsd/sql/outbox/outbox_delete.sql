-- Deletes a message that was delivered directly.
-- class: write
-- in: id uuid
-- rows: none
delete from outbox where id = :id
