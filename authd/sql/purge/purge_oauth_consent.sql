-- Deletes a page of consents of a project during its deletion.
-- call: purge_page
with
-- include: purge(table = oauth_consent, key = {project_id, account_id, client_id}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
