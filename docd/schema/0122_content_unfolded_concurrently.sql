-- Translations that docd must fold: written by an earlier release, by operators or by imports.
drop index concurrently if exists content_translation_unfolded;
create index concurrently content_translation_unfolded on content_translation (project_id, type, key, language) where not words @@ '''T.1'''::tsquery;
