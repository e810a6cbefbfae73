-- Deletes a page of the days of translation of a project that is deleted.
-- call: purge_page
with
-- include: purge(table = translation_day, key = {project_id, day}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
