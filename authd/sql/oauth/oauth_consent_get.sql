-- What an account has let a client do. No row: nothing.
-- class: read
-- in: project uuid, account uuid, client_id text
-- rows: one
-- row: scope text, resource text, tos_version text, updated_at int8
select scope, resource, tos_version, updated_at
from oauth_consent
where project_id = :project and account_id = :account and client_id = :client_id
