-- Deletes a page of FHIR servers of a project during its deletion.
-- call: purge_page
with
-- include: purge(table = fhir_server, key = {project_id, id}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
