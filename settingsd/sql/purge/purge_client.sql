-- Deletes a page of a deleted project's client applications.
-- call: purge_page
with
-- include: purge(table = client, key = {project_id, id}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
