-- Gives the claim of a form back, which has no answer to keep.
-- class: write
-- in: slot int8, id bytea
-- rows: none
delete from page_submission where slot = :slot and id = :id and answer is null
