-- Withdraws an account's consent for a client, and voids unused codes and approved devices that
-- have not got their tokens. No row: there is no consent.
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
