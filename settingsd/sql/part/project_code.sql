-- The tenant code c of project p, if any. A lateral query uses its index, even if the plan was made
-- for small tables.
left join lateral (select code from tenant_code where project_id = p.id limit 1) c on true
