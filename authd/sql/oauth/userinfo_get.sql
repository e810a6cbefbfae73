-- The persons that grants are of, where grant and membership are valid, and the number of the last
-- change, see authd/settings_cache.h; `number` is the place in the lists, from 1 on. No row: they
-- are not. An address is proven for an organisation, or for all (the nil UUID).
-- class: read
-- in: projects uuid[], sessions uuid[], organizations uuid[], now int8
-- rows: many
-- row: number int8, client_id text, scope text, jkt text null, profile uuid, role role, name text
-- row: surname text, email text, verified bool, change int8
select
    w.number,
    g.client_id,
    g.scope,
    g.jkt,
    s.profile_id as profile,
    s.role,
    a.name,
    a.surname,
    a.email,
    -- include: email_is_verified(account = a.id, organization = w.organization)
    as verified,
    -- include: settings_change
    as change
from unnest(:projects, :sessions, :organizations) with ordinality
    as w (project, session, organization, number)
cross join lateral (
    select client_id, scope, jkt
    from oauth_grant
    where project_id = w.project and session_id = w.session
    limit 1
) g
cross join lateral (
    select * from session where project_id = w.project and id = w.session limit 1
) s
-- include: session_holder(session = s, project = w.project, now = :now)
