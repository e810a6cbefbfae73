-- Lists a page of members and pending invitations. Both kinds of ids are in time order, so each
-- list is read no further than needed.
-- class: read
-- in: project uuid, organization uuid null, most int8, skip int8
-- rows: many
-- row: struct member
select *
from (
    (
        select
            -- include: member_columns(organization = :organization)
        from membership m
        cross join
            -- include: account_of(row = m)
        where m.project_id = :project
        order by m.id
        limit :most + :skip
    )
    union all
    (
        select
            -- include: invited_columns
        from invitation i
        where i.project_id = :project
        order by i.id
        limit :most + :skip
    )
) l
order by l.id
limit :most offset :skip
