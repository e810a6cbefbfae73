-- Deletes the links of tenants that lose ownership of an account when it joins a project, but not
-- those of the project and its ancestors, and deletes the account's enrollments of second factors
-- and passkeys.
-- class: tx
-- in: account uuid, above uuid[]
-- rows: none
with
undo_deleted as (
    delete from email_undo
    where account_id = :account and not installation and project_id <> all (:above)
),
link_deleted as (
    delete from email_link
    where account_id = :account and not installation and project_id <> all (:above)
),
reset_deleted as (
    delete from password_reset
    where account_id = :account and not installation and project_id <> all (:above)
),
pending_deleted as (
    delete from mfa_pending where account_id = :account
)
delete from passkey_ceremony where account_id = :account and kind = 'enroll'
