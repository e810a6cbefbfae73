-- Lets the account set up a second factor in a session of any of its projects.
-- class: tx
-- in: account uuid, until int8
-- rows: none
with
admitted as (
    update account set factor_admitted_until = :until where id = :account returning id
),
-- include: audit(from = admitted)
select from admitted
