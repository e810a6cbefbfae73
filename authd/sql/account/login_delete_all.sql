-- Deletes the logins of an account during its deletion.
-- class: tx
-- in: account uuid
-- rows: none
delete from login where account_id = :account
