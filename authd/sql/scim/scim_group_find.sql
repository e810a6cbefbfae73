-- Returns the groups with a name or external id; null: not by this.
-- class: read
-- in: project uuid, display_name text null, external_id text null
-- rows: many
-- row: row scim_group
with
ids as (
    select id
    from scim_group
    where project_id = :project and lower(display_name) = lower(:display_name)
    union
    select id from scim_group where project_id = :project and external_id = :external_id
)
select
    -- include: scim_group(from = g)
from ids
cross join lateral (
    select * from scim_group where project_id = :project and id = ids.id limit 1
) g
order by g.id
