-- Returns an account's consents in a project, by client name.
-- class: read
-- in: project uuid, account uuid, most int8
-- rows: many
-- row: client_id text, client_name text, scope text, created_at int8, updated_at int8
select client_id, client_name, scope, created_at, updated_at
from oauth_consent
where project_id = :project and account_id = :account
order by client_name, client_id
limit :most
