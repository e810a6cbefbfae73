-- Deletes a page of a deleted project's deliveries.
-- call: purge_page
with
-- include: purge(table = webhook_delivery, key = {project_id, webhook_id, sequence}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
