-- Returns an account's links with a project's identity providers, oldest first.
-- class: read
-- in: account uuid, project uuid
-- rows: many
-- row: struct own_identity
select
    i.id,
    p.id as "providerId",
    p.name as provider,
    i.created_at as "createdAt",
    i.last_used_at as "lastUsedAt"
from identity i
join identity_provider p on p.id = i.provider_id
where i.account_id = :account and i.project_id = :project
order by i.created_at, i.id
limit 100
