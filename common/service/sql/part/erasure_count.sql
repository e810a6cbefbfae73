-- Adds the rows that a statement erases to the account's counts, if there is an account. {from} has
-- table_name, rows and bytes.
-- args: from
-- in: account uuid null
erasure_counted as (
    insert into erasure as e (account_id, table_name, rows, bytes)
    select :account, c.table_name, c.rows, c.bytes
    from {from}
    where :account::uuid is not null and c.rows > 0
    on conflict (account_id, table_name) do update
        set rows = e.rows + excluded.rows, bytes = e.bytes + excluded.bytes
)
