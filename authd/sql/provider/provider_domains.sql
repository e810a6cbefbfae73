-- Returns those of the domains that the project has verified, and keeps them verified until the end
-- of the transaction.
-- class: tx
-- in: project uuid, domains text[]
-- rows: many
-- row: domain text
select domain
from project_domain
where project_id = :project and domain = any (:domains) and verified_at is not null
order by domain
for share
