-- Earlier consents keep their effect.
insert into oauth_consent_resource (project_id, account_id, client_id, resource, scope)
select c.project_id, c.account_id, c.client_id, r.resource, c.scope
from oauth_consent c
cross join lateral (
    select '' as resource
    union
    select unnest(string_to_array(c.resource, ' '))
) r
on conflict do nothing;
