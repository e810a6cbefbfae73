-- Returns the project and a limited number of projects below it.
-- class: read tx
-- in: project uuid, most int8
-- rows: many
-- row: id uuid
with recursive
below (id) as (
    select :project
    union all
    select c.id
    from below b
    cross join lateral (select id from project where parent_id = b.id) c
)
select id from below limit :most
