-- Returns a page of the users of a project's directory. Both kinds of ids are in time order, so
-- each list is read no further than needed.
-- class: read
-- in: project uuid, most int8, skip int8
-- rows: many
-- row: row scim_user
with
ids as materialized (
    select l.id
    from (
        (
            select o.membership_id as id
            from member_order o
            where o.project_id = :project and o.role = 'Practitioner'
            order by o.membership_id
            limit :most + :skip
        )
        union all
        (
            select i.id
            from invitation i
            where i.project_id = :project and i.role = 'Practitioner'
            order by i.id
            limit :most + :skip
        )
    ) l
    order by l.id
    limit :most offset :skip
)
select u.*
from ids
cross join
    -- include: scim_user_of(project = :project, id = ids.id)
order by u.id
