-- Marks a table's rows for erasure, and waits for statements that called erasure_begun() before:
-- later ones add no row of the account.
-- class: write
-- in: account uuid, table_name text
-- rows: none
insert into erasure (account_id, table_name, rows, bytes)
select :account, :table_name, 0, 0
from pg_advisory_xact_lock(hashtextextended('erasure ' || :account, 0))
on conflict do nothing
