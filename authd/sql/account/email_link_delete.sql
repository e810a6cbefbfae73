-- Deletes an account's links that verify or change its address.
-- class: tx
-- in: account uuid
-- rows: none
delete from email_link where account_id = :account
