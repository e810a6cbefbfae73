-- Adds a domain to a project, or gives one that is not verified a new token. No row: the project has
-- 20 domains, or has verified this one meanwhile. Runs after name_lock, because a statement that
-- waits counts the rows from before its wait.
-- class: tx
-- in: project uuid, domain text, token text, now int8, expires int8
-- rows: one
-- row: struct project_domain
with
added as (
    insert into project_domain (project_id, domain, token, token_expires_at, created_at)
    select :project, :domain, :token, :expires, :now
    where (
        select count(*) from project_domain where project_id = :project and domain <> :domain
    ) < 20
    on conflict (project_id, domain) do update
    set token = excluded.token,
        token_expires_at = excluded.token_expires_at,
        created_at = excluded.created_at
    where project_domain.verified_at is null
    returning *
),
-- include: audit(from = added)
select
    -- include: domain_columns(from = d, now = :now)
from added d
