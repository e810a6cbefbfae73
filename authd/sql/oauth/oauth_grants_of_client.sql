-- Returns an account's live grants to a client, at most 1,000.
-- class: read
-- in: project uuid, account uuid, client_id text
-- rows: many
-- row: session uuid
select s.id as session
from session s
where s.project_id = :project and s.account_id = :account and s.ended_at is null
    and exists (
        select from oauth_grant g
        where g.project_id = s.project_id and g.session_id = s.id and g.client_id = :client_id
    )
order by s.id
limit 1000
