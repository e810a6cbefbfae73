-- Releases the claim of a form without an answer to store.
-- class: write
-- in: slot int8, id bytea
-- rows: none
delete from page_submission where slot = :slot and id = :id and answer is null
