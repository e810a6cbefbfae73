-- Deletes a page of the translations of content of a project that is deleted.
-- call: purge_page
with
-- include: purge(table = content_translation, key = {project_id, type, key, language}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
