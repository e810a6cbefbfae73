-- Deletes the second factor of an account that is not enrolled, or was enrolled at `since` or
-- later: another person may have set it up. The audit row is for one that was enrolled.
-- class: tx
-- in: account uuid, since int8
-- rows: none
with
deleted as (
    delete from mfa_factor
    where account_id = :account and (enrolled_at is null or enrolled_at >= :since)
    returning enrolled_at
),
enrolled as (
    select from deleted where enrolled_at is not null
),
-- include: audit(from = enrolled)
select
