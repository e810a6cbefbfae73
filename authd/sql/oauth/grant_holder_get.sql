-- The person whom a session lets a client in for, before the grant is made. No row: the session has
-- ended, or the account was locked or deleted. An address is proven for an organisation, or for all.
-- class: read
-- in: project uuid, session uuid, organization uuid, now int8
-- rows: one
-- row: membership uuid, profile uuid, admin bool, role role, auth_method text, second_factor bool
-- row: name text, surname text, email text, verified bool
select
    m.id as membership,
    m.profile_id as profile,
    m.admin,
    s.role,
    s.auth_method,
    s.second_factor,
    a.name,
    a.surname,
    a.email,
    -- include: email_is_verified(account = a.id, organization = :organization)
    as verified
from session s
-- include: session_holder(session = s, project = :project, now = :now)
where s.project_id = :project and s.id = :session
