-- Returns an account's consent for a client at a resource (null: none there), and its terms.
-- No row: no consent at all.
-- class: read
-- in: project uuid, account uuid, client_id text, resource text
-- rows: one
-- row: scope text null, tos_version text
select r.scope, c.tos_version
from oauth_consent c
left join oauth_consent_resource r
    on r.project_id = c.project_id and r.account_id = c.account_id and r.client_id = c.client_id
        and r.resource = :resource
where c.project_id = :project and c.account_id = :account and c.client_id = :client_id
