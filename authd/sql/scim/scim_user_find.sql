-- Returns the users with a name, email address or external id; null: not by this. A name without
-- row is the email address.
-- class: read tx
-- in: project uuid, user_name text null, email text null, external_id text null
-- rows: many
-- row: row scim_user
with
ids as materialized (
    select s.id
    from scim_user s
    where s.project_id = :project and lower(s.user_name) = lower(:user_name)
    union
    select s.id
    from scim_user s
    where s.project_id = :project and s.external_id = :external_id
    union
    select m.id
    from account a
    cross join
        -- include: membership_of(account = a.id, project = :project)
    where a.role = 'Practitioner' and a.email = :email
    union
    select i.id
    from invitation i
    where i.project_id = :project and i.role = 'Practitioner' and i.email = :email
)
select u.*
from ids
cross join
    -- include: scim_user_of(project = :project, id = ids.id)
order by u.id
