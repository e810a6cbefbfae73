-- Deletes a page of invitations of a project during its deletion.
-- call: purge_page
with
-- include: purge(table = invitation, key = {project_id, role, email}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
