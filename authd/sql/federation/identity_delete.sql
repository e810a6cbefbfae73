-- Deletes the links of a provider, or one, and the answers that wait to become one.
-- class: tx
-- in: provider uuid, only uuid null
-- rows: none
with
deleted as (
    delete from identity
    where provider_id = :provider and (:only::uuid is null or id = :only)
    returning account_id
),
proof_deleted as (
    delete from federated_login f
    where f.provider_id = :provider and f.account_id is not null
        and (:only::uuid is null or f.account_id in (select account_id from deleted))
),
-- include: audit(from = deleted d, entity = coalesce(:audit.entity, 'Account/' || d.account_id))
select from deleted
