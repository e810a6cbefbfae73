-- Returns the persons of grants, if grant and membership are valid, and the last change's number,
-- see authd/settings_cache.h. `number` is the position in the lists, from 1. No row: not valid.
-- class: read
-- in: projects uuid[], sessions uuid[], organizations uuid[], now int8
-- rows: many
-- row: number int8, client_id text, scope text, jkt text null, change int8, person row person
select
    w.number,
    g.client_id,
    g.scope,
    g.jkt,
    -- include: settings_change
    as change,
    -- include: person(session = s, account = a, profile = s.profile_id, organization = w.organization)
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
