-- Returns what was erased of an account.
-- class: read
-- in: account uuid
-- rows: many
-- row: struct erased_table
select table_name as "table", rows, bytes
from erasure
where account_id = :account and rows > 0
order by table_name
