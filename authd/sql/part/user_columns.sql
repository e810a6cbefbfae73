-- The columns of struct user without places, of account a.
-- args: now
a.id,
a.email,
a.name as "firstName",
a.surname as "lastName",
a.role,
a.project_id as "projectId",
a.created_at as "createdAt",
a.locked_at is not null as locked,
a.locked_at as "lockedAt",
a.delete_at as "deletedFrom",
(select count(*) from credential c where c.account_id = a.id) > 0 as password,
coalesce(
    (select f.enrolled_at is not null from mfa_factor f where f.account_id = a.id), false
) as "mfaEnrolled",
(select count(*) from passkey k where k.account_id = a.id) as passkeys,
array(
    select v.organization_id from email_verified v where v.account_id = a.id
)::text <> '{}' as "emailVerified",
(
    select count(*)
    from membership m
    join session s on s.project_id = m.project_id and s.account_id = m.account_id
        and s.ended_at is null and s.idle_until > {now} and s.absolute_until > {now}
    where m.account_id = a.id
) as sessions
