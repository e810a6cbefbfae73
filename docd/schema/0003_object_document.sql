-- The owner of the bytes: deleting a document also deletes all bytes that it ever had.
alter table object add column document_id uuid; -- no reference: the bytes outlive the document
create index object_document on object (project_id, document_id);
