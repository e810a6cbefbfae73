-- content_translation_scoped replaces this index.
drop index concurrently if exists content_translation_words;
-- A writer knows the words that its change leaves unused, so this index is not needed. Now no index contains the
-- counts, and counting a word can update its row in place.
drop index concurrently if exists content_word_gone;
alter table content_word set (fillfactor = 50);
alter index content_word_alike set (fastupdate = off);
select gin_clean_pending_list('content_word_alike');
