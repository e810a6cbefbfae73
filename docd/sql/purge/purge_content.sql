-- Deletes a page of a deleted project's content.
-- call: purge_page
with
-- include: purge(table = content, key = {project_id, type, key}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
