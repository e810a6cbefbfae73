-- Returns the rows of a tenant's file without those of invited people; `passed` counts the latter.
-- class: tx
-- in: project uuid, rows text
-- rows: one
-- row: rows text, passed int8
select
    '[' || coalesce(
        string_agg(e.value::text, ',' order by e.place) filter (where t.invited is not true), ''
    ) || ']' as rows,
    count(*) filter (where t.invited) as passed
from json_array_elements(:rows::json) with ordinality e (value, place)
left join lateral
    -- include: transfer_noted(project = :project, account = {(e.value ->> 'account_id')::uuid})
    t on true
