-- Deletes a page of a deleted project's webhook queues.
-- call: purge_page
with
-- include: purge(table = webhook_queue, key = {project_id, webhook_id}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
