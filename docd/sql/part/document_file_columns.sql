-- The columns of struct document_file but for pending, of document d.
d.project_id as project,
d.object_id as object,
d.etag,
d.size,
d.file_name as "fileName",
d.content_type as "contentType",
d.found_type as "foundType",
d.updated_at as "lastUpdated",
d.id,
d.missing_at is not null as missing
