-- Deletes a page of SCIM groups of a project during its deletion.
-- call: purge_page
with
-- include: purge(table = scim_group, key = {project_id, id}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
