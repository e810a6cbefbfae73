-- The live grants g of a project {where} after the session `after`, at most 1,000, with what they
-- hold of registrations. For grants of releases that did not record whether consent was requested,
-- uses the consent.
-- args: where
-- in: project uuid, after uuid null, now int8
select
    g.session_id as session,
    g.client_id as "clientId",
    s.role,
    g.scope,
    g.resource,
    g.patient_id as patient,
    g.grant_types as "grantTypes",
    coalesce(g.first_party, not exists (
        select from oauth_consent c
        where c.project_id = g.project_id and c.account_id = s.account_id
            and c.client_id = g.client_id
    )) as "firstParty"
from oauth_grant g
join session s on s.project_id = g.project_id and s.id = g.session_id
where g.project_id = :project and {where}
    and (:after::uuid is null or g.session_id > :after)
    and
    -- include: session_valid(session = s, now = :now)
order by g.session_id
limit 1000
