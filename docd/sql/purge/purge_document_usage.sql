-- Deletes a page of a deleted project's usage of documents.
-- call: purge_page
with
-- include: purge(table = document_usage, key = {project_id, author_id}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
