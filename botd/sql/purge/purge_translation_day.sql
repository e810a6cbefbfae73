-- Deletes a page of a deleted project's translation days.
-- call: purge_page
with
-- include: purge(table = translation_day, key = {project_id, day}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
