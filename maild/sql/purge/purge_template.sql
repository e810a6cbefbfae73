-- Deletes a page of the mail templates of a project that is deleted.
-- call: purge_page
with
-- include: purge(table = template, key = {project_id, name, language}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
