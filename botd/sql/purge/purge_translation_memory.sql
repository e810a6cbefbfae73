-- Deletes a page of a deleted project's translations.
-- call: purge_page
with
-- include: purge(table = translation_memory, key = {project_id, key}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
