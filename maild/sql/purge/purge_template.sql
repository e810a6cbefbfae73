-- Deletes a page of a deleted project's mail templates.
-- call: purge_page
with
-- include: purge(table = template, key = {project_id, name, language}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
