-- Deletes a page of the translations of a project that is deleted.
-- call: purge_page
with
-- include: purge(table = translation_memory, key = {project_id, key}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
