-- Deletes the password of an account during its deletion.
-- class: tx
-- in: account uuid
-- rows: none
delete from credential where account_id = :account
