-- Whose bytes they are: when a document goes, so does all that it ever had, also what it was replaced by in between.
alter table object add column document_id uuid; -- no reference: the bytes outlive the document
create index object_document on object (project_id, document_id);
