-- Restoring a dump computes the column `words` with an empty search_path, and must find the functions called here.
alter function content_words(text, text, jsonb) set search_path from current;
