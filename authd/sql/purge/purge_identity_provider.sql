-- Deletes a page of identity providers of a project during its deletion.
-- call: purge_page
with
-- include: purge(table = identity_provider, key = {project_id, id}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
