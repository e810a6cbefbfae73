-- Deletes the logins of an account that is being deleted.
-- class: tx
-- in: account uuid
-- rows: none
delete from login where account_id = :account
