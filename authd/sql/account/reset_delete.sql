-- Deletes an account's links to set a password and to change the address.
-- class: tx
-- in: account uuid
-- rows: none
with
change_deleted as (
    delete from email_link where account_id = :account and kind = 'change'
)
delete from password_reset where account_id = :account
