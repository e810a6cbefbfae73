-- Deletes the links of a provider, or one.
-- class: tx
-- in: provider uuid, only uuid null
-- rows: none
with
deleted as (
    delete from identity
    where provider_id = :provider and (:only::uuid is null or id = :only)
    returning account_id
),
-- include: audit(from = deleted d, entity = coalesce(:audit.entity, 'Account/' || d.account_id))
select from deleted
