-- Deletes a page of the logouts that are due to clients of a deleted project.
-- call: purge_page
with
-- include: purge(table = logout_delivery, key = {project_id, session_id}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
