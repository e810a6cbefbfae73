-- Deletes a page of noted requests of a project's directory during its deletion.
-- call: purge_page
with
-- include: purge(table = scim_request, key = {project_id, id}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
