-- The rows that were deleted here with an account.
-- class: read
-- in: account uuid
-- rows: many
-- row: table_name text, rows int8
select table_name, rows from erasure_table where account_id = :account order by table_name
