-- Changes an account's name. Runs after ownership_hold().
-- class: tx
-- in: account uuid, name text, surname text
-- rows: one
with
changed as (
    update account
    set name = :name, surname = :surname
    where id = :account
    returning id
),
-- include: audit(from = changed)
select from changed
