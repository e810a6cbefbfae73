-- What was erased of an account.
-- class: read
-- in: account uuid
-- rows: many
-- row: table_name text, rows int8, bytes int8
select table_name, rows, bytes from erasure where account_id = :account order by table_name
