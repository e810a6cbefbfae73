-- Deletes the password of an account that is being deleted.
-- class: tx
-- in: account uuid
-- rows: none
delete from credential where account_id = :account
