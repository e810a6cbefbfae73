-- Words are looked up by content_translation_scoped now, and those that nobody has any more are known to who wrote last.
drop index concurrently if exists content_translation_words;
-- No index has the counts: a word that is in one more translation is a row that changes in its place, if there is room.
drop index concurrently if exists content_word_gone;
alter table content_word set (fillfactor = 50);
alter index content_word_alike set (fastupdate = off);
select gin_clean_pending_list('content_word_alike');
