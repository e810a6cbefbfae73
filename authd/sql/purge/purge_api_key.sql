-- Deletes a page of API keys of a project during its deletion.
-- call: purge_page
with
-- include: purge(table = api_key, key = {project_id, id}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
