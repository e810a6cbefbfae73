-- Withdraws what an account lets a client do, and voids the codes under way and the devices that were
-- let in but have not come for their tokens. No row: it lets it do nothing.
-- class: write
-- in: project uuid, account uuid, client_id text, now int8
-- rows: one
-- row: client_id text
with
deleted as (
    delete from oauth_consent
    where project_id = :project and account_id = :account and client_id = :client_id
    returning client_id
),
voided as (
    update oauth_code
    set used_at = :now
    where project_id = :project and account_id = :account and client_id = :client_id
        and used_at is null
),
denied as (
    update oauth_device
    set state = 'denied'
    where project_id = :project and account_id = :account and client_id = :client_id
        and state = 'approved'
),
-- include: audit(from = deleted)
select client_id from deleted
