-- Those among rows of a tenant's file who are invited. There is no address where the invitation is
-- over.
-- class: tx
-- in: project uuid, rows text
-- rows: many
-- row: struct transfer_invited
select
    t.account_id as account,
    t.membership_id as membership,
    (
        select i.email from invitation i where i.project_id = :project and i.id = t.membership_id
    ) as email,
    t.admin
from json_array_elements(:rows::json) e (value)
join lateral
    -- include: transfer_noted(project = :project, account = {(e.value #>> '{account,id}')::uuid})
    t on true
where t.invited
