-- Deletes a page of import results of a project during its deletion.
-- call: purge_page
with
-- include: purge(table = transfer_account, key = {project_id, account_id}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
