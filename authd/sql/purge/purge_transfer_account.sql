-- Deletes a page of what became of the accounts of a tenant's file, of a project that is deleted.
-- call: purge_page
with
-- include: purge(table = transfer_account, key = {project_id, account_id}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
