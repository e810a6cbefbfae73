-- Deletes memberships of a project during its deletion, and the accounts without another
-- membership. Runs after purge_member_lock.
-- class: tx
-- in: project uuid, accounts uuid[]
-- rows: one
-- row: removed int8, accounts int8
with
lone as materialized (
    select a.id
    from account a
    where a.id = any (:accounts) and not exists (
        select from membership m where m.account_id = a.id and m.project_id <> :project
    )
),
memberships_deleted as (
    delete from membership
    where account_id = any (:accounts) and project_id = :project
    returning id
),
logins_deleted as (
    delete from login
    where account_id = any (:accounts) and :project in (project_id, session_project)
),
sign_ins_deleted as (
    delete from last_sign_in where account_id = any (:accounts) and project_id = :project
),
passkeys_deleted as (
    delete from passkey where account_id = any (:accounts) and project_id = :project
),
resets_deleted as (
    delete from password_reset where account_id = any (:accounts) and project_id = :project
),
links_deleted as (
    delete from email_link where account_id = any (:accounts) and project_id = :project
),
proofs_deleted as (
    delete from email_verified where account_id = any (:accounts) and organization_id = :project
),
undos_deleted as (
    delete from email_undo
    where account_id = any (:accounts)
        and (project_id = :project or account_id in (select id from lone))
),
factors_deleted as (
    delete from mfa_pending where account_id = any (array(select id from lone))
),
accounts_deleted as (
    delete from account where id = any (array(select id from lone)) returning id
),
-- include: audit(from = memberships_deleted, entity = coalesce(:audit.entity, 'ProjectMembership/' || id)),
-- include: audit as account(from = accounts_deleted, entity = coalesce(:account.entity, 'Account/' || id))
select
    (select count(*) from memberships_deleted) as removed,
    (select count(*) from accounts_deleted) as accounts
