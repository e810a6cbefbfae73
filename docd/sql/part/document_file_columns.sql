-- Columns of struct document_file from document d, without pending. The entity tag is the hash of
-- the bytes; it changes when the file is renamed (0120_document_renames.sql).
d.project_id as project,
d.object_id as object,
case
    when d.renames = 0 then d.etag
    else '"' || encode(sha256(convert_to(d.etag || d.renames, 'UTF8')), 'hex') || '"'
end as etag,
d.size,
d.file_name as "fileName",
d.content_type as "contentType",
d.found_type as "foundType",
d.updated_at as "lastUpdated",
d.id,
d.missing_at is not null as missing
