-- The person that a grant is of, when grant and membership are valid, and the number of the last
-- change, see authd/settings_cache.h. No row: they are not. An address is proven for an
-- organisation, or for all.
-- class: read
-- in: project uuid, session uuid, organization uuid, now int8
-- rows: one
-- row: client_id text, scope text, jkt text null, profile uuid, role text, name text, surname text
-- row: email text, verified bool, change int8
select
    g.client_id,
    g.scope,
    g.jkt,
    s.profile_id as profile,
    s.role,
    a.name,
    a.surname,
    a.email,
    -- include: email_is_verified(account = a.id, organization = :organization)
    as verified,
    -- include: settings_change
    as change
from oauth_grant g
join session s on s.project_id = g.project_id and s.id = g.session_id
-- include: session_holder(session = s, project = :project, now = :now)
where g.project_id = :project and g.session_id = :session
