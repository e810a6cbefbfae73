-- Locks an account's row until the transaction ends. No row: the account was deleted.
-- class: tx
-- in: account uuid
-- rows: one
select from account where id = :account for update
