-- content_translation_scoped replaces this index. A writer knows the words that its change leaves unused.
drop index concurrently if exists content_translation_words;
-- No index contains the counts, so counting a word can update its row in place.
drop index concurrently if exists content_word_gone;
alter table content_word set (fillfactor = 50);
alter index content_word_alike set (fastupdate = off);
select gin_clean_pending_list('content_word_alike');
