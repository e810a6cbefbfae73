-- Deletes a page of a deleted project's settings history.
-- call: purge_page
with
-- include: purge(table = setting_history, key = {project_id, version, name}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
