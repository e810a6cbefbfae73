-- Deletes a page of the sizes of the translation memory of a project that is deleted.
-- call: purge_page
with
-- include: purge(table = translation_memory_size, key = {project_id}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
