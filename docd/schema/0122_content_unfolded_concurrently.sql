-- Translations that docd folds anew: those of a build before, and of operators and imports.
drop index concurrently if exists content_translation_unfolded;
create index concurrently content_translation_unfolded on content_translation (project_id, type, key, language) where not words @@ '''T.1'''::tsquery;
