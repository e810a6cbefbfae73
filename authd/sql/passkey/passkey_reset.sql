-- Deletes passkeys added at `since` or later, because they are lost or another person may have
-- added them. A credential change, if there are any.
-- class: tx
-- in: account uuid, since int8
-- rows: none
with
deleted as (
    delete from passkey
    where account_id = :account and created_at >= :since
    returning 1
),
some_deleted as (
    select from deleted limit 1
),
-- include: audit(from = some_deleted)
update credential
set changes = changes + 1
where account_id = :account and exists (select from some_deleted)
