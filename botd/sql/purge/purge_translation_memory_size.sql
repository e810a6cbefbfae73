-- Deletes a page of a deleted project's translation memory sizes.
-- call: purge_page
with
-- include: purge(table = translation_memory_size, key = {project_id}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
