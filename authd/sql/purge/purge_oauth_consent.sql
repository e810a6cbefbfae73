-- Deletes a page of what people let the clients of a project do, which is deleted.
-- call: purge_page
with
-- include: purge(table = oauth_consent, key = {project_id, account_id, client_id}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
