-- Deletes a page of a deleted project's drafts of content.
-- call: purge_page
with
-- include: purge(table = content_draft, key = {project_id, type, key, language}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
