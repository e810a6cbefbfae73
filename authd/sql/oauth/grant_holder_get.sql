-- Returns the person of a session before it creates a grant. No row: the session has ended, or the
-- account was locked or deleted.
-- class: read
-- in: project uuid, session uuid, organization uuid, now int8
-- rows: one
-- row: membership uuid, admin bool, auth_method text, second_factor bool, person row person
select
    m.id as membership,
    m.admin,
    s.auth_method,
    s.second_factor,
    -- include: person(session = s, account = a, profile = m.profile_id, organization = :organization)
from session s
-- include: session_holder(session = s, project = :project, now = :now)
where s.project_id = :project and s.id = :session
