-- Deletes a complete import's batches.
-- class: write
-- in: import bytea
-- rows: none
delete from import_batch where import_id = :import
