-- Deletes the sums of the content of a project that is deleted.
-- call: purge_page
with
-- include: purge(table = content_usage, key = project_id),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
