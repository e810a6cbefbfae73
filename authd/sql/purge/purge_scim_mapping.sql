-- Deletes a page of SCIM mappings of a project during its deletion.
-- call: purge_page
with
-- include: purge(table = scim_mapping, key = {project_id, place}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
