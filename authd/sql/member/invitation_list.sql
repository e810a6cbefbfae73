-- Lists a page of the pending invitations for a role, in the order of their addresses.
-- class: read
-- in: project uuid, role role, most int8, skip int8
-- rows: many
-- row: struct member
select
    -- include: invited_columns
from invitation i
where i.project_id = :project and i.role = :role
order by i.email
limit :most offset :skip
