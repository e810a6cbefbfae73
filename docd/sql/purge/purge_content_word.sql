-- Deletes a page of a deleted project's words of content.
-- call: purge_page
with
-- include: purge(table = content_word, key = {project_id, type, language, word}),
-- include: audit(from = purge_found)
select count(*) as removed from purge_deleted
