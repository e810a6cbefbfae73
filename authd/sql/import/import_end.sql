-- Deletes the batches of an import that is complete.
-- class: write
-- in: import bytea
-- rows: none
delete from import_batch where import_id = :import
