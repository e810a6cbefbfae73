-- Deletes the undo links of changes of an account's address since `since`.
-- class: tx
-- in: account uuid, since int8
-- rows: none
delete from email_undo where account_id = :account and changed_at >= :since
