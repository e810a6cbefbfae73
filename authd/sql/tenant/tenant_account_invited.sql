-- Returns the invited people among rows of a tenant's file.
-- class: tx
-- in: project uuid, rows text
-- rows: many
-- row: struct transfer_invited
select
    -- include: transfer_invited_columns(noted = t, project = :project)
from json_array_elements(:rows::json) e (value)
join lateral
    -- include: transfer_noted(project = :project, account = {(e.value #>> '{account,id}')::uuid})
    t on true
where t.invited
