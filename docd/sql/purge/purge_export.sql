-- Deletes a page of the exports of a project that is deleted.
-- call: purge_page
with
-- include: purge(table = export, key = {project_id, id}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
