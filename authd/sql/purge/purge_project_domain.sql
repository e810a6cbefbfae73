-- Deletes a page of domains of a project during its deletion.
-- call: purge_page
with
-- include: purge(table = project_domain, key = {project_id, domain}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
