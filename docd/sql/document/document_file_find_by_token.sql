-- Finds a public document's file by the hash of its token.
-- class: read
-- in: token_hash bytea, direct bool
-- rows: one
-- row: struct document_file
select
    -- include: document_file_columns,
    -- include: upload_pending(direct = :direct)
from document d
where d.public_hash = :token_hash
