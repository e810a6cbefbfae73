-- The tenant code c of project p, if it has one. As a lateral query it is looked up by its index
-- however few rows the tables had when the plan was made.
left join lateral (select code from tenant_code where project_id = p.id limit 1) c on true
