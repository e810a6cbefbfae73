-- Deletes the links of an account that verify its address or give it another one.
-- class: tx
-- in: account uuid
-- rows: none
delete from email_link where account_id = :account
