-- The client applications of a project, at most 1,000.
-- class: read
-- in: project uuid
-- rows: many
-- row: struct client
select id, name, created_at as "lastUpdated"
from client
where project_id = :project
order by created_at, id
limit 1000
