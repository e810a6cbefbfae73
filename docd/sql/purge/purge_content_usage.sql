-- Deletes a deleted project's usage of content.
-- call: purge_page
with
-- include: purge(table = content_usage, key = project_id),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
