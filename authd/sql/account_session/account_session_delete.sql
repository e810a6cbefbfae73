-- Ends a session of the installation's own pages. Deletes nothing if it has ended.
-- class: write
-- in: id uuid, account uuid
-- rows: none
with
deleted as (
    delete from account_session
    where id = :id and account_id = :account
    returning id
),
-- include: audit(from = deleted)
select from deleted
