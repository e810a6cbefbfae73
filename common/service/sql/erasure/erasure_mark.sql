-- Notes that rows of a table are about to be erased, once the statements that asked erasure_begun() before are over:
-- none that begins later adds a row of the account.
-- class: write
-- in: account uuid, table_name text
-- rows: none
insert into erasure (account_id, table_name, rows, bytes)
select :account, :table_name, 0, 0
from pg_advisory_xact_lock(hashtextextended('erasure ' || :account, 0))
on conflict do nothing
