-- Deletes the link that would set the password of an account, and the one that would give it
-- another address.
-- class: tx
-- in: account uuid
-- rows: none
with
change_deleted as (
    delete from email_link where account_id = :account and kind = 'change'
)
delete from password_reset where account_id = :account
