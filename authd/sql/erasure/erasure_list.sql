-- Returns authd's rows that were deleted with an account.
-- class: read
-- in: account uuid
-- rows: many
-- row: struct erased_table
select table_name as "table", rows, 0::bigint as bytes from erasure_table where account_id = :account order by table_name
