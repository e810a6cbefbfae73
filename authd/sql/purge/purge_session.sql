-- Deletes a page of sessions of a project during its deletion.
-- call: purge_page
with
-- include: purge(table = session, key = {project_id, id}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
