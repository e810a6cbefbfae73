-- Locks a link of an account with an identity provider of a project. `federated`: the session was
-- made by a provider. No row: there is no such link.
-- class: tx
-- in: id uuid, account uuid, project uuid, session uuid
-- rows: one
-- row: provider uuid, name text, federated bool
select
    p.id as provider,
    p.name,
    exists (
        select
        from session s
        where s.project_id = :project and s.id = :session and s.identity_id is not null
    ) as federated
from identity i
join identity_provider p on p.id = i.provider_id
where i.id = :id and i.account_id = :account and i.project_id = :project
for update of i
