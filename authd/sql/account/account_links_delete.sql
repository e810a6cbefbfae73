-- Deletes what tenants have begun that will not own an account any more once it is a member of a
-- project: the links that they mailed, but those of the project itself and of the projects above it,
-- and enrolments of a second factor or a passkey.
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
