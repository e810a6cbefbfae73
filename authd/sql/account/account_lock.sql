-- Locks an account: it cannot sign in until it is unlocked. No row: already locked.
-- class: tx
-- in: account uuid, now int8
-- rows: one
with
locked as (
    update account
    set locked_at = :now
    where id = :account and locked_at is null
    returning id
),
-- include: audit(from = locked)
select from locked
