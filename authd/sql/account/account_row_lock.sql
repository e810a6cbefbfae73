-- Locks the row of an account until the end of the transaction. No row: the account was deleted.
-- class: tx
-- in: account uuid
-- rows: one
select from account where id = :account for update
