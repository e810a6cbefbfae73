-- Returns a page of people whom a tenant's file has invited, after the membership `after`.
-- class: read
-- in: project uuid, after uuid, most int8
-- rows: many
-- row: struct transfer_invited
select
    -- include: transfer_invited_columns(noted = t, project = :project)
from transfer_account t
where t.project_id = :project and t.invited and t.membership_id > :after
order by t.membership_id
limit :most
