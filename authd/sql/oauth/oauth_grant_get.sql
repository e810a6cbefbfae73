-- Returns a grant. No row: the session is no grant.
-- class: read
-- in: project uuid, session uuid
-- rows: one
-- row: client_id text, scope text, resource text null, signed_in_at int8
-- row: jkt text null, auth_method text, second_factor bool, patient uuid null
-- row: id_claims text null, id_acr text null
select
    g.client_id, g.scope, g.resource, g.signed_in_at, g.jkt, s.auth_method,
    s.second_factor, g.patient_id as patient, g.id_claims, g.id_acr
from oauth_grant g
join session s on s.project_id = g.project_id and s.id = g.session_id
where g.project_id = :project and g.session_id = :session
