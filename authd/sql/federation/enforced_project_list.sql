-- Returns the next 1,000 projects with members, by id.
-- class: read
-- in: after uuid null
-- rows: many
-- row: project uuid
with recursive
found (project_id) as (
    (
        select project_id
        from membership
        where :after::uuid is null or project_id > :after
        order by project_id
        limit 1
    )
    union all
    select (
        select m.project_id
        from membership m
        where m.project_id > f.project_id
        order by m.project_id
        limit 1
    )
    from found f
    where f.project_id is not null
)
select project_id as project
from found
where project_id is not null
limit 1000
