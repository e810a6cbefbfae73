-- Deletes an account and all rows that belong to it. Runs behind deletion_lock, and behind the
-- statements that delete what others lock before the counter of changes.
-- class: tx
-- in: account uuid
-- rows: one
with
deleted as (
    delete from account where id = :account returning id
),
-- include: audit(from = deleted)
select from deleted
