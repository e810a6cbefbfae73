-- Deletes a page of the sums of documents by author of a project that is deleted.
-- call: purge_page
with
-- include: purge(table = document_usage, key = {project_id, author_id}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
