-- The columns of struct project_account, of account a with its membership m in {project}. Counts
-- the passkeys that open the project: its own, and those of the installation's pages.
-- args: project, organization
a.id,
m.id as membership,
m.profile_id as "profileId",
a.role,
a.email,
a.name as "firstName",
a.surname as "lastName",
m.admin,
nullif(m.local_sign_in, false) as "localSignIn",
'AccessPolicy/' || m.policy_id as "accessPolicy",
-- include: email_is_verified(account = a.id, organization = {organization})
as "emailVerified",
array_to_json(array_remove(array[
    case
        when
            -- include: factor_enrolled(account = a.id)
        then 'totp'
    end,
    case
        when exists (
            select
            from passkey k
            where k.account_id = a.id and (k.project_id is null or k.project_id = {project})
        ) then 'passkey'
    end
], null))::text as factors,
-- include: project_account_state
as state,
coalesce(a.locked_at, m.locked_at) as "lockedAt",
case
    when a.locked_at is not null then 'operator'
    when m.locked_at is not null then 'admin'
end as "lockedBy",
(
    select l.at from last_sign_in l where l.account_id = a.id and l.project_id = {project}
) as "lastSignInAt",
a.delete_at as "deletionAt",
m.created_at as "memberSince"
