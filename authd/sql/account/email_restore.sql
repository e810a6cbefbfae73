-- Restores an account's email address from before a change.
-- class: tx
-- in: account uuid, email text
-- rows: one
with
changed as (
    update account
    set email = :email
    where id = :account
    returning id
),
-- include: audit(from = changed)
select from changed
