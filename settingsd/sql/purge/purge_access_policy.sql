-- Deletes a page of a deleted project's access policies.
-- call: purge_page
with
-- include: purge(table = access_policy, key = {project_id, id}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
