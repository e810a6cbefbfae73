-- Unlocks an account. No row: it is not locked.
-- class: write
-- in: account uuid
-- rows: one
with
unlocked as (
    update account
    set locked_at = null
    where id = :account and locked_at is not null
    returning id
),
-- include: audit(from = unlocked)
select from unlocked
