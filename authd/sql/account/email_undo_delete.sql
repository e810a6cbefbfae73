-- Deletes the links that would take those changes of an account's address back that were made at
-- `since` or later.
-- class: tx
-- in: account uuid, since int8
-- rows: none
delete from email_undo where account_id = :account and changed_at >= :since
