-- A page of rows of a project's accounts as JSON, after the membership {place}, in the order of
-- memberships. {rows} selects at most one row of the membership m (common/service/tenant_table.h).
-- args: rows, project, place, most
select row_to_json(t)::text as value
from membership m
cross join lateral ({rows}) t
where m.project_id = {project} and m.id > {place}
order by m.id
limit {most}
