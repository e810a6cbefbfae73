-- The person that a grant is of, when grant and membership are valid. No row: they are not. An
-- address is proven for an organisation, or for all.
-- class: read
-- in: project uuid, session uuid, organization uuid, now int8
-- rows: one
-- row: client_id text, scope text, jkt text null, profile uuid, role text, name text, surname text
-- row: email text, verified bool
select
    g.client_id,
    g.scope,
    g.jkt,
    s.profile_id as profile,
    s.role,
    a.name,
    a.surname,
    a.email,
    coalesce((
        select true
        from email_verified v
        where v.account_id = a.id
            and v.organization_id in (:organization, '00000000-0000-0000-0000-000000000000')
        limit 1
    ), false) as verified
from oauth_grant g
join session s on s.project_id = g.project_id and s.id = g.session_id
cross join
    -- include: account_of(row = s)
cross join
    -- include: membership_of(account = s.account_id, project = :project)
where g.project_id = :project and g.session_id = :session
    and m.locked_at is null and a.locked_at is null
    and
    -- include: account_active(account = a, now = :now)
    and
    -- include: session_valid(session = s, now = :now)
