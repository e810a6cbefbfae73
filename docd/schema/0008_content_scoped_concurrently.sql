-- Disables the list of pending rows, which each search would read to its end.
drop index concurrently if exists content_translation_scoped;
create index concurrently content_translation_scoped on content_translation using gin (content_scoped(content_scope(project_id, type, language), words, code)) with (fastupdate = off);
