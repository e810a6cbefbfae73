-- Deletes a factor that isn't enrolled, or was enrolled at `since` or later, because another person
-- may have set it up. Audits only an enrolled factor.
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
