-- Deletes a page of the queues of webhooks of a project that is deleted.
-- call: purge_page
with
-- include: purge(table = webhook_queue, key = {project_id, webhook_id}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
