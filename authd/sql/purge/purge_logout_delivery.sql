-- Deletes a page of pending logouts of a project during its deletion.
-- call: purge_page
with
-- include: purge(table = logout_delivery, key = {project_id, session_id}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
