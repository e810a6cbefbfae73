-- Returns the holder of a token of a membership and a session (null: any). No row: not valid any
-- more.
-- class: read
-- in: project uuid, membership uuid, session uuid null, now int8
-- rows: one
-- row: struct caller
select
    m.account_id as account,
    m.id as membership,
    m.project_id as project,
    :session::uuid as session,
    m.profile_id as profile,
    a.role,
    a.name || ' ' || a.surname as display,
    -- include: address_key_of(account = a.id)
    as "addressKey",
    m.admin,
    m.policy_id as policy,
    least(a.delete_at, m.end_at) as until,
    coalesce((
        select
            s.auth_method in ('passkey', 'federated+mfa')
            or (s.second_factor or position('+' in s.auth_method) > 0) and
                -- include: account_has_factor(account = a.id)
        from session s
        where s.project_id = :project and s.id = :session
    ), false) as "secondFactor"
from membership m
join account a on a.id = m.account_id
where m.project_id = :project and m.id = :membership and not
    -- include: member_locked(account = a, membership = m)
    and
    -- include: account_active(account = a, now = :now)
    and (:session::uuid is null or exists (
        select
        from session s
        where s.project_id = :project and s.id = :session and s.membership_id = :membership
            and s.end_reason is null
    ))
