-- A restored dump computes the column `words` where no schema is searched, and must find what this function calls.
alter function content_words(text, text, jsonb) set search_path from current;
