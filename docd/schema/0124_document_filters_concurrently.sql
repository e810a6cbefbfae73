-- The first two have a condition that is always true and that only lists of a kind use, for the reason in 0005. The third
-- has the project as text, so that no other index fits a search. Its list of pending rows is disabled, which each search
-- would read.
drop index concurrently if exists document_kind_updated;
create index concurrently document_kind_updated on document (project_id, document_kind(content_type), updated_at desc, id) include (content_type) where uploads >= 0;
drop index concurrently if exists document_kind_name;
create index concurrently document_kind_name on document (project_id, document_kind(content_type), file_name, id) where uploads >= 0;
drop index concurrently if exists document_name_words;
create index concurrently document_name_words on document using gin ((project_id::text), document_words(file_name) gin_trgm_ops) with (fastupdate = off);
